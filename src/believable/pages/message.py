"""The trial message: the current page as the browser gets it. Nothing in it may name a condition,
arm, scenario, stimulus, file or right answer.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from believable.contracts.record import Described
from believable.contracts.submission import SeenPlayer


class MessagePart(Described, BaseModel):
    model_config = ConfigDict(extra="forbid")


class MediumPart(MessagePart):
    """The content of a player."""

    url: str
    bytes: int
    player: str
    """Name of the player."""
    log: str | None
    """Address of a video's action log, where the page shows it; a recording has its own inside."""
    round: int | None = None
    """If the medium is a round that the participant played: the position of the page on which it
    was played.
    """


class SeenPart(MessagePart):
    """The parts of a player that were seen before a reload."""

    views: int
    position_ms: int
    watched: list[tuple[int, int]] = []
    """The parts that were shown: from, to."""


def seen_part(player: SeenPlayer) -> SeenPart:
    return SeenPart(
        views=player.views, position_ms=player.position_ms, watched=list(player.watched_intervals)
    )


class SeveralPart(MessagePart):
    """A page with several players."""

    together: bool
    """Whether they have common controls."""
    watch: Literal["all", "any"]
    """The views after which the questions appear."""
    each: list[SeenPart]


class DevicePart(MessagePart):
    """A check of devices."""

    tones: list[list[str]] | None
    """Of each row, the sound of its tones: one period, 16-bit samples at 8000 Hz, left and right in
    turn, as Base64; null: headphones are not checked. Which one is quieter is not said.
    """
    later: list[list[list[str]] | None]
    """Those of later attempts."""
    wheel: bool
    attempt: int
    """The attempt that is open, from 1."""


class SignalPart(MessagePart):
    """The content of a quality test."""

    test: Literal["visual", "auditory"]
    duration_ms: int
    corners: list[tuple[int | float, int | float]]
    """Time in milliseconds and level."""


class PlayPart(MessagePart):
    """How the page of a round behaves."""

    world: str
    practice: bool
    on_loss: Literal["resume", "restart"]
    duration_s: int
    words: str
    """Beginning of the keys of its texts."""
    rendered: bool
    """The server sends pictures."""
    script: str
    """Address of the module that shows the game."""


class OverlayPart(MessagePart):
    """The overlays of the player."""

    plan: bool
    log: bool


class AnnotatePart(MessagePart):
    """The annotation while watching."""

    kind: str
    """Name of the instrument."""
    params: dict[str, Any]
    practice: str | None
    """Address of the module of its practice page, on a practice page."""
    tries: int


class ControlsPart(MessagePart):
    """The controls of the players."""

    pause: bool
    seek: bool
    replay: bool
    max_views: int | None
    must_finish: bool
    watched_share: float
    volume: bool
    speeds: list[int | float]
    speed: int | float
    first_speed_limit: int | float | None
    zoom: bool
    follow: bool


class TrialMessage(MessagePart):
    """The current trial: all data that the page needs to show it, and to resume after a reload.
    `kind` is `finish` when only the end is left, then `finished`.
    """

    position: int
    total: int
    minutes_left: int
    """About how long the session still takes."""
    kind: str
    html: str
    styles: list[str] = []
    modules: dict[str, str] = {}
    """Instrument or player → address of its module."""
    media: list[MediumPart] = []
    stills: list[MediumPart] = []
    """The small pictures with which the page reminds of earlier ones."""
    questions: list[dict[str, Any]] = []
    """Each with `id`, `kind`, `required`, `params` and, where the browser has to follow a rule,
    `show_if`.
    """
    boxes: list[str] = []
    """Consent boxes."""
    drafts: dict[str, Any] = {}
    """The entries before a reload, by question."""
    orders: dict[str, list[str]] = {}
    """Question → the order its options are shown in."""
    controls: ControlsPart | None = None
    overlay: OverlayPart | None = None
    opened: list[str] = []
    """The overlays that were opened already."""
    seen: SeenPart = SeenPart(views=0, position_ms=0)
    several: SeveralPart | None = None
    device: DevicePart | None = None
    signal: SignalPart | None = None
    play: PlayPart | None = None
    wait_s: int = 0
    """Seconds before people can continue."""
    annotate: AnnotatePart | None = None
    saved: list[tuple[int, str, dict[str, Any]]] = []
    """Events of the annotation until now: number, kind, data."""
    streams: list[str] = []
    """The kinds of those events."""
