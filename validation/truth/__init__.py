"""Planted truth: thousands of simulated studies whose true values are known, against what the
analyses say of them.
"""
