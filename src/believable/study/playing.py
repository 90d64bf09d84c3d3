"""Trials in which people play a round of a game against an opponent."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, Tag

from believable.study.bases import BY_SHAPE, Id, Text, TrialBase

#: Opponents by name. A number between 0 and 1 is an opponent, too: frustrated to that degree, all the time.
OPPONENTS = ("calm", "frustrated", "chaser")
#: `opponent: condition` takes the opponent that the condition is named after.
BY_CONDITION = "condition"

Opponent: TypeAlias = str | Annotated[float, Field(ge=0, le=1)]


class Play(TrialBase):
    """A round against an opponent, decided by the server and drawn by the page. It is stored as a recording that a later
    `watch` can show: `stimulus: {round: …}`.

    With `practice`, people play for as long as they want and say when they are ready.
    """

    kind: Literal["play"] = "play"
    title: Text | None = None
    """Heading."""
    text: Text | None = None
    """Markdown above the game, in place of the built-in words."""
    world: Literal["maze"] = "maze"
    """The game."""
    opponent: Annotated[
        Annotated[Opponent, Tag("word")] | Annotated[dict[Id, Opponent], Tag("mapping")], BY_SHAPE
    ] = BY_CONDITION
    """`calm`, `frustrated`, `chaser`, a number between 0 and 1 (frustration held there), a mapping from conditions to those,
    or `condition`: the one that the condition is named after."""
    size: int = Field(default=21, ge=9, le=41)
    """Tiles on each side of the maze, an odd number."""
    maze: Literal["round", "session"] | Annotated[int, Field(ge=0)] = "round"
    """Another maze for each `round`, for each `session`, or the one of this number for everybody."""
    duration_s: int = Field(default=60, ge=5, le=1800)
    """How long a round takes, in seconds."""
    countdown_s: int = Field(default=3, ge=0, le=10)
    """Seconds counted down before a round begins or goes on."""
    practice: bool = False
    """Play without an end, until the person is ready."""
    on_loss: Literal["resume", "restart"] = "resume"
    """After a lost connection the round goes on where it stood, or begins again."""
    render: Literal["none", "video"] = "none"
    """What a later `watch` shows: the recording itself, or a video made of it (needs the extra `video`)."""


def opponent_of(play: Play, condition: str | None) -> Opponent:
    """Whom a round is played against. The checker has made sure that there is one."""
    if isinstance(play.opponent, dict):
        return play.opponent[condition or ""]
    if play.opponent == BY_CONDITION:
        return condition or ""
    return play.opponent
