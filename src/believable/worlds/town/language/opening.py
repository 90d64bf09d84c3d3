"""Opens the language model of a run: embedded, behind an endpoint or a folder, or answers recorded
before.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal

from believable.core.errors import InvalidInput, NotFound, parsing
from believable.core.whole_files import write_whole
from believable.worlds.town.language.answer_queue import QueueModel
from believable.worlds.town.language.embedded import EmbeddedModel
from believable.worlds.town.language.endpoint import EndpointModel, EndpointSettings, WaitNotice
from believable.worlds.town.language.model import (
    LanguageModel,
    ModelAnswer,
    ModelRequest,
    ModelUsage,
    Vector,
)
from believable.worlds.town.language.recorded_answers import AnswerBook, RememberingModel
from believable.worlds.town.language.sentence_embedding import SentenceModel
from believable.worlds.town.language.weights import SENTENCES

ModelChoice = Literal["embedded", "endpoint", "recorded", "queue"]
ANSWERS_FILE = "answers.jsonl"
USAGE_FILE = "usage.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings:
    """`answers` names the recorded answers of another run; without it a run's own are used.
    `queue` is the folder in which prompts wait, and `model_name` says who answers them.
    """

    kind: ModelChoice = "embedded"
    endpoint: EndpointSettings | None = None
    answers: Path | None = None
    queue: Path | None = None
    model_name: str = ""
    weights: Path | None = None


@dataclass(slots=True)
class SentencesOnly:
    """The embedding model of this machine, for an endpoint that has none."""

    sentences: SentenceModel
    usage: ModelUsage = field(default_factory=ModelUsage)

    @property
    def name(self) -> str:
        return SENTENCES.requirement

    def answer(self, request: ModelRequest) -> ModelAnswer:
        raise InvalidInput(f"{request.name}: a model for embeddings does not answer prompts.")

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        return self.sentences.embed(texts)

    def close(self) -> None:
        """Nothing is open."""


def open_model(
    settings: ModelSettings,
    run: Path,
    *,
    on_wait: Callable[[WaitNotice], None] = lambda notice: None,
) -> RememberingModel:
    """Open the model of a run. Recorded answers of the folder are reused, so an interrupted run
    continues, and a complete one repeats exactly.
    """
    if settings.kind == "recorded":
        path = settings.answers or run / ANSWERS_FILE
        path = path / ANSWERS_FILE if path.is_dir() else path
        if not path.is_file():
            raise NotFound(
                f"{path}: there are no recorded answers. Name those of a run with --model"
                " recorded:RUN, or run with --model embedded first."
            )
        return RememberingModel(AnswerBook(path), None)
    book = AnswerBook(run / ANSWERS_FILE)
    if settings.kind == "embedded":
        return RememberingModel(book, EmbeddedModel.load(settings.weights))
    if settings.queue is not None:
        sentences = SentencesOnly(SentenceModel.load(settings.weights))
        queue = QueueModel(
            folder=settings.queue, model_name=settings.model_name, sentences=sentences
        )
        return RememberingModel(book, queue)
    return RememberingModel(book, _endpoint(settings, book.spent, on_wait))


def _endpoint(
    settings: ModelSettings, spent: float, on_wait: Callable[[WaitNotice], None]
) -> LanguageModel:
    if settings.endpoint is None:
        raise InvalidInput(
            "--model endpoint: expected an address. Give --endpoint URL and --model-name NAME."
        )
    own = (
        SentencesOnly(SentenceModel.load(settings.weights))
        if settings.endpoint.embedding_model is None
        else None
    )
    model = EndpointModel(settings=settings.endpoint, sentences=own, on_wait=on_wait)
    model.spending.spent = spent
    return model


def write_usage(model: LanguageModel, run: Path) -> None:
    """Write `usage.json` into the run. Waits before an interruption are added."""
    path = run / USAGE_FILE
    tree = {"model": model.name, **asdict(model.usage)}
    if path.is_file():
        with parsing(path, "Delete it: it only counts what asking has taken."):
            before = json.loads(path.read_text("utf-8"))
            tree["waited_s"] += before["waited_s"]
            for reason, count in before["waits"].items():
                tree["waits"][reason] = tree["waits"].get(reason, 0) + count
    write_whole(path, json.dumps(tree, indent=2, ensure_ascii=False) + "\n")
