"""Who is left out, and why: every exclusion is a row with a reason, and the funnel counts them."""

from __future__ import annotations

import pytest

from believable.analysis import exclusions
from believable.study.declaration import ExclusionRule


def rule(**fields):
    return ExclusionRule.model_validate(fields)


def at(tables, session, question):
    return next(
        row
        for row in tables["answers"]
        if row["session"] == session and row["question"] == question
    )


def kept(studies, change, *rules, n=12, **options):
    return exclusions.apply(studies.judges(n, change=change, **options), rules)


def test_what_the_bundle_says_always_counts(studies):
    def change(tables):
        tables["participants"][0].update(state="active", outcome=None)
        tables["participants"][1]["outcome"] = "screened_out"
        tables["participants"][2]["outcome"] = "failed_checks"
        tables["exclusions"] += [
            {
                "session": "j0003",
                "scope": "session",
                "reason": "rejected",
                "detail": "copied from elsewhere",
            },
            {"scope": "session", "reason": "withdrawn", "count": 2},
        ]

    found = kept(studies, change)
    assert len(found.sessions) == 8
    assert {(drop.session, drop.reason) for drop in found.drops} == {
        ("j0000", "incomplete"),
        ("j0001", "screened_out"),
        ("j0002", "failed_checks"),
        ("j0003", "rejected"),
        ("", "withdrawn"),
    }
    assert [(step.before, step.after) for step in found.funnel] == [
        (12, 12),
        (12, 11),
        (11, 10),
        (10, 9),
        (9, 8),
    ]
    assert (
        next(drop.detail for drop in found.drops if drop.reason == "rejected")
        == "copied from elsewhere"
    )
    assert (
        next(drop.detail for drop in found.drops if drop.reason == "withdrawn")
        == "2 sessions, not in the dataset"
    )


def test_real_and_simulated_sessions_are_never_pooled(studies):
    def change(tables):
        for row in tables["participants"][:4]:
            row.update(simulated=True, link_kind="simulated")

    found = kept(studies, change, simulated=False)
    assert not found.simulated
    assert len(found.sessions) == 8
    assert {drop.reason for drop in found.drops} == {"simulated"}
    assert kept(studies, lambda tables: None).simulated


def test_a_failed_check(studies):
    def change(tables):
        for session, correct in (("j0000", False), ("j0001", True)):
            tables["answers"].append(
                {
                    "session": session,
                    "trial": "attention",
                    "trial_key": "attention",
                    "question": "answer",
                    "kind": "choice",
                    "value_text": "red",
                    "correct": correct,
                }
            )

    for one in (rule(rule="failed_check"), rule(rule="failed_check", check="attention")):
        found = kept(studies, change, one)
        assert [drop.session for drop in found.drops] == ["j0000"]
    assert not kept(studies, change, rule(rule="failed_check", check="other")).drops


def test_more_than_half_left_open(studies):
    def change(tables):
        for row in tables["answers"]:
            if row["session"] == "j0000" and row["question"] != "which":
                row["value_text"] = row["value_number"] = None
        at(tables, "j0001", "why")["value_text"] = None

    found = kept(studies, change, rule(rule="unanswered", over=0.5))
    assert [(drop.session, drop.detail) for drop in found.drops] == [
        ("j0000", "14 of 20 answers left open")
    ]


def test_too_fast_is_measured_on_those_who_finished(studies):
    def change(tables):
        for row in tables["participants"]:
            row["duration_ms"] = 900_000
        tables["participants"][0].update(duration_ms=1_000, state="active", outcome=None)
        tables["participants"][1]["duration_ms"] = 299_000
        tables["participants"][2]["duration_ms"] = 301_000
        tables["participants"][3]["duration_ms"] = None

    found = kept(studies, change, rule(rule="too_fast"))
    assert [(drop.session, drop.reason) for drop in found.drops] == [
        ("j0000", "incomplete"),
        ("j0001", "too_fast"),
    ]
    assert found.drops[1].detail == "299 s, median 900 s"


@pytest.mark.parametrize(
    ("drops", "sessions", "choices"), [("session", 11, 66), ("trial", 12, 71), ("answer", 12, 72)]
)
def test_a_reviewed_text_takes_as_much_as_declared(studies, drops, sessions, choices):
    def change(tables):
        key = at(tables, "j0000", "why")["trial_key"]
        tables["exclusions"].append(
            {
                "session": "j0000",
                "scope": "answer",
                "trial_key": key,
                "question": "why",
                "reason": "text_excluded",
                "detail": "copied",
            }
        )

    made = studies.judges(12, change=change)
    data, _ = studies.data_of(made, exclusions=(rule(rule="reviewed", drops=drops),))
    assert len(data) == sessions
    assert len(data.answers("choice")) == choices
    assert len(data.answers("why")) == {"session": 66, "trial": 71, "answer": 71}[drops]
    assert len(data.table("shown")) == 2 * choices
    assert [(drop.session, drop.level, drop.detail) for drop in data.drops] == [
        ("j0000", drops, "copied" if drops != "session" else data.drops[0].detail)
    ]


def test_an_answer_can_exclude(studies):
    def change(tables):
        at(tables, "j0004", "game")["value_text"] = "other"

    found = kept(
        studies, change, rule(rule="answer", answer="familiarity.game", **{"is": ("other",)})
    )
    assert [(drop.session, drop.detail) for drop in found.drops] == [
        ("j0004", "familiarity.game is other")
    ]


def test_a_failed_gate(studies):
    def change(tables):
        tables["answers"].append(
            {
                "session": "j0002",
                "trial": "auditory",
                "trial_key": "auditory",
                "question": "reliable",
                "kind": "qa",
                "value_text": "false",
            }
        )

    found = kept(studies, change, rule(rule="unreliable"))
    assert [drop.session for drop in found.drops] == ["j0002"]


def test_only_the_latest_run_of_a_session_counts(studies):
    def change(tables):
        again = [dict(row, run=1) for row in tables["answers"] if row["session"] == "j0000"]
        for row in again:
            if row["question"] == "which":
                row["value_text"] = "first"
        tables["answers"] += again
        tables["trials"] = [
            {"session": "j0000", "trial": "pairs", "kind": "compare", "run": run, "position": 1}
            for run in (0, 1)
        ]

    data, _ = studies.data_of(studies.judges(3, change=change))
    own = data.answers("choice").code == 0
    assert own.sum() == 6
    assert set(data.answers("choice").text[own]) == {"first"}


def test_where_nobody_reviewed_nothing_is_said_to_have_passed(studies):
    data, _ = studies.data_of(
        studies.judges(4), exclusions=(ExclusionRule(rule="reviewed", drops="session"),)
    )
    step = data.funnel[-1]
    assert (step.before, step.after) == (4, 4)
    assert step.title == "No text excluded in a review"
    assert "passed" not in " ".join(step.title for step in data.funnel).lower()


def test_the_flow_says_how_many_texts_somebody_looked_at(studies):
    def title(reviewed):
        def change(tables):
            for person, count in zip(tables["participants"], reviewed, strict=True):
                person["texts_reviewed"] = count
            tables["participants"][3]["state"] = "active"

        made = studies.judges(4, change=change)
        data, _ = studies.data_of(
            made, exclusions=(ExclusionRule(rule="reviewed", drops="session"),)
        )
        return data.funnel[-1].title

    assert title([0, 0, 0, 0]) == "No text excluded in a review (0 of 18 texts reviewed)"
    assert title([6, 2, 0, 6]) == "No text excluded in a review (8 of 18 texts reviewed)", (
        "of complete sessions"
    )
