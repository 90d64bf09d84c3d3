"""The rule `sequential`: its keys, what it weighs, and the form of evidence that a design allows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from believable.core.clock import VirtualClock
from believable.study.aimed_units import NotSequential
from believable.study.load import load
from believable.study.sequential_design import SequentialDesign, sequential_design

N_CLIPS = 8
TIMELINE = """\
  - consent: {page: pages/consent.md}
  - block:
      id: trials
      over: scenario
      order: random
      {sample}
      each:
        - compare:
            id: pairs
            of: [{condition: human}, {condition: scripted}]
            ask: [{id: which, prompt: Which?, preference: {forced: true}}]
  - finish: {text: Bye}
"""
Written = Callable[..., Path]


def study_text(
    stopping: str,
    *,
    sample: int | None,
    about: str = "agent",
    more: str = "",
    clips: int = N_CLIPS,
    draw: str = "shared",
) -> str:
    stimuli = "\n".join(
        f"  - {{id: {kind}{n}, file: {kind}{n}.mp4, condition: {kind}, scenario: place{n}}}"
        for n in range(clips)
        for kind in ("human", "scripted")
    )
    timeline = TIMELINE.replace("{sample}", "" if sample is None else f"sample: {sample}")
    return (
        f"believable: 1\ntitle: T\nseed: 1\ndraw: {draw}\nconditions: [human, scripted]\n"
        f"stimuli:\n{stimuli}\ntimeline:\n{timeline}"
        f"analysis:\n  protocol: hntt\n  roles: {{human: human, choice: pairs.which}}\n"
        f"  about: {about}\n  stopping: {stopping}\n{more}"
    )


@pytest.fixture
def design(write: Written) -> Callable[..., SequentialDesign]:
    def read(stopping: str = "{rule: sequential}", **options: Any) -> SequentialDesign:
        folder = write(text=study_text(stopping, **options))
        found = sequential_design(load(folder, clock=VirtualClock()).study)
        assert found is not None
        return found

    return read


@pytest.fixture
def complaints(messages: Callable[..., list[str]]) -> Callable[..., list[str]]:
    def find(stopping: str, **options: Any) -> list[str]:
        return messages(text=study_text(stopping, **options))

    return find


def test_defaults_and_what_is_weighed(design: Any) -> None:
    found = design(sample=4)
    assert (found.until, found.margin, found.alpha, found.most) == ("both", 0.1, 0.05, None)
    assert found.names == ("scripted",)
    assert found.outcome == "accuracy"


def test_a_pool_is_widened_and_its_form_is_named(design: Any) -> None:
    (part,) = design(sample=4).contrasts
    assert (part.draw, part.clips, part.trials) == ("pool", N_CLIPS, 4)
    assert part.rule.form == "betting"
    assert part.rule.widening == pytest.approx(2.576 * 0.15 / N_CLIPS**0.5)
    assert "betting form" in part.form_words
    assert f"pool of {N_CLIPS}" in part.form_words


@pytest.mark.parametrize(
    ("n", "draw", "expected"), [(20, "fresh", "fresh"), (21, "fresh", "pool"), (20, "pool", "pool")]
)
def test_fresh_clips_last_until_the_last_judge(
    design: Any, n: int, draw: str, expected: str
) -> None:
    """80 clips are 4 for each of 20 judges. With one judge more, some clips come again."""
    rule = f"{{rule: sequential, n: {n}}}"
    (part,) = design(rule, sample=4, clips=80, draw=draw).contrasts
    assert part.draw == expected
    assert (part.rule.form, part.rule.widening > 0) == (
        ("symmetric", False) if expected == "fresh" else ("betting", True)
    )


def test_fresh_clips_without_a_last_judge_are_a_pool(design: Any) -> None:
    (part,) = design(sample=4, clips=80, draw="fresh").contrasts
    assert part.draw == "pool"


def test_a_larger_spread_of_clips_widens_more(design: Any) -> None:
    (part,) = design("{rule: sequential, until: difference, clip_sd: 0.3}", sample=4).contrasts
    assert part.rule.widening == pytest.approx(2.576 * 0.3 / N_CLIPS**0.5)


def test_these_clips_are_not_widened_and_the_form_says_so(design: Any) -> None:
    (part,) = design(sample=None, about="these clips").contrasts
    assert (part.draw, part.rule.form, part.rule.widening) == ("shared", "betting", 0)
    assert "only about these 8 clips" in part.form_words


def test_shared_clips_say_nothing_about_the_agent(complaints: Any) -> None:
    (found,) = complaints("{rule: sequential}", sample=None)
    assert "analysis.stopping.rule: all judges see the same clips of 'scripted'" in found
    assert "Add `about: these clips` to `analysis`" in found


def test_a_pool_too_small_for_the_margin(complaints: Any) -> None:
    rule = "{rule: sequential, until: equivalence}"
    (found,) = complaints(rule, sample=4)
    assert "nothing can be shown to be within 0.1" in found
    assert "a pool of at least 16" in found
    assert complaints(rule.replace("equivalence", "difference"), sample=4) == []


@pytest.mark.parametrize(
    ("stopping", "expected"),
    [
        ("{rule: sequential, until: never}", "until"),
        ("{rule: sequential, margin: 0.5}", "margin"),
        ("{rule: sequential, alpha: 0.01}", "alpha"),
        (
            "{rule: after_exclusions, n: 5, until: both}",
            "the rule 'after_exclusions' does not look at 'until'. Remove it, or use the rule"
            " sequential.",
        ),
        ("{rule: sequential, at_least: 3}", "use the rule experience"),
        ("{rule: sequential, until: difference, assign: aimed}", "there is one agent"),
    ],
)
def test_bad_values_are_reported_at_their_place(
    complaints: Any, stopping: str, expected: str
) -> None:
    (found,) = complaints(stopping, sample=4, about="these clips")
    assert expected in found
    assert "study.yaml:" in found
    assert "analysis.stopping" in found


def test_guessing_has_to_give_one_half(complaints: Any) -> None:
    (found,) = complaints(
        "{rule: sequential, until: difference}", sample=4, more="  options: {chance: 0.4}\n"
    )
    assert "guessing has to give 0.5" in found


def test_a_protocol_without_choices_cannot_be_weighed(write: Written) -> None:
    study = load(write(text=study_text("{rule: sequential}", sample=4)), clock=VirtualClock()).study
    assert study.analysis is not None
    of_traces = study.analysis.model_copy(update={"protocol": "trace"})
    with pytest.raises(NotSequential, match="trace has no choices between two kinds to weigh"):
        sequential_design(study.model_copy(update={"analysis": of_traces}))


OWN = """\
  - consent: {page: pages/consent.md}
  - block:
      id: clips
      over: condition
      order: random
      each:
        - watch:
            id: clip
            stimulus: any
            ask:
              - {id: humanness, prompt: How human?, likert: {points: 7}}
              - {id: who, prompt: Who?, choice: {options: [person, program]}}
              - {id: why, prompt: Why?, long_text: }
  - compare:
      id: pair
      of: [{condition: human}, {condition: scripted}]
      ask: [{id: preferred, prompt: Which?, preference: }]
  - finish: {text: Bye}
"""
MEASURES = """\
analysis:
  about: these clips
  measures:
    {name}: {measure}
  stopping: {{rule: sequential}}
"""


@pytest.mark.parametrize(
    ("measure", "compares"),
    [
        ("{question: pair.preferred}", "sides"),
        ("{question: who, yes: [person]}", "answers"),
        ("{question: humanness}", "answers"),
    ],
)
def test_a_custom_design_weighs_a_measure_by_condition(
    write: Written, measure: str, compares: str
) -> None:
    folder = write(OWN, extra=MEASURES.format(name="m", measure=measure))
    found = sequential_design(load(folder, clock=VirtualClock()).study)
    assert found is not None
    assert (found.question.compares, found.names, found.outcome) == (
        compares,
        ("human-scripted",),
        "m",
    )


def test_texts_cannot_be_weighed(write: Written, messages: Callable[..., list[str]]) -> None:
    found = messages(OWN, extra=MEASURES.format(name="m", measure="{question: why}"))
    assert any("no measure can be weighed" in line for line in found)


LADDER = """\
  - consent: {page: pages/consent.md}
  - block:
      id: trials
      over: pair
      order: ORDER
      sample: 2
      each:
        - compare:
            id: pairs
            of: [{pair: first}, {pair: second}]
            ask: [{id: which, prompt: Which?, preference: {}}]
  - finish: {text: Bye}
"""


def ladder_text(more: str = "", *, order: str = "random", draw: str = "pool") -> str:
    stimuli = "\n".join(
        f"  - {{id: {kind}{n}, file: {kind}{n}.mp4, condition: {kind}, scenario: s{n}}}"
        for n in range(20)
        for kind in ("human", "v1", "v2")
    )
    return (
        f"believable: 1\ntitle: T\nseed: 1\ndraw: {draw}\nconditions: [human, v1, v2]\n"
        f"stimuli:\n{stimuli}\ntimeline:\n{LADDER.replace('ORDER', order)}"
        "analysis:\n  protocol: ladder\n  roles: {people: human, choice: pairs.which}\n"
        f"  stopping: {{rule: sequential, assign: aimed}}\n{more}"
    )


def test_a_ladder_weighs_every_pair_and_aims_at_pairs(write: Written) -> None:
    found = sequential_design(load(write(text=ladder_text()), clock=VirtualClock()).study)
    assert found is not None
    assert sorted(found.names) == ["human-v1", "human-v2", "v1-v2"]
    assert (found.outcome, found.lead, found.unit) == ("strength", "lead", "pair")
    assert (found.aimed_block, found.aimed_arm) == ("trials", "")
    assert {part.draw for part in found.contrasts} == {"pool"}


def test_hypotheses_name_the_pairs_that_a_ladder_weighs(write: Written) -> None:
    claims = (
        "  hypotheses:\n"
        "    - {id: H1, text: T, outcome: strength, about: v2-v1}\n"
        "    - {id: H2, text: T, outcome: lead, about: v1-v2, criterion: at_least, value: -0.1}\n"
        "    - {id: H3, text: T, outcome: strength, about: v2-human}\n"
    )
    found = sequential_design(load(write(text=ladder_text(claims)), clock=VirtualClock()).study)
    assert found is not None
    assert found.names == ("v2-v1", "v2-human")


@pytest.mark.parametrize(
    ("order", "draw", "expected"),
    [
        ("latin_square", "pool", "Write `order: random` and `sample: 10` into 'trials'."),
        ("random", "shared", "Write `draw: pool`."),
    ],
)
def test_aimed_pairs_have_to_be_drawn(
    messages: Callable[..., list[str]], order: str, draw: str, expected: str
) -> None:
    found = messages(text=ladder_text(order=order, draw=draw))
    assert any(expected in line and "analysis.stopping.assign" in line for line in found), found
