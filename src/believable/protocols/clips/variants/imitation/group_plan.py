"""The three clips of each page: types in any mixture, and similar routes.

Rule-based runs are chosen first; the other clips of a page are those of people and of the imitation
whose routes are nearest to them.
"""

from __future__ import annotations

import math
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


@dataclass(frozen=True, slots=True, kw_only=True)
class ClipDesign:
    """How large the study is. On each map the bot and the imitation play as many rounds as it has
    pages, to choose clips from. `as_published`: the imitation acts by the published rules alone.
    """

    groups: int = 15
    per_group: int = 3
    clip_s: int = 20
    as_published: bool = False
    clones: int = DIRECT_CLONES

    def rounds(self, maps: int) -> int:
        """Rounds of each type on each map."""
        return max(2, math.ceil(1.5 * self.groups / maps) if maps > 1 else self.groups)

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
    """A clip, its page, and the number of its map. `apart` is how far its way is from the one that
    the page was made around.
    """

    group: int
    map: int
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
        if both >= max(1, min(design.clones, design.groups - 1)) and (
            len(pages) == 1 or len(set(pages)) > 1
        ):
            return pages
    raise InvalidInput(
        f"no mixture of types for {design.groups} pages of {design.per_group} clips; take more"
        " pages."
    )


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class MapWindows:
    """The parts of recordings on one map that may become clips, by type."""

    map: int
    topology: Topology
    windows: Mapping[str, Sequence[RouteWindow]]


class _MapPages:
    """The pages of one map while they are filled. Nothing is shown twice."""

    def __init__(self, place: MapWindows) -> None:
        self.place = place
        self.pages = 0
        self._taken: dict[str, list[RouteWindow]] = {name: [] for name in TYPES}

    @property
    def fullness(self) -> float:
        """Pages for each part of a person: maps with more of these get more pages."""
        return (self.pages + 1) / (1 + len(self.place.windows[HUMAN]))

    def fill(
        self, group: int, types: Sequence[str], clones: int, rng: random.Random
    ) -> list[PlannedClip] | None:
        """A page of these types, with a direct clone if any are left; None if parts are missing."""
        # Rule-based runs first; without one, the page is made around a person's clip, else around
        # the imitation's.
        first = next(name for name in (ARTIFICIAL, HUMAN, IMITATION) if name in types)
        free = [w for w in self.place.windows[first] if not _overlaps(w, self._taken[first])]
        if not free:
            return None
        anchor = rng.choice(free)
        taken = {name: list(windows) for name, windows in self._taken.items()}
        clips: list[PlannedClip] = []
        person: RouteWindow | None = None
        for name in (first, *_without(types, first)):
            clone = name == IMITATION and person is not None and clones > 0
            if clone:
                window, clones = person, 0  # one on a page
            elif not clips:
                window = anchor
            else:
                window = nearest_window(
                    self.place.topology, anchor.nodes, self.place.windows[name], taken[name]
                )
            if window is None:
                return None
            if not clone:
                taken[name].append(window)
            person = window if name == HUMAN else person
            apart = route_distance(self.place.topology, anchor.nodes, window.nodes)
            clips.append(
                PlannedClip(
                    group=group,
                    map=self.place.map,
                    type=name,
                    clone=clone,
                    window=window,
                    apart=0.0 if clone else apart,
                )
            )
        self._taken = taken
        self.pages += 1
        return clips


def plan_groups(
    maps: Sequence[MapWindows], design: ClipDesign, rng: random.Random
) -> list[PlannedClip]:
    """Choose the clips of every page, all of a page on one map. Direct clones are still to be
    played; until then they have the window they imitate.
    """
    places = [_MapPages(place) for place in maps]
    clips: list[PlannedClip] = []
    clones = design.clones
    for group, types in enumerate(mixtures(design, rng)):
        for place in sorted(places, key=lambda place: place.fullness):
            page = place.fill(group, types, clones, rng)
            if page is not None:
                clips += page
                clones -= sum(clip.clone for clip in page)
                break
        else:
            raise InvalidInput(
                f"page {group + 1}: no part of {design.clip_s} s is left of"
                f" {', '.join(dict.fromkeys(types))} rounds in which nothing is fired and"
                f" {design.fewest_nodes} places are passed. Record more rounds, or take fewer"
                " groups or shorter clips."
            )
    return clips


def _overlaps(window: RouteWindow, taken: Sequence[RouteWindow]) -> bool:
    return any(window.overlaps(other) for other in taken)


def _without(types: Sequence[str], first: str) -> list[str]:
    rest = list(types)
    rest.remove(first)
    return sorted(rest, key=TYPES.index)
