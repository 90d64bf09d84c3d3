"""Drawing stimuli without replacement, so that every place gets one that fits whenever that is
possible at all.

Stimuli that have to show the same scenario are drawn together, so that enough is left for all the
others.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from believable.contracts.trial import MatchedSlots, Slot
from believable.core.errors import InvalidInput
from believable.core.seeds import generator

K = TypeVar("K", bound=Hashable)


class OutOfStimuli(InvalidInput):
    """A plan needs more stimuli than there are."""

    def __init__(self, slot: Slot) -> None:
        self.slot = slot
        super().__init__(
            f"{slot.key}: none of the {len(slot.allowed)} stimuli that fit here is left in this"
            " session. Add stimuli or show fewer."
        )


def draw(
    slots: Sequence[Slot],
    *,
    taken: Collection[str],
    seed: int,
    views: Mapping[str, int] | None = None,
) -> dict[Slot, str]:
    """One stimulus per slot, none twice and none of `taken`: by chance, or those with the fewest
    `views`.
    """
    if views is None:
        drawn, left_over = match(slots, taken=taken, seed=seed)
    else:
        drawn, left_over = match_least_viewed(slots, taken=taken, seed=seed, views=views)
    if left_over:
        raise OutOfStimuli(left_over[0])
    return in_file_order(slots, drawn)


def match(
    slots: Sequence[Slot], *, taken: Collection[str], seed: int
) -> tuple[dict[Slot, str], list[Slot]]:
    """As many slots as possible with a stimulus each (maximum bipartite matching with seeded
    preferences), and the others.
    """
    preferences = [_shuffle(slot, taken, seed) for slot in slots]
    holder: dict[str, int] = {}
    left_over = [
        slot for number, slot in enumerate(slots) if not _augment(number, preferences, holder)
    ]
    drawn = {slots[number]: stimulus for stimulus, number in holder.items()}
    return drawn, _show_again(left_over, drawn, taken, seed, {})


def _show_again(
    left_over: Sequence[Slot],
    drawn: dict[Slot, str],
    taken: Collection[str],
    seed: int,
    views: Mapping[str, int],
) -> list[Slot]:
    """Give slots that may repeat a stimulus the one that the session shows least (of these, the one
    with the fewest `views`), and return the others.
    """
    shown = Counter((*taken, *drawn.values()))
    for slot in left_over:
        if slot.again and slot.allowed:
            drawn[slot] = _least_shown(slot, shown, seed, views)
            shown[drawn[slot]] += 1
    return [slot for slot in left_over if slot not in drawn]


def _least_shown(slot: Slot, shown: Mapping[str, int], seed: int, views: Mapping[str, int]) -> str:
    return min(_shuffle(slot, (), seed), key=lambda name: (shown[name], views.get(name, 0)))


def _fill_again(
    groups: Sequence[MatchedSlots],
    drawn: dict[Slot, str],
    taken: Collection[str],
    seed: int,
    views: Mapping[str, int],
) -> dict[MatchedSlots, tuple[Slot, ...]]:
    """Draw for comparisons that may repeat stimuli, one after the other: in the scenario whose
    stimuli the session shows least (of these, the one with the fewest `views`).
    """
    shown = Counter((*taken, *drawn.values()))
    chosen = {}
    for group in groups:
        options = list(group.options)
        generator(seed, "scenario", group.key).shuffle(options)
        names = [[_least_shown(slot, shown, seed, views) for slot in option] for option in options]
        at = min(
            range(len(options)),
            key=lambda at: (
                sum(shown[name] for name in names[at]),
                sum(views.get(name, 0) for name in names[at]),
            ),
        )
        chosen[group] = options[at]
        drawn.update(zip(options[at], names[at], strict=True))
        shown.update(names[at])
    return chosen


def _repeats(group: MatchedSlots) -> bool:
    return bool(group.options) and all(slot.again for slot in group.options[0])


def match_least_viewed(
    slots: Sequence[Slot], *, taken: Collection[str], seed: int, views: Mapping[str, int]
) -> tuple[dict[Slot, str], list[Slot]]:
    """As `match`, with the stimuli of the fewest views that fill the slots; chance decides among
    equals.

    Stimuli are offered in the order of their views, and each one that can be placed stays placed.
    Sets of stimuli that can be placed together form a matroid, so this order is optimal.
    """
    fitting: dict[str, list[int]] = {}
    for number, slot in enumerate(slots):
        for name in slot.allowed:
            if name not in taken:
                fitting.setdefault(name, []).append(number)
    rng = generator(seed, "draw by views")
    names = sorted(fitting)
    rng.shuffle(names)
    names.sort(key=lambda name: views.get(name, 0))
    holder: dict[int, int] = {}
    preferences: list[list[int]] = []
    for number, name in enumerate(names):
        if len(holder) == len(slots):
            break
        rng.shuffle(fitting[name])
        preferences.append(fitting[name])
        _augment(number, preferences, holder)
    drawn = {slots[slot]: names[number] for slot, number in holder.items()}
    left_over = [slot for number, slot in enumerate(slots) if number not in holder]
    return drawn, _show_again(left_over, drawn, taken, seed, views)


def _shuffle(slot: Slot, taken: Collection[str], seed: int) -> list[str]:
    names = [name for name in slot.allowed if name not in taken]
    generator(seed, "draw", slot.key).shuffle(names)
    return names


def _augment(start: int, preferences: Sequence[Sequence[K]], holder: dict[K, int]) -> bool:
    """Give `start` a partner, moving earlier ones to others where needed (shortest augmenting
    path).
    """
    came_from: dict[K, tuple[int, K | None]] = {}
    queue: deque[tuple[int, K | None]] = deque([(start, None)])
    while queue:
        slot, given_up = queue.popleft()
        for name in preferences[slot]:
            if name in came_from:
                continue
            came_from[name] = (slot, given_up)
            if name not in holder:
                step: K | None = name
                while step is not None:
                    holder[step], step = came_from[step][0], came_from[step][1]
                return True
            queue.append((holder[name], name))
    return False


def in_file_order(slots: Sequence[Slot], drawn: dict[Slot, str]) -> dict[Slot, str]:
    """The same stimuli, with those of slots that belong together (`in_order`) in the order of the
    file.
    """
    groups: dict[str, list[Slot]] = {}
    for slot in slots:
        if slot.in_order is not None:
            groups.setdefault(slot.in_order, []).append(slot)
    for members in groups.values():
        names = sorted((drawn[slot] for slot in members), key=members[0].allowed.index)
        drawn.update(zip(members, names, strict=True))
    return drawn


#: Steps of the search for scenarios before a plan counts as impossible: thousands of times what
#: real studies need.
MAX_STEPS = 20_000


@dataclass(frozen=True, slots=True)
class FilledSlots:
    """The result of a draw: a stimulus per slot, and the slots each matched comparison took.
    `left_over` stayed empty.
    """

    drawn: dict[Slot, str]
    slots: dict[MatchedSlots, tuple[Slot, ...]]
    left_over: list[Slot]


def fill_all(
    slots: Sequence[Slot],
    together: Sequence[MatchedSlots],
    *,
    taken: Collection[str],
    seed: int,
    views: Mapping[str, int] | None = None,
) -> FilledSlots:
    """A stimulus for every slot, if that is possible at all; scenarios are tried in a seeded
    order. With `views`, stimuli with the fewest views are preferred.
    """
    again = [group for group in together if _repeats(group)]
    if again:
        once = [group for group in together if not _repeats(group)]
        filled = fill_all(slots, once, taken=taken, seed=seed, views=views)
        repeated = _fill_again(again, filled.drawn, taken, seed, views or {})
        return FilledSlots(filled.drawn, filled.slots | repeated, filled.left_over)
    if not together:
        if views is None:
            drawn, left_over = match(slots, taken=taken, seed=seed)
        else:
            drawn, left_over = match_least_viewed(slots, taken=taken, seed=seed, views=views)
        return (
            FilledSlots({}, {}, left_over)
            if left_over
            else FilledSlots(in_file_order(slots, drawn), {}, [])
        )
    search = _Search(list(slots), list(together), taken, seed, views)
    chosen = search.run(thorough=False)
    if chosen is None:
        chosen = search.run(thorough=True)
    if chosen is None:
        return FilledSlots({}, {}, search.find_unfilled())
    everything = [*slots, *(slot for option in chosen for slot in option)]
    return FilledSlots(
        draw(everything, taken=taken, seed=seed, views=views),
        dict(zip(together, chosen, strict=True)),
        [],
    )


def must_fill(
    slots: Sequence[Slot],
    together: Sequence[MatchedSlots],
    *,
    taken: Collection[str],
    seed: int,
    views: Mapping[str, int] | None = None,
) -> FilledSlots:
    """As `fill_all`; raises OutOfStimuli where something stays empty."""
    filled = fill_all(slots, together, taken=taken, seed=seed, views=views)
    if filled.left_over:
        raise OutOfStimuli(filled.left_over[0])
    return filled


class _Search:
    """Depth first through the scenarios of the comparisons. The hasty run looks only at what
    competes inside a scenario and tests the whole at its end; the thorough one tests the whole
    after each step.
    """

    def __init__(
        self,
        slots: list[Slot],
        together: list[MatchedSlots],
        taken: Collection[str],
        seed: int,
        views: Mapping[str, int] | None = None,
    ) -> None:
        self._slots = slots
        self._together = together
        self._taken = taken
        self._seed = seed
        self._steps = 0
        self._options = [self._shuffle(group) for group in together]
        self._views = views
        self._sorted_views: dict[tuple[str, ...], list[int]] = {}

    def run(self, *, thorough: bool) -> list[tuple[Slot, ...]] | None:
        self._steps = 0
        return self._descend([], thorough)

    def find_unfilled(self) -> list[Slot]:
        """The slots to name when nothing works: those that stay empty even on their own, else the
        last comparison's.
        """
        alone = match(self._slots, taken=self._taken, seed=self._seed)[1]
        return alone or [self._name_slot(group) for group in self._together[-1:]]

    def _name_slot(self, group: MatchedSlots) -> Slot:
        names = dict.fromkeys(
            name for option in group.options for slot in option for name in slot.allowed
        )
        return Slot(group.key, group.owner, tuple(names))

    def _shuffle(self, group: MatchedSlots) -> list[tuple[Slot, ...]]:
        options = list(group.options)
        generator(self._seed, "scenario", group.key).shuffle(options)
        return options

    def _descend(
        self, chosen: list[tuple[Slot, ...]], thorough: bool
    ) -> list[tuple[Slot, ...]] | None:
        if len(chosen) == len(self._together):
            return chosen if thorough or self._possible(chosen, everything=True) else None
        for option in self._in_order(chosen):
            self._steps += 1
            if self._steps > MAX_STEPS:
                return None
            if self._possible([*chosen, option], everything=thorough):
                drawn = self._descend([*chosen, option], thorough)
                if drawn is not None or (
                    not thorough and self._steps > len(self._together) ** 2 + 50
                ):
                    return drawn
        return None

    def _in_order(self, chosen: Sequence[tuple[Slot, ...]]) -> Sequence[tuple[Slot, ...]]:
        """The options of the next comparison: as shuffled, or those with the fewest views first."""
        options = self._options[len(chosen)]
        if self._views is None:
            return options
        used = Counter(slot.allowed for option in chosen for slot in option)
        return sorted(
            options, key=lambda option: sum(self._next_views(slot.allowed, used) for slot in option)
        )

    def _next_views(self, allowed: tuple[str, ...], used: Mapping[tuple[str, ...], int]) -> int:
        """The views of the stimulus that a slot would get if `used` of them were drawn before."""
        if allowed not in self._sorted_views:
            views = self._views or {}
            self._sorted_views[allowed] = sorted(
                views.get(name, 0) for name in allowed if name not in self._taken
            )
        least = self._sorted_views[allowed]
        return least[min(used[allowed], len(least) - 1)] if least else 0

    def _possible(self, chosen: Sequence[tuple[Slot, ...]], *, everything: bool) -> bool:
        if everything:
            wanted = [*self._slots, *(slot for option in chosen for slot in option)]
        else:
            last = {name for slot in chosen[-1] for name in slot.allowed}
            wanted = [
                slot for option in chosen for slot in option if not last.isdisjoint(slot.allowed)
            ]
        return not match(wanted, taken=self._taken, seed=0)[1]
