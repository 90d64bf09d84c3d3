"""The town world."""
