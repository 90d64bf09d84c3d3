"""Recorded answers, by the hash of their requests: with them a run repeats exactly, and an
interrupted one continues.

`answers.jsonl` grows by a line for each answer. A line that a crash cut off is dropped, and its
request is asked again. A file that ends in `.gz` is only read.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from believable.core.errors import InvalidInput, NotFound
from believable.worlds.town.language.answer_queue import QueueModel
from believable.worlds.town.language.model import (
    LanguageModel,
    ModelAnswer,
    ModelRequest,
    ModelUsage,
    Vector,
)


class AnswerBook:
    """The answers of a run, in memory and in a file. The file is opened for the first new answer,
    so a reader never changes it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._answers: dict[str, ModelAnswer] = {}
        self._vectors: dict[str, Vector] = {}
        self.model: str | None = None
        self.answered = ""
        self._whole = self._read() if path.is_file() else 0
        self._file: BinaryIO | None = None

    def _read(self) -> int:
        """Read all complete lines and return their length in bytes."""
        whole, content = 0, self.path.read_bytes()
        if self.path.suffix == ".gz":
            content = gzip.decompress(content)
        for number, line in enumerate(content.split(b"\n"), 1):
            after = whole + len(line) + 1
            if after > len(content):
                break
            try:
                self._take(json.loads(line))
            except (ValueError, KeyError, TypeError) as error:
                raise InvalidInput(
                    f"{self.path}:{number}: expected an answer with its key, got something else"
                    f" ({error}). Take the file from the run's folder as it was written."
                ) from error
            whole = after
        return whole

    def _take(self, row: Mapping[str, Any]) -> None:
        if "model" in row:
            self.model, self.answered = str(row["model"]), str(row.get("answered", ""))
        elif "vector" in row:
            self._vectors[row["key"]] = np.frombuffer(
                base64.b64decode(row["vector"]), "<f2"
            ).astype(np.float32)
        else:
            self._answers[row["key"]] = ModelAnswer(
                row["text"], row.get("tokens_in"), row.get("tokens_out"), row["cost"]
            )

    @property
    def spent(self) -> float:
        return sum(answer.cost for answer in self._answers.values())

    @property
    def answers(self) -> tuple[ModelAnswer, ...]:
        return tuple(self._answers.values())

    def begin(self, model: str) -> None:
        """Write down whose answers these are. A book of another model is refused."""
        if self.model is None:
            self.model = model
            self._write({"model": model})
        elif self.model != model:
            raise InvalidInput(
                f"{self.path}: these are answers of {self.model!r}, and the run asks {model!r}. "
                "Continue with the same model, or begin another run in another folder."
            )

    def answer(self, key: str) -> ModelAnswer | None:
        return self._answers.get(key)

    def vector(self, text: str) -> Vector | None:
        return self._vectors.get(_text_key(text))

    def keep(self, key: str, answer: ModelAnswer) -> None:
        self._answers[key] = answer
        row = {"key": key, "text": answer.text, "cost": answer.cost}
        counts = {"tokens_in": answer.tokens_in, "tokens_out": answer.tokens_out}
        self._write({**row, **{name: count for name, count in counts.items() if count is not None}})

    def keep_vector(self, text: str, vector: Vector) -> None:
        self._vectors[_text_key(text)] = vector
        encoded = base64.b64encode(vector.astype("<f2").tobytes()).decode()
        self._write({"key": _text_key(text), "vector": encoded})

    def _write(self, row: Mapping[str, object]) -> None:
        if self._file is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self.path.open("r+b" if self.path.exists() else "wb")
            self._file.seek(self._whole)
            self._file.truncate()
        self._file.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")
        self._file.flush()

    def close(self) -> None:
        if self._file is not None:
            self._file.close()


class RememberingModel:
    """Takes answers from the book, and asks the model for others. Without a model only the book
    answers.
    """

    def __init__(self, book: AnswerBook, model: LanguageModel | None) -> None:
        self._book, self._model = book, model
        if model is not None:
            _begin(book, model)
        elif book.model is None:
            raise NotFound(
                f"{book.path}: there are no recorded answers. Run with a model first (believable"
                " town run … --model embedded), or name the answers of another run."
            )
        self.name = book.model or ""
        self._usage = model.usage if model is not None else ModelUsage()
        for answer in book.answers:
            self._usage.add(answer)

    @property
    def usage(self) -> ModelUsage:
        return self._usage

    @property
    def answer_date(self) -> str:
        """The date on which the answers were given, if the file says so."""
        return self._book.answered

    def answer(self, request: ModelRequest) -> ModelAnswer:
        key = request.key(self.name)
        kept = self._book.answer(key)
        if kept is not None:
            self._usage.repeated += 1
            return kept
        if self._model is None:
            raise self._missing(f"no answer to the prompt {request.name!r} (key {key[:12]}…)")
        answer = self._model.answer(request)
        self._book.keep(key, answer)
        return answer

    @property
    def queue(self) -> QueueModel | None:
        return self._model if isinstance(self._model, QueueModel) else None

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        unknown = list(dict.fromkeys(text for text in texts if self._book.vector(text) is None))
        if unknown:
            if self._model is None:
                raise self._missing(f"no vector of {unknown[0][:60]!r}")
            for text, vector in zip(unknown, self._model.embed(unknown), strict=True):
                self._book.keep_vector(text, vector)
        vectors = [self._book.vector(text) for text in texts]
        return [vector for vector in vectors if vector is not None]

    def _missing(self, what: str) -> NotFound:
        return NotFound(
            f"{self._book.path}: {what}. Recorded answers fit the run they were recorded for: the"
            " same people, days, seed, mind, variant and version. Run with a model to have the"
            " rest answered."
        )

    def close(self) -> None:
        if self._model is not None:
            self._model.close()
        self._book.close()


def _begin(book: AnswerBook, model: LanguageModel) -> None:
    try:
        book.begin(model.name)
    except InvalidInput:
        book.close()
        raise


def _text_key(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
