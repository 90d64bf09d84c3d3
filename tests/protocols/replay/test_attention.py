"""Questions about a day that only who has watched it can answer."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from believable.core.errors import InvalidInput
from believable.pages import KINDS
from believable.pages.recall import Recall
from believable.protocols import PROTOCOLS
from believable.protocols.replay.attention_words import ELSEWHERE, GERMAN
from believable.protocols.replay.stimuli import make, questions, with_questions
from believable.simulate.demonstration import make as make_one
from believable.study.load import load
from believable.study.plan import choose, plan
from believable.study.records import Study, outline

FOLDER = PROTOCOLS["replay"].folder


@pytest.fixture(scope="module")
def study() -> Study:
    return load(FOLDER, kinds=KINDS, protocols=PROTOCOLS).study


def test_the_ready_study_holds_the_questions_of_its_own_days(study: Study) -> None:
    text = (FOLDER / "study.yaml").read_text("utf-8")
    assert with_questions(text, study, 7) == text, "7 is the seed of `believable new`"


@pytest.mark.parametrize("seed", [7, 8, 99])
def test_each_is_right_for_its_own_day_and_no_other_answer_is(study: Study, seed: int) -> None:
    by_id = {stimulus.id: stimulus for stimulus in study.stimuli}
    entries = questions(study, seed)
    assert [entry["stimulus"] for entry in entries] == [stimulus.id for stimulus in study.stimuli if stimulus.scenario]
    for entry in entries:
        day = make_one(make, study, by_id[str(entry["stimulus"])], seed)
        done = {action.text: action.id for action in day.replay.actions}
        right = entry["right"]["value"]  # type: ignore[index]
        assert right in done
        assert done[right] not in day.planted, "what was planted is not asked for"
        assert not {option["value"] for option in entry["wrong"]} & set(done)  # type: ignore[attr-defined]
    for baseline, ours in zip(entries[::2], entries[1::2], strict=True):
        assert baseline["prompt"] != ours["prompt"], "the two versions of a day are asked about differently"
        assert baseline["right"] != ours["right"]


def test_the_briefing_answers_none_of_them() -> None:
    briefing = (FOLDER / "pages" / "briefing.md").read_text("utf-8").casefold()
    words = {word for text in (*GERMAN, *ELSEWHERE) for word in re.findall(r"[a-z]{5,}", text.casefold())}
    assert not [word for word in words if re.search(rf"\b{word}\b", briefing)]


def test_a_session_is_asked_about_what_it_has_watched(study: Study) -> None:
    asked = set()
    for number in range(12):
        pages = plan(study, choose(study, {}, number))
        days = [page for page in pages if page.trial.id == "day"]
        checks = [page for page in pages if page.trial.id == "attention"]
        for day, check in zip(days, checks, strict=True):
            (question,) = check.trial.page_questions
            (right,) = check.trial.right_answers.values()
            own = next(entry for entry in study_questions(study) if entry.stimulus == day.stimulus_id)
            assert (right, question.prompt) == (own.right.value, own.prompt)
            assert check.trial.is_right(question.id, right)
            assert not check.trial.is_right(question.id, own.wrong[0].value)
            asked.add(day.stimulus_id)
    assert len(asked) == 6


def study_questions(study: Study) -> tuple:  # type: ignore[type-arg]
    return next(entry.item.questions for entry in outline(study.timeline) if isinstance(entry.item, Recall))


def test_preference_pages_show_no_picture_of_a_day(study: Study) -> None:
    (choice,) = [entry.item for entry in outline(study.timeline) if entry.item.id == "choice"]
    assert choice.all_questions[0].params.stills is False  # type: ignore[attr-defined]


def test_a_study_file_without_the_lines_says_so(study: Study, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="Put them back"):
        with_questions("timeline: []", study, 7)
