"""`replay` with few people: what its model of flags can test, and the reason if it can test
nothing.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from believable.analysis.run import prepare_data, run
from believable.contracts.registries import PROTOCOLS
from believable.protocols.replay import people as replay
from believable.protocols.replay.analysis import DayJudgements, judgements
from believable.protocols.replay.flag_models import flag_model
from believable.simulate import straight
from believable.stats.models import mixed_logistic
from believable.study.load import load
from validation.truth.studies import ready

TRUTH = replace(replay.nothing(), effect_sd=0.6)


def watched_by(people: int, seed: int = 1) -> DayJudgements:
    definition, plan = ready("replay")
    bundle = straight.bundle(definition, people, np.random.default_rng(seed), truth=TRUTH)
    return judgements(prepare_data(bundle, plan, definition.study), plan)


@pytest.mark.parametrize("people", [2, 4])
def test_below_five_people_the_spread_of_effects_is_not_modelled(people: int) -> None:
    judged = watched_by(40)
    some = sorted({day.session for day in judged.seen})[:people]
    kept = [day for day in judged.seen if day.session in some]
    found = flag_model(kept, judged.ours, judged.baseline)
    assert found.model is None
    assert found.odds_ratio.p_value is None
    assert (found.odds_ratio.reason or "").startswith(
        f"too few people for this model: {people} watched both conditions"
    )


def test_the_odds_ratio_is_tested_with_the_degrees_of_freedom_of_people() -> None:
    judged = watched_by(14)
    odds = flag_model(judged.seen, judged.ours, judged.baseline).odds_ratio
    both = len({day.session for day in judged.seen})
    assert odds.df == (both - 1,)
    assert odds.p_value == pytest.approx(2 * float(stats.t.sf(abs(odds.statistic or 0), both - 1)))
    assert odds.p_value > 2 * float(stats.norm.sf(abs(odds.statistic or 0)))
    published = flag_model(
        judged.seen, judged.ours, judged.baseline, effects="published"
    ).odds_ratio
    assert published.df == ()


def test_the_models_estimate_is_the_same_with_either_quantile() -> None:
    judged = watched_by(14)
    table = {
        "f": [day.judged.f for day in judged.seen],
        "a": [day.judged.a for day in judged.seen],
        "c": [day.condition for day in judged.seen],
        "p": [day.session for day in judged.seen],
    }
    t, z = (
        mixed_logistic("f ~ c + (1 + c | p)", table, trials="a", freedom=freedom).terms[1].estimate
        for freedom in ("levels", "normal")
    )
    assert (t.value, t.se) == (z.value, z.se)
    assert (t.low or 0) < (z.low or 0) < (z.high or 0) < (t.high or 0)


def test_nobody_with_both_values_is_the_reason_that_there_is_no_test() -> None:
    definition = load(PROTOCOLS["replay"].folder)
    assert definition.study.analysis is not None
    plan = definition.study.analysis.model_copy(update={"stopping": None})
    bundle = straight.bundle(definition, 3, np.random.default_rng(1))
    analysis = run(bundle, plan=plan)
    sentences = [
        finding.sentence
        for finding in analysis.findings
        if "nobody has both values" in finding.sentence
    ]
    assert sentences
    for sentence in sentences:
        assert "no difference other than zero" not in sentence
        assert "There is no test (no pairs)" in sentence
