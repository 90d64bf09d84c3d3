"""`qa`: is this annotator reliable? Known signals, and the others on the same task."""

from believable.analysis.qa.results import OPTIONS, OUTCOMES, PROTOCOL, ROLES, analyse, clean, main, methods

__all__ = ["OPTIONS", "OUTCOMES", "PROTOCOL", "ROLES", "analyse", "clean", "main", "methods"]
