"""What a design can show, before any data: the agent or these clips, and how exactly."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from believable.analysis.design_claim import claim_notes, design_claim, half_width
from believable.stats.crossed import crossed_mean
from believable.study.pool_draw import effective_draw
from believable.study.records import Study
from tests.pooled_studies import COMPARES, PAIRS, REPLAYS, study_of


@pytest.mark.parametrize(("clips", "published"), [(6, 0.134), (24, 0.080), (300, 0.065)])
def test_half_widths_are_the_published_ones(clips: int, published: float) -> None:
    """50 judges × 6 trials, .5 log odds between judges and between clips."""
    assert half_width(50, 300, clips) == pytest.approx(published, abs=0.0025)


def test_the_half_width_is_that_of_simulated_studies() -> None:
    """The interval that decides, on data of 50 judges with 6 fresh clips each."""
    rng = np.random.default_rng(3)
    widths = []
    judges = np.repeat(np.arange(50), 6)
    for _ in range(40):
        judge = rng.normal(0, 0.5, 50)[judges]
        chance = 1 / (1 + np.exp(-(judge + rng.normal(0, 0.5, 300))))
        mean = crossed_mean(rng.random(300) < chance, judges, np.arange(300), over="both")
        assert mean.low is not None
        assert mean.high is not None
        widths.append((mean.high - mean.low) / 2)
    assert np.mean(widths) == pytest.approx(half_width(50, 300, 300), abs=0.006)
    assert np.mean(widths) <= 0.07


def notes(study: Study) -> list[tuple[str, str]]:
    return [(severity, message) for severity, message, _ in claim_notes(study)]


def test_fresh_clips_are_about_the_agent_and_six_pairs_about_these_clips(tmp_path: Path) -> None:
    fresh = study_of(tmp_path / "fresh", COMPARES, clips=300, paired=True)
    claim = design_claim(fresh, judges=50)
    assert claim is not None
    assert (claim.subject, claim.n_clips, claim.trials) == ("the agent", 600, 300)
    assert claim.repeated is None
    assert claim.half_width <= 0.07
    shared = study_of(
        tmp_path / "six", PAIRS.format(sample=""), draw="shared", scenarios=6, clips=1
    )
    claim = design_claim(shared, judges=50)
    assert claim is not None
    assert (claim.subject, claim.n_units) == ("these 12 clips", 6)
    assert "about these 12 clips" in str(claim)
    assert claim.half_width == pytest.approx(0.134, abs=0.002)


def test_a_pool_that_ends_too_early_is_reported_with_the_number_of_judges(tmp_path: Path) -> None:
    study = study_of(tmp_path / "study", COMPARES, clips=60, paired=True)
    assert [severity for severity, _ in notes(study)] == ["warning", "note"]
    assert notes(study)[0][1].startswith("the pool lasts for 10 judges, 50 are planned")


def test_fresh_clips_from_a_small_pool_are_a_pool(tmp_path: Path) -> None:
    small = study_of(tmp_path / "small", COMPARES, clips=59, paired=True)
    assert effective_draw(small) == "pool"
    assert "fewer than 60 clips" in notes(small)[0][1]
    enough = study_of(tmp_path / "enough", COMPARES, clips=60, paired=True)
    assert (
        effective_draw(enough),
        effective_draw(small.model_copy(update={"draw": "shared"})),
    ) == ("fresh", "shared")


def test_a_draw_without_effect_is_reported(tmp_path: Path) -> None:
    everything = study_of(tmp_path / "all", PAIRS.format(sample=""), scenarios=6, clips=1)
    assert "every session shows all 12 clips" in notes(everything)[0][1]
    nothing = study_of(tmp_path / "none", "  - text: {text: Hello.}\n", clips=2)
    assert "no page shows clips of two conditions" in notes(nothing)[0][1]


def test_pages_with_one_clip_count_each_clip(tmp_path: Path) -> None:
    claim = design_claim(study_of(tmp_path / "days", REPLAYS, clips=40), judges=20)
    assert claim is not None
    assert (claim.n_units, claim.trials, claim.subject) == (40, 40, "the agent")
