"""Numbers in, small result records out: agreement, resampling, tests, models, pairs, power,
indices.

Every function is pure. Results carry full precision, an interval, the number of observations and
the name of the method; what cannot be computed is `None` with a reason, never NaN and never a
silent zero.
"""
