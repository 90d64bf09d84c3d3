"""Giveaways in made-up stimuli: artifacts, behavior, moments, and studies with few pairs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from believable.core.errors import InvalidInput
from believable.giveaways.certificate import (
    FILE,
    certify,
    current,
    digest_stimuli,
    read_certificate,
    write_certificate,
)
from believable.giveaways.exhibits import COMPARED, Exhibit
from believable.giveaways.finder import Giveaways, find_giveaways
from believable.study.records import Stimulus

FILM = {"bytes": 1e6, "length_ms": 10_000.0, "brightness": 100.0, "speed": 0.5}


def exhibits(
    pairs: int, *, seed: int = 1, agent: Mapping[str, float] | None = None
) -> list[Exhibit]:
    """Pairs of an agent and a person; the agent's values have these amounts more."""
    rng = np.random.default_rng(seed)
    made = []
    for number in range(pairs):
        for condition in ("agent", "person"):
            noise = {name: value * rng.uniform(0.9, 1.1) for name, value in FILM.items()}
            more = (agent or {}) if condition == "agent" else {}
            times = np.arange(300) / 30
            wave = np.sin(times) + (5.0 * ((times > 4) & (times < 5)) if more else 0.0)
            made.append(
                Exhibit(
                    name=f"{condition}{number}",
                    condition=condition,
                    scenario=f"s{number}",
                    values={name: value + more.get(name, 0.0) for name, value in noise.items()},
                    curves={"brightness": (times, wave), "speed": (times, wave)},
                )
            )
    return made


def find(shown: list[Exhibit]) -> Giveaways:
    return find_giveaways(shown, np.random.default_rng(2))


def test_a_planted_size_is_an_artifact_with_its_cure() -> None:
    found = find(exhibits(12, agent={"bytes": 4e5})).of("artifact")
    size = next(giveaway for giveaway in found if giveaway.guess.feature == "bytes")
    assert size.guess.larger == 12
    assert "file size in bytes is larger in agent than in person in 12 of 12 pairs" in str(size)
    assert "stimuli even" in size.cure


def test_planted_brightness_has_its_moment() -> None:
    found = find(exhibits(12, agent={"brightness": 40.0})).of("artifact")
    light = next(giveaway for giveaway in found if giveaway.guess.feature == "brightness")
    assert light.moment is not None
    assert light.moment.stimulus.startswith("agent")
    assert light.moment.at_s == pytest.approx(4.0, abs=0.1)


def test_behavior_is_found_apart_from_artifacts() -> None:
    found = find(exhibits(12, agent={"speed": 0.4}))
    assert found.of("behavior")[0].guess.feature == "speed"
    assert not found.of("artifact")


def test_six_pairs_of_one_sign_are_found_in_files_and_not_in_pictures() -> None:
    found = find(exhibits(6, agent={"bytes": 4e5, "brightness": 40.0})).of("artifact")
    assert [giveaway.guess.feature for giveaway in found] == ["bytes"]


def test_differences_within_the_slack_reveal_nothing() -> None:
    assert COMPARED["bytes"].trait.slack_share == 0.002
    made = exhibits(8)
    shown = [
        Exhibit(
            name=one.name,
            condition=one.condition,
            scenario=one.scenario,
            values={"bytes": 1e6 + (1500 if one.condition == "agent" else 0)},
        )
        for one in made
    ]
    assert not find(shown).found


def test_stimuli_without_scenarios_are_paired_by_their_names() -> None:
    shown = [
        Exhibit(name=one.name, condition=one.condition, scenario=None, values=one.values)
        for one in exhibits(8, agent={"bytes": 4e5})
    ]
    assert find(shown).compared[0].pairs == 8


def test_conditions_that_are_never_shown_together_are_not_compared() -> None:
    shown = exhibits(6)
    apart = [
        Exhibit(name=f"x{n}", condition="other", scenario=f"s{n}", values=FILM) for n in range(6)
    ]
    alone = [Exhibit(name="y", condition="alone", scenario="elsewhere", values=FILM)]
    pairs = {(pair.first, pair.second) for pair in find([*shown, *apart, *alone]).compared}
    assert pairs == {("agent", "person"), ("agent", "other"), ("other", "person")}


def certificate_of(found: Giveaways, stimuli: str = "abc"):  # type: ignore[no-untyped-def]
    return certify(found, stimuli=stimuli, looked_on="2026-11-19T20:00:00+00:00")


def test_a_certificate_stops_a_launch_until_a_reason_is_written(tmp_path: Path) -> None:
    certificate = certificate_of(find(exhibits(12, agent={"bytes": 4e5})))
    assert certificate.stops_launch
    assert "tell" in certificate.sentence
    assert "agent" not in certificate.sentence, "reports may be blinded"
    write_certificate(tmp_path, certificate)
    assert read_certificate(tmp_path) == certificate


def test_a_blind_study_has_a_clear_certificate() -> None:
    certificate = certificate_of(find(exhibits(12)))
    assert not certificate.stops_launch
    assert certificate.sentence.endswith("none tells conditions apart above chance.")


def test_too_few_pairs_are_no_clearance() -> None:
    certificate = certificate_of(find(exhibits(4)))
    assert "too few pairs for a test" in certificate.sentence


def test_a_certificate_is_void_when_a_stimulus_changes(tmp_path: Path) -> None:
    film = tmp_path / "a.mp4"
    film.write_bytes(b"one")
    stimuli = (Stimulus(id="a", file="a.mp4", condition="agent"),)
    found = find(exhibits(6))
    write_certificate(tmp_path, certificate_of(found, digest_stimuli(tmp_path, stimuli)))
    assert current(tmp_path, stimuli) is not None
    film.write_bytes(b"two")
    assert current(tmp_path, stimuli) is None


def test_another_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text('{"format": "other"}')
    with pytest.raises(
        InvalidInput, match=r"giveaways\.json: expected the file that .* Run it again"
    ):
        read_certificate(tmp_path)
