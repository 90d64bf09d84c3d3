"""The variant in which half of the people choose before they annotate; titles that say which game
it is.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from believable.contracts.trial import outline
from believable.core.errors import InvalidInput
from believable.protocols import READY_STUDIES
from believable.protocols.variants import change_study, variant
from believable.study.earlier_pages import round_position
from believable.study.load import load
from believable.study.plan import Assignment, plan

FIRST_GAME = {"en": "First game", "de": "Erstes Spiel"}
SECOND_GAME = {"en": "Second game", "de": "Zweites Spiel"}


def pages(name: str | None, folder: Path, **arms: str):
    variant(READY_STUDIES["trace"], name).copy(folder)
    study = load(folder).study
    return plan(study, Assignment(arms, {}, 3))


def test_who_chooses_first_plays_twice_then_chooses_then_annotates_both_rounds_in_order(
    tmp_path: Path,
) -> None:
    planned = pages("choice_time", tmp_path / "s", tool="btrace", choice="first")
    ids = [page.trial.id for page in planned if page.trial.kind in ("play", "form", "watch")]
    assert ids == [
        "practice",
        "round",
        "round",
        "choice",
        "later_btrace_1",
        "later_btrace_2",
        "exit",
    ]
    rounds = [page.position for page in planned if page.trial.id == "round"]
    shown = [
        round_position(planned, page.position) for page in planned if page.trial.kind == "watch"
    ]
    assert shown == rounds


def test_who_chooses_last_annotates_each_round_at_once(tmp_path: Path) -> None:
    planned = pages("choice_time", tmp_path / "s", tool="ranktrace", choice="last")
    ids = [page.trial.id for page in planned if page.trial.kind in ("play", "form", "watch")]
    assert ids == [
        "practice",
        "round",
        "annotate_ranktrace",
        "round",
        "annotate_ranktrace",
        "choice",
        "exit",
    ]
    rounds = [page.position for page in planned if page.trial.id == "round"]
    assert [
        round_position(planned, page.position) for page in planned if page.trial.kind == "watch"
    ] == rounds


@pytest.mark.parametrize("name", [None, "choice_time"])
@pytest.mark.parametrize("language", ["en", "de"])
def test_titles_say_which_game_it_is(tmp_path: Path, name: str, language: str) -> None:
    arms = {"tool": "btrace"} | ({"choice": "last"} if name else {})
    planned = pages(name, tmp_path / "s", **arms)
    games = [page for page in planned if page.trial.id in ("round", "annotate_btrace")]
    titles = [page.trial.title.in_turn(language, page.turn) for page in games]
    first, second = FIRST_GAME[language], SECOND_GAME[language]
    assert [title.partition(":")[0] for title in titles] == [first, first, second, second]
    assert titles[0] == first


def test_words_for_another_number_of_turns_and_turns_that_are_not_played_are_refused(
    tmp_path: Path,
) -> None:
    variant(READY_STUDIES["trace"], "choice_time").copy(tmp_path / "s")
    file = tmp_path / "s" / "study.yaml"
    text = file.read_text("utf-8")
    text = text.replace(
        'title: {en: "{First|Second} game", de: "{Erstes|Zweites} Spiel"}',
        'title: {en: "{1|2|3}. game", de: "{1|2|3}. Spiel"}',
    )
    file.write_text(text.replace("{round: round, turn: 2}", "{round: round, turn: 3}"), "utf-8")
    with pytest.raises(InvalidInput) as refused:
        load(tmp_path / "s")
    said = str(refused.value)
    assert "words for 3 turns, but the page comes 2 times" in said
    assert "turn 3 of 'round' is not played" in said


def test_the_variant_is_the_protocol_with_pages_added_and_nothing_else_changed(
    tmp_path: Path,
) -> None:
    plain, later = READY_STUDIES["trace"], variant(READY_STUDIES["trace"], "choice_time")
    for ready, name in ((plain, "plain"), (later, "later")):
        ready.copy(tmp_path / name)
    studies = [load(tmp_path / name).study for name in ("plain", "later")]
    without, within = (
        {entry.item.id: entry.item for entry in outline(study.timeline)} for study in studies
    )
    added = {f"later_{tool}_{game}" for tool in ("ranktrace", "btrace") for game in (1, 2)}
    assert set(within) - set(without) == {*added, "at_once", "afterwards"}
    for name in added:
        page, model = within[name], without[f"annotate_{name.split('_')[1]}"]
        assert (page.text, page.annotate, page.controls) == (
            model.text,
            model.annotate,
            model.controls,
        )
    assert [hypothesis.id for hypothesis in studies[1].analysis.hypotheses] == ["H1", "H2", "H3"]


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"timeline": {"nowhere": {"title": "x"}}}, "there is no entry with this id"),
        (
            {"timeline": {"new": {"after": "nowhere", "text": {}}}},
            "there is no entry 'nowhere' beside it",
        ),
        (
            {"timeline": {"new": {"after": "choice", "watch": {"like": "nowhere"}}}},
            "there is no page 'nowhere'",
        ),
    ],
)
def test_changes_that_name_what_is_not_there_are_refused(
    tmp_path: Path, changes: dict, complaint: str
) -> None:
    READY_STUDIES["trace"].copy(tmp_path / "s")
    with pytest.raises(InvalidInput, match=complaint):
        change_study(tmp_path / "s" / "study.yaml", changes)
