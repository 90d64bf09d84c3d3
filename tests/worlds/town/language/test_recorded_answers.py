"""Answers by hash: a run repeats exactly, and nothing that was not recorded is made up."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from believable.core.errors import InvalidInput, NotFound
from believable.worlds.town.language.model import ChoiceForm, ModelRequest
from believable.worlds.town.language.opening import ModelSettings, open_model, write_usage
from believable.worlds.town.language.recorded_answers import AnswerBook, RememberingModel
from tests.worlds.town.language.simple_models import ScriptedModel

REQUEST = ModelRequest(
    name="choose", prompt="Tea or coffee?", form=ChoiceForm(("tea", "coffee"), "morning"), seed=7
)


def remembered(path: Path, model: ScriptedModel | None) -> RememberingModel:
    return RememberingModel(AnswerBook(path), model)


def test_the_key_changes_with_everything_that_may_change_the_answer() -> None:
    variants = [
        REQUEST,
        replace(REQUEST, name="pick"),
        replace(REQUEST, prompt="Tea?"),
        replace(REQUEST, form=ChoiceForm(("tea",), "morning")),
        replace(REQUEST, seed=8),
        replace(REQUEST, attempt=2),
    ]
    keys = {request.key("m") for request in variants} | {REQUEST.key("other")}
    assert len(keys) == len(variants) + 1
    assert REQUEST.key("m") == replace(REQUEST).key("m")


def test_a_record_answers_without_the_model(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    model = ScriptedModel(lambda request: f"re: {request.prompt}")
    first = remembered(path, model)
    texts = ["warm bread", "cold tea", "warm bread"]
    vectors = first.embed(texts)
    assert [first.answer(REQUEST).text for _ in range(2)] == ["re: Tea or coffee?"] * 2
    first.close()
    assert len(model.requests) == 1
    second = open_model(ModelSettings(kind="recorded", answers=tmp_path), tmp_path / "other")
    assert second.answer(REQUEST).text == "re: Tea or coffee?"
    assert all(np.array_equal(a, b) for a, b in zip(vectors, second.embed(texts), strict=True))
    assert second.name == "scripted"
    assert (second.usage.repeated, second.usage.tokens_in) == (1, 7)
    with pytest.raises(NotFound, match="no answer to the prompt 'choose'"):
        second.answer(replace(REQUEST, attempt=2))
    with pytest.raises(NotFound, match="no vector of 'new words'"):
        second.embed(["new words"])
    second.close()


def test_a_line_cut_off_by_a_crash_is_asked_again(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    model = ScriptedModel(lambda request: "tea")
    first = remembered(path, model)
    first.answer(REQUEST)
    first.answer(replace(REQUEST, attempt=2))
    first.close()
    whole = path.read_bytes()
    path.write_bytes(whole[:-5])
    reader = open_model(ModelSettings(kind="recorded", answers=tmp_path), tmp_path / "other")
    reader.answer(REQUEST)
    reader.close()
    assert path.read_bytes() == whole[:-5], "who only reads leaves a run's answers as they are"
    second = remembered(path, model)
    second.answer(REQUEST)
    assert len(model.requests) == 2
    second.answer(replace(REQUEST, attempt=2))
    second.close()
    assert len(model.requests) == 3
    assert path.read_bytes() == whole


def test_what_is_no_record_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text('{"key": "k"}\n', "utf-8")
    with pytest.raises(InvalidInput, match=r"answers\.jsonl:1: expected an answer with its key"):
        AnswerBook(path)
    with pytest.raises(NotFound, match="no recorded answers"):
        open_model(ModelSettings(kind="recorded"), tmp_path / "empty")


def test_a_record_of_another_model_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    remembered(path, ScriptedModel(lambda request: "tea")).close()
    with pytest.raises(InvalidInput, match="answers of 'scripted', and the run asks 'larger'"):
        remembered(path, ScriptedModel(lambda request: "tea", name="larger"))


def test_usage_is_kept_beside_the_run(tmp_path: Path) -> None:
    model = ScriptedModel(lambda request: "tea")
    model.answer(REQUEST)
    model.usage.add_wait("status 429", 2.0)
    write_usage(model, tmp_path)
    write_usage(model, tmp_path)
    text = (tmp_path / "usage.json").read_text("utf-8")
    assert '"tokens_in": 7' in text
    assert '"status 429": 2' in text
    assert '"waited_s": 4.0' in text
