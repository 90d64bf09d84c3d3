"""Adds the other reading of the question: as a person would in a game."""
