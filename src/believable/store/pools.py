"""Sessions that count together. Real ones, simulated ones and previews are never added up."""

from __future__ import annotations

from collections.abc import Mapping

POOLS: Mapping[str, tuple[str, ...]] = {
    "real": ("open", "personal"),
    "simulated": ("simulated",),
    "preview": ("preview",),
}
LINK_KINDS: tuple[str, ...] = tuple(kind for kinds in POOLS.values() for kind in kinds)


def pool_of(link_kind: str) -> tuple[str, ...]:
    """The link kinds that a session of this kind is balanced and numbered together with."""
    return next(kinds for kinds in POOLS.values() if link_kind in kinds)
