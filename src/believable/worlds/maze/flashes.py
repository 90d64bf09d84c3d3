"""What flashes up for a moment when something happens: shots, hits, explosions, deaths. To be seen,
not to play with.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from believable.worlds.maze.rules import MazeEvent

#: By event: its picture, and for how many ticks.
EFFECTS = {
    "shot": ("flash", 3),
    "hit": ("spark", 5),
    "blast_hit": ("spark", 8),
    "blast": ("burst", 9),
    "caught": ("fall", 30),
    "player_killed": ("fall", 30),
    "opponent_killed": ("fall", 30),
}
#: The events that are announced in words; each is a text of the page.
NEWS = {"caught": "caught", "opponent_killed": "defeated", "player_killed": "killed"}
#: How long it is shown.
NEWS_TICKS = 42


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """`role` is how it is drawn; it is gone at tick `until`."""

    number: int
    role: str
    x: int
    y: int
    heading_deg: int
    until: int


class Effects:
    """Those that can be seen now. Call `see` once per tick, after the step."""

    def __init__(self) -> None:
        self.shown: Sequence[Effect] = ()
        self.news = ""
        self._news_until = 0
        self._number = 0

    def see(self, tick: int, events: Iterable[MazeEvent], player_heading_deg: int) -> None:
        fresh: list[Effect] = []
        for event in events:
            if event.kind in EFFECTS:
                role, ticks = EFFECTS[event.kind]
                self._number += 1
                fresh.append(
                    Effect(
                        number=self._number,
                        role=role,
                        x=event.x,
                        y=event.y,
                        heading_deg=player_heading_deg,
                        until=tick + ticks,
                    )
                )
            if event.kind in NEWS:
                self.news, self._news_until = NEWS[event.kind], tick + NEWS_TICKS
        if tick >= self._news_until:
            self.news = ""
        self.shown = [*(effect for effect in self.shown if effect.until > tick), *fresh]
