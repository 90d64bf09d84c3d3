# ruff: noqa: E501  messages are compared in full, one case per line
"""Checks of recruiting, the end, and the arms."""

from __future__ import annotations

import pytest

FINISH = "- finish: {%s}\n"


@pytest.mark.parametrize(
    ("recruit", "finish", "problem"),
    [
        (
            "platform: custom",
            "",
            "recruit: a custom platform without an id parameter. Add `id_parameter: NAME`.",
        ),
        (
            "platform: prolific, id_parameter: who",
            "",
            "recruit.id_parameter: id_parameter is for custom platforms, not for 'prolific'. Set `platform: custom`, or remove it.",
        ),
        (
            "platform: mturk",
            "redirect: prolific",
            "timeline[0].finish.redirect: people are sent back to 'prolific', but come from 'mturk', without its id parameters. Set `recruit: {platform: prolific}`, or change the redirect.",
        ),
        (
            "platform: sona",
            "redirect: sona",
            "timeline[0].finish.redirect: 'sona' has an address of its own for each institution. Write {complete: 'https://YOUR-SITE…&survey_code={survey_code}'}.",
        ),
        (
            "platform: sona",
            "redirect: {complete: 'https://x.org/?c={surveycode}'}",
            "timeline[0].finish.redirect.complete: unknown parameter 'surveycode'. Did you mean 'survey_code'?",
        ),
        (
            "platform: none",
            "redirect: {complete: 'javascript:alert(1)'}",
            "timeline[0].finish.redirect.complete: expected an address that starts with https://, got 'javascript:alert(1)'. Give a full address.",
        ),
        (
            "platform: none",
            "codes: {complete: A, failed_checks: A}",
            "timeline[0].finish.codes.failed_checks: the code 'A' is used in line 12 already. Give it another one.",
        ),
        (
            "platform: none",
            "codes: {complete: ''}",
            "timeline[0].finish.codes.complete: the code is empty. Write a code, or `auto`.",
        ),
    ],
)
def test_problems(errors, recruit, finish, problem):
    assert errors(FINISH % finish, extra=f"recruit: {{{recruit}}}\n") == [problem]


def test_redirects_may_use_the_platforms_parameters(messages):
    finish = FINISH % "redirect: {complete: 'https://x.org/?c={code}&s={survey_code}'}"
    assert messages(finish, extra="recruit: {platform: sona}\n") == []


@pytest.mark.parametrize(
    ("extra", "warning"),
    [
        (
            "recruit: {closes: 2020-02-29}",
            "recruit.closes: warning: the closing date 2020-02-29 00:00 UTC has passed. Choose a later one before recruiting.",
        ),
        (
            "arms: {tool: [one]}",
            "arms.tool: warning: the arm 'tool' has one level, so everybody is in it. Add another level, or remove the arm.",
        ),
        (
            "arms: {tool: [one, two]}",
            "arms.tool: warning: people are spread over 'tool', but no rule looks at it. Use it: `skip_if: {arm: tool, is: one}`.",
        ),
    ],
)
def test_warnings(messages, extra, warning):
    assert messages("- finish:\n", extra=f"{extra}\n") == [f"study.yaml:10 {warning}"]


@pytest.mark.parametrize(
    ("arms", "problem"),
    [
        ("{tool: []}", "arms.tool: the arm 'tool' has no levels. List two or more."),
        (
            "{tool: [a, a]}",
            "arms.tool[1]: the level 'a' is used in line 10 already. Give it another one.",
        ),
        (
            "{tool: a}",
            "arms.tool: expected a list, got 'a'. Write [one, two] or one `- entry` per line.",
        ),
    ],
)
def test_arms(errors, arms, problem):
    assert errors("- finish:\n", extra=f"arms: {arms}\n") == [problem]


def test_a_limit_that_cannot_fill_the_design_is_a_warning(messages):
    timeline = "- block: {order: latin_square, over: stimulus, each: [watch]}\n- finish:\n"
    assert messages(timeline, extra="recruit: {limit: 3}\n") == [
        "study.yaml:10 recruit.limit: warning: 3 participants cannot fill the 4 combinations of arms and orders. Recruit at least 4."
    ]


def test_a_design_that_nobody_can_fill(errors):
    block = "- block: {order: latin_square, over: stimulus, each: [{text: {text: x}}]}\n"
    assert errors(f"{block * 8}- finish:\n") == [
        "timeline: arms and Latin squares make 65,536 combinations, the limit is 20,000. Use `order: random` for some blocks."
    ]
