"""Williams designs: every treatment once in every place, and after every other treatment equally often."""

from __future__ import annotations

from believable.core.errors import InvalidInput


def williams(n: int) -> tuple[tuple[int, ...], ...]:
    """The rows (orders of `0 … n-1`) of a Williams design: n for even n, 2n for odd n, where n rows cannot balance carry-over.

    >>> williams(4)
    ((0, 1, 3, 2), (1, 2, 0, 3), (2, 3, 1, 0), (3, 0, 2, 1))
    """
    if n < 1:
        raise InvalidInput(
            f"williams(n): expected at least one treatment, got {n}. Give the block levels to order."
        )
    first = [0]
    for step in range(1, n):
        first.append((first[-1] + (step if step % 2 else -step)) % n)
    rows = [tuple((treatment + shift) % n for treatment in first) for shift in range(n)]
    if n % 2 and n > 1:
        rows += [tuple(reversed(row)) for row in rows]
    return tuple(rows)


def row_count(n: int) -> int:
    """How many rows `williams(n)` has."""
    return n if n % 2 == 0 or n == 1 else 2 * n
