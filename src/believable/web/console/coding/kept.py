"""What is made of a project's texts and costs too much to make for every request. One per process, of the latest projects."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

from believable.store import coding_texts
from believable.store.engine import Connection, Store

T = TypeVar("T")


class Kept(Generic[T]):
    """Made anew when a text comes or goes: numbers are never given twice, so that count and latest number tell."""

    def __init__(self, most: int = 8) -> None:
        self._most = most
        self._kept: WeakKeyDictionary[Store, dict[str, tuple[tuple[int, int], T]]] = WeakKeyDictionary()

    def get(self, store: Store, conn: Connection, project: str, make: Callable[[], T]) -> T:
        of_store = self._kept.setdefault(store, {})
        stamp = coding_texts.stamp(conn, project)
        kept = of_store.get(project)
        if kept is None or kept[0] != stamp:
            kept = of_store[project] = (stamp, make())
            while len(of_store) > self._most:
                of_store.pop(next(iter(of_store)))
        return kept[1]
