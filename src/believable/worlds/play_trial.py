"""Trials in which people play a round of a game: what all worlds have in common, and the keys of
each.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field, Tag, create_model

from believable.contracts.page_parts import PagePlayer
from believable.contracts.record import BY_SHAPE, Id, Text
from believable.contracts.registries import WORLDS
from believable.contracts.trial import TrialBase, WordedPage
from believable.core.nodes import Node

#: `opponent: condition` takes the opponent that the condition is named after.
BY_CONDITION = "condition"

Opponent: TypeAlias = str | Annotated[float, Field(ge=0, le=1)]


class Play(WordedPage):
    """A round of a game, decided by the server and shown by the page. It is stored as a recording
    that a later `watch` can show: `stimulus: {round: …}`.

    With `practice`, people play for as long as they want and say when they are ready.
    """

    kind: Literal["play"] = "play"
    text: Text | None = None
    """Markdown above the game, in place of the built-in words."""
    world: str = "maze"
    """The game. Each world has further keys."""
    opponent: Annotated[
        Annotated[Opponent, Tag("word")] | Annotated[dict[Id, Opponent], Tag("mapping")], BY_SHAPE
    ] = BY_CONDITION
    """Whom the world knows (in the maze `calm`, `frustrated`, `chaser`, or a number between 0 and
    1: frustration held there), a mapping from conditions to those, or `condition`: the one that the
    condition is named after.
    """
    duration_s: int = Field(default=60, ge=5, le=1800)
    """How long a round takes, in seconds."""
    start_seed: int | None = Field(default=None, ge=0, lt=2**63)
    """Decides how rounds start: all sessions then have the same starts. Without it each session has
    its own.
    """
    countdown_s: int = Field(default=3, ge=0, le=10)
    """Seconds counted down before a round begins or resumes."""
    practice: bool = False
    """Play without an end, until the person is ready."""
    on_loss: Literal["resume", "restart"] = "resume"
    """After a lost connection the round resumes at its last tick, or begins again."""
    render: Literal["auto", "none", "video"] = "auto"
    """How a later `watch` shows the round: `none` is the recording itself, `video` a video made of
    it (needs the extra `video`). `auto` is a video of worlds that the server draws, such as 3D
    ones, and the recording of the others.
    """

    @classmethod
    def form_for(cls, written: Node | None) -> type[TrialBase]:
        """With the keys of the played world, which alone is loaded; with those of all of them if
        there is no such world.
        """
        if written is None:
            return play_in(playable())
        named = written.get("world")
        name = cls.model_fields["world"].default if named is None else named.value
        known = isinstance(name, str) and name in WORLDS and WORLDS[name].playing is not None
        return play_in((name,) if known else playable())

    @property
    def player(self) -> PagePlayer:
        return PagePlayer(medium_ms=1000 * self.duration_s)

    @property
    def arms_read(self) -> frozenset[str]:
        form = WORLDS[self.world].game.trial
        return frozenset(arm for arm, _ in form.arms(form.options_in(self)).values())

    @property
    def is_rendered(self) -> bool:
        """The world draws itself; the page shows its pictures."""
        return WORLDS[self.world].game.filmable is not None

    def is_filmed(self, *, watched: bool) -> bool:
        """Whether a video is made of the round. `watched`: a later page shows it."""
        return self.render == "video" or (
            self.render == "auto" and watched and self.is_rendered and not self.practice
        )

    @property
    def words(self) -> str:
        """The beginning of the keys of the world's texts."""
        playing = WORLDS[self.world].game
        return playing.trial.text_key(playing.trial.options_in(self))

    @property
    def plays_round(self) -> Literal["round", "practice"]:
        return "practice" if self.practice else "round"


def opponent_of(play: Play, condition: str | None) -> Opponent:
    """Whom a round is played against. The checker has made sure that there is one."""
    if isinstance(play.opponent, dict):
        return play.opponent[condition or ""]
    if play.opponent == BY_CONDITION:
        return condition or ""
    return play.opponent


def playable() -> tuple[str, ...]:
    """The worlds that can be played."""
    return tuple(world.name for world in WORLDS if world.playing)


@cache
def play_in(worlds: Sequence[str]) -> type[Play]:
    """The play trial with the keys of these worlds."""
    options: dict[str, Any] = {
        "world": (Literal[*worlds], Field(default=Play.model_fields["world"].default))
    }
    records = [WORLDS[name].game.trial.options for name in worlds]
    for record in records:
        for key, field in record.model_fields.items():
            options.setdefault(key, (field.annotation, field))
    play = create_model(
        Play.__name__, __base__=Play, __doc__=Play.__doc__, __module__=__name__, **options
    )
    play.fields_from = tuple(reversed(records))
    return play
