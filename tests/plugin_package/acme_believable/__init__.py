"""What a third party adds: an instrument of its own."""
