# ruff: noqa: E501  messages are compared in full, one case per line
"""Checks of the timeline: ids, the end, pages, boxes, ratings."""

from __future__ import annotations

import pytest

Q = "{id: q, prompt: Q, number: }"


@pytest.mark.parametrize(
    ("timeline", "problem"),
    [
        (
            f"- form: {{id: a, questions: [{Q}]}}\n- form: {{id: a, questions: [{Q}]}}\n- finish:\n",
            "timeline[1].form.id: the trial id 'a' is used in line 11 already. Give it another one.",
        ),
        (
            f"- form: {{id: a, questions: [{Q}]}}\n- block: {{each: [{{watch: {{id: a}}}}]}}\n- finish:\n",
            "timeline[1].block.each[0].watch.id: the trial id 'a' is used in line 11 already. Give it another one.",
        ),
        (
            f"- form: {{id: a, questions: [{Q}, {Q}]}}\n- finish:\n",
            "timeline[0].form.questions[1].id: the question id 'q' is used in line 11 already. Give it another one.",
        ),
        (
            "- text: {text: x}\n",
            "timeline: the timeline has no finish. End it with `- finish: {}`.",
        ),
        (
            "- finish:\n- text: {text: x}\n",
            "timeline[0].finish: finish is not the last entry of the timeline. Move it to the end.",
        ),
        (
            "- finish:\n- finish:\n",
            "timeline[1].finish: a second finish; the first is in line 11. Remove one of them.",
        ),
        (
            "- block: {each: [{text: {text: x}}, finish]}\n",
            "timeline[0].block.each[1].finish: finish is inside a block. Move it behind the block, to the end of the timeline.",
        ),
        (
            f"- form: {{id: f, questions: [{Q}]}}\n- finish: {{skip_if: {{answer: f.q, is: 3}}}}\n",
            "timeline[1].finish.skip_if: finish cannot be skipped. Remove the rule.",
        ),
        (
            "- text: {}\n- finish:\n",
            "timeline[0].text: text has nothing to show. Give it a `page: pages/….md` or a `text: …`.",
        ),
        (
            "- consent: {page: pages/consent.md, text: x}\n- finish:\n",
            "timeline[0].consent: consent has both a page and a text. Keep one of them.",
        ),
        (
            "- consent: {text: x, require: [adlut]}\n- finish:\n",
            "timeline[0].consent.require[0]: the consent box 'adlut' has no label. Write {id: adlut, label: …}, or use a built-in one. Did you mean 'adult'?",
        ),
        (
            "- consent: {text: x, require: [adult, adult]}\n- finish:\n",
            "timeline[0].consent.require[1]: the consent box 'adult' is used in line 11 already. Give it another one.",
        ),
        (
            f"- rate: {{questions: [{Q}]}}\n- finish:\n",
            "timeline[0].rate: there is nothing to rate: no watch trial comes earlier. Move it behind one.",
        ),
        (
            f"- watch: {{id: clip}}\n- rate: {{of: [clap], questions: [{Q}]}}\n- finish:\n",
            "timeline[1].rate.of[0]: unknown watch trial 'clap'. Did you mean 'clip'?",
        ),
        (
            f"- rate: {{of: [clip], questions: [{Q}]}}\n- watch: {{id: clip}}\n- finish:\n",
            "timeline[0].rate.of[0]: the watch trial 'clip' comes later. Move the rating behind it.",
        ),
        (
            "- watch: {controls: {max_views: 3}}\n- finish:\n",
            "timeline[0].watch.controls.max_views: 3 views are allowed, but no replay. Add `replay: true`.",
        ),
    ],
)
def test_problems(errors, timeline, problem):
    assert errors(timeline) == [problem]


def test_a_sound_timeline_has_none(messages):
    timeline = f"""\
    - consent: {{text: x, require: [adult, agree, {{id: film, label: I may be filmed.}}]}}
    - watch: {{id: clip, controls: {{replay: true, max_views: 3}}}}
    - rate: {{of: [clip], questions: [{Q}]}}
    - finish
    """
    assert messages(timeline) == []


def test_a_question_without_words_is_a_warning(messages):
    check = "- check: {id: sky, %s question: {choice: {options: [red, blue]}}, correct: blue}\n- finish:\n"
    assert messages(check % "") == [
        "study.yaml:11 timeline[0].check.question: warning: the question 'answer' has no prompt: people see only how to answer. Add `prompt: …`."
    ]
    assert messages(check % "title: Which colour is the sky?,") == []
