"""Readers of other tools' recordings."""
