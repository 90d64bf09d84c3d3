"""A preference between the two showings of one watch trial."""

from __future__ import annotations

RATE = (
    "- rate: {id: both, of: [clip], questions: [{id: which, prompt: Which?, preference: {}}]}\n-"
    " finish:\n"
)


def test_one_trial_that_is_shown_twice_can_be_compared(errors):
    block = "- block: {over: condition, levels: [human, scripted], each: [{watch: {id: clip}}]}\n"
    assert errors(block + RATE) == []


def test_inside_the_block_it_is_about_one(errors):
    inner = (
        "- block:\n    over: condition\n    each:\n      - watch: {id: clip}\n      - rate: {id:"
        " both, of: [clip], questions: [{id: which, prompt: Which?, preference: {}}]}\n- finish:\n"
    )
    (only,) = errors(inner)
    assert "a preference is between two, this page is about 1." in only
