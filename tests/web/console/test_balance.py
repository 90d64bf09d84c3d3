"""Balance and names of trials, from studies and groups."""

from __future__ import annotations

import json

from believable.store.monitor import SessionGroup
from believable.study.definition import Definition
from believable.study.records import Study
from believable.web.console.balance import balance, trial_names


def study(**values: object) -> Study:
    tree = {
        "believable": 1,
        "title": "T",
        "seed": 1,
        "conditions": ["x", "y"],
        "arms": {"tool": ["a", "b"]},
        "timeline": [
            {"text": {"id": "hello", "text": "Hello"}},
            {
                "block": {
                    "id": "pairs",
                    "order": "latin_square",
                    "over": "condition",
                    "each": [{"text": {"id": "one", "text": "One"}}],
                }
            },
            {"finish": {"id": "end"}},
        ],
        **values,
    }
    whole = {"format": "believable-definition/1", "study": tree, "pages": {}, "media": {}}
    return Definition.from_json(json.dumps(whole)).study


def group(
    arm: str,
    row: int,
    n: int,
    state: str = "finished",
    outcome: str | None = "complete",
    **values: bool,
) -> SessionGroup:
    facts = {"rejected": False, "excluded": False, "active": False, "reserved": False, **values}
    arms, rows = json.dumps({"tool": arm}), json.dumps({"pairs": row})
    return SessionGroup(
        definition="d",
        state=state,
        outcome=outcome,
        position=0,
        arms=arms,
        rows=rows,
        n_sessions=n,
        n_events=0,
        **facts,
    )


def test_places_are_complete_sessions_and_live_reservations() -> None:
    found = balance(
        study(),
        [
            group("a", 0, 3),
            group("a", 0, 2, rejected=True),
            group("a", 0, 6, excluded=True),
            group("a", 1, 1, "active", None, reserved=True),
            group("b", 1, 4, "active", None, reserved=False),
            group("b", 0, 5, outcome="screened_out"),
        ],
    )
    assert [(cell.name, cell.complete, cell.reserved) for cell in found.cells] == [
        ("tool: a · pairs: order 1", 3, 0),
        ("tool: a · pairs: order 2", 0, 1),
        ("tool: b · pairs: order 1", 0, 0),
        ("tool: b · pairs: order 2", 0, 0),
    ]
    assert [
        (margin.name, [level.places for level in margin.levels]) for margin in found.margins
    ] == [("tool", [4, 0]), ("pairs (order)", [3, 1])]
    assert (found.most, found.most_in_cell) == (4, 3)


def test_one_cell_is_nothing_to_balance() -> None:
    simple = study(arms={}, conditions=[], timeline=[{"finish": {"id": "end"}}])
    found = balance(simple, [])
    assert (found.cells, found.margins, found.n_cells, found.most) == ((), (), 1, 0)


def test_many_cells_are_shown_by_their_margins() -> None:
    arms = {name: ["a", "b", "c", "d", "e"] for name in ("one", "two", "three")}
    found = balance(study(arms=arms), [])
    assert found.cells == ()
    assert found.n_cells == 250
    assert len(found.margins) == 4


def test_trials_are_named_by_position() -> None:
    names = trial_names(study())
    assert [name.keys for name in names] == [
        ("hello",),
        ("pairs.1.one",),
        ("pairs.2.one",),
        ("end",),
    ]
    assert names[0].kinds == ("text",)


def test_where_arms_differ_a_position_has_several_names() -> None:
    timeline = [
        {"text": {"id": "only_a", "text": "A", "skip_if": {"arm": "tool", "is": "b"}}},
        {"text": {"id": "both", "text": "B"}},
        {"finish": {"id": "end"}},
    ]
    assert [name.keys for name in trial_names(study(timeline=timeline))] == [
        ("only_a", "both"),
        ("both", "end"),
        ("end",),
    ]
