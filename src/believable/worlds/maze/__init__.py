"""The maze world."""
