"""Do the intervals keep their promise? Simulated coverage of every interval this package gives by
default.

Each module of this folder declares `CASES: tuple[CoverageCase, ...]` for one subject; adding one is
enough. Run `python -m validation.coverage [--simulations 2000] [name …]`.
"""
