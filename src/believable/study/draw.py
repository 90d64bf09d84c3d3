"""Drawing stimuli without replacement, so that every place gets one that fits whenever that is possible at all."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from believable.core.errors import InvalidInput
from believable.core.seeds import generator


@dataclass(frozen=True, slots=True)
class Slot:
    """A place in a plan that waits for a stimulus.

    `owner` is the id of the trial or block that asked for it; `in_order` groups slots whose stimuli come in file order.
    """

    key: str
    owner: str
    allowed: tuple[str, ...]
    in_order: str | None = None


class OutOfStimuli(InvalidInput):
    """A plan needs more stimuli than there are."""

    def __init__(self, slot: Slot) -> None:
        self.slot = slot
        super().__init__(
            f"{slot.key}: none of the {len(slot.allowed)} stimuli that fit here is left in this session. "
            "Add stimuli or show fewer."
        )


def draw(slots: Sequence[Slot], *, taken: Collection[str], seed: int) -> dict[Slot, str]:
    """One stimulus per slot, none twice and none of `taken`."""
    drawn, left_over = match(slots, taken=taken, seed=seed)
    if left_over:
        raise OutOfStimuli(left_over[0])
    return in_file_order(slots, drawn)


def match(slots: Sequence[Slot], *, taken: Collection[str], seed: int) -> tuple[dict[Slot, str], list[Slot]]:
    """As many slots as possible with a stimulus each (maximum bipartite matching with seeded preferences), and the others."""
    preferences = [_shuffled(slot, taken, seed) for slot in slots]
    holder: dict[str, int] = {}
    left_over = [slot for number, slot in enumerate(slots) if not _augment(number, preferences, holder)]
    return {slots[number]: stimulus for stimulus, number in holder.items()}, left_over


def _shuffled(slot: Slot, taken: Collection[str], seed: int) -> list[str]:
    names = [name for name in slot.allowed if name not in taken]
    generator(seed, "draw", slot.key).shuffle(names)
    return names


def _augment(start: int, preferences: Sequence[Sequence[str]], holder: dict[str, int]) -> bool:
    """Give `start` a stimulus, moving earlier slots to others where needed (shortest augmenting path)."""
    came_from: dict[str, tuple[int, str | None]] = {}
    queue: deque[tuple[int, str | None]] = deque([(start, None)])
    while queue:
        slot, given_up = queue.popleft()
        for name in preferences[slot]:
            if name in came_from:
                continue
            came_from[name] = (slot, given_up)
            if name not in holder:
                step: str | None = name
                while step is not None:
                    holder[step], step = came_from[step][0], came_from[step][1]
                return True
            queue.append((holder[name], name))
    return False


def in_file_order(slots: Sequence[Slot], drawn: dict[Slot, str]) -> dict[Slot, str]:
    """The same stimuli, with those of slots that belong together (`in_order`) in the order of the file."""
    groups: dict[str, list[Slot]] = {}
    for slot in slots:
        if slot.in_order is not None:
            groups.setdefault(slot.in_order, []).append(slot)
    for members in groups.values():
        names = sorted((drawn[slot] for slot in members), key=members[0].allowed.index)
        drawn.update(zip(members, names, strict=True))
    return drawn
