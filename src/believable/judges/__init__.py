"""Automatic judges: models that distinguish movers by their motion, with a card that states their
limits.
"""
