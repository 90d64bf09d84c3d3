"""The measures of a design of one's own: every mistake at its place, with the nearest name or the
way out.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from believable.core.errors import Problem

TIMELINE = """\
  - consent: {page: pages/consent.md}
  - block:
      id: clips
      over: condition
      each:
        - watch:
            id: clip
            stimulus: any
            ask:
              - {id: humanness, prompt: How human?, likert: {points: 7}}
              - {id: who, prompt: Who?, choice: {options: [person, program, unsure]}}
              - {id: why, prompt: Why?, long_text: }
              - {id: traits, prompt: Traits?, matrix: {rows: [calm, curious]}}
  - compare:
      id: pair
      of: [{condition: human}, {condition: scripted}]
      ask:
        - {id: preferred, prompt: Which?, preference: }
  - form: {id: about, questions: [{id: age, prompt: Age?, number: }]}
  - finish: {text: Bye}
"""
GOOD = """\
analysis:
  measures:
    humanness: {question: clip.humanness, assume: {values: {human: 5, scripted: 4}}}
    person: {question: who, yes: [person]}
    who: {question: who}
    calm: {question: traits, item: calm}
    preferred: {question: preferred}
    why: {question: why}
  hypotheses:
    - {id: H1, text: More., outcome: humanness, about: human-scripted, direction: greater}
    - {id: H2, text: Alike., outcome: humanness, about: scripted-human, criterion: equivalent}
    - {id: H3, text: Enough., outcome: humanness, about: human, criterion: at_least, value: 4}
  outcomes: {primary: [humanness, preferred], secondary: [why]}
  tests: {humanness: {margin: 0.5}}
"""

Found = Callable[..., list[Problem]]


def problems(found: Found, analysis: str) -> list[str]:
    return [str(problem).split(" ", 1)[1] for problem in found(TIMELINE, extra=analysis)]


def test_a_whole_plan_without_a_protocol(found: Found) -> None:
    assert problems(found, GOOD) == []


def measures(text: str) -> str:
    return f"analysis: {{measures: {{x: {text}}}}}\n"


CASES = [
    (
        measures("{question: humaness}"),
        "analysis.measures.x.question: unknown question 'humaness'. Did you mean 'humanness'?",
    ),
    (
        measures("{question: clip.whyy}"),
        "analysis.measures.x.question: unknown question 'clip.whyy'. Did you mean 'clip.why'?",
    ),
    (
        measures("{qestion: why}"),
        "analysis.measures.x.qestion: unknown key 'qestion'. Did you mean 'question'?",
    ),
    (
        measures("{trial: clip}"),
        "analysis.measures.x.trial: unknown annotated trial 'clip'. There is none to choose from.",
    ),
    (
        measures("{by: condition}"),
        (
            "analysis.measures.x: 'x' is taken from neither a question nor a trial. Give `question:"
            " …`, or `trial: …` for what people annotate while watching."
        ),
    ),
    (
        measures("{question: why, model: mean}"),
        (
            "analysis.measures.x.model: the model 'mean' does not fit the answers of 'x'"
            " (long_text). Use text, or another question."
        ),
    ),
    (
        measures("{question: who, model: share}"),
        (
            "analysis.measures.x.model: the share of 'x' does not say which answers count. Add"
            " `yes: […]` with some of: person, program, unsure."
        ),
    ),
    (
        measures("{question: who, yes: [persn]}"),
        "analysis.measures.x.yes: unknown answer of 'x': 'persn'. Did you mean 'person'?",
    ),
    (
        measures("{question: traits, item: clam}"),
        "analysis.measures.x.item: unknown part 'clam'. Did you mean 'calm'?",
    ),
    (
        measures("{question: humanness, by: conditon}"),
        "analysis.measures.x.by: unknown group 'conditon'. Did you mean 'condition'?",
    ),
    (
        measures("{question: humanness, assume: {values: {humn: 5}}}"),
        "analysis.measures.x.assume: unknown condition 'humn'. Did you mean 'human'?",
    ),
    (
        measures("{question: age}"),
        (
            "analysis.measures.x.question: 'x' is asked in 'about', which is about no single"
            " condition. Ask it where one stimulus is watched or in a block `over: condition`, or"
            " compare an arm with `by: arm`."
        ),
    ),
    (
        GOOD.replace("about: human-scripted", "about: humen-scripted"),
        (
            "analysis.hypotheses[0].about: unknown part of the outcome 'humanness':"
            " 'humen-scripted'. Did you mean 'human-scripted'?"
        ),
    ),
    (
        GOOD.replace("about: human-scripted, ", ""),
        (
            "analysis.hypotheses[0]: H1 does not say which groups of 'humanness' it is about. Add"
            " `about: scripted-human`, or another of: human, scripted, human-scripted,"
            " scripted-human."
        ),
    ),
    (
        GOOD.replace("about: human-scripted", "about: human"),
        (
            "analysis.hypotheses[0].about: H1 tests one group, 'human'; tests compare two. Write"
            " `about: first-second`, or use a criterion with a value: contains, excludes, at_least,"
            " at_most."
        ),
    ),
    (
        GOOD.replace(
            "outcome: humanness, about: human-scripted", "outcome: who, about: human-scripted"
        ),
        (
            "analysis.hypotheses[0]: the outcome 'who' comes with an interval but no test. Use one"
            " of: contains, excludes, at_least, at_most."
        ),
    ),
    (
        GOOD.replace("primary: [humanness,", "primary: [humannes,"),
        (
            "analysis.outcomes.primary[0]: unknown outcome of own design: 'humannes'. Did you mean"
            " 'humanness'?"
        ),
    ),
    (
        GOOD.replace("analysis:\n", "analysis:\n  protocol: hntt\n").split("  hypotheses")[0],
        (
            "analysis.measures: the protocol 'hntt' has outcomes of its own, and there are"
            " `measures` as well. Remove `protocol` for a design of your own, or `measures`."
        ),
    ),
]


@pytest.mark.parametrize(
    ("analysis", "expected"), CASES, ids=[str(place) for place in range(len(CASES))]
)
def test_each_mistake(found: Found, analysis: str, expected: str) -> None:
    assert expected in problems(found, analysis)
