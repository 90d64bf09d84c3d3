"""What gives a condition away: artifacts of files and delivery, behavior of the mover, and tests that
say whether chance explains it.
"""
