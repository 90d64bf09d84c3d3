"""Stimuli: verifying media, removing revealing data, and demonstration clips made by code."""
