"""Look-ups: answers by role, one value per session, arms, traces as arrays."""

from __future__ import annotations

import numpy as np

from believable.analysis.data import join_values, numbers, rows_of, texts


def test_answers_of_a_role_know_their_session(studies):
    data, _ = studies.data_of(studies.judges(5))
    found = data.answers("choice")
    assert len(found) == 30
    assert [data.sessions[code] for code in found.code] == found.session.tolist()
    assert set(found.text) == {"first", "second"}
    assert set(found.trial) == {"pairs"}
    assert np.isnan(found.number).all()


def test_a_role_may_name_a_question_with_or_without_its_trial(studies):
    made = studies.judges(4)
    short, _ = studies.data_of(made, roles={"choice": "which", "human": "human"})
    long, _ = studies.data_of(made, roles={"choice": "pairs.which", "human": "human"})
    assert short.answers("choice").text.tolist() == long.answers("choice").text.tolist()
    elsewhere, _ = studies.data_of(made, roles={"choice": "familiarity.game", "human": "human"})
    assert len(elsewhere.answers("choice")) == 4


def test_one_value_per_session_in_the_order_of_sessions(studies):
    def change(tables):
        rows = [row for row in tables["answers"] if row["question"] == "game"]
        rows[0]["value_text"] = "3"
        rows[1]["value_text"] = None
        rows[2].update(value_text=None, value_number=2)
        rows[3]["value_text"] = "-"

    data, _ = studies.data_of(studies.judges(4, change=change))
    assert data.text_by_session("familiarity_game").tolist() == ["3", None, "2", "-"]
    np.testing.assert_array_equal(
        data.number_by_session("familiarity_game"), [3, np.nan, 2, np.nan]
    )
    found = data.answers("familiarity_game")
    np.testing.assert_array_equal(numbers(found), [3, np.nan, 2, np.nan])
    assert texts(found).tolist() == ["3", None, "2", "-"]


def test_arms_and_people_follow_the_sessions(studies):
    def change(tables):
        for place, row in enumerate(tables["participants"]):
            row.update(arm_tool="ranktrace" if place % 2 else "btrace", number=10 - place)

    data, _ = studies.data_of(studies.judges(4, change=change))
    assert data.sessions == ("j0003", "j0002", "j0001", "j0000")
    assert data.arm("tool").tolist() == ["ranktrace", "btrace", "ranktrace", "btrace"]
    assert data.arm("nothing").tolist() == [None] * 4
    assert data.people["session"].values.tolist() == list(data.sessions)


def traced(tables):
    for session in ("j0001", "j0000"):
        for position in (3, 2):
            rows = [
                (0, 0, "heartbeat"),
                (500, 1, "wheel"),
                (1000, 1, "heartbeat"),
                (1200, 2, "key"),
            ]
            tables.setdefault("traces", []).extend(
                {
                    "session": session,
                    "trial": "watch",
                    "trial_key": f"watch{position}",
                    "position": position,
                    "media_ms": at,
                    "value": value,
                    "input": how,
                    "instrument": "ranktrace",
                    "condition": "agent",
                }
                for at, value, how in rows
            )
    tables["trials"] = [
        {
            "session": "j0002",
            "trial": "watch",
            "trial_key": "watch2",
            "kind": "watch",
            "position": 2,
            "condition": "agent",
        },
        {
            "session": "j0000",
            "trial": "watch",
            "trial_key": "watch2",
            "kind": "watch",
            "position": 2,
        },
    ]


def test_traces_are_arrays_without_heartbeats(studies):
    data, _ = studies.data_of(studies.judges(3, change=traced))
    lines = data.traces("watch")
    assert [(line.session, line.position) for line in lines] == [
        ("j0000", 2),
        ("j0000", 3),
        ("j0001", 2),
        ("j0001", 3),
        ("j0002", 2),
    ]
    np.testing.assert_array_equal(lines[0].media_ms, [500, 1200])
    np.testing.assert_array_equal(lines[0].value, [1, 2])
    assert (lines[0].instrument, lines[0].condition, lines[0].trial_key) == (
        "ranktrace",
        "agent",
        "watch2",
    )
    assert len(lines[4].value) == 0, "a trial without input is an empty trace, not a missing one"
    assert len(data.traces("watch", heartbeats=True)[0].value) == 4
    assert data.traces("other") == ()
    assert len(data.traces()) == 4


def test_without_leaves_a_trail(studies):
    data, _ = studies.data_of(studies.judges(4))
    fewer = data.without(
        {"j0001": "far from the others"},
        reason="outlier",
        title="Without outliers",
        words="far out",
    )
    assert fewer.sessions == ("j0000", "j0002", "j0003")
    assert (fewer.drops[-1].session, fewer.drops[-1].reason, fewer.drops[-1].detail) == (
        "j0001",
        "outlier",
        "far from the others",
    )
    assert (fewer.funnel[-1].before, fewer.funnel[-1].after, fewer.funnel[-1].reason) == (
        4,
        3,
        "far out",
    )
    assert len(fewer.answers("choice")) == 18
    assert len(data.answers("choice")) == 24


def test_a_join_finds_the_first_row_of_each_key():
    code, position = np.array([0, 0, 1, 1]), np.array([3, 4, 3, 3])
    rows = rows_of([code, position], [np.array([1, 0, 2]), np.array([3, 4, 3])])
    assert rows.tolist() == [2, 1, -1]
    assert join_values(np.array([1.0, 2.0, 3.0, 4.0]), rows, np.nan)[:2].tolist() == [3.0, 2.0]
    assert np.isnan(join_values(np.array([1.0, 2.0, 3.0, 4.0]), rows, np.nan)[2])


def test_a_join_with_nothing_finds_nothing():
    nothing = np.empty(0, dtype=np.int64)
    assert rows_of([nothing, nothing], [np.array([1]), np.array([1])]).tolist() == [-1]
    assert rows_of([np.array([1]), np.array([1])], [nothing, nothing]).tolist() == []
