from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from believable.core.errors import InvalidInput
from believable.recordings.actions import ActionLog, beside, from_tree, read_actions, to_tree
from believable.recordings.recording import Action, Actor, PlanStep

LOG = ActionLog(
    actors=(Actor("llm_agent", "Ada", ""), Actor("human", "Bo", "")),
    actions=(
        Action(
            id="llm-1",
            actor="llm_agent",
            t0_ms=0,
            t1_ms=500,
            verb="walk",
            object="dog",
            place="park",
            text="walking the dog",
        ),
        Action(id="human-1", actor="human", t0_ms=200, t1_ms=900, verb="sleep"),
        Action(id="llm-2", actor="llm_agent", t0_ms=500, t1_ms=900, verb="eat", text="=eating"),
    ),
    plans=(
        PlanStep(
            id="llm-day", actor="llm_agent", parent=None, level=0, t0_ms=0, t1_ms=900, text="day"
        ),
        PlanStep(
            id="llm-a", actor="llm_agent", parent="llm-day", level=1, t0_ms=0, t1_ms=500, text="dog"
        ),
    ),
)


def test_a_log_survives_its_file(tmp_path: Path) -> None:
    path = tmp_path / "clip.actions.json"
    path.write_text(json.dumps(to_tree(LOG)))
    assert read_actions(path) == LOG
    assert beside(tmp_path / "clip.mp4") == path


def test_a_judge_gets_other_ids_and_they_lead_back() -> None:
    blind = LOG.for_judging(with_plan=True, with_log=True)
    assert "llm" not in json.dumps(to_tree(blind))
    assert "human" not in json.dumps(to_tree(blind))
    assert [LOG.authored_id(action.id) for action in blind.actions] == ["llm-1", "human-1", "llm-2"]
    assert [(step.id, step.parent, step.actor) for step in blind.plans] == [
        ("p1", None, "w1"),
        ("p2", "p1", "w1"),
    ]
    bare = LOG.for_judging(with_plan=False, with_log=False)
    assert (bare.actions, bare.plans) == ((), ())


@pytest.mark.parametrize("junk", ["", "a", "a0", "a4", "a-1", "b1", "a1x", "a²", "a" + "9" * 40])
def test_ids_nobody_was_given_lead_nowhere(junk: str) -> None:
    assert LOG.authored_id(junk) is None
    assert LOG.authored_id("a3") == "llm-2"


def test_what_is_going_on() -> None:
    assert [one.id for one in LOG.during(0)] == ["llm-1"]
    assert [one.id for one in LOG.during(499.9)] == ["llm-1", "human-1"]
    assert [one.id for one in LOG.during(500)] == ["human-1", "llm-2"]
    assert LOG.during(900) == ()


def broken(**changes: Any) -> Any:
    return to_tree(LOG) | changes


@pytest.mark.parametrize(
    ("tree", "words"),
    [
        ([], "expected the format"),
        (broken(format="believable-actions/9"), "believable-actions/9"),
        (broken(actors=[{"id": "human", "name": "Bo"}]), "unknown actor 'llm_agent'"),
        (broken(actions={"id": ["x"]}), "not laid out"),
        (broken(plans={"id": ["x"], "actor": []}), "unequal length"),
        (to_tree(replace(LOG, actions=(LOG.actions[0], LOG.actions[0]))), "occurs twice"),
        (to_tree(replace(LOG, actions=(replace(LOG.actions[0], t1_ms=-1),))), "t0_ms"),
        (to_tree(replace(LOG, plans=(replace(LOG.plans[1], parent="llm-a"),))), "not a step above"),
    ],
)
def test_what_is_wrong_is_said(tree: Any, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        from_tree(tree, source="clip.actions.json")


def test_an_unreadable_file_names_itself(tmp_path: Path) -> None:
    path = tmp_path / "clip.actions.json"
    path.write_text("{")
    with pytest.raises(InvalidInput, match=r"clip\.actions\.json"):
        read_actions(path)
