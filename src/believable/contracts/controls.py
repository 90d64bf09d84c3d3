"""The controls of the player on a page."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from believable.contracts.record import Record


class Controls(Record):
    """The controls of the player."""

    pause: bool = True
    """People may pause."""
    seek: bool = False
    """People may jump."""
    replay: bool = False
    """People may watch again."""
    max_views: int | None = Field(default=None, ge=1)
    """How often at most, with `replay`."""
    must_finish: bool = True
    """The questions appear only after it was watched: to the end and, if people may jump, at least
    `watched_share` of it.
    """
    watched_share: float = Field(default=0.9, gt=0, le=1)
    """How much of it has to be seen, with `must_finish` and `seek`."""
    volume: bool = True
    """People may change the volume."""
    speeds: tuple[Annotated[float, Field(ge=0.25, le=600)], ...] = Field(default=(1,), min_length=1)
    """The speeds people may choose from; videos go up to 16."""
    speed: float | None = None
    """The initial speed, one of `speeds`; the first by default."""
    first_speed_limit: float | None = Field(default=None, ge=0.25, le=600)
    """The fastest speed of the first viewing. Faster ones can be chosen once it was watched: to the
    end, and at least `watched_share` of it.
    """
    zoom: bool = False
    """People may zoom into a recording and follow one of its figures."""
    follow: bool = False
    """The picture of a recording begins near its first figure and goes with it."""

    @property
    def first_speed(self) -> float:
        return self.speeds[0] if self.speed is None else self.speed

    @property
    def fastest_first(self) -> float:
        """The fastest speed that people can choose in the first viewing."""
        fastest = max(self.speeds)
        return fastest if self.first_speed_limit is None else min(fastest, self.first_speed_limit)
