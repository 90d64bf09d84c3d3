"""Pages with several players: what has to be watched, what a reload goes on from, and answers by
clip.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from believable.collect.desk import Collect
from believable.collect.page_events import ViewingProgress
from believable.core.clock import VirtualClock
from believable.store import sessions
from believable.study.definition import Medium
from believable.study.load import load

STUDY = """\
believable: 1
title: Pairs
seed: 7
conditions: [human, scripted]
stimuli:
  - {{id: h1, file: h1.mp4, condition: human, scenario: atrium}}
  - {{id: s1, file: s1.mp4, condition: scripted, scenario: atrium}}
timeline:
  - {trial}
  - finish: {{id: end}}
"""
COMPARE = (
    "compare: {id: pair, of: [h1, s1], watch: WATCH, ask: [{id: which, prompt: Which?, preference:"
    " {}}]}"
)
GROUP = (
    "group: {id: page, clips: 2, rate: [{id: r, prompt: R, clip_rating: {}}, "
    "{id: more, prompt: M, likert: {points: 10}, show_if: {answer: r, at_least: 4}}]}"
)


WATCH = (
    "watch: {id: day, stimulus: h1, controls: {must_finish: false}, overlay: {plan: true, log:"
    " true}, ask: [{id: kept, prompt: Kept?, likert: {points: 7}, show_if: {opened: plan}}, {id:"
    " either, prompt: Either?, likert: {points: 7}, show_if: {opened: any}}]}"
)


@pytest.fixture
def come(desk: Collect, enter: Callable[..., Any], tmp_path: Path) -> Callable[[str], Any]:
    def go(trial: str) -> Any:
        folder = tmp_path / "pairs"
        folder.mkdir()
        (folder / "study.yaml").write_text(STUDY.format(trial=trial))
        media = {
            name: Medium(digest=letter * 64, bytes=10, duration_ms=6000, media_type="video/mp4")
            for name, letter in (("h1", "a"), ("s1", "b"))
        }
        definition = load(folder, clock=VirtualClock()).with_media(media)
        return enter(desk.publish("pairs", definition).links["open"])

    return go


@pytest.mark.parametrize(("watch", "enough"), [("all", 2), ("any", 1)])
def test_a_comparison_waits_until_enough_was_watched(
    come: Callable[[str], Any], watch: str, enough: int
) -> None:
    person = come(COMPARE.replace("WATCH", watch))
    for player in range(enough):
        refused = person.submit({"which": "first"})
        assert refused.status == "again"
        assert refused.errors[""].key == ("error.watch_all" if watch == "all" else "error.watch")
        person.note("media.ended", player=player, media_ms=6000, view=1)
    assert person.submit({"which": "first"}).status == "finished"


def test_the_same_player_twice_is_not_both(come: Callable[[str], Any]) -> None:
    person = come(COMPARE.replace("WATCH", "all"))
    for _ in range(2):
        person.note("media.ended", player=1, media_ms=6000, view=1)
    for junk in (2, -1, "0", True, None):
        person.note("media.ended", player=junk, media_ms=6000, view=1)
    assert person.submit({"which": "first"}).status == "again"


def test_a_reload_knows_each_player(come: Callable[[str], Any], desk: Collect) -> None:
    person = come(GROUP)
    person.note("media.ended", player=1, media_ms=6000, view=1)
    person.note("media.pause", player=0, media_ms=2500, reason="person")
    view = desk.view(person.token).now()
    assert view.seen == (
        ViewingProgress(views=0, position_ms=2500),
        ViewingProgress(views=1, position_ms=0, duration_ms=6000),
    )
    assert len({medium.name for medium in view.media}) == 2


def test_answers_are_kept_by_clip(come: Callable[[str], Any], desk: Collect) -> None:
    person = come(GROUP)
    for player in (0, 1):
        person.note("media.ended", player=player, media_ms=6000, view=1)
    refused = person.submit({"r-0": 5, "r-1": 2, "more-1": 9})
    assert {name: error.key for name, error in refused.errors.items()} == {
        "more-0": "error.required"
    }
    assert person.submit({"r-0": 5, "more-0": 9, "r-1": 2, "more-1": 9}).status == "finished"
    (closed,) = desk.view(person.token).now().closed
    assert closed.answers == {"r-0": 5, "more-0": 9, "r-1": 2}


def test_a_question_about_the_plan_is_for_those_who_opened_it(
    come: Callable[[str], Any], desk: Collect
) -> None:
    person = come(WATCH)
    assert desk.view(person.token).now().opened == frozenset()
    person.note("overlay.open", which="log", media_ms=5)
    person.note("overlay.close", which="log", media_ms=9)
    assert desk.view(person.token).now().opened == {"log"}
    refused = person.submit({"kept": 3})
    assert (refused.status, set(refused.errors)) == ("again", {"either"})
    person.note("overlay.open", which="plan", media_ms=12)
    refused = person.submit({"either": 2})
    assert (refused.status, set(refused.errors)) == ("again", {"kept"})
    assert person.submit({"kept": 3, "either": 2}).status == "finished"


def test_who_opened_nothing_is_not_asked(come: Callable[[str], Any], desk: Collect) -> None:
    person = come(WATCH)
    assert person.submit({"kept": 3, "either": 2}).status == "finished"
    sid = desk.view(person.token).now().session.id
    day, *_ = desk.store.read(lambda conn: sessions.closed_trials(conn, sid))
    assert day.answers == {}


JUMPS = (
    "watch: {id: day, stimulus: h1, controls: {seek: true, watched_share: 0.8}, ask: [{id: r,"
    " prompt: R, likert: {points: 7}}]}"
)


def test_the_end_alone_is_not_watching_where_people_may_jump(
    come: Callable[[str], Any], desk: Collect
) -> None:
    """Play, then the End key on the slider: the end was reached, the day was not seen."""
    person = come(JUMPS)
    person.note("media.ready", duration_ms=6000, width=640, height=360)
    person.note("media.interval", from_ms=0, to_ms=600, rate=1)
    person.note("media.seek", from_ms=600, to_ms=5900)
    person.note("media.interval", from_ms=5900, to_ms=6000, rate=1)
    person.note("media.ended", media_ms=6000, view=1)
    refused = person.submit({"r": 4})
    assert refused.status == "again"
    assert (refused.errors[""].key, refused.errors[""].values) == (
        "error.watch_share",
        {"seen": 11, "needed": 80},
    )
    person.note("media.interval", from_ms=500, to_ms=3000, rate=1)
    person.note("media.interval", from_ms=2000, to_ms=4600, rate=2)
    assert desk.view(person.token).now().seen[0].watched_intervals == ((0, 4600), (5900, 6000))
    assert person.submit({"r": 4}).status == "again"  # 78 %
    person.note("media.interval", from_ms=4600, to_ms=4700, rate=1)
    assert person.submit({"r": 4}).status == "finished"


def test_who_cannot_jump_has_watched_what_ended(come: Callable[[str], Any]) -> None:
    person = come(JUMPS.replace("seek: true", "seek: false"))
    person.note("media.ready", duration_ms=6000, width=640, height=360)
    person.note(
        "media.interval", from_ms=0, to_ms=3000, rate=1
    )  # what a reload has cost is nobody's fault
    person.note("media.ended", media_ms=6000, view=1)
    assert person.submit({"r": 4}).status == "finished"


@pytest.mark.parametrize("seek", ["true", "false"])
def test_what_ran_too_fast_in_the_first_viewing_was_not_watched(
    come: Callable[[str], Any], seek: str
) -> None:
    """The page offers no such speed, so only a script tells of it. Once it was watched, any speed
    counts.
    """
    limited = "seek: true, speeds: [1, 2, 4], speed: 1, first_speed_limit: 2"
    person = come(JUMPS.replace("seek: true", limited.replace("true", seek)))
    person.note("media.ready", duration_ms=6000, width=640, height=360)
    for rate in (4, "1", None, True):
        person.note("media.interval", from_ms=0, to_ms=6000, rate=rate)
    person.note("media.ended", media_ms=6000, view=1)
    refused = person.submit({"r": 4})
    assert refused.status == "again"
    assert refused.errors[""].key == "error.watch"
    person.note("media.interval", from_ms=0, to_ms=6000, rate=2)
    person.note("media.ended", media_ms=6000, view=2)
    assert person.submit({"r": 4}).status == "finished"


def test_what_no_browser_tells_adds_nothing(come: Callable[[str], Any]) -> None:
    person = come(JUMPS)
    for duration in (True, "6000", None, -1, 10**15):
        person.note("media.ready", duration_ms=duration, width=640, height=360)
    person.note("media.interval", from_ms=5000, to_ms=1000, rate=1)
    person.note("media.interval", from_ms="0", to_ms=None, rate=1)
    person.note("media.ended", media_ms=6000, view=1)
    assert person.submit({"r": 4}).errors[""].values == {"seen": 0, "needed": 80}


def test_each_of_a_comparison_is_watched_for_itself(come: Callable[[str], Any]) -> None:
    person = come(
        COMPARE.replace("WATCH", "all").replace(
            "of: [h1, s1]", "of: [h1, s1], controls: {seek: true}"
        )
    )
    for player in (0, 1):
        person.note("media.ready", player=player, duration_ms=6000, width=640, height=360)
        person.note("media.interval", player=0, from_ms=0, to_ms=6000, rate=1)
        person.note("media.ended", player=player, media_ms=6000, view=1)
    assert person.submit({"which": "first"}).errors[""].key == "error.watch_all"
    person.note("media.interval", player=1, from_ms=0, to_ms=5500, rate=1)
    assert person.submit({"which": "first"}).status == "finished"
