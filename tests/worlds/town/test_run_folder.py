"""Runs in their folder: cut at any moment, resumed to the same bytes; a page on what went on in the
minds.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from believable.core.errors import InvalidInput, NotFound
from believable.worlds.town.inspection.page import inspect_page, page_data, read_trace, write_page
from believable.worlds.town.language.opening import write_usage
from believable.worlds.town.language.recorded_answers import AnswerBook, RememberingModel
from believable.worlds.town.run import TownRun, TownSettings
from believable.worlds.town.run_folder import KEPT_EVERY, simulate
from tests.worlds.town.language.simple_models import ScriptedModel, form_reply

SETTINGS = TownSettings(
    seed=7, people=2, days=1, mind="generative", options={"variant": "released"}
)


class Killed(Exception):
    pass


def simulated(folder: Path, *, killed_at: int | None = None) -> TownRun:
    def on_step(run: TownRun) -> None:
        if run.state.step == killed_at:
            raise Killed

    model = RememberingModel(AnswerBook(folder / "answers.jsonl"), ScriptedModel(form_reply))
    try:
        return simulate(folder, SETTINGS, model, on_step=on_step)
    finally:
        write_usage(model, folder)
        model.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("run")
    simulated(path)
    return path


def test_a_run_that_was_killed_goes_on_to_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    for at in (100, 3 * KEPT_EVERY + 77, 6000):
        with pytest.raises(Killed):
            simulated(tmp_path, killed_at=at)
    run = simulated(tmp_path)
    assert run.over
    for name in ("trace.jsonl", "checkpoint.json.gz", "settings.json"):
        assert (tmp_path / name).read_bytes() == (folder / name).read_bytes(), name
    assert sorted((tmp_path / "answers.jsonl").read_bytes().split(b"\n")) == sorted(
        (folder / "answers.jsonl").read_bytes().split(b"\n")
    )


def test_a_folder_holds_one_run(folder: Path) -> None:
    with pytest.raises(InvalidInput, match=r"holds another run \(seed 7\)"):
        simulate(
            folder,
            TownSettings(
                seed=8, people=2, days=1, mind="generative", options={"variant": "released"}
            ),
            ScriptedModel(form_reply),
        )


def test_the_page_holds_everything_and_needs_nothing_else(folder: Path) -> None:
    page = write_page(folder).read_text("utf-8")
    assert not re.search(r"(src|href)\s*=\s*[\"']", page)
    assert "/* data */" not in page
    embedded = re.search(
        r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL
    )
    assert embedded is not None
    assert json.loads(embedded[1]) == page_data(folder)
    data = page_data(folder)
    assert data["counts"]["calls"] == data["counts"]["by_prompt"]["ratings"] + sum(
        count for name, count in data["counts"]["by_prompt"].items() if name != "ratings"
    )
    assert data["usage"]["model"] == "scripted"
    assert [member["id"] for member in data["people"]] == ["ada", "ben"]


def test_the_page_has_the_plan_of_a_mind_that_asks_nobody(tmp_path: Path) -> None:
    simulate(
        tmp_path, TownSettings(seed=7, people=2, days=1, mind="neurosymbolic", options={}), None
    )
    plans = [
        note
        for note in page_data(tmp_path)["notes"]
        if note["kind"] == "plan" and note["person"] == "ada"
    ]
    assert [note["text"] for note in plans if note["level"] == 0] == ["Day 1"]
    goals = [note for note in plans if note["level"] == 1]
    assert "Have breakfast" in {note["text"] for note in goals}
    tasks = [note for note in plans if note["level"] == 2]
    assert {note["parent"] for note in tasks} <= {note["id"] for note in goals}
    assert sum(note["status"] == "done" for note in tasks) > 0.7 * len(tasks) > 10


def test_what_somebody_said_cannot_break_the_page(folder: Path, tmp_path: Path) -> None:
    for name in ("settings.json", "trace.jsonl"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    with (tmp_path / "trace.jsonl").open("a", encoding="utf-8") as file:
        file.write(
            json.dumps(
                {"step": 1, "person": "ada", "kind": "memory", "text": "</script><script>x()"}
            )
            + "\n"
        )
        file.write('{"step": 2, "cut of')
    assert "</script><script>x()" not in inspect_page(tmp_path)
    assert list(read_trace(tmp_path))[-1]["text"] == "</script><script>x()"


def test_what_is_no_run_is_told(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="there is no run here"):
        inspect_page(tmp_path)
    (tmp_path / "settings.json").write_text('{"seed": 7}', "utf-8")
    with pytest.raises(NotFound, match="there is no trace"):
        inspect_page(tmp_path)
    (tmp_path / "trace.jsonl").write_text("no\n", "utf-8")
    with pytest.raises(InvalidInput, match=r"trace\.jsonl:1: expected a note as JSON"):
        inspect_page(tmp_path)
