"""`replay`: action believability of two architectures, watched one after the other."""

from believable.analysis.replay.results import OPTIONS, OUTCOMES, PROTOCOL, ROLES, analyse, main, methods

__all__ = ["OPTIONS", "OUTCOMES", "PROTOCOL", "ROLES", "analyse", "main", "methods"]
