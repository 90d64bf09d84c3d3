"""The declared analysis: every mistake is told at its place, with what was expected and how to mend
it.
"""

from __future__ import annotations

import pytest

TIMELINE = """\
  - consent: {page: pages/consent.md}
  - form:
      id: familiarity
      questions:
        - {id: game, prompt: Game?, choice: {options: [aware, other]}}
  - check: {id: attention, question: {prompt: Sky?, choice: {options: [red, blue]}}, correct: blue}
  - compare:
      id: pairs
      of: [{condition: human}, {condition: scripted}]
      ask:
        - {id: which, prompt: Which?, preference: {forced: true}}
        - {id: why, prompt: Why?, long_text: }
        - {id: certainty, prompt: Certain?, certainty: }
  - finish: {text: Bye}
"""

GOOD = """\
analysis:
  protocol: hntt
  roles: {human: human, choice: which, why: pairs.why}
  hypotheses:
    - {id: H1, text: It passes., outcome: median_accuracy, criterion: contains, value: 0.5}
    - {id: H2, text: It is chance., outcome: accuracy, criterion: equivalent}
    - {id: H3, text: It is not chance., outcome: accuracy, about: scripted, direction: greater}
  outcomes: {primary: [median_accuracy], secondary: [accuracy, uncertainty]}
  tests: {accuracy: {margin: 0.1}}
  exclusions:
    - {rule: failed_check, check: attention}
    - {rule: unanswered, over: 0.5}
    - {rule: too_fast, below: 0.3333}
    - {rule: reviewed, drops: trial}
    - {rule: answer, answer: familiarity.game, is: [other]}
  alpha: 0.01
  multiplicity: benjamini_hochberg
  stopping: {rule: after_exclusions, n: 50}
  options: {resamples: 2000, familiarity: [aware, other]}
  seed: 3
"""


def problems(found, analysis):
    return [str(one).split(" ", 1)[1] for one in found(TIMELINE, extra=analysis)]


def test_a_sound_plan(found, write):
    assert problems(found, GOOD) == []
    assert problems(found, "analysis: {protocol: hntt}\n") == []


def analysis(**fields):
    """A plan with one field replaced, as one line each."""
    return "analysis:\n  protocol: hntt\n" + "".join(
        f"  {key}: {value}\n" for key, value in fields.items()
    )


CASES = [
    (
        {"roles": "{humn: human}"},
        "analysis.roles.humn: unknown role of hntt: 'humn'. Did you mean 'human'?",
    ),
    (
        {"roles": "{choice: wich}"},
        "analysis.roles.choice: unknown question 'wich'. Did you mean 'which'?",
    ),
    (
        {"roles": "{choice: pair.which}"},
        "analysis.roles.choice: unknown trial 'pair'. Did you mean 'pairs'?",
    ),
    (
        {"roles": "{choice: pairs.wich}"},
        "analysis.roles.choice: unknown question of 'pairs': 'wich'. Did you mean 'which'?",
    ),
    (
        {"roles": "{why: certainty}"},
        (
            "analysis.roles.why: the answers of 'certainty' (certainty) cannot be used as 'why'."
            " Use a question of kind text or long_text."
        ),
    ),
    (
        {"roles": "{human: [humen]}"},
        "analysis.roles.human[0]: unknown condition 'humen'. Did you mean 'human'?",
    ),
    (
        {"roles": "{choice: [which, why]}"},
        (
            "analysis.roles.choice: the role 'choice' takes one name, got a list. Write `choice:"
            " name`."
        ),
    ),
    ({"roles": "{choice: 3}"}, "analysis.roles.choice: expected text, got 3. Put it in quotes."),
    (
        {"outcomes": "{primary: [acuracy]}"},
        (
            "analysis.outcomes.primary[0]: unknown outcome of hntt: 'acuracy'. Did you mean"
            " 'accuracy'?"
        ),
    ),
    (
        {"outcomes": "{primary: [accuracy], secondary: [accuracy]}"},
        (
            "analysis.outcomes.secondary[0]: the outcome 'accuracy' is used in line 12 already."
            " Give it another one."
        ),
    ),
    (
        {"tests": "{accuracy: {margn: 0.1}}"},
        (
            "analysis.tests.accuracy.margn: unknown option of 'accuracy': 'margn'. Did you mean"
            " 'margin'?"
        ),
    ),
    (
        {"tests": "{accuracy: {margin: 2}}"},
        (
            "analysis.tests.accuracy.margin: expected a number from 0.001 to 0.49, got 2."
            " Equivalence margin around chance, on the accuracy scale."
        ),
    ),
    (
        {"options": "{resample: 10}"},
        "analysis.options.resample: unknown option of hntt: 'resample'. Did you mean 'resamples'?",
    ),
    (
        {"options": "{resamples: many}"},
        (
            "analysis.options.resamples: expected a whole number from 100 to 1e+06, got 'many'."
            " Bootstrap resamples."
        ),
    ),
    (
        {"options": "{familiarity: aware}"},
        (
            "analysis.options.familiarity: expected a list of values, each a word, got 'aware'."
            " Answers about familiarity from least to most, coded 1, 2, …; any other is missing."
        ),
    ),
    (
        {"hypotheses": "[{id: H1, text: x, outcome: strenght}]"},
        (
            "analysis.hypotheses[0].outcome: unknown outcome of hntt: 'strenght'. Did you mean"
            " 'strength'?"
        ),
    ),
    (
        {"hypotheses": "[{id: H1, text: x, outcome: median_accuracy}]"},
        (
            "analysis.hypotheses[0]: the outcome 'median_accuracy' comes with an interval but no"
            " test. Use one of: contains, excludes, at_least, at_most."
        ),
    ),
    (
        {"hypotheses": "[{id: H1, text: x, outcome: median_accuracy, criterion: contains}]"},
        (
            "analysis.hypotheses[0].criterion: the criterion 'contains' of H1 needs a number. Add"
            " `value: …`."
        ),
    ),
    (
        {"hypotheses": "[{id: H1, text: x, outcome: accuracy, value: 1}]"},
        (
            "analysis.hypotheses[0].value: the criterion 'significant' of H1 looks at no value."
            " Remove `value`, or use one of: contains, excludes, at_least, at_most."
        ),
    ),
    (
        {"hypotheses": "[{id: H1, text: x, outcome: accuracy, criterion: equivalent}]"},
        (
            "analysis.hypotheses[0].criterion: H1 claims equivalence, but no margin is declared."
            " Add `tests: {accuracy: {margin: …}}`."
        ),
    ),
    (
        {"hypotheses": "[{id: H1, text: x, outcome: accuracy, about: robot}]"},
        (
            "analysis.hypotheses[0].about: unknown part of the outcome 'accuracy': 'robot'. Choose"
            " one of: human, scripted."
        ),
    ),
    (
        {"hypotheses": "[{id: H1, text: x, outcome: accuracy, direction: less, expects: less}]"},
        (
            "analysis.hypotheses[0].expects: the test of H1 looks at one side already, so that"
            " `expects` says nothing. Remove `expects`; it belongs to a two-sided test of"
            " significance."
        ),
    ),
    (
        {"hypotheses": "[{id: H1, text: x, outcome: accuracy, expects: less}]"},
        (
            "analysis.hypotheses[0].expects: it is not known which value of 'accuracy' means no"
            " effect, so that no side of it can be expected. Let the test look at one side:"
            " `direction: less`."
        ),
    ),
    (
        {"exclusions": "[{rule: failed_check, check: atention}]"},
        "analysis.exclusions[0].check: unknown check 'atention'. Did you mean 'attention'?",
    ),
    (
        {"exclusions": "[{rule: unanswered, below: 0.5}]"},
        (
            "analysis.exclusions[0].below: the rule 'unanswered' does not look at 'below'. Remove"
            " it, or use the rule too_fast."
        ),
    ),
    (
        {"exclusions": "[{rule: unreliable}]"},
        (
            "analysis.exclusions[0]: the study has no quality test to fail. Add a `qa` trial, or"
            " remove the rule."
        ),
    ),
    (
        {"exclusions": "[{rule: answer, answer: familiarity.game}]"},
        "analysis.exclusions[0]: the rule 'answer' needs 'is'. Add `is: …`.",
    ),
    (
        {"exclusions": "[{rule: answer, answer: familiarity.gam, is: [x]}]"},
        (
            "analysis.exclusions[0].answer: unknown question of 'familiarity': 'gam'. Did you mean"
            " 'game'?"
        ),
    ),
    (
        {"exclusions": "[{rule: slow}]"},
        (
            "analysis.exclusions[0].rule: expected 'failed_check', 'unanswered', 'too_fast',"
            " 'reviewed', 'unreliable' or 'answer', got 'slow'. Choose one of: answer,"
            " failed_check, reviewed, too_fast, unanswered, unreliable."
        ),
    ),
    (
        {"stopping": "{rule: complete}"},
        "analysis.stopping: the rule 'complete' needs a number of sessions. Add `n: …`.",
    ),
    (
        {"stopping": "{rule: complete, n: 3, at_least: 2}"},
        (
            "analysis.stopping.at_least: the rule 'complete' does not look at 'at_least'. Remove"
            " it, or use the rule experience."
        ),
    ),
    (
        {"stopping": "{rule: experience}"},
        (
            "analysis.stopping: the protocol hntt knows no experience to stop by. Use the rule"
            " complete or after_exclusions."
        ),
    ),
    ({"alpha": "5"}, "analysis.alpha: expected less than 0.5, got 5. Change the number."),
    (
        {"outcome": "{primary: [accuracy]}"},
        "analysis.outcome: unknown key 'outcome'. Did you mean 'outcomes'?",
    ),
]


@pytest.mark.parametrize(
    ("fields", "expected"), CASES, ids=[expected.split(":")[0] for _, expected in CASES]
)
def test_each_mistake(found, fields, expected):
    assert problems(found, analysis(**fields)) == [expected]


def test_all_mistakes_at_once(found):
    wrong = (
        GOOD.replace("choice: which", "choice: wich")
        .replace("check: attention", "check: atention")
        .replace("alpha: 0.01", "alpha: 1")
    )
    wrong = wrong.replace("{rule: too_fast, below: 0.3333}", "{rule: slow}")
    assert len(problems(found, wrong)) == 4


def test_the_protocol_comes_first(found):
    assert problems(found, "analysis: {protocol: hnt, roles: {x: y}}\n") == [
        "analysis.protocol: unknown protocol 'hnt'. Did you mean 'hntt'?"
    ]
    assert problems(found, "analysis: {roles: {x: y}}\n") == [
        "analysis: it names no protocol and no measures, so there is nothing to analyse. Add"
        " `measures: {name: {question: …}}`, or `protocol: …` if this is one of the ready"
        " protocols."
    ]


def test_a_role_that_nothing_plays(found):
    assert problems(found, "analysis: {protocol: clips}\n") == [
        (
            "analysis: nothing plays the role 'rating' (1 human … 5 artificial). Add `roles:"
            " {rating: …}` with the name of a question."
        ),
        (
            "analysis: nothing plays the role 'experience' (1 never … 5 daily, one number per"
            " respondent). Add `roles: {experience: …}` with the name of a question."
        ),
    ]


def test_a_broken_question_is_blamed_once(found):
    broken = TIMELINE.replace("preference: {forced: true}", "preferense: {forced: true}")
    told = [str(one) for one in found(broken, extra=analysis(roles="{choice: which}"))]
    assert len(told) == 1
    assert "preferense" in told[0]
