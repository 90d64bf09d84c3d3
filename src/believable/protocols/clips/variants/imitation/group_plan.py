"""The three clips of each page: types in any mixture, and similar routes.

Rule-based runs are chosen first; the other clips of a page are those of people and of the imitation
whose routes are nearest to them.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from believable.core.errors import InvalidInput
from believable.imitation.similar_routes import RouteWindow, nearest_window, route_distance
from believable.imitation.topology import Topology
from believable.protocols.clips import TYPES

HUMAN, IMITATION, ARTIFICIAL = TYPES
#: The number of imitation clips learned from the very recording that a human clip of the same page
#: is from.
DIRECT_CLONES = 2
_TRIES = 1000


@dataclass(frozen=True, slots=True)
class ClipDesign:
    """How large the study is. `people_pages` are pages with clips of people's demos of FreeDM. The
    bots and the imitation play as many rounds as there are pages, to choose clips from.
    """

    groups: int = 15
    per_group: int = 3
    clip_s: int = 20
    people_pages: int = 0

    @property
    def rounds(self) -> int:
        return max(2, self.groups)

    @property
    def round_s(self) -> int:
        """Three clips fit into it."""
        return 3 * self.clip_s + 5

    @property
    def fewest_nodes(self) -> int:
        """A player who enters fewer hardly moves."""
        return max(2, self.clip_s // 4)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedClip:
    """A clip and its page. `apart` is how far its way is from the one that the page was made
    around.
    """

    group: int
    type: str
    clone: bool
    window: RouteWindow
    apart: float


def mixtures(design: ClipDesign, rng: random.Random) -> list[tuple[str, ...]]:
    """The types of each page: the same number of each type overall if possible, in any mixture, not
    the same on all pages, and people next to the imitation on as many pages as there are direct
    clones.
    """
    total = design.groups * design.per_group
    types = [TYPES[number % len(TYPES)] for number in range(total)]
    for _ in range(_TRIES):
        rng.shuffle(types)
        pages = [
            tuple(sorted(types[at : at + design.per_group], key=TYPES.index))
            for at in range(0, total, design.per_group)
        ]
        both = sum(HUMAN in page and IMITATION in page for page in pages)
        # Two pages with all types on both would be the same mixture.
        if both >= max(1, min(DIRECT_CLONES, design.groups - 1)) and (
            len(pages) == 1 or len(set(pages)) > 1
        ):
            return pages
    raise InvalidInput(
        f"no mixture of types for {design.groups} pages of {design.per_group} clips; take more"
        " pages."
    )


def plan_groups(
    topology: Topology,
    windows: Mapping[str, Sequence[RouteWindow]],
    design: ClipDesign,
    rng: random.Random,
) -> list[PlannedClip]:
    """Choose the clips of every page. Direct clones are still to be played; until then they have
    the window they imitate.
    """
    taken: dict[str, list[RouteWindow]] = {name: [] for name in TYPES}
    clips: list[PlannedClip] = []
    clones = 0
    for group, types in enumerate(mixtures(design, rng)):
        # Rule-based runs first; without one, the page is made around a person's clip, else around
        # the imitation's.
        first = next(name for name in (ARTIFICIAL, HUMAN, IMITATION) if name in types)
        free = [w for w in windows[first] if not any(w.overlaps(other) for other in taken[first])]
        anchor = rng.choice(free) if free else None
        order = [first, *_without(types, first)]
        person: RouteWindow | None = None
        for place, name in enumerate(order):
            clone = name == IMITATION and person is not None and clones < DIRECT_CLONES
            if clone and person is not None:
                clones += 1
                clips.append(
                    PlannedClip(group=group, type=name, clone=True, window=person, apart=0.0)
                )
                person = None  # one on a page
                continue
            window = (
                anchor
                if place == 0 or anchor is None
                else nearest_window(topology, anchor.nodes, windows[name], taken[name])
            )
            if anchor is None or window is None:
                raise InvalidInput(
                    f"page {group + 1}: no part of {design.clip_s} s is left of {name} rounds in"
                    f" which nothing is fired and {design.fewest_nodes} places are passed. Record"
                    " more rounds, or take fewer groups or shorter clips."
                )
            taken[name].append(window)
            person = window if name == HUMAN else person
            apart = route_distance(topology, anchor.nodes, window.nodes)
            clips.append(
                PlannedClip(group=group, type=name, clone=False, window=window, apart=apart)
            )
    return clips


def _without(types: Sequence[str], first: str) -> list[str]:
    rest = list(types)
    rest.remove(first)
    return sorted(rest, key=TYPES.index)
