"""A round of a game that the server decides and the page shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from believable.contracts.instrument import InvalidAnswer
from believable.contracts.page import (
    Message,
    PageJudging,
    PageKind,
    PageLooks,
    ShownPage,
    SimulatedPerson,
    SimulatedVisit,
    StudyChecks,
)
from believable.contracts.registries import WORLDS
from believable.contracts.trial import Entry
from believable.contracts.world import Opponents
from believable.core.errors import MissingExtra
from believable.core.nodes import Node
from believable.study.levels import settings
from believable.study.reading import Reading
from believable.study.wording import unknown
from believable.worlds.picture_stream import need_codecs
from believable.worlds.play_trial import BY_CONDITION, Play


def _check(reading: Reading, entry: Entry, entries: Sequence[Entry]) -> None:
    """The keys of the world fit together, and there is an opponent in every setting."""
    play, place = entry.item, reading.place(entry.item)
    assert isinstance(play, Play)
    if reading.is_broken(place.path):
        return
    world = WORLDS[play.world].game
    try:
        world.ready()
        if play.is_rendered:
            need_codecs()
    except MissingExtra as error:
        cure = f"Install it with: pip install 'believable[{error.extra}]'"
        reading.report(place.get("world") or place, f"{error.what} needs an optional part.", cure)
        return
    for key, message, cure in world.trial.check(world.trial.options_in(play)):
        reading.report(place.get(key) or place, message, cure)
    for key, (arm, level) in world.trial.arms(world.trial.options_in(play)).items():
        if arm not in reading.study.arms:
            reading.report(place.get(key) or place, *unknown("arm", arm, tuple(reading.study.arms)))
        elif level not in reading.study.arms[arm]:
            levels = ", ".join(reading.study.arms[arm])
            cure = f"Give it the level {level!r}; it has {levels}."
            reading.report(place.get(key) or place, f"the arm {arm!r} never says {level}.", cure)
    if world.trial.opponents.named:
        _check_opponent(reading, play, world.trial.opponents)


def _check_opponent(reading: Reading, play: Play, opponents: Opponents) -> None:
    node = reading.place(play).get("opponent") or reading.place(play)
    if isinstance(play.opponent, dict):
        for condition, name in play.opponent.items():
            _known(reading, name, node.get(condition) or node, opponents)
            if condition not in reading.study.conditions and not reading.is_broken("conditions"):
                reading.report(
                    node.get(condition) or node,
                    *unknown("condition", condition, reading.study.conditions),
                )
        _every_condition(reading, play, node, play.opponent, opponents)
    elif play.opponent == BY_CONDITION:
        _every_condition(reading, play, node, opponents.named, opponents)
    else:
        _known(reading, play.opponent, node, opponents)


def _known(reading: Reading, name: object, node: Node, opponents: Opponents) -> None:
    if (problem := opponents.problem(name)) is not None:
        reading.report(node, *problem)


def _every_condition(
    reading: Reading, play: Play, node: Node, chosen: Mapping[str, object], opponents: Opponents
) -> None:
    """Each setting that the play trial can run in has a condition with an opponent."""
    if reading.is_broken("conditions"):
        return
    conditions = dict.fromkeys(
        setting.condition
        for item, setting in settings(reading.study, reading.study.timeline)
        if item is play
    )
    for condition in conditions:
        if condition is None:
            cure = (
                f"Name one ({', '.join(opponents.named)}), or put the trial into a block that runs"
                " `over: condition`."
            )
            reading.report(node, "no condition says who the opponent is.", cure)
        elif condition not in chosen:
            first = next(iter(opponents.named))
            cure = (
                f"Write `opponent: {{{condition}: {first}, …}}` with one of:"
                f" {', '.join(opponents.named)}."
            )
            reading.report(node, f"the condition {condition!r} has no opponent.", cure)


def _message(play: Play, page: ShownPage) -> dict[str, Any]:
    """The behaviour of the page. It does not reveal the opponent."""
    shown = {
        "world": play.world,
        "practice": play.practice,
        "on_loss": play.on_loss,
        "duration_s": play.duration_s,
        "words": play.words,
        "rendered": play.is_rendered,
        "script": (
            "/static/play/rendered.js"
            if play.is_rendered
            else f"/static/worlds/{play.world}/page.js"
        ),
    }
    return {"play": shown}


def _styles(play: Play) -> tuple[str, ...]:
    own = (WORLDS[play.world].folder / "static" / "page.css").is_file()
    return "/static/play/play.css", *((f"/static/worlds/{play.world}/page.css",) if own else ())


async def _go_through(person: SimulatedPerson, message: Message) -> None:
    await person.play_round(message)


PLAY = PageKind(
    name="play",
    record=Play,
    folder=Path(__file__).parent,
    checks=StudyChecks(entry=_check),
    judging=PageJudging(
        missing=lambda play, page: (
            None if play.practice or page.round_over else InvalidAnswer("error.play")
        )
    ),
    looks=PageLooks(
        title=lambda play: "play.practice_title" if play.practice else "play.title",
        words=lambda play: f"{play.words}.{'practice_text' if play.practice else 'text'}",
        next_words=lambda play: "play.ready" if play.practice else "button.next",
        message=_message,
        styles=_styles,
        script="/static/play/game.js",
        script_texts=("play.",),
    ),
    visit=SimulatedVisit(go_through=_go_through),
    typical_ms=66_000,
)
