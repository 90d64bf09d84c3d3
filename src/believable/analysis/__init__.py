"""From a bundle to results: exclusions, the declared plan, one module per protocol. Results are
records; `report` draws them.
"""
