"""The design of a study in words, as methods and preregistrations tell it."""

from __future__ import annotations

from believable.analysis.procedure import design, past
from believable.contracts.record import Text
from believable.pages.finish import Finish
from believable.study.records import Stimulus, Study


def told(scenarios: int) -> str:
    stimuli = tuple(
        Stimulus(id=f"{name}{number}", file="x.mp4", condition=name, scenario=f"page_{number}")
        for name in ("a", "b")
        for number in range(scenarios)
    )
    study = Study(
        believable=1,
        title=Text("x"),
        seed=1,
        conditions=("a", "b"),
        stimuli=stimuli,
        timeline=(Finish(id="finish"),),
    )
    return next(design(study, past))


def test_a_few_scenarios_are_named_and_many_are_counted() -> None:
    assert told(2).endswith("within participants (a and b), in 2 scenarios (page 0 and page 1).")
    assert told(17).endswith("within participants (a and b), in 17 scenarios.")
