"""The models that run here. Tests with the real weights run where `believable town models` was run,
and say so elsewhere.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import psutil
import pytest

from believable.worlds.town.language.embedded import EmbeddedModel, sentence_grammar
from believable.worlds.town.language.endpoint import EndpointModel, EndpointSettings
from believable.worlds.town.language.model import (
    AnswerForm,
    ChoiceForm,
    ExchangeForm,
    InsightsForm,
    ModelRequest,
    QuestionsForm,
    RatingsForm,
    SentenceForm,
    TimetableForm,
)
from believable.worlds.town.language.weights import PACKAGES, WORDING, weight_file, weights_folder
from believable.worlds.town.language.wording_engine import WordedText, WordingEngine
from tests.worlds.town.language.simple_models import ScriptedModel

installed = all((weights_folder() / package.requirement).is_dir() for package in PACKAGES) and all(
    importlib.util.find_spec(name) for name in ("safetensors", "tokenizers", "xllamacpp")
)
with_weights = pytest.mark.skipif(
    not installed,
    reason=(
        "the weights are not here: pip install 'believable[town]' and run `believable town models`"
    ),
)

STATEMENTS = ("bread is warm", "bread is fresh", "tea is cold", "tea is old", "books are heavy")


@dataclass
class EchoEngine:
    """Goes on with the same words whatever was begun."""

    asked: list[str]

    def words(self, lead: str, *, grammar: str, seed: int, most_tokens: int) -> WordedText:
        self.asked.append(lead)
        return WordedText(" bakes.", 5, 2)

    def close(self) -> None:
        pass


def embedded() -> EmbeddedModel:
    return EmbeddedModel(ScriptedModel(lambda request: ""), EchoEngine([]))  # type: ignore[arg-type]


def ask(model: EmbeddedModel, form: AnswerForm, seed: int = 1) -> str:
    return model.answer(ModelRequest(name="name", prompt="prompt", form=form, seed=seed)).text


def test_choices_and_ratings_go_by_likeness() -> None:
    model = embedded()
    assert (
        ask(model, ChoiceForm(("drink tea", "bake bread"), "the bread must be baked: bake bread"))
        == "bake bread"
    )
    anchors = (("brushing teeth", 1), ("a friend has died", 10))
    texts = ("a friend has died today", "brushing teeth again")
    assert ask(model, RatingsForm(1, 10, texts, anchors)) == "1. 10\n2. 1"


def test_a_talk_is_left_out_or_has_a_line_for_each_opening() -> None:
    model = embedded()
    form = ExchangeForm(("Ada", "Ben"), ("Ben, good bread", "Yes, and"), ("Ada meets Ben.",))
    lines = ask(model, form).splitlines()
    assert [line.partition(":")[0] for line in lines] == ["Ada", "Ben"]
    assert lines[0].startswith("Ada: Ben, good bread")
    silent = replace(form, choice=ChoiceForm(("carry on", "talk with Ben"), "carry on"))
    assert ask(model, silent) == "carry on"


def test_a_timetable_has_a_line_for_each_slot_and_changes_with_the_seed() -> None:
    form = TimetableForm(
        ("07:00 bread", "08:00 cake", "09:00 tea"),
        ("bread", "tea", "soup", "rice"),
        "Ada",
        ("tea",),
    )
    lines = [ask(embedded(), form, seed).splitlines() for seed in range(12)]
    assert all([line.rpartition(": ")[0] for line in table] == list(form.slots) for table in lines)
    assert {
        option for table in lines for option in (line.rpartition(": ")[2] for line in table)
    } <= set(form.options)
    assert ask(embedded(), form, 3) == ask(embedded(), form, 3)
    assert len({tuple(table) for table in lines}) > 1


def test_insights_cite_statements_that_belong_together() -> None:
    model = embedded()
    text = ask(
        model,
        InsightsForm(
            question="what of bread is fresh", statements=STATEMENTS, count=2, person="Ada"
        ),
    )
    assert text.splitlines()[0].startswith("1. bread is often fresh, and bakes (because of 1, 2, ")
    assert len(text.splitlines()) == 2
    questions = ask(model, QuestionsForm(STATEMENTS, 3, "Ada")).splitlines()
    assert len(questions) == 3
    assert len(ask(model, QuestionsForm(STATEMENTS[:1], 3, "Ada")).splitlines()) == 1
    assert model.usage.tokens_out == 2 * 6


def test_a_sentence_goes_on_from_its_opening_and_follows_the_facts() -> None:
    engine = EchoEngine([])
    model = EmbeddedModel(ScriptedModel(lambda request: ""), engine)  # type: ignore[arg-type]
    assert ask(model, SentenceForm(("Ada meets Ben.", "Ada says:"), "Ben, I")) == "Ben, I bakes."
    assert engine.asked == ["Ada meets Ben. Ada says: Ben, I"]
    assert sentence_grammar("[.!?]", 40).endswith("{4,40} [.!?]")


@pytest.fixture(scope="module")
def model() -> Iterator[EmbeddedModel]:
    loaded = EmbeddedModel.load()
    yield loaded
    loaded.close()


@with_weights
def test_real_sentences_near_in_meaning_are_near(model: EmbeddedModel) -> None:
    texts = [
        "Ada bakes bread at the bakery",
        "She kneads dough for loaves",
        "The library opens at nine",
    ]
    vectors = np.array(model.embed(texts))
    assert vectors.shape == (3, 384)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-3)
    likeness = vectors @ vectors.T
    assert likeness[0, 1] > 0.4 > likeness[0, 2]
    alone = model.sentences.__class__.load().embed(texts[1:2])[0]
    assert np.array_equal(alone, vectors[1])


@with_weights
def test_real_vectors_equal_those_of_the_makers(model: EmbeddedModel) -> None:
    """Cosines as published for all-MiniLM-L6-v2 with sentence-transformers (the widget's example,
    gist Spartee/52d91a87).
    """
    published = {
        "That is a very happy person": 0.94291496,
        "That is a happy dog": 0.69457746,
        "Today is a sunny day": 0.25687605,
    }
    person, *others = np.array(model.embed(["That is a happy person", *published]), np.float64)
    assert [float(person @ other) for other in others] == pytest.approx(
        list(published.values()), abs=5e-4
    )


@with_weights
def test_real_choices_ratings_and_words(model: EmbeddedModel) -> None:
    options = ("the bakery, to knead dough", "the library, to read", "home, to sleep")
    assert ask(model, ChoiceForm(options, "Ada goes to work to bake bread")) == options[0]
    anchors = (
        ("brushing teeth", 1),
        ("making the bed", 1),
        ("a talk with a friend", 4),
        ("the death of a friend", 10),
    )
    texts = ("Ada brushes her teeth", "Ben's mother has died")
    lines = ask(model, RatingsForm(1, 10, texts, anchors)).splitlines()
    low, high = (int(line.partition(". ")[2]) for line in lines)
    assert low <= 2 < 7 <= high
    form = SentenceForm(("Ada is a baker. The bread is fresh. Ada says:",), "Ben,")
    text = ask(model, form, 5)
    assert text.startswith("Ben, ")
    assert ask(model, form, 5) == text


@with_weights
def test_the_engine_is_an_endpoint_as_any_other_and_goes_when_closed() -> None:
    engine = WordingEngine(weight_file(WORDING, ".gguf"))
    settings = EndpointSettings(url=f"{engine.url}/v1", model="smollm2", temperature=0.0)
    endpoint = EndpointModel(settings=settings, sentences=ScriptedModel(lambda request: ""))
    request = ModelRequest(
        name="say",
        prompt="Say hello to Ben in one short sentence.",
        form=SentenceForm(()),
        seed=1,
        most_tokens=16,
    )
    answer = endpoint.answer(request)
    assert answer.text.strip()
    assert (answer.tokens_in or 0) > 10
    assert 0 < (answer.tokens_out or 0) <= 16
    assert endpoint.answer(replace(request)).text == answer.text
    pid = engine.pid
    assert pid is not None
    assert psutil.pid_exists(pid)
    endpoint.close()
    engine.close()
    assert not psutil.pid_exists(pid)


@with_weights
def test_an_engine_without_its_weights_says_so(tmp_path: Path) -> None:
    engine = WordingEngine(tmp_path / "nothing.gguf")
    with pytest.raises(Exception, match="believable town models --again"):
        _ = engine.url
    engine.close()
