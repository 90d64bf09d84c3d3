"""With the other reading of the question beside it: as a person would in a game."""
