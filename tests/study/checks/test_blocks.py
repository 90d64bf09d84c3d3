# ruff: noqa: E501  messages are compared in full, one case per line
"""Checks of blocks: levels, samples, Latin squares, breaks."""

from __future__ import annotations

import pytest

TEXT = "{text: {text: x}}"


@pytest.mark.parametrize(
    ("block", "problem"),
    [
        (
            f"{{order: latin_square, each: [{TEXT}]}}",
            ".order: latin_square needs at least two entries of `each`, there is 1. Add `over:` or more entries, or use `order: fixed`.",
        ),
        (
            f"{{order: latin_square, over: condition, levels: [human], each: [{TEXT}]}}",
            ".order: latin_square needs at least two condition levels, there is 1. Add `over:` or more entries, or use `order: fixed`.",
        ),
        (
            f"{{over: condition, levels: [humen], each: [{TEXT}]}}",
            ".levels[0]: unknown condition 'humen'. Did you mean 'human'?",
        ),
        (
            f"{{over: scenario, levels: [atrum], each: [{TEXT}]}}",
            ".levels[0]: unknown scenario 'atrum'. Did you mean 'atrium'?",
        ),
        (
            f"{{over: stimulus, levels: [h09], each: [{TEXT}]}}",
            ".levels[0]: unknown stimulus 'h09'. Did you mean 'h02'?",
        ),
        (
            f"{{over: condition, levels: [human, human], each: [{TEXT}]}}",
            ".levels[1]: the level 'human' is used in line 11 already. Give it another one.",
        ),
        (
            f"{{levels: [human], each: [{TEXT}]}}",
            ".levels: levels without `over`. Name the dimension of the levels: `over: condition`.",
        ),
        (
            f"{{over: condition, sample: 3, each: [{TEXT}]}}",
            ".sample: sample of 3 from 2 condition levels. Take at most 2, or add more.",
        ),
        (
            f"{{sample: 2, each: [{TEXT}]}}",
            ".sample: sample of 2 from 1 entries of `each`. Take at most 1, or add more.",
        ),
        (
            f"{{over: condition, each: [{{block: {{over: condition, each: [{TEXT}]}}}}]}}",
            ".each[0].block.over: condition is settled by the block around it ('block') already. Remove `over` from one of them.",
        ),
        (
            f"{{over: stimulus, each: [{{block: {{over: scenario, each: [{TEXT}]}}}}]}}",
            ".each[0].block.over: scenario is settled by the block around it ('block') already. Remove `over` from one of them.",
        ),
    ],
)
def test_problems(errors, block, problem):
    assert errors(f"- block: {block}\n- finish:\n") == [f"timeline[0].block{problem}"]


@pytest.mark.parametrize(
    ("over", "cure"),
    [
        ("condition", "Declare `conditions: [...]`."),
        ("scenario", "Give stimuli a `scenario`."),
        ("stimulus", "Add stimuli that fit the blocks around this one."),
    ],
)
def test_nothing_to_run_over(errors, over, cure):
    text = f"believable: 1\ntitle: x\nseed: 1\ntimeline:\n- block: {{order: latin_square, over: {over}, each: [{TEXT}]}}\n- finish:\n"
    assert errors(text=text) == [f"timeline[0].block.over: there is no {over} to run over. {cure}"]


def test_a_latin_square_over_pools_of_different_size(errors):
    text = """\
    believable: 1
    title: x
    seed: 1
    conditions: [a, b]
    stimuli:
      - {id: a1, file: a1.mp4, condition: a}
      - {id: a2, file: a2.mp4, condition: a}
      - {id: b1, file: b1.mp4, condition: b}
      - {id: b2, file: b2.mp4, condition: b}
      - {id: b3, file: b3.mp4, condition: b}
    timeline:
      - block: {over: condition, each: [{block: {order: latin_square, over: stimulus, each: [watch]}}]}
      - finish:
    """
    assert errors(text=text) == [
        "timeline[0].block.each[0].block.order: latin_square needs the same number of stimulus levels everywhere, there are 2 or 3. "
        "Give every condition and scenario equally many stimuli, or use `order: random`."
    ]


def test_breaks_that_never_come_are_a_warning(messages):
    block = f"- block: {{over: condition, breaks: {{every: 2}}, each: [{TEXT}]}}\n- finish:\n"
    assert messages(block) == [
        "study.yaml:11 timeline[0].block.breaks: warning: no break is reached: one after every 2, but there are 2 passes. Make `every` smaller."
    ]
