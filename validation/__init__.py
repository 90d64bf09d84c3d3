"""What stands behind the numbers of `docs/validity.md`: simulations that take minutes to hours. Not
part of the package.
"""
