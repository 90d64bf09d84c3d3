"""Coding: one study's people cannot reach into another, and a closed round and its codebook hold
whatever a browser sends.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from believable.coding.label_files import MarkedText, write_labels
from believable.coding.labels import Label, Mark, as_json
from believable.coding.responses import Response
from believable.coding.samples import RoundPlan
from believable.core.errors import InvalidInput
from believable.store import (
    alarms,
    audit_log,
    bundle_export,
    coding_marks,
    coding_projects,
    coding_rounds,
)
from believable.store.coding_projects import BookVersion, CodingProject, project_id
from believable.study.codebook import ready
from believable.web.console.resolve_page import choose_labels
from tests.red_team.conftest import STUDY

TEXT = "It hesitated at the doors."
GOOD = Mark(labels=(Label("goal", "+", "more"),), done=True)
CODING = "/console/coding"


@pytest.fixture
def target(serve: Callable[..., Any], tmp_path: Path) -> Any:
    folders = tuple(tmp_path / name for name in ("alpha", "beta"))
    for folder in folders:
        folder.mkdir()
        (folder / "study.yaml").write_text(STUDY, encoding="utf-8")
    return serve(folders)


def begin_coding(target: Any, name: str = "alpha~why") -> str:
    """A project of the study alpha with one text and an open round for the coders kim and lee."""

    def make(conn: Any) -> None:
        project = CodingProject(
            id=name,
            study="alpha",
            pool="imported",
            title="Why",
            sources=(),
            seed=1,
            suggestions=False,
            rule="none",
            created_ms=0,
        )
        coding_projects.import_texts(
            conn, project, ready("hntt"), [Response(text=TEXT, judge="1")], user="x"
        )
        coding_rounds.add_round(
            conn, project, RoundPlan(kind="agreement", n=1), ("kim", "lee"), user="x", at_ms=0
        )

    target.app.state.store.write(make)
    return name


class Desk:
    """A coder's browser that sends whatever it likes."""

    def __init__(self, browser: Any, project: str) -> None:
        self.browser, self.address, self.seq = browser, f"{CODING}/{project}/desk", 0
        self.epoch = self.post("claim", {}).json()["epoch"]

    def post(self, step: str, batch: object) -> Any:
        text = batch if isinstance(batch, str) else json.dumps(batch)
        return self.browser.fill_in(f"{self.address}/{step}", page="/console/account", batch=text)

    def mark(self, mark: object, *, version: int = 1) -> Any:
        self.seq += 1
        body = {
            "kind": "mark",
            "round": 1,
            "number": 1,
            "mark": mark,
            "version": version,
            "at_ms": 1,
        }
        return self.post("events", {"epoch": self.epoch, "events": [[self.seq, json.dumps(body)]]})


def stored(target: Any, project: str) -> tuple[Any, ...]:
    return tuple(
        target.app.state.store.read(
            lambda conn: [one.mark for one in coding_marks.marks(conn, project)]
        )
    )


def standing(target: Any) -> tuple[Any, ...]:
    found: tuple[Any, ...] = target.app.state.store.read(alarms.standing)
    return found


def test_a_closed_round_takes_no_mark_from_a_desk_and_none_from_a_file(target: Any) -> None:
    project, store = begin_coding(target), target.app.state.store
    desk = Desk(target.log_in("kim", "coder", "alpha"), project)
    assert desk.mark(as_json(GOOD)).json() == {"ack": 1}
    store.write(lambda conn: coding_rounds.set_round_state(conn, project, 1, "closed"))

    other = Mark(labels=(Label("intuition", None, "less"),), done=True)
    assert desk.mark(as_json(other)).json() == {"ack": 2}, "kept, so that nothing is lost"
    assert stored(target, project) == (GOOD,), "and not applied"
    assert "round 1 is closed" in standing(target)[0].message

    marked = [MarkedText(1, "kim", other)]
    with pytest.raises(InvalidInput, match="round 1 is closed"):
        store.write(
            lambda conn: bundle_export.put_labels(conn, project, 1, marked, version=1, at_ms=2)
        )
    owner = target.log_in("ada")
    table = write_labels(marked)
    sent = owner.fill_in(
        f"{CODING}/{project}/labels", page=f"{CODING}/{project}", round="1", labels=table
    )
    assert sent.status_code == 422
    assert "round 1 is closed" in sent.text.lower()
    assert stored(target, project) == (GOOD,)

    store.write(lambda conn: coding_rounds.set_round_state(conn, project, 1, "open"))
    assert desk.mark(as_json(other)).json() == {"ack": 3}
    assert stored(target, project) == (other,)


@pytest.mark.parametrize(
    ("mark", "version"),
    [
        ({"labels": [{"code": "invented"}], "done": True}, 1),
        (
            {
                "labels": [
                    {"code": "goal", "direction": "+", "side": "more", "spans": [[0, 10**30]]}
                ],
                "done": True,
            },
            1,
        ),
        (
            {
                "labels": [
                    {
                        "code": "goal",
                        "direction": "+",
                        "side": "more",
                        "spans": [[0, len(TEXT) + 1]],
                    }
                ],
                "done": True,
            },
            1,
        ),
        (
            {
                "labels": [{"code": "goal", "direction": "+", "side": "more", "spans": [[-1, 2]]}],
                "done": True,
            },
            1,
        ),
        ({"discard": "invented", "done": True}, 1),
        (as_json(GOOD), 2),
    ],
)
def test_marks_that_the_codebook_does_not_have_are_not_counted(
    target: Any, mark: object, version: int
) -> None:
    project = begin_coding(target)
    desk = Desk(target.log_in("kim", "coder", "alpha"), project)
    assert desk.mark(mark, version=version).json() == {"ack": 1}
    assert stored(target, project) == ()
    assert [alarm.study for alarm in standing(target)] == ["alpha"]


@pytest.mark.parametrize(
    "batch",
    [
        {"epoch": 10**30, "events": []},
        {"epoch": 1, "events": [[10**30, "{}"]]},
        {"epoch": -(10**30), "events": [[1, "{}"]]},
        {"epoch": 1, "events": 5},
        {"epoch": 1, "events": [[1]]},
        {"epoch": 1, "events": [[1, "half \ud83d"]]},
        "9" * 5000,
        "[" * 50_000,
    ],
)
def test_a_batch_that_cannot_be_is_refused(target: Any, batch: object) -> None:
    desk = Desk(target.log_in("kim", "coder", "alpha"), begin_coding(target))
    assert desk.post("events", batch).status_code in (409, 422)


def test_alarms_of_a_study_are_its_own(target: Any) -> None:
    project, store = begin_coding(target), target.app.state.store
    Desk(target.log_in("kim", "coder", "alpha"), project).mark({"labels": [{"code": "invented"}]})
    store.write(
        lambda conn: alarms.sound(
            conn, kind="writer_failed", message="of the server", study=None, at_ms=1
        )
    )
    numbers = {alarm.study: str(alarm.id) for alarm in standing(target)}

    stranger, own = target.log_in("eve", "owner", "beta"), target.log_in("ann", "owner", "alpha")
    for page in ("monitor", "monitor.json"):
        assert "kim" not in stranger.get(f"/console/studies/beta/{page}").text
        assert "kim" in own.get(f"/console/studies/alpha/{page}").text
    assert clear(stranger, "beta", numbers["alpha"]) == 404
    assert clear(stranger, "alpha", numbers["alpha"]) == 403
    assert clear(stranger, "beta", numbers[None]) == 403, "the server's own is for administrators"
    assert len(standing(target)) == 2
    assert clear(own, "alpha", numbers["alpha"]) == 303
    assert clear(target.log_in("ada"), "beta", numbers[None]) == 303
    assert standing(target) == ()
    noted = store.read(
        lambda conn: [
            entry.user for entry in audit_log.recent_audit(conn) if "acknowledged" in entry.what
        ]
    )
    assert sorted(noted) == ["ada", "ann"]


def clear(browser: Any, study: str, number: str) -> int:
    status: int = browser.fill_in(
        f"/console/studies/{study}/alarms", page="/console/account", alarm=number
    ).status_code
    return status


def test_no_study_takes_a_name_away_from_another(target: Any) -> None:
    """Nor learns from a refusal which projects another study has."""
    fields = {"title": "Beta hntt", "texts": "text\nA text.\n", "codebook": "hntt"}
    leads = target.log_in("cora", "coordinator", "alpha")
    for title in ("Beta hntt", "hntt"):
        made = leads.fill_in(
            f"{CODING}/import", page=CODING, study="alpha", **fields | {"title": title}
        )
        assert made.status_code == 303
    twice = leads.fill_in(f"{CODING}/import", page=CODING, study="alpha", **fields)
    assert twice.status_code == 409, "within a study a name is given once"

    other = target.log_in("ben", "coordinator", "beta")
    assert (
        other.fill_in(CODING, page=CODING, study="beta", codebook="hntt", pool="real").status_code
        == 303
    )
    assert other.fill_in(f"{CODING}/import", page=CODING, study="beta", **fields).status_code == 303
    for name in (made.headers["location"], f"{CODING}/none"):
        assert other.get(name).status_code == 403, "the same answer whether it is another's or none"


def test_ids_of_projects() -> None:
    assert project_id(None, "Why, at all?") == "why-at-all"
    assert project_id("a", "b-c") != project_id("a-b", "c")
    long = {project_id("s" * 64, f"{'n' * 60}{i}") for i in range(50)} | {
        project_id("s" * n, "n" * 40) for n in range(1, 65)
    }
    assert len(long) == 114
    assert max(map(len, long)) <= 64


def test_a_project_with_an_id_of_the_old_form_is_not_begun_a_second_time(target: Any) -> None:
    begin_coding(target, "alpha-hntt")
    owner = target.log_in("ada")
    again = owner.fill_in(CODING, page=CODING, study="alpha", codebook="hntt", pool="real")
    assert (again.status_code, "alpha-hntt" in again.text) == (409, True)


ODD_LABELS = (
    "",
    "x",
    "3",
    "null",
    "[]",
    "[1, 2]",
    "[[], {}, 1]",
    "9" * 5000,
    "[" * 50_000,
    '["invented", null, null]',
)


@pytest.mark.parametrize("label", ODD_LABELS)
def test_a_decision_with_an_odd_label_is_refused(label: str) -> None:
    book = BookVersion(version=1, book=ready("hntt"), policies={}, note="", user="x", at_ms=0)
    with pytest.raises(InvalidInput, match=r"decision|mark"):
        choose_labels({f"label:{label}": "yes"}, book, {}, TEXT)
