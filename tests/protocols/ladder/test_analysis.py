"""The ladder's contrasts rest on the whole model; ranks, equivalence, ratings and reasons are those
of the choices.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from believable.analysis.run import run
from believable.protocols.ladder.agent_reasons import reasons_sections
from believable.protocols.ladder.choice_counts import counts_section
from believable.protocols.ladder.pair_choices import choices, fit_ladder
from believable.protocols.ladder.people import LadderTruth
from believable.stats.bradley_terry import bradley_terry
from believable.stats.pairs import comparisons
from believable.stats.strength_contrasts import strength_contrasts, strength_lead
from believable.study.declaration import DeclaredPlan


@pytest.fixture
def bundle(simulated):
    return simulated("ladder", 90, LadderTruth())[1]


def rows_of_choices(bundle):
    """The choices, read from the tables without the package's own reader."""
    out = {
        row["session"] for row in bundle["exclusions"].rows() if row["reason"] == "text_excluded"
    }
    done = {row["session"] for row in bundle["participants"].rows() if row["included"]} - out
    shown = {
        (row["session"], row["position"], row["player"]): row for row in bundle["shown"].rows()
    }
    for row in bundle["answers"].rows():
        if row["question"] == "which" and row["session"] in done:
            page = [shown[row["session"], row["position"], player] for player in (0, 1)]
            winner = {"first": "left", "second": "right"}.get(row["value_text"], "tie")
            yield row["session"], page[0], page[1], winner


def test_the_model_is_fitted_to_all_choices(bundle):
    rows = list(rows_of_choices(bundle))
    fit = bradley_terry(
        comparisons(
            [first["condition"] for _, first, _, _ in rows],
            [second["condition"] for _, _, second, _ in rows],
            [winner for *_, winner in rows],
            judges=[session for session, *_ in rows],
            clips=(
                [first["stimulus"] for _, first, _, _ in rows],
                [second["stimulus"] for _, _, second, _ in rows],
            ),
        )
    )
    table = run(bundle).table("contrasts")
    assert len(table.rows) == 15
    for row in table:
        first, second = str(row["pair"]).split("-")
        (expected,) = strength_contrasts(fit, pairs=[(first, second)])
        assert row["difference"] == pytest.approx(expected.difference.value)
        assert row["difference_low"] == pytest.approx(expected.difference.low)
        lead = strength_lead(fit, first, second)
        assert (row["lead"], row["lead_low"]) == pytest.approx((lead.value, lead.low))
        parts = [row["share_judges"], row["share_clips"], row["share_rest"]]
        assert sum(map(float, parts)) == pytest.approx(1)


def test_hypotheses_rest_on_the_model(bundle):
    found = {claim.id: claim for claim in run(bundle).hypotheses}
    assert found["H1"].title == "Strength (standin human − standin agent)"
    assert found["H1"].findings[0].test.alternative == "greater"
    assert found["H1"].findings[0].estimate.n > 6, "not the choices between the two alone"
    assert found["H2"].findings[0].kind == "equivalence"
    assert found["H2"].findings[0].about == "standin_careful-standin_human"
    assert found["H3"].findings[0].outcome == "lead"


def test_verdicts_about_these_clips_say_so_and_ignore_the_choice_of_clips(resolved, bundle):
    data, plan = resolved(bundle)
    declared = plan.declared.model_copy(update={"about": "these clips"})
    narrow = fit_ladder(data, replace(plan, declared=declared))
    wide = fit_ladder(data, plan)
    assert narrow is not None
    assert wide is not None
    assert "judge and clip" in wide.fit.method
    assert "judge and clip" not in narrow.fit.method
    assert narrow.claim.scope == "these 36 clips"


def test_pairs_are_named_as_hypotheses_name_them(resolved, bundle):
    data, plan = resolved(bundle)
    ladder = fit_ladder(data, plan)
    assert ladder is not None
    assert ("standin_careful", "standin_human") in ladder.pairs
    assert ("standin_human", "standin_careful") not in ladder.pairs
    assert isinstance(plan.declared, DeclaredPlan)


def test_the_mean_rating_is_that_of_the_clips_of_a_condition(resolved, bundle):
    data, _ = resolved(bundle)
    kept = set(data.sessions)
    by_judge: dict[str, list[float]] = {}
    for row in bundle["answers"].rows():
        if (
            row["question"] == "humanness"
            and row["condition"] == "standin_brisk"
            and row["session"] in kept
        ):
            by_judge.setdefault(row["session"], []).append(row["value_number"])
    expected = sum(sum(own) / len(own) for own in by_judge.values()) / len(by_judge)
    means = {row["condition"]: row["mean"] for row in run(bundle).table("ratings")}
    assert means["standin_brisk"] == pytest.approx(expected)


def test_a_side_that_is_always_chosen_is_found(resolved, bundle):
    data, plan = resolved(bundle)
    judged = choices(data)
    assert len(judged) > 500
    ladder = fit_ladder(data, plan)
    assert ladder is not None
    always = replace(ladder, choices=replace(judged, score=judged.score * 0 + 1))
    (side,) = counts_section(always).findings
    assert side.test is not None
    assert side.test.p_value is not None
    assert side.test.p_value < 1e-6
    assert not reasons_sections(data, ladder), "nothing was coded"
