"""Mistakes that everybody makes once get one message that helps."""

from __future__ import annotations

from collections.abc import Callable

from believable.core.errors import Problem

Found = Callable[..., list[Problem]]


def test_true_and_false_without_quotes_are_told_once(found: Found) -> None:
    form = (
        "  - form: {id: a, questions: [{id: q, prompt: Yes?, choice: {options: [true, false]}}]}\n"
    )
    (problem,) = found(
        f"  - consent: {{page: pages/consent.md}}\n{form}  - finish: {{text: Bye}}\n"
    )
    assert str(problem).endswith(
        'expected words, got true or false without quotes. Put each in quotes: ["true", "false"].'
    )


def test_an_end_without_its_code_is_warned_of(found: Found) -> None:
    check = (
        "{id: c, question: {prompt: Sky?, choice: {options: [red, blue]}}, correct: blue, on_fail:"
        " fail}"
    )
    finish = "{text: Bye, codes: {complete: C0DE}}"
    timeline = (
        f"  - consent: {{page: pages/consent.md}}\n  - check: {check}\n  - finish: {finish}\n"
    )
    words = "'failed_checks', and there is no code for that"
    (problem,) = (problem for problem in found(timeline) if words in problem.message)
    assert problem.severity == "warning"
    named = found(timeline.replace("complete: C0DE", "complete: C0DE, failed_checks: F41L"))
    assert not any(words in problem.message for problem in named)


def test_what_a_template_leaves_open_is_warned_of(found: Found) -> None:
    timeline = "  - consent: {page: pages/consent.md}\n  - finish: {text: Bye}\n"
    (problem,) = found(
        timeline, pages={"pages/consent.md": "Run by [YOUR NAME]; see [1] and [a link](x)."}
    )
    assert (problem.severity, "still holds [YOUR NAME]." in problem.message) == ("warning", True)
