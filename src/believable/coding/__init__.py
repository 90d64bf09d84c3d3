"""Free texts become categories with known agreement: labels, samples, agreement, resolution,
proportions. Pure.
"""
