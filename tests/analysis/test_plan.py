"""The plan resolved on a study: roles, defaults, what was declared."""

from __future__ import annotations

import pytest

from believable.analysis.resolution import default_plan, resolve
from believable.core.errors import InvalidInput


def study_of(studies, **changes):
    return studies.definition_of({**studies.COMPARING, **changes}).study


def plan_of(studies, **fields):
    study = study_of(studies, analysis={**studies.COMPARING["analysis"], **fields})
    return resolve(study.analysis, study)


def test_roles_are_what_the_plan_says_or_the_first_default_the_study_has(studies):
    plan = plan_of(studies, roles={"choice": "pairs.which"})
    assert plan.role("choice") == "pairs.which"
    assert plan.role("certainty") == "pairs.certainty"
    assert plan.roles["human"] == ("human",)


def test_a_role_that_nothing_plays(studies):
    study = study_of(studies, conditions=["person", "agent"], stimuli=[])
    with pytest.raises(
        InvalidInput, match=r"nothing plays the role 'human' .* Add `roles: \{human: …\}`"
    ):
        resolve(study.analysis, study)
    assert resolve(study.analysis, None).roles["human"] == ("human", "standin_human")


def test_options_have_defaults_and_unknown_ones_are_named(studies):
    plan = plan_of(studies, options={"subsample": 20})
    assert (plan.option("subsample"), plan.option("resamples")) == (20, 10_000)
    assert plan.test_option("accuracy", "margin") == 0.1
    assert plan.test_declared("accuracy", "margin")
    with pytest.raises(InvalidInput, match=r"unknown option 'resample'\. Did you mean 'resamples'"):
        plan.option("resample")
    with pytest.raises(InvalidInput, match="unknown option of 'accuracy': 'margn'"):
        plan.test_option("accuracy", "margn")


def test_rank_and_side(studies):
    hypotheses = [
        {
            "id": "H1",
            "text": "x",
            "outcome": "familiarity",
            "direction": "greater",
            "about": "agent",
        }
    ]
    plan = plan_of(studies, hypotheses=hypotheses)
    assert [plan.rank(name) for name in ("accuracy", "uncertainty", "familiarity", "strength")] == [
        "primary",
        "secondary",
        "primary",
        None,
    ]
    assert plan.alternative("familiarity", "agent") == "greater"
    assert plan.alternative("familiarity", "human") == "two-sided"
    assert plan.level == pytest.approx(0.95)


def test_defaults_of_a_protocol_for_a_study_that_declares_nothing(studies):
    plan = default_plan(
        "hntt",
        studies.definition_of(
            {k: v for k, v in studies.COMPARING.items() if k != "analysis"}
        ).study,
    )
    assert plan.rank("accuracy") is None
    with pytest.raises(InvalidInput, match=r"unknown 'hnt'\. Did you mean 'hntt'"):
        default_plan("hnt", None)
