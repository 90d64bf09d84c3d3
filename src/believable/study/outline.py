"""The timeline in the order of the file, each item with the blocks around it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from believable.study.records import Block, TimelineItem


@dataclass(frozen=True, slots=True)
class Entry:
    """`blocks` are the blocks around the item, outermost first."""

    item: TimelineItem
    blocks: tuple[Block, ...]


def outline(items: Sequence[TimelineItem], around: tuple[Block, ...] = ()) -> Iterator[Entry]:
    for item in items:
        yield Entry(item, around)
        if isinstance(item, Block):
            yield from outline(item.each, (*around, item))
