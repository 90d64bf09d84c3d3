"""The whole mind in the town: over two days, cut and resumed, repeated from recorded answers, and
with a model that fails.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from believable.core.errors import InvalidInput
from believable.worlds.town.clock import STEPS_PER_DAY
from believable.worlds.town.language.model import ModelRequest, ModelUnavailable
from believable.worlds.town.language.recorded_answers import AnswerBook, RememberingModel
from believable.worlds.town.minds import mind_kind
from believable.worlds.town.minds.generative.mind import GenerativeMind
from believable.worlds.town.run import TownRun, TownSettings
from tests.worlds.town.language.simple_models import ScriptedModel, form_reply


def town(
    variant: str = "paper", reply: Callable[[ModelRequest], str] = form_reply, **changes: int
) -> TownRun:
    settings = TownSettings(
        **{"seed": 7, "people": 2, "days": 2, **changes},
        mind="generative",
        options={"variant": variant},
    )
    return TownRun(settings, mind_kind("generative").create, ScriptedModel(reply))


def advance(run: TownRun, to_step: int) -> TownRun:
    while run.state.step < to_step:
        run.advance()
    return run


def log_of(run: TownRun) -> list[str]:
    return [str(line) for line in run.log]


@pytest.mark.parametrize("variant", ["paper", "released"])
def test_two_days(variant: str) -> None:
    run = advance(town(variant, seed=3), 2 * STEPS_PER_DAY)  # a seed with which the two meet
    counts = Counter(line.person for line in run.log)
    # Answers by chance: what it does, not how well.
    assert all(40 <= count / 2 <= 450 for count in counts.values()), counts
    verbs = {line.verb for line in run.log}
    assert {"move-to", "use", "open", "close", "pick-up", "wait"} <= verbs
    prompts = Counter(note["prompt"] for note in run.notes if note["kind"] == "call")
    plans = {"hours": 4, "status": 0 if variant == "paper" else 2}
    assert {name: prompts[name] for name in plans} == plans
    assert {"ratings", "tasks", "encounter", "questions", "insights"} <= set(prompts)
    assert any(note["kind"] == "replanned" for note in run.notes) == (variant == "paper")
    assert sum(prompts.values()) < 60 * len(run.minds), "a day has few questions"
    assert (prompts["talk_memo"] > 0) == (variant == "released")
    for mind in run.minds.values():
        assert isinstance(mind, GenerativeMind)
        thoughts = [memory for memory in mind.person.experience.stream.memories if memory.evidence]
        for thought in thoughts:
            assert all(
                mind.person.experience.stream.memories[number].created_step <= thought.created_step
                for number in thought.evidence
            )
    assert {entry.level for _, entry in run.plans.values()} == {0, 1, 2}
    parents = {entry.parent for _, entry in run.plans.values()} - {None}
    assert parents <= set(run.plans)


def test_a_run_that_was_cut_goes_on_to_the_same_log() -> None:
    cut, end = 4000, 5200
    whole = advance(town(), end)
    first = advance(town(), cut)
    second = town()
    second.restore(json.loads(json.dumps(first.save())))
    assert log_of(advance(second, end)) == log_of(whole)
    assert json.dumps(second.save()) == json.dumps(whole.save())


def test_the_same_answers_give_the_same_bytes(tmp_path: Path) -> None:
    settings = TownSettings(
        seed=7, people=2, days=1, mind="generative", options={"variant": "released"}
    )
    results = []
    for model in (ScriptedModel(form_reply), None):
        remembering = RememberingModel(AnswerBook(tmp_path / "answers.jsonl"), model)
        run = advance(TownRun(settings, mind_kind("generative").create, remembering), 4500)
        remembering.close()
        results.append((json.dumps(run.save()), json.dumps(run.notes)))
    assert results[0] == results[1]


def test_an_endpoint_that_dies_stops_the_run_which_goes_on_to_the_same_end(tmp_path: Path) -> None:
    settings, end = TownSettings(seed=7, people=2, days=1, mind="generative"), 3400
    whole = advance(
        TownRun(settings, mind_kind("generative").create, ScriptedModel(form_reply)), end
    )
    calls = sum(note["kind"] == "call" for note in whole.notes)
    left = [calls // 2]

    def dying(request: ModelRequest) -> str:
        left[0] -= 1
        if left[0] < 0:
            raise ModelUnavailable("gone")
        return form_reply(request)

    first = RememberingModel(AnswerBook(tmp_path / "answers.jsonl"), ScriptedModel(dying))
    with pytest.raises(ModelUnavailable, match="gone"):
        advance(TownRun(settings, mind_kind("generative").create, first), end)
    first.close()
    again = ScriptedModel(form_reply)
    second = RememberingModel(AnswerBook(tmp_path / "answers.jsonl"), again)
    resumed = advance(TownRun(settings, mind_kind("generative").create, second), end)
    second.close()
    assert json.dumps(resumed.notes) == json.dumps(whole.notes)
    assert log_of(resumed) == log_of(whole)
    assert 0 < len(again.requests) < calls


def test_nonsense_is_recorded_and_nobody_does_anything_invented() -> None:
    run = advance(town(reply=lambda request: "Lorem ipsum!", people=2), 3 * 360 * 4)
    kinds = Counter(note["kind"] for note in run.notes)
    assert kinds["unanswered"] == 2
    assert all("failed" in note for note in run.notes if note["kind"] == "call")
    assert {line.verb for line in run.log} <= {"move-to", "use", "wait"}
    assert {line.activity for line in run.log} <= {"sleep", None}


def test_what_is_missing_is_told() -> None:
    settings = TownSettings(seed=7, people=2, days=1, mind="generative")
    with pytest.raises(InvalidInput, match="needs a language model"):
        TownRun(settings, mind_kind("generative").create)
    with pytest.raises(InvalidInput, match="expected paper or released, got 'draft'"):
        town("draft")
