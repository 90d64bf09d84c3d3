"""A condition that is always shown first is revealed by the order; a balanced one is not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from believable.contracts.trial import PlannedTrial
from believable.giveaways import shown_order
from believable.giveaways.shown_order import revealing_orders
from believable.study.load import load
from believable.study.plan import Assignment, plan
from believable.study.records import Study
from validation.damaged_inputs import small_recording

STUDY = """believable: 1
title: Pairs
seed: 1
languages: [en]
conditions: [agent, human]
timeline:
  - compare:
      id: pair
      of: [{condition: agent}, {condition: human}]
      ask: [{id: which, prompt: Which?, preference: {}}]
  - finish: {}
stimuli:
  - {id: a, file: a.replay.json.gz, condition: agent, scenario: s}
  - {id: b, file: b.replay.json.gz, condition: human, scenario: s}
"""


@pytest.fixture
def study(tmp_path: Path) -> Study:
    for name in ("a", "b"):
        small_recording(tmp_path / f"{name}.replay.json.gz")
    (tmp_path / "study.yaml").write_text(STUDY, "utf-8")
    return load(tmp_path).study


def test_random_sides_reveal_nothing(study: Study) -> None:
    assert revealing_orders(study) == ()


def test_a_condition_that_is_always_first_is_revealed(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    def sorted_plan(study: Study, assignment: Assignment) -> tuple[PlannedTrial, ...]:
        return tuple(
            replace(page, stimulus_ids=tuple(sorted(page.stimulus_ids)))
            for page in plan(study, assignment)
        )

    monkeypatch.setattr(shown_order, "plan", sorted_plan)
    assert revealing_orders(study) == (
        "agent is shown before human on 200 of 200 pages of 200 planned sessions",
    )
