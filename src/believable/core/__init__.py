"""The ground everything stands on: errors, registries, ids, clocks and seeds. Imports nothing of
ours.
"""
