"""Whether a rule holds, given the answers so far and the arms."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from believable.study.records import Rule


def holds(
    rule: Rule, answers: Mapping[str, Any], arms: Mapping[str, str], opened: Collection[str] = ()
) -> bool:
    """`answers` maps `trial.question` to the latest answer (`None`: asked and left open), `opened` is what was opened beside
    the page's player. See `Rule` for the tests.
    """
    if rule.opened is not None:
        return bool(opened) if rule.opened == "any" else rule.opened in opened
    if rule.answer is None:
        return arm_holds(rule, arms)
    return _passes(rule, _looked_up(rule.answer, answers))


def arm_holds(rule: Rule, arms: Mapping[str, str]) -> bool:
    return rule.arm is not None and _passes(rule, arms.get(rule.arm))


def _looked_up(reference: str, answers: Mapping[str, Any]) -> Any:
    if reference in answers:
        return answers[reference]
    question, _, item = reference.rpartition(".")
    whole = answers.get(question)
    return whole.get(item) if isinstance(whole, Mapping) else None


def _passes(rule: Rule, answer: Any) -> bool:
    test, value = rule.test
    if test == "answered":
        return (answer is not None) is value
    if test == "is_not":
        return not _is(answer, value)
    if answer is None:
        return False
    if test == "is":
        return _is(answer, value)
    if test == "in":
        return any(_is(answer, one) for one in value)
    if isinstance(answer, bool) or not isinstance(answer, int | float):
        return False
    return bool(answer >= value if test == "at_least" else answer <= value)


def _is(answer: Any, value: Any) -> bool:
    """Equal; of several ticked options, one of them. Numbers and number-like option values are the same (`5` and `"5"`)."""
    if isinstance(answer, list | tuple) and not isinstance(value, list | tuple):
        return any(_is(one, value) for one in answer)
    if isinstance(answer, list | tuple):
        return sorted(map(str, answer)) == sorted(map(str, value))
    if isinstance(value, bool) or isinstance(answer, bool):
        return answer is value
    if isinstance(answer, str) and isinstance(value, int | float):
        return answer == str(value)
    return bool(answer == value)
