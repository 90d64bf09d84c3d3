"""Rounds: there is an opponent in every setting, the maze can be built, and whoever shows a round shows one that was played."""

from __future__ import annotations

from collections.abc import Mapping

from believable.core.registry import did_you_mean
from believable.study.levels import settings
from believable.study.nodes import Node
from believable.study.outline import Entry, outline
from believable.study.playing import BY_CONDITION, OPPONENTS
from believable.study.read import Reading
from believable.study.records import Play, Watch, WatchedStimulus
from believable.study.rounds import round_wanted
from believable.study.wording import shown, unknown


def check_play(reading: Reading) -> None:
    entries = list(outline(reading.study.timeline))
    played: dict[str, Play] = {}
    for entry in entries:
        item = entry.item
        if reading.broken(reading.place(item).path):
            continue
        if isinstance(item, Play):
            played[item.id] = item
            _size(reading, item)
            _opponent(reading, item)
        elif isinstance(item, Watch) and round_wanted(item) is not None:
            _round(reading, item, played, entries)


def _size(reading: Reading, play: Play) -> None:
    if play.size % 2 == 0:
        node = reading.place(play).get("size") or reading.place(play)
        cure = f"Use {play.size - 1} or {play.size + 1}."
        reading.report(node, f"a maze has an odd number of tiles on each side, got {play.size}.", cure)


def _opponent(reading: Reading, play: Play) -> None:
    place = reading.place(play)
    node = place.get("opponent") or place
    if isinstance(play.opponent, dict):
        for condition, name in play.opponent.items():
            _known(reading, name, node.get(condition) or node)
            if condition not in reading.study.conditions and not reading.broken("conditions"):
                reading.report(
                    node.get(condition) or node, *unknown("condition", condition, reading.study.conditions)
                )
        _every_condition(reading, play, node, play.opponent)
    elif play.opponent == BY_CONDITION:
        _every_condition(reading, play, node, {name: name for name in OPPONENTS})
    else:
        _known(reading, play.opponent, node)


def _known(reading: Reading, name: object, node: Node) -> None:
    if isinstance(name, str) and name not in OPPONENTS:
        message = f"unknown opponent {shown(name)}."
        cure = f"{did_you_mean(name, OPPONENTS)} Or give a number between 0 and 1: frustration held there."
        reading.report(node, message, cure)


def _every_condition(reading: Reading, play: Play, node: Node, opponents: Mapping[str, object]) -> None:
    """Each setting that the play trial can run in has a condition with an opponent."""
    if reading.broken("conditions"):
        return
    found = dict.fromkeys(
        setting.condition
        for item, setting in settings(reading.study, reading.study.timeline)
        if item is play
    )
    for condition in found:
        if condition is None:
            cure = (
                f"Name one ({', '.join(OPPONENTS)}), or put the trial into a block that runs `over: condition`."
            )
            reading.report(node, "no condition says who the opponent is.", cure)
        elif condition not in opponents:
            cure = f"Write `opponent: {{{condition}: calm, …}}` with one of: {', '.join(OPPONENTS)}."
            reading.report(node, f"the condition {condition!r} has no opponent.", cure)


def _round(reading: Reading, watch: Watch, played: Mapping[str, Play], entries: list[Entry]) -> None:
    chosen, place = watch.stimulus, reading.place(watch)
    assert isinstance(chosen, WatchedStimulus)
    node = place.get("stimulus") or place
    name, where = chosen.round or "", node.get("round") or node
    if chosen.condition is not None or chosen.scenario is not None:
        reading.report(node, "a round has no other condition or scenario than its own.", "Keep `round` alone.")
    everywhere = {entry.item.id: entry.item for entry in entries if isinstance(entry.item, Play)}
    if name not in everywhere:
        if name not in reading.doubtful and "*" not in reading.doubtful:
            reading.report(where, *unknown("play trial", name, everywhere))
    elif name not in played:
        reading.report(where, f"the round {name!r} is played later.", "Move the watch trial behind it.")
    elif everywhere[name].practice:
        cure = "Name a play trial without `practice`."
        reading.report(where, f"{name!r} is a practice, which is not recorded for watching.", cure)
    elif everywhere[name].skip_if is not None and watch.skip_if != everywhere[name].skip_if:
        cure = "Give the watch trial the same `skip_if`."
        reading.report(where, f"the round {name!r} may be skipped; then there is nothing to watch.", cure)
    if watch.overlay.plan or watch.overlay.log:
        cure = "Remove `overlay`."
        reading.report(
            place.get("overlay") or place, "plan and log of one's own round are not shown.", cure
        )
