"""Comparisons whose stimuli have to show the same scenario: which scenario each of them takes, so that all can be filled."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from believable.core.seeds import generator
from believable.study.draw import OutOfStimuli, Slot, draw, in_file_order, match

#: Steps of the search for scenarios before a plan counts as impossible: thousands of times what real studies need.
MAX_STEPS = 20_000


@dataclass(frozen=True, slots=True)
class Matched:
    """Slots that are filled from one scenario together. `options` holds them narrowed to each scenario that has enough."""

    key: str
    owner: str
    options: tuple[tuple[Slot, ...], ...]


@dataclass(frozen=True, slots=True)
class Filled:
    """What was drawn: a stimulus per slot, and the slots each matched comparison took. `left_over` stayed empty."""

    drawn: dict[Slot, str]
    slots: dict[Matched, tuple[Slot, ...]]
    left_over: list[Slot]


def fill_all(
    slots: Sequence[Slot], together: Sequence[Matched], *, taken: Collection[str], seed: int
) -> Filled:
    """A stimulus for every slot, where that is possible at all; scenarios are tried in a seeded order."""
    if not together:
        drawn, left_over = match(slots, taken=taken, seed=seed)
        return Filled({}, {}, left_over) if left_over else Filled(in_file_order(slots, drawn), {}, [])
    search = _Search(list(slots), list(together), taken, seed)
    chosen = search.run(thorough=False)
    if chosen is None:
        chosen = search.run(thorough=True)
    if chosen is None:
        return Filled({}, {}, search.unfilled())
    everything = [*slots, *(slot for option in chosen for slot in option)]
    return Filled(draw(everything, taken=taken, seed=seed), dict(zip(together, chosen, strict=True)), [])


def must_fill(
    slots: Sequence[Slot], together: Sequence[Matched], *, taken: Collection[str], seed: int
) -> Filled:
    """As `fill_all`; raises OutOfStimuli where something stays empty."""
    filled = fill_all(slots, together, taken=taken, seed=seed)
    if filled.left_over:
        raise OutOfStimuli(filled.left_over[0])
    return filled


class _Search:
    """Depth first through the scenarios of the comparisons. The hasty run looks only at what competes inside a scenario and
    tests the whole at its end; the thorough one tests the whole after each step."""

    def __init__(self, slots: list[Slot], together: list[Matched], taken: Collection[str], seed: int) -> None:
        self._slots = slots
        self._together = together
        self._taken = taken
        self._seed = seed
        self._steps = 0
        self._options = [self._shuffled(one) for one in together]

    def run(self, *, thorough: bool) -> list[tuple[Slot, ...]] | None:
        self._steps = 0
        return self._descend([], thorough)

    def unfilled(self) -> list[Slot]:
        """The slots to name when nothing works: those that stay empty even on their own, else the last comparison's."""
        alone = match(self._slots, taken=self._taken, seed=self._seed)[1]
        return alone or [self._named(one) for one in self._together[-1:]]

    def _named(self, one: Matched) -> Slot:
        names = dict.fromkeys(name for option in one.options for slot in option for name in slot.allowed)
        return Slot(one.key, one.owner, tuple(names))

    def _shuffled(self, one: Matched) -> list[tuple[Slot, ...]]:
        options = list(one.options)
        generator(self._seed, "scenario", one.key).shuffle(options)
        return options

    def _descend(self, chosen: list[tuple[Slot, ...]], thorough: bool) -> list[tuple[Slot, ...]] | None:
        if len(chosen) == len(self._together):
            return chosen if thorough or self._possible(chosen, everything=True) else None
        for option in self._options[len(chosen)]:
            self._steps += 1
            if self._steps > MAX_STEPS:
                return None
            if self._possible([*chosen, option], everything=thorough):
                found = self._descend([*chosen, option], thorough)
                if found is not None or (not thorough and self._steps > len(self._together) ** 2 + 50):
                    return found
        return None

    def _possible(self, chosen: Sequence[tuple[Slot, ...]], *, everything: bool) -> bool:
        if everything:
            wanted = [*self._slots, *(slot for option in chosen for slot in option)]
        else:
            last = {name for slot in chosen[-1] for name in slot.allowed}
            wanted = [slot for option in chosen for slot in option if not last.isdisjoint(slot.allowed)]
        return not match(wanted, taken=self._taken, seed=0)[1]
