"""Point-to-point navigation: the three agents, their observations and rewards, how they are
trained, measured and filmed.
"""
