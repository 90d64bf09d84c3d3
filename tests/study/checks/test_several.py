"""What the checker says about comparisons and groups."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("trial", "problem"),
    [
        (
            "compare: {of: [{condition: humam}, {condition: scripted}]}",
            "timeline[0].compare.of[0].condition: unknown condition 'humam'. Did you mean 'human'?",
        ),
        (
            "compare: {of: [h01, s1]}",
            "timeline[0].compare.of[1]: unknown stimulus 's1'. Did you mean 's01'?",
        ),
        (
            "compare: {of: [h01, s02]}",
            (
                "timeline[0].compare.of: the players show different scenarios, but `match:"
                " scenario` wants the same. Choose stimuli of one scenario, or write `match: none`."
            ),
        ),
        (
            "compare: {of: [{condition: human}]}",
            "timeline[0].compare.of: expected at least 2 entries, got 1. Add to the list.",
        ),
        (
            "compare: {of: [h01, s01], playback: togehter}",
            (
                "timeline[0].compare.playback: expected 'independent' or 'together', got"
                " 'togehter'. Did you mean 'together'?"
            ),
        ),
        (
            "compare: {of: [h01, s01], controls: {max_views: 3}}",
            (
                "timeline[0].compare.controls.max_views: 3 views are allowed, but no replay. Add"
                " `replay: true`."
            ),
        ),
        (
            (
                "compare: {of: [h01, s01, h02], match: none, ask: [{id: best, prompt: Which?,"
                " preference: {}}]}"
            ),
            (
                "timeline[0].compare.ask[0]: a preference is between two, here are 3. Use `choice`"
                " with an option for each."
            ),
        ),
        (
            "block: {over: stimulus, each: [compare: {of: [h01, s01]}]}",
            (
                "timeline[0].block.each[0].compare: compare chooses its own stimuli, but block"
                " 'block' runs over stimuli. Use `repeat`, or run over conditions or scenarios."
            ),
        ),
        (
            (
                "block: {repeat: 3, each: [compare: {of: [{condition: human}, {condition:"
                " scripted}]}]}"
            ),
            (
                "timeline[0].block.each[0].compare.of: a session can run out of stimuli here: 4"
                " fit, and more are needed in all. Add stimuli, show fewer, or name the stimulus."
            ),
        ),
        (
            "group: {clips: 5}",
            (
                "timeline[0].group.clips: a session can run out of stimuli here: 4 fit, and more"
                " are needed in all. Add stimuli, show fewer, or name the stimulus."
            ),
        ),
        (
            "group: {clips: [h01, h03]}",
            "timeline[0].group.clips[1]: unknown stimulus 'h03'. Did you mean 'h02'?",
        ),
        (
            "group: {clips: 2, form: {condition: human}}",
            "timeline[0].group.form: unknown key 'form'. Did you mean 'from'?",
        ),
        (
            (
                "group: {id: page, clips: 2, rate: [{id: r, prompt: R, likert: {}}], "
                "ask: [{id: a, prompt: A, text: {}, show_if: {answer: r, is: 1}}]}"
            ),
            (
                "timeline[0].group.ask[0].show_if.answer: page.r is asked for each clip, so there"
                " is more than one answer. Use it in rules below `rate:` of the same page only."
            ),
        ),
        (
            "form: {id: f, questions: [{id: q, prompt: Q, text: {}}], rate: []}",
            "timeline[0].form.rate: unknown key 'rate'. Choose one of: skip_if, text, title.",
        ),
    ],
)
def test_problems(errors, trial, problem):
    assert errors(f"- {trial}\n- finish: {{}}\n") == [problem]


def test_a_sound_study_has_no_problems(messages):
    assert (
        messages("""\
- block:
    id: pairs
    repeat: 2
    each:
      - compare:
          id: pair
          of: [{condition: human}, {condition: scripted}]
          playback: together
          controls: {replay: true, max_views: 3}
          ask:
            - {id: which, prompt: Which is human?, preference: {forced: true}}
            - {id: sure, prompt: How certain are you?, certainty: {}}
            - {id: why, prompt: Why?, long_text: {min_length: 20}}
- finish: {}
""")
        == []
    )
