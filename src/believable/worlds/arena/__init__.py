"""The arena world."""
