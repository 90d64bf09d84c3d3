"""What is watched: verifying media, stripping what gives them away, and demonstration clips made by
code.
"""
