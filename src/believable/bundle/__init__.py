"""The exported dataset: tidy tables, raw events, study definition and codebook in one folder that
other tools can read.
"""
