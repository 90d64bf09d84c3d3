"""A protocol forced on a study that it does not fit is refused, with the reason: no report may
speak of what nobody sees.
"""

from __future__ import annotations

from collections.abc import Callable

from believable.core.errors import Problem

Found = Callable[..., list[Problem]]

FORCED = "analysis: {protocol: hntt, roles: {choice: which}}\n"
RATED = """\
  - consent: {page: pages/consent.md}
  - watch: {id: clip, stimulus: h01, ask: [{id: which, prompt: Who?, choice: {options: [first, second]}}]}
  - finish: {text: Bye}
"""
ALIKE = """\
  - consent: {page: pages/consent.md}
  - compare:
      id: pairs
      of: [h01, h02]
      match: none
      ask: [{id: which, prompt: Which?, preference: }]
  - finish: {text: Bye}
"""


def told(problems: list[Problem]) -> list[str]:
    return [str(problem).split(" ", 1)[1] for problem in problems if problem.severity == "error"]


def test_a_choice_about_one_is_no_choice_between_two(found: Found) -> None:
    (message,) = told(found(RATED, extra=FORCED))
    assert message.startswith(
        "analysis.protocol: hntt does not fit: 'choice' has to be asked about 2 stimuli at once,"
        " and 'which'"
    )
    assert message.endswith("remove `protocol` and declare `measures`.")


def test_a_pair_needs_a_human_and_another(found: Found) -> None:
    (message,) = told(found(ALIKE, extra=FORCED))
    assert "never compares a condition that plays 'human' (human) with another one" in message


def test_a_pair_of_both_kinds_fits(found: Found) -> None:
    assert told(found(ALIKE.replace("[h01, h02]", "[h01, s01]"), extra=FORCED)) == []


def test_conditions_of_one_kind_cannot_be_told_apart(found: Found) -> None:
    clips = """\
  - consent: {page: pages/consent.md}
  - form: {id: about, questions: [{id: experience, prompt: Often?, likert: {points: 5}}]}
  - watch: {id: clip, stimulus: h01, ask: [{id: rating, prompt: Human?, likert: {points: 5}}]}
  - finish: {text: Bye}
"""
    plan = "analysis: {protocol: clips}\n"
    assert told(found(clips, extra=plan)) == []
    (message,) = told(found(clips, extra=PLAIN))
    assert (
        "clips compares conditions of at least two kinds (human, imitation, artificial); this study"
        " has only human" in message
    )


PLAIN = "analysis: {protocol: clips, roles: {artificial: [], imitation: []}}\n"
