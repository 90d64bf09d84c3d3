# ruff: noqa: E501  messages are compared in full, one case per line
"""Checks of rules: earlier answers, possible values."""

from __future__ import annotations

import pytest

FORM = """\
- form:
    id: about
    questions:
      - {id: colour, prompt: Colour?, choice: {options: [red, blue, 3]}}
      - {id: ticks, prompt: Ticks?, choices: {options: [a, b]}}
      - {id: often, prompt: How often?, likert: {points: 5}}
      - {id: mood, prompt: Mood?, matrix: {rows: [calm, tense]}}
      - {id: age, prompt: Age?, number: {min: 18, max: 99}}
      - {id: why, prompt: Why?, text: {max_length: 10}}
"""


def rule_on_text(rule):
    return f"{FORM}- text: {{text: x, skip_if: {{{rule}}}}}\n- finish:\n"


@pytest.mark.parametrize(
    ("rule", "problem"),
    [
        (
            "answer: abuot.colour, is: red",
            ".answer: unknown trial with questions 'abuot'. Did you mean 'about'?",
        ),
        (
            "answer: about.color, is: red",
            ".answer: unknown question of 'about': 'color'. Did you mean 'colour'?",
        ),
        (
            "answer: about, is: red",
            ".answer: expected trial.question, got 'about'. Write `answer: trial.question`.",
        ),
        (
            "answer: about.colour, is: rde",
            ".is: 'rde' is not a possible answer of 'colour'. Did you mean 'red'?",
        ),
        (
            "answer: about.colour, is_not: 4",
            ".is_not: 4 is not a possible answer of 'colour'. Choose one of: red, blue, 3.",
        ),
        (
            "answer: about.colour, in: [red, green]",
            ".in[1]: 'green' is not a possible answer of 'colour'. Choose one of: 3, blue, red.",
        ),
        (
            "answer: about.colour, at_least: 2",
            ".at_least: answers of 'colour' are no numbers, so 'at_least' cannot hold. Use is, is_not or in.",
        ),
        (
            "answer: about.why, at_most: 2",
            ".at_most: answers of 'why' are no numbers, so 'at_most' cannot hold. Use is, is_not or in.",
        ),
        (
            "answer: about.ticks, is: c",
            ".is: 'c' is not a possible answer of 'ticks'. Choose one of: a, b.",
        ),
        (
            "answer: about.often, is: 6",
            ".is: 6 is not a possible answer of 'often'. Choose one of: 1, 2, 3, 4, 5.",
        ),
        (
            "answer: about.often, is: true",
            ".is: true is not a possible answer of 'often'. Choose one of: 1, 2, 3, 4, 5.",
        ),
        (
            "answer: about.often, at_least: 6",
            ".at_least: 6 is out of reach: answers of 'often' are at most 5. Choose a smaller number.",
        ),
        (
            "answer: about.often, at_most: 0",
            ".at_most: 0 is out of reach: answers of 'often' are at least 1. Choose a greater number.",
        ),
        (
            "answer: about.age, at_least: 100",
            ".at_least: 100 is out of reach: answers of 'age' are at most 99. Choose a smaller number.",
        ),
        (
            "answer: about.age, at_most: 17.5",
            ".at_most: 17.5 is out of reach: answers of 'age' are at least 18. Choose a greater number.",
        ),
        (
            "answer: about.mood, is: 3",
            ".answer: 'mood' has several rows. Write `answer: about.mood.ROW` with one of: calm, tense.",
        ),
        (
            "answer: about.mood.clam, is: 3",
            ".answer: unknown row of 'mood': 'clam'. Did you mean 'calm'?",
        ),
        (
            "answer: about.mood.calm, is: 9",
            ".is: 9 is not a possible answer of 'mood'. Choose one of: 1, 2, 3, 4, 5.",
        ),
        (
            "answer: about.age, is: 17",
            ".is: 17 is not a possible answer of 'age'. Give an answer that a number question takes.",
        ),
        (
            "answer: about.why, is: much too long for it",
            ".is: 'much too long for it' is not a possible answer of 'why'. Give an answer that a text question takes.",
        ),
        ("arm: tol, is: one", ".arm: unknown arm 'tol'. Did you mean 'tool'?"),
        ("arm: tool, is: oen", ".is: unknown level of arm 'tool': 'oen'. Did you mean 'one'?"),
        (
            "arm: tool, in: [one, tow]",
            ".in[1]: unknown level of arm 'tool': 'tow'. Did you mean 'two'?",
        ),
        (
            "arm: tool, at_least: 3",
            ".at_least: an arm cannot be tested with 'at_least'. Use is, is_not or in.",
        ),
        (
            "arm: tool, in: [one, two]",
            ".in: this holds in every arm of 'tool'. Leave a level out, or remove the rule.",
        ),
    ],
)
def test_problems(errors, rule, problem):
    found = errors(rule_on_text(rule), extra="arms: {tool: [one, two]}\n")
    assert found == [f"timeline[1].text.skip_if{problem}"]


@pytest.mark.parametrize(
    "rule",
    [
        "answer: about.colour, is: red",
        "answer: about.colour, is: 3",
        "answer: about.colour, in: [red, blue]",
        "answer: about.ticks, is: a",
        "answer: about.ticks, is: [a, b]",
        "answer: about.often, at_least: 4",
        "answer: about.often, answered: true",
        "answer: about.mood, answered: true",
        "answer: about.mood.calm, at_most: 2",
        "answer: about.age, at_least: 30",
        "answer: about.why, is_not: no",
    ],
)
def test_rules_that_can_hold(messages, rule):
    assert messages(rule_on_text(rule)) == []


@pytest.mark.parametrize(
    ("overlay", "opened", "problem"),
    [
        ("{plan: true}", "plan", None),
        ("{log: true}", "any", None),
        (
            "{log: true}",
            "plan",
            "nothing on this page opens 'plan', so the question would never be asked. Ask it below a `watch` with `overlay: {plan: true}`.",
        ),
        (
            "{}",
            "any",
            "nothing on this page opens 'any', so the question would never be asked. Ask it below a `watch` with `overlay: {plan: true}`.",
        ),
        (
            "{plan: true}",
            "plans",
            "expected 'plan', 'log' or 'any', got 'plans'. Did you mean 'plan'?",
        ),
    ],
)
def test_what_was_opened(errors, overlay, opened, problem):
    question = f"{{id: q, prompt: Q, number: , show_if: {{opened: {opened}}}}}"
    found = errors(
        f"- watch: {{id: w, stimulus: h01, overlay: {overlay}, ask: [{question}]}}\n- finish:\n"
    )
    assert found == (
        [] if problem is None else [f"timeline[0].watch.ask[0].show_if.opened: {problem}"]
    )


def test_what_was_opened_decides_about_the_same_page_only(errors):
    cure = "Use it in `show_if` of a question below `ask:`."
    assert errors(rule_on_text("opened: plan")) == [
        f"timeline[1].text.skip_if.opened: what was opened beside a player decides about questions of its own page only. {cure}"
    ]


def test_what_was_opened_has_no_test(errors):
    question = "{id: q, prompt: Q, number: , show_if: {opened: plan, is: 3}}"
    found = errors(
        f"- watch: {{id: w, stimulus: h01, overlay: {{plan: true}}, ask: [{question}]}}\n- finish:\n"
    )
    assert found == [
        "timeline[0].watch.ask[0].show_if: a rule on what was opened has no test. Leave the test out: `{opened: plan}`."
    ]


def test_answers_that_come_later(errors):
    timeline = (
        f"- text: {{text: x, skip_if: {{answer: about.age, at_least: 30}}}}\n{FORM}- finish:\n"
    )
    assert errors(timeline) == [
        "timeline[0].text.skip_if.answer: the answer about.age is only given later, in line 19. Put the question in front of the rule."
    ]


def test_a_block_cannot_look_at_its_own_answers(errors):
    inner = "{form: {id: f, questions: [{id: q, prompt: Q, number: }]}}"
    timeline = f"- block: {{skip_if: {{answer: f.q, is: 3}}, each: [{inner}]}}\n- finish:\n"
    assert "is only given later" in errors(timeline)[0]


def test_questions_of_one_page_look_back_only(errors):
    a, b = (
        f"{{id: {own}, prompt: x, number: , show_if: {{answer: {other}, is: 3}}}}"
        for own, other in ("ab", "ba")
    )
    timeline = f"- form: {{id: f, questions: [{a}, {b}]}}\n- finish:\n"
    assert [line.partition(":")[0] for line in errors(timeline)] == [
        "timeline[0].form.questions[0].show_if.answer"
    ]


def test_shuffled_neighbours_may_come_later(errors):
    form = "{form: {id: f, questions: [{id: q, prompt: Q, number: }]}}"
    text = "{text: {text: x, skip_if: {answer: f.q, is: 3}}}"
    shuffled = f"- block: {{id: b, order: random, each: [{form}, {text}]}}\n- finish:\n"
    assert errors(shuffled) == [
        "timeline[0].block.each[1].text.skip_if.answer: block 'b' is shuffled, so f.q may come later. "
        "Set `order: fixed`, or move the question in front of the block."
    ]
    assert errors(f"- block: {{order: fixed, each: [{form}, {text}]}}\n- finish:\n") == []
    assert (
        errors(f"- block: {{order: random, over: condition, each: [{form}, {text}]}}\n- finish:\n")
        == []
    )
