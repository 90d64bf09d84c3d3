"""Planted truth, quickly: the machinery, and a coarse check of what the full run checks finely
(docs/validity.md).
"""

from __future__ import annotations

import numpy as np
import pytest

from believable.analysis.run import prepare_data
from believable.contracts.registries import PROTOCOLS
from believable.protocols.hntt import people as hntt
from believable.protocols.replay.analysis import judgements
from believable.protocols.replay.flag_models import flag_model
from believable.simulate import straight
from validation.truth import sizes
from validation.truth.__main__ import check, main
from validation.truth.cases import CASES, MARGIN, NOTHING, OWN_EFFECTS, PLANTED, Promise, case_of
from validation.truth.reference import true_values
from validation.truth.sizes import task_values
from validation.truth.studies import HIGH, LOW, VALUE, N, ready, run
from validation.truth.verdicts import Verdict, judge, table


def test_every_protocol_has_promises() -> None:
    assert set(CASES) == set(PROTOCOLS.names)
    for name in CASES:
        kinds = {promise.kind for promise in case_of(name).promises if promise.judged}
        assert kinds == {"coverage", "rejection"}


@pytest.mark.parametrize("protocol", sorted(CASES))
def test_promises_speak_of_outcomes_that_the_analysis_gives(protocol: str) -> None:
    for setting in case_of(protocol).settings:
        found = run(protocol, setting, 1, seed=1, workers=1)
        for promise in case_of(protocol).promises:
            if promise.setting == setting:
                assert np.isfinite(found[promise.key][0, VALUE]), promise


def test_at_the_margin_the_accuracy_is_the_margin() -> None:
    _, plan = ready("hntt")
    margin = plan.test_option("accuracy", "margin")
    truth = case_of("hntt").settings[MARGIN]
    assert hntt.accuracy(truth, 6) == pytest.approx(0.5 + margin)


def test_the_same_studies_on_any_number_of_workers() -> None:
    one, two = (
        run("hntt", PLANTED, 25, seed=3, participants=20, workers=workers) for workers in (1, 2)
    )
    assert all(np.array_equal(one[name], two[name], equal_nan=True) for name in one)
    other = run("hntt", PLANTED, 25, seed=4, participants=20, workers=1)
    assert not np.array_equal(one["accuracy"], other["accuracy"])


def test_closed_form_and_simulation_agree() -> None:
    for protocol in ("hntt", "replay"):
        values = true_values(protocol, PLANTED, seed=1)
        found = run(protocol, PLANTED, 60, seed=1, workers=1)
        key = "accuracy" if protocol == "hntt" else "rate_difference"
        rows = found[key]
        width = float(np.mean(rows[:, HIGH] - rows[:, LOW]))
        assert abs(rows[:, VALUE].mean() - values[key]) < width / 8


def test_a_coarse_check_of_coverage_and_rejection() -> None:
    """100 studies: a promise that is broken badly shows here; the table in docs/validity.md has
    2,000.
    """
    verdicts = check("hntt", 100, seed=2, workers=1)
    assert {one.promise.setting for one in verdicts} == {PLANTED, NOTHING, MARGIN}
    for one in verdicts:
        assert one.studies == 100
        assert one.undefined == 0
        assert one.kept or not one.promise.judged, one


def test_effects_that_differ_between_people_are_planted_and_deceive_the_published_model_only() -> (
    None
):
    """40 studies in which the effect is 0 on average and differs by an SD of .8; docs/validity.md
    has 1,000 for each SD.
    """
    setting = next(name for name, sd in OWN_EFFECTS.items() if sd == 0.8)
    assert case_of("replay").settings[PLANTED].effect_sd > 0
    assert {
        promise.setting for promise in case_of("replay").promises if promise.key == "odds"
    } >= set(OWN_EFFECTS)
    definition, plan = ready("replay")
    rejected = {"by_participant": 0, "published": 0}
    for number in range(40):
        rng = np.random.default_rng(number)
        truth = case_of("replay").settings[setting]
        bundle = straight.bundle(definition, 34, rng, truth=truth)
        judged = judgements(prepare_data(bundle, plan, definition.study), plan)
        for effects in rejected:
            odds = flag_model(judged.seen, judged.ours, judged.baseline, effects=effects).odds_ratio
            rejected[effects] += odds.p_value is not None and odds.p_value < 0.05
    assert rejected["by_participant"] <= 5
    assert rejected["published"] >= 8


def verdict(hits: int, kind: str = "coverage", *, discrete: bool = False) -> Verdict:
    return Verdict(
        annotator=Promise(PLANTED, "x", kind, discrete=discrete),
        group=0.0,
        gate=hits,
        task=2000,
        cell=0,
    )  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("hits", "kind", "discrete", "kept"),
    [
        (1900, "coverage", False, True),
        (1876, "coverage", False, True),
        (1860, "coverage", False, False),
        (1940, "coverage", False, False),
        (1940, "coverage", True, True),
        (1860, "coverage", True, False),
        (100, "rejection", False, True),
        (140, "rejection", False, False),
        (60, "rejection", False, False),
        (60, "rejection", True, True),
        (140, "rejection", True, False),
    ],
)
def test_what_is_discrete_may_be_conservative_and_nothing_may_be_liberal(
    hits: int, kind: str, discrete: bool, kept: bool
) -> None:
    assert verdict(hits, kind, discrete=discrete).kept is kept


def test_undefined_results_count_as_misses_and_as_no_rejection() -> None:
    rows = np.array([[1.0, 0.0, 2.0, 0.01], [np.nan] * 4])
    covered = judge(Promise(PLANTED, "x"), {"x": rows}, {"x": 1.0})
    assert (covered.hits, covered.studies, covered.undefined) == (1, 2, 1)
    rejected = judge(Promise(NOTHING, "x", "rejection"), {"x": rows}, {})
    assert (rejected.hits, rejected.studies, rejected.undefined) == (1, 2, 1)


def test_a_true_value_of_each_study_is_that_studys_target() -> None:
    rows = np.array(
        [[1.0, 0.0, 2.0, 0.5, 20], [1.0, 0.0, 2.0, 0.5, 21], [1.0, np.nan, np.nan, 0.5, 20]]
    )
    found = judge(Promise(PLANTED, "x"), {"x": rows}, {"x": np.array([1.5, 2.5, 1.0])})
    assert (found.hits, found.studies, found.undefined) == (1, 3, 1)
    assert found.truth == pytest.approx(5 / 3)


def test_agreement_on_the_task_has_a_true_value_for_every_size_of_group(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sizes, "STUDIES", 2)
    monkeypatch.setattr(sizes, "PARTICIPANTS", 300)
    rows = {
        f"task:{group}": np.array([[0.0, 0.0, 0.0, 0.0, n] for n in own])
        for group, own in (("trained", (24, 25, 26, 24)), ("untrained", (27, 24, 27, 24)))
    }
    assert rows["task:trained"][0, N] == 24
    found = task_values(rows, PLANTED, seed=1, workers=1)
    trained, untrained = found["task:trained"], found["task:untrained"]
    assert trained[0] == trained[3]
    # Even groups agree with the single trace in the middle of an odd number of others, which rests
    # more often.
    assert min(trained[0], trained[2]) > trained[1] + 0.02
    assert found["task"][3] == pytest.approx(trained[0] - untrained[1])
    assert found["task"][1] == pytest.approx(found["task"][0])


def test_the_table_says_what_was_not_kept() -> None:
    assert "NOT KEPT" in table([verdict(1000)])
    assert "kept (discrete)" in table([verdict(1990, discrete=True)])


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["--protocol", "hntt", "--studies", "20", "--participants", "30", "--workers", "1"])
    out = capsys.readouterr().out
    assert code in (0, 1)
    assert "### hntt: 20 studies of 30 in each setting, seed 1" in out
    assert "| planted | accuracy | coverage |" in out
