# ruff: noqa: E501  messages are compared in full, one case per line
"""Checks of blocks over pairs of conditions, and of pages that show one."""

from __future__ import annotations

import pytest

PAGE = "{compare: {of: [{pair: first}, {pair: second}], ask: [{id: which, prompt: Which?, preference: {}}]}}"


@pytest.mark.parametrize(
    ("block", "problem"),
    [
        (
            f"{{over: pair, pairs: star, each: [{PAGE}]}}",
            ".pairs: a star without a center. Add `center: CONDITION`, such as people.",
        ),
        (
            f"{{over: pair, pairs: star, center: humen, each: [{PAGE}]}}",
            ".center: unknown condition 'humen'. Did you mean 'human'?",
        ),
        (
            f"{{over: pair, center: human, each: [{PAGE}]}}",
            ".center: a center, but `pairs: all`. Write `pairs: star`, or remove it.",
        ),
        (
            f"{{over: pair, pairs: listed, each: [{PAGE}]}}",
            ".pairs: listed pairs without a list, and `pairs: listed`. Write `pairs: listed` and `levels: [first-second, …]`.",
        ),
        (
            f"{{over: pair, levels: [human-scripted], each: [{PAGE}]}}",
            ": a list of pairs, and `pairs: all`. Write `pairs: listed` and `levels: [first-second, …]`.",
        ),
        (
            f"{{over: pair, pairs: listed, levels: [human], each: [{PAGE}]}}",
            ".levels[0]: 'human' is no pair of two conditions. Write it as first-second: people-v1.",
        ),
        (
            f"{{over: pair, pairs: listed, levels: [human-scripte], each: [{PAGE}]}}",
            ".levels[0]: unknown condition 'scripte'. Did you mean 'scripted'?",
        ),
        (
            "{over: condition, pairs: star, each: [{text: {text: x}}]}",
            ".pairs: pairs of nothing. Add `over: pair`, or remove it.",
        ),
        (
            f"{{over: condition, each: [{PAGE}]}}",
            ".each[0].compare.of[0].pair: no block around it runs over pairs. Put it into `block: {over: pair, …}`.",
        ),
        (
            "{over: pair, each: [{compare: {of: [{pair: first, condition: human}, {pair: second}]}}]}",
            ".each[0].compare.of[0].pair: a condition of its own, and one of a pair. Remove one of the two.",
        ),
        (
            "{over: pair, each: [{compare: {of: [{pair: first}, {pair: second}], rate: [{id: which, prompt: Which?, preference: {}}]}}]}",
            ".each[0].compare.rate[0]: a preference is between two, not about one. Put it in `ask`.",
        ),
        (
            f"{{over: pair, repeat: 3, each: [{PAGE}]}}",
            ".each[0].compare.of: a session can run out of stimuli here: 4 fit, and more are needed in all. Add stimuli, show fewer, or name the stimulus.",
        ),
    ],
)
def test_problems(errors, block, problem):
    found = errors(f"- block: {block}\n- finish:\n")
    assert found[0] == f"timeline[0].block{problem}"


def test_stimuli_repeat_if_their_author_allows_it(errors):
    page = PAGE.replace("compare: {of", "compare: {repeats: true, of")
    assert not errors(f"- block: {{over: pair, repeat: 3, each: [{page}]}}\n- finish:\n")
