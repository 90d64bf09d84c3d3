"""A language model behind a folder: prompts wait there as files until they are answered.

Use it for the batch interface of a provider, for a person who answers in the place of a model, or
to review every answer before a run takes it.

    QUEUE/
      waiting/0001.jsonl     a batch of prompts, in the form of OpenAI's batch interface
      waiting/0001.txt       the same batch for a person to read
      answered/*.jsonl       answers: one line each, {"id": "3f9c…", "text": "…"}, or a line that a
                             provider's batch interface has returned
      answered/ID.txt        an answer alone, as text

A run that meets prompts without answers writes them as one batch and stops. The same command
continues when they are answered.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from believable.core.errors import InvalidInput, Paused, parsing
from believable.core.whole_files import write_whole
from believable.worlds.town.language.model import (
    AnswerPending,
    LanguageModel,
    ModelAnswer,
    ModelRequest,
    ModelUsage,
    Vector,
)

WAITING, ANSWERED = "waiting", "answered"
#: Characters of a key that name a prompt: enough to keep the prompts of a run apart.
ID_LENGTH = 16
_FORM = (
    'Write one line for each prompt: {"id": "…", "text": "…"}, or name the file ID.txt and write'
    " the answer alone."
)


class AnswersWaited(Paused):
    """Prompts wait in the folder. The run continues when they are answered."""


@dataclass(slots=True, kw_only=True)
class QueueModel:
    """Takes answers from the folder and collects the prompts that have none.

    After the first of these the run only looks ahead: it finds more prompts for the batch, and
    what happens is thrown away.

    model_name    whose answers these are, part of the key of each answer
    """

    folder: Path
    model_name: str
    sentences: LanguageModel
    usage: ModelUsage = field(default_factory=ModelUsage)
    pending: dict[str, ModelRequest] = field(init=False, default_factory=dict)
    _answers: dict[str, str] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        for name in (WAITING, ANSWERED):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        for path, key, text in _answers_in(self.folder / ANSWERED):
            if self._answers.setdefault(key, text) != text:
                raise InvalidInput(
                    f"{path}: {key}: another answer to this prompt is there already. Keep one of"
                    " the two."
                )

    @property
    def name(self) -> str:
        return f"queue {self.model_name} · {self.sentences.name}"

    def answer(self, request: ModelRequest) -> ModelAnswer:
        key = prompt_id(request, self.name)
        text = self._answers.get(key)
        if text is not None:
            answer = ModelAnswer(text)
            self.usage.add(answer)
            return answer
        self.pending[key] = request
        raise AnswerPending(key)

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        return self.sentences.embed(texts)

    def write_batch(self) -> None:
        """Write the prompts that wait in no batch yet, and stop the run."""
        numbers = [
            int(path.stem)
            for path in (*_batches(self.folder / WAITING), *_batches(self.folder / ANSWERED))
        ]
        waiting = {
            key for path in _batches(self.folder / WAITING) for key in _ids(path.read_text("utf-8"))
        }
        unlisted = {key: one for key, one in self.pending.items() if key not in waiting}
        if unlisted:
            name = f"{max(numbers, default=0) + 1:04d}"
            rows = [self._row(key, request) for key, request in unlisted.items()]
            text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
            write_whole(self.folder / WAITING / f"{name}.jsonl", text)
            write_whole(self.folder / WAITING / f"{name}.txt", _readable(unlisted))
        raise AnswersWaited(
            f"{self.folder / WAITING}: {len(self.pending)} prompts wait for answers,"
            f" {len(unlisted)} of them new. Put the answers into {self.folder / ANSWERED} and run"
            f" the same command again. {_FORM}"
        )

    def _row(self, key: str, request: ModelRequest) -> dict[str, Any]:
        return {
            "custom_id": key,
            "method": "POST",
            "url": "/v1/chat/completions",
            "body": {
                "model": self.model_name,
                "messages": [{"role": "user", "content": request.prompt}],
            },
        }

    def close(self) -> None:
        self.sentences.close()


def prompt_id(request: ModelRequest, model: str) -> str:
    return request.key(model)[:ID_LENGTH]


def _batches(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*.jsonl") if path.stem.isdecimal())


def _ids(text: str) -> Iterator[str]:
    for line in text.splitlines():
        yield str(json.loads(line)["custom_id"])


def _readable(requests: Mapping[str, ModelRequest]) -> str:
    return "\n".join(
        f"=== {key} ({request.name}, attempt {request.attempt})\n{request.prompt}\n"
        for key, request in requests.items()
    )


def _answers_in(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Yield file, id and text of each answer."""
    for path in sorted(folder.glob("*.txt")):
        yield str(path), path.stem, path.read_text("utf-8").strip()
    for path in sorted(folder.glob("*.jsonl")):
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            if not line.strip():
                continue
            place = f"{path}:{number}"
            with parsing(place, _FORM):
                key, text = _read_row(json.loads(line), place)
            yield place, key, text


def _read_row(row: Mapping[str, Any], place: str) -> tuple[str, str]:
    key = row["id"] if "text" in row else row["custom_id"]
    text = row.get("text")
    if text is None:
        response = row.get("response") or {}
        if row.get("error") or response.get("status_code") != 200:
            raise InvalidInput(
                f"{place}: {key}: the provider returned no answer"
                f" ({row.get('error') or response.get('status_code')}). Delete the line: the prompt"
                " then waits again."
            )
        text = response["body"]["choices"][0]["message"]["content"]
    if not isinstance(key, str) or not isinstance(text, str):
        raise InvalidInput(f"{place}: expected texts for id and answer, got {key!r} and {text!r}.")
    return key, text.strip()
