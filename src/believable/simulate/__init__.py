"""Participants who answer by themselves: through the real routes, validation and store, marked
simulated for ever.
"""
