"""`believable town` with a real endpoint over HTTP: out of order in every way, it is waited for,
and no answer is made up.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from believable.cli import group
from believable.core.errors import InvalidInput, MissingExtra, NotFound, WrongUsage
from believable.study.load import load
from believable.worlds.town.language.model import ModelUnavailable, TooManyUnreadable
from believable.worlds.town.run import TownSettings
from believable.worlds.town.run_folder import simulate
from tests.worlds.town.language.endpoint_server import Reply, model_reply, served


def town(*arguments: str) -> str:
    result = CliRunner().invoke(
        group, ["town", *arguments], catch_exceptions=False, standalone_mode=False
    )
    return result.stdout


def run_at(url: str, out: Path, *more: str) -> str:
    endpoint = (
        "--model",
        "endpoint",
        "--endpoint",
        url,
        "--model-name",
        "small",
        "--embedding-model",
        "vectors",
    )
    return town("run", str(out), "--people", "2", "--days", "1", "--seed", "7", *endpoint, *more)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("town") / "run"
    with served(answer=lambda number, request: model_reply(request)) as server:
        words = run_at(server.url, out, "--price-in", "1", "--price-out", "2")
    assert "actions of 2 people in 1 days" in words
    return out


def test_an_endpoint_out_of_order_changes_nothing_but_the_time(
    undisturbed: Path, tmp_path: Path
) -> None:
    """429, 503, nonsense for a body and a broken line, then the endpoint dies; a new one goes on to
    the same bytes.
    """
    requests = json.loads((undisturbed / "usage.json").read_text("utf-8"))["answers"]
    dies_after = max(14, requests * 3 // 4)
    troubles = {3: Reply(429), 6: Reply(503), 9: Reply(body=b"<html>"), 12: Reply(hang_up=True)}

    def troubled(number: int, request: dict[str, Any]) -> Reply:
        if number > dies_after:
            return Reply(503)
        return troubles.get(number) or model_reply(request)

    with (
        served(answer=troubled) as server,
        pytest.raises(ModelUnavailable, match="run the same command again"),
    ):
        run_at(server.url, tmp_path / "run", "--patience", "1.5")
    usage = json.loads((tmp_path / "run" / "usage.json").read_text("utf-8"))
    assert usage["waits"]["status 429"] == 1
    assert {"status 503", "unreadable: JSONDecodeError"} < set(usage["waits"])
    before = usage["answers"]
    with served(answer=lambda number, request: model_reply(request)) as server:
        run_at(server.url, tmp_path / "run")
    for name in ("trace.jsonl", "checkpoint.json.gz"):
        assert (tmp_path / "run" / name).read_bytes() == (undisturbed / name).read_bytes()
    usage = json.loads((tmp_path / "run" / "usage.json").read_text("utf-8"))
    assert usage["waits"]["status 429"] == 1
    assert usage["answers"] > before


def test_recorded_answers_repeat_a_run_without_any_endpoint(
    undisturbed: Path, tmp_path: Path
) -> None:
    options = ("--people", "2", "--days", "1", "--seed", "7", "--model", f"recorded:{undisturbed}")
    town("run", str(tmp_path / "again"), *options)
    assert (tmp_path / "again" / "trace.jsonl").read_bytes() == (
        undisturbed / "trace.jsonl"
    ).read_bytes()
    with pytest.raises(NotFound, match="Recorded answers fit the run they were recorded for"):
        town("run", str(tmp_path / "other"), *options, "--variant", "released")


def test_tokens_and_cost_are_in_the_record(undisturbed: Path) -> None:
    usage = json.loads((undisturbed / "usage.json").read_text("utf-8"))
    assert usage["tokens_in"] == 100 * usage["answers"]
    assert usage["cost"] == pytest.approx(usage["answers"] * (100 + 20) / 1e6)


def test_nonsense_is_recorded_as_failure(tmp_path: Path) -> None:
    def odd(number: int, request: dict[str, Any]) -> Reply:
        embeds = request["path"].endswith("/embeddings")
        return (
            model_reply(request)
            if embeds or number % 7
            else Reply(text="As a language model, I cannot.")
        )

    with served(answer=odd) as server:
        run_at(server.url, tmp_path / "run")
    notes = [
        json.loads(line)
        for line in (tmp_path / "run" / "trace.jsonl").read_text("utf-8").splitlines()
    ]
    failed = [note for note in notes if "failed" in note]
    assert failed
    assert {note["answer"] for note in failed} == {"As a language model, I cannot."}


def test_a_model_whose_answers_cannot_be_read_ends_the_run(tmp_path: Path) -> None:
    def prose(number: int, request: dict[str, Any]) -> Reply:
        embeds = request["path"].endswith("/embeddings")
        return model_reply(request) if embeds else Reply(text="Let me think about that: first,")

    with (
        served(answer=prose) as server,
        pytest.raises(TooManyUnreadable, match=r"of \d+ answers .* could not be read, more than"),
    ):
        run_at(server.url, tmp_path / "run")
    usage = json.loads((tmp_path / "run" / "usage.json").read_text("utf-8"))
    assert usage["unreadable"] > usage["read"]
    with served(answer=prose) as server:
        words = run_at(server.url, tmp_path / "other", "--unreadable-limit", "1")
    assert re.search(r"; \d+ answers could not be read", words)


def test_a_server_that_refuses_parameters_is_asked_without_them(
    undisturbed: Path, tmp_path: Path
) -> None:
    """As servers of reasoning models do: one parameter is refused at a time."""

    def strict(number: int, request: dict[str, Any]) -> Reply:
        for name in ("max_tokens", "temperature", "seed"):
            if name in request:
                error = {"message": f"Unsupported parameter: {name!r}.", "param": name}
                return Reply(400, body=json.dumps({"error": error}).encode())
        return model_reply(request)

    with served(answer=strict) as server:
        words = run_at(server.url, tmp_path / "run")
    assert "the server refuses max_tokens, temperature, seed" in words
    trace = (tmp_path / "run" / "trace.jsonl").read_bytes()
    assert trace == (undisturbed / "trace.jsonl").read_bytes()


def test_a_queue_needs_the_name_of_who_answers(tmp_path: Path) -> None:
    with pytest.raises(WrongUsage, match="expected a folder, and who answers"):
        town("run", str(tmp_path / "run"), "--model", f"queue:{tmp_path / 'queue'}")
    with pytest.raises(WrongUsage, match="expected embedded, endpoint, recorded:FILE or queue:FO"):
        town("run", str(tmp_path / "run"), "--model", "smollm")


def test_the_page_is_written(undisturbed: Path) -> None:
    words = town("inspect", str(undisturbed), "--no-open")
    assert words.startswith(str(undisturbed / "inspect.html"))
    assert "What went on in their minds" in (undisturbed / "inspect.html").read_text("utf-8")


def test_what_cannot_run_is_told(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="Give --endpoint URL and --model-name NAME"):
        town("run", str(tmp_path / "a"), "--model", "endpoint")
    with pytest.raises(NotFound, match=r"unknown agent 'generatif'\. Did you mean 'generative'"):
        town("run", str(tmp_path / "a"), "--agent", "generatif")
    with pytest.raises(InvalidInput, match="expected NAME=VALUE"):
        town("run", str(tmp_path / "a"), "--option", "x")
    with pytest.raises(NotFound, match="no recorded answers"):
        town("run", str(tmp_path / "b"), "--model", "recorded")
    assert list(tmp_path.iterdir()) == [], "nothing is written before it is known that it can run"


def test_a_missing_extra_is_named_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(MissingExtra, match=r"believable\[town\]"):
        town("run", str(tmp_path / "a"), "--model", "embedded")
    assert list(tmp_path.iterdir()) == []


def study_of(folder: Path, runs: Path, names: dict[str, str]) -> None:
    shown = [
        option
        for condition, name in names.items()
        for option in ("--town-run", f"{condition}={runs / name}")
    ]
    words = ["new", str(folder), "--protocol", "replay", *shown]
    CliRunner().invoke(group, words, catch_exceptions=False, standalone_mode=False)


def test_a_study_shows_runs_of_ones_own(tmp_path: Path) -> None:
    """They are the material of a study; what does not match or does not suffice is refused and
    leaves nothing behind.
    """
    for name, seed, people, checks in (
        ("careful", 7, 3, "on"),
        ("careless", 7, 3, "off"),
        ("elsewhere", 8, 3, "on"),
        ("two", 7, 2, "on"),
    ):
        simulate(
            tmp_path / name,
            TownSettings(
                seed=seed, people=people, days=1, mind="neurosymbolic", options={"checks": checks}
            ),
            None,
        )
    study_of(tmp_path / "study", tmp_path, {"neurosymbolic": "careful", "generative": "careless"})
    study = load(tmp_path / "study").study
    assert not study.demonstration
    assert {stimulus.condition for stimulus in study.stimuli} == {
        None,
        "generative",
        "neurosymbolic",
    }
    for other, words in (("elsewhere", "seed 8"), ("two", "2 people")):
        with pytest.raises(InvalidInput, match=words):
            study_of(
                tmp_path / "refused", tmp_path, {"neurosymbolic": "careful", "generative": other}
            )
    with pytest.raises(InvalidInput, match="Run it with --people 3 or more"):
        study_of(tmp_path / "refused", tmp_path, {"neurosymbolic": "two", "generative": "two"})
    assert not (tmp_path / "refused").exists()
