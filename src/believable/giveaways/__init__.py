"""Giveaways of a condition: artifacts of files and delivery, behavior of the mover, and tests
whether chance explains them.
"""
