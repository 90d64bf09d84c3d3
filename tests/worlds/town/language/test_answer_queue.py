"""Prompts that wait in a folder: a run stops for them, continues with their answers, and ends with
the bytes of a run whose model answered at once.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from believable.core.errors import InvalidInput
from believable.worlds.town.language.answer_queue import AnswersWaited, QueueModel
from believable.worlds.town.language.model import AnswerPending, ChoiceForm, ModelRequest
from believable.worlds.town.language.recorded_answers import AnswerBook, RememberingModel
from believable.worlds.town.run import TownSettings
from believable.worlds.town.run_folder import simulate
from tests.worlds.town.language.endpoint_server import text_reply
from tests.worlds.town.language.simple_models import ScriptedModel

SETTINGS = TownSettings(seed=3, people=2, days=1, mind="generative")
CHOICE = ModelRequest(
    name="choose", prompt="Tea or coffee?", form=ChoiceForm(("tea", "coffee"), "morning"), seed=7
)


def queue_in(folder: Path) -> QueueModel:
    return QueueModel(
        folder=folder, model_name="somebody", sentences=ScriptedModel(lambda request: "")
    )


def waiting(folder: Path) -> list[dict[str, Any]]:
    return [
        json.loads(line)
        for path in sorted((folder / "waiting").glob("*.jsonl"))
        for line in path.read_text("utf-8").splitlines()
    ]


def write_answers(folder: Path, rows: list[dict[str, Any]], name: str = "0001") -> None:
    path = folder / "answered" / f"{name}.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


def asked(folder: Path) -> str:
    """The id of the one prompt that waits."""
    model = queue_in(folder)
    with pytest.raises(AnswerPending):
        model.answer(CHOICE)
    with pytest.raises(AnswersWaited, match="1 prompts wait for answers, 1 of them new"):
        model.write_batch()
    (row,) = waiting(folder)
    return str(row["custom_id"])


def run_with_queue(run: Path, queue: Path, look_ahead_steps: int) -> None:
    model = RememberingModel(AnswerBook(run / "answers.jsonl"), queue_in(queue))
    try:
        simulate(run, SETTINGS, model, queue=model.queue, look_ahead_steps=look_ahead_steps)
    finally:
        model.close()


def test_a_run_through_a_queue_ends_with_the_bytes_of_a_run_that_was_answered_at_once(
    tmp_path: Path,
) -> None:
    direct = RememberingModel(
        AnswerBook(tmp_path / "direct" / "answers.jsonl"),
        ScriptedModel(lambda request: text_reply(request.prompt)),
    )
    simulate(tmp_path / "direct", SETTINGS, direct)
    direct.close()
    sizes: list[int] = []
    while True:
        try:
            run_with_queue(tmp_path / "run", tmp_path / "queue", look_ahead_steps=360)
        except AnswersWaited:
            answered = len(list((tmp_path / "queue" / "answered").glob("*.jsonl")))
            batch = json_rows(tmp_path / "queue" / "waiting" / f"{answered + 1:04d}.jsonl")
            sizes.append(len(batch))
            rows = [
                {"id": row["custom_id"], "text": text_reply(row["body"]["messages"][0]["content"])}
                for row in batch
            ]
            write_answers(tmp_path / "queue", rows, f"{answered + 1:04d}")
        else:
            break
    assert max(sizes) >= 2, "people share a batch"
    assert len(sizes) >= 3, "it was interrupted and resumed"
    for name in ("trace.jsonl", "checkpoint.json.gz"):
        assert (tmp_path / "run" / name).read_bytes() == (tmp_path / "direct" / name).read_bytes()
    kept = AnswerBook(tmp_path / "run" / "answers.jsonl").answers
    given = {
        row["text"]
        for path in (tmp_path / "queue" / "answered").iterdir()
        for row in json_rows(path)
    }
    assert {answer.text for answer in kept} <= given, "every stored answer was given"


def json_rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_a_prompt_waits_once_and_in_words_that_a_person_can_read(tmp_path: Path) -> None:
    key = asked(tmp_path)
    text = (tmp_path / "waiting" / "0001.txt").read_text("utf-8")
    assert f"=== {key} (choose, attempt 1)\nTea or coffee?" in text
    again = queue_in(tmp_path)
    with pytest.raises(AnswerPending):
        again.answer(CHOICE)
    with pytest.raises(AnswersWaited, match="1 prompts wait for answers, 0 of them new"):
        again.write_batch()
    assert len(waiting(tmp_path)) == 1


def test_answers_may_be_lines_single_files_or_a_providers_output(tmp_path: Path) -> None:
    body = {"choices": [{"message": {"content": " coffee\n"}}]}
    for name, form in {
        "lines": lambda key: [{"id": key, "text": "coffee"}],
        "provider": lambda key: [
            {"custom_id": key, "response": {"status_code": 200, "body": body}, "error": None}
        ],
    }.items():
        folder = tmp_path / name
        write_answers(folder, form(asked(folder)))
        assert queue_in(folder).answer(CHOICE).text == "coffee"
    folder = tmp_path / "text"
    key = asked(folder)
    (folder / "answered" / f"{key}.txt").write_text("coffee\n", "utf-8")
    assert queue_in(folder).answer(CHOICE).text == "coffee"


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"id": "a", "text": 3}, r"expected texts for id and answer, got 'a' and 3"),
        ({"id": "a"}, r"0001\.jsonl:1: cannot be read \('custom_id' is missing\)"),
        (
            {"custom_id": "a", "response": {"status_code": 500}, "error": None},
            r"a: the provider returned no answer \(500\)\. Delete the line",
        ),
    ],
)
def test_answers_that_cannot_be_read_are_refused(
    tmp_path: Path, row: dict[str, Any], message: str
) -> None:
    (tmp_path / "answered").mkdir()
    write_answers(tmp_path, [row])
    with pytest.raises(InvalidInput, match=message):
        queue_in(tmp_path)


def test_two_answers_to_one_prompt_are_refused(tmp_path: Path) -> None:
    (tmp_path / "answered").mkdir()
    write_answers(tmp_path, [{"id": "a", "text": "tea"}, {"id": "a", "text": "coffee"}])
    with pytest.raises(InvalidInput, match="a: another answer to this prompt is there already"):
        queue_in(tmp_path)
