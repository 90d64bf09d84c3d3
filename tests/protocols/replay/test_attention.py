"""Questions about a day that only who has watched it can answer."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from believable.contracts.registries import PROTOCOLS
from believable.contracts.trial import outline
from believable.core.errors import InvalidInput
from believable.pages.recall import Recall
from believable.protocols.replay.attention_words import FORGETTABLE
from believable.protocols.replay.stimuli import make, questions, with_questions
from believable.recordings.recording import Recording
from believable.simulate.demonstration import make as make_one
from believable.study.load import load
from believable.study.plan import choose, plan
from believable.study.records import Study
from believable.worlds.town.map import activities

FOLDER = PROTOCOLS["replay"].folder


@pytest.fixture(scope="module")
def study() -> Study:
    return load(FOLDER).study


def days_of(study: Study, seed: int) -> dict[str, Recording]:
    return {
        stimulus.id: make_one(make, study, stimulus, seed)
        for stimulus in study.stimuli
        if stimulus.scenario
    }


def test_the_ready_study_holds_the_questions_of_its_own_days(study: Study) -> None:
    text = (FOLDER / "study.yaml").read_text("utf-8")
    assert with_questions(text, study, days_of(study, 7), 7) == text, (
        "7 is the seed of `believable new`"
    )


@pytest.mark.parametrize("seed", [7, 8, 99])
def test_each_is_right_for_its_own_days_and_no_other_answer_is(study: Study, seed: int) -> None:
    days = days_of(study, seed)
    entries = questions(study, days, seed)
    assert [entry["stimulus"] for entry in entries] == list(days)
    for entry in entries:
        day = days[str(entry["stimulus"])]
        done = {action.activity for action in day.actions}
        right = entry["right"]["value"]  # type: ignore[index]
        assert any(
            action.activity == right and action.violations == "none" for action in day.actions
        )
        assert right not in FORGETTABLE
        assert not {option["value"] for option in entry["wrong"]} & done  # type: ignore[attr-defined]
    for theirs, ours in zip(entries[::2], entries[1::2], strict=True):
        assert theirs["prompt"] != ours["prompt"], "the two versions are asked about differently"
        assert theirs["right"] != ours["right"]


def test_the_briefing_answers_none_of_them() -> None:
    briefing = (FOLDER / "pages" / "briefing.md").read_text("utf-8").casefold()
    asked = [kind.en for name, kind in activities().items() if name not in FORGETTABLE]
    words = {word for text in asked for word in re.findall(r"[a-z]{5,}", text.casefold())} - {
        "something"
    }
    assert not [word for word in words if re.search(rf"\b{word}\b", briefing)]


def test_a_session_is_asked_about_what_it_has_watched(study: Study) -> None:
    asked = set()
    for number in range(12):
        pages = plan(study, choose(study, {}, number))
        days = [page for page in pages if page.trial.id == "day"]
        checks = [page for page in pages if page.trial.id == "attention"]
        for day, check in zip(days, checks, strict=True):
            (question,) = check.trial.page_questions
            (right,) = check.trial.quiz.right_answers.values()
            own = next(
                entry for entry in study_questions(study) if entry.stimulus == day.stimulus_id
            )
            assert (right, question.prompt) == (own.right.value, own.prompt)
            assert check.trial.quiz.is_right(question.id, right)
            assert not check.trial.quiz.is_right(question.id, own.wrong[0].value)
            asked.add(day.stimulus_id)
    assert len(asked) == 6


def study_questions(study: Study) -> tuple:  # type: ignore[type-arg]
    return next(
        entry.item.questions for entry in outline(study.timeline) if isinstance(entry.item, Recall)
    )


def test_preference_pages_show_no_picture_of_a_day(study: Study) -> None:
    (choice,) = [entry.item for entry in outline(study.timeline) if entry.item.id == "choice"]
    assert choice.all_questions[0].params.stills is False  # type: ignore[attr-defined]


def test_a_study_file_without_the_lines_says_so(study: Study, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="Put them back"):
        with_questions("timeline: []", study, {}, 7)
