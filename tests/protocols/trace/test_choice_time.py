"""The variant in which half of the people choose before they annotate; titles that say which game it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from believable.core.errors import InvalidInput
from believable.pages import KINDS
from believable.protocols import PROTOCOLS, READY_STUDIES
from believable.study.load import load
from believable.study.plan import Assignment, plan, round_position

FIRST_GAME = {"en": "First game", "de": "Erstes Spiel"}
SECOND_GAME = {"en": "Second game", "de": "Zweites Spiel"}


def pages(name: str, folder: Path, **arms: str):
    READY_STUDIES[name].copy(folder)
    study = load(folder, kinds=KINDS, protocols=PROTOCOLS).study
    return plan(study, Assignment(arms, {}, 3))


def test_who_chooses_first_plays_twice_then_chooses_then_annotates_both_rounds_in_order(tmp_path: Path) -> None:
    planned = pages("trace-choice-time", tmp_path / "s", tool="btrace", choice="first")
    ids = [page.trial.id for page in planned if page.trial.kind in ("play", "form", "watch")]
    assert ids == ["practice", "round", "round", "choice", "later_btrace_1", "later_btrace_2", "exit"]
    rounds = [page.position for page in planned if page.trial.id == "round"]
    shown = [round_position(planned, page.position) for page in planned if page.trial.kind == "watch"]
    assert shown == rounds


def test_who_chooses_last_annotates_each_round_at_once(tmp_path: Path) -> None:
    planned = pages("trace-choice-time", tmp_path / "s", tool="ranktrace", choice="last")
    ids = [page.trial.id for page in planned if page.trial.kind in ("play", "form", "watch")]
    assert ids == ["practice", "round", "annotate_ranktrace", "round", "annotate_ranktrace", "choice", "exit"]
    rounds = [page.position for page in planned if page.trial.id == "round"]
    assert [round_position(planned, page.position) for page in planned if page.trial.kind == "watch"] == rounds


@pytest.mark.parametrize("name", ["trace", "trace-choice-time"])
@pytest.mark.parametrize("language", ["en", "de"])
def test_titles_say_which_game_it_is(tmp_path: Path, name: str, language: str) -> None:
    arms = {"tool": "btrace"} | ({"choice": "last"} if name != "trace" else {})
    planned = pages(name, tmp_path / "s", **arms)
    games = [page for page in planned if page.trial.id in ("round", "annotate_btrace")]
    titles = [page.trial.title.in_turn(language, page.turn) for page in games]
    first, second = FIRST_GAME[language], SECOND_GAME[language]
    assert [title.partition(":")[0] for title in titles] == [first, first, second, second]
    assert titles[0] == first


def test_words_for_another_number_of_turns_and_turns_that_are_not_played_are_refused(tmp_path: Path) -> None:
    READY_STUDIES["trace-choice-time"].copy(tmp_path / "s")
    file = tmp_path / "s" / "study.yaml"
    text = file.read_text("utf-8")
    text = text.replace(
        'title: {en: "{First|Second} game", de: "{Erstes|Zweites} Spiel"}',
        'title: {en: "{1|2|3}. game", de: "{1|2|3}. Spiel"}',
    )
    file.write_text(text.replace("{round: round, turn: 2}", "{round: round, turn: 3}"), "utf-8")
    with pytest.raises(InvalidInput) as refused:
        load(tmp_path / "s", kinds=KINDS, protocols=PROTOCOLS)
    said = str(refused.value)
    assert "words for 3 turns, but the page comes 2 times" in said
    assert "turn 3 of 'round' is not played" in said
