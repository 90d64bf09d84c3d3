"""`replay`: action believability of two architectures, watched one after the other."""
