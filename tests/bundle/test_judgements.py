"""The table to begin an analysis with: who was chosen, in which arm, how fast, without a join."""

from __future__ import annotations

from typing import Any

from believable.bundle.judgements import judgement_rows

PARTICIPANT = {"session": "s1", "included": True, "arm_tool": "mouse"}


def trial(position: int, run: int = 0, **more: Any) -> dict[str, Any]:
    return {
        "session": "s1",
        "position": position,
        "run": run,
        "trial_key": f"t{position}",
        "trial": "pair",
        **more,
    }


def answer(position: int, value: Any, run: int = 0, **more: Any) -> dict[str, Any]:
    number = isinstance(value, int | float)
    return trial(position, run) | {
        "question": "which",
        "player": None,
        "kind": "preference",
        "item": None,
        "condition": None,
        "scenario": "harbour",
        "stimulus": None,
        "value_text": None if number else value,
        "value_number": value if number else None,
        **more,
    }


def stood(
    position: int, *conditions: str, labels: str = "ABCD", run: int = 0
) -> list[dict[str, Any]]:
    return [
        trial(position, run)
        | {"player": player, "label": labels[player], "condition": name, "stimulus": f"{name}_1"}
        for player, name in enumerate(conditions)
    ]


def rows(
    answers: list[Any],
    shown: list[Any],
    trials: list[Any] | None = None,
    exclusions: list[Any] | None = None,
) -> Any:
    known = (
        trials
        if trials is not None
        else [trial(row["position"], row["run"], rt_ms=2500.0) for row in answers]
    )
    return list(judgement_rows(PARTICIPANT, known, answers, shown, exclusions or []))


def test_who_was_chosen_and_against_whom() -> None:
    first, second = rows(
        [answer(0, "first"), answer(1, "second")],
        [*stood(0, "human", "agent"), *stood(1, "human", "agent")],
    )
    assert (first["chosen_condition"], first["chosen_stimulus"], first["other_conditions"]) == (
        "human",
        "human_1",
        "agent",
    )
    assert (second["chosen_condition"], second["other_conditions"]) == ("agent", "human")
    assert (first["arm_tool"], first["seconds"], first["scenario"], first["included"]) == (
        "mouse",
        2.5,
        "harbour",
        True,
    )


def test_one_of_three_is_chosen_by_its_label() -> None:
    (row,) = rows([answer(0, "C", kind="choice")], stood(0, "human", "agent", "script"))
    assert (row["chosen_condition"], row["other_conditions"]) == ("script", "human+agent")


def test_undecided_and_other_answers_choose_nobody() -> None:
    shown = [*stood(0, "human", "agent"), *stood(1, "human")]
    both, rating = rows([answer(0, "both"), answer(1, 5, kind="likert", condition="human")], shown)
    assert "chosen_condition" not in both
    assert (rating["value_number"], rating["condition"]) == (5, "human")


def test_earlier_runs_open_answers_and_consent_are_no_judgements() -> None:
    answers = [
        answer(0, "first"),
        answer(0, "second", run=1),
        answer(1, None, run=1),
        answer(2, 1, run=1, kind="consent"),
    ]
    shown = [*stood(0, "human", "agent"), *stood(0, "human", "agent", run=1)]
    (row,) = rows(answers, shown)
    assert row["value_text"] == "second"


def test_what_is_excluded_says_so() -> None:
    rule = {"scope": "answer", "trial_key": "t0", "question": "which", "player": None}
    kept, left_out = rows([answer(1, "first"), answer(0, "first")], [], exclusions=[rule])
    assert kept["included"]
    assert not left_out["included"]
