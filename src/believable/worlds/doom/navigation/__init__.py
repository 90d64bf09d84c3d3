"""Point-to-point navigation: the three agents, what they see and are rewarded for, how they are
trained, measured and filmed.
"""
