"""Technical amounts that could reveal a condition without a look at the behavior: bytes, packets,
length, first picture.

Conditions are compared within pairs, because judges compare within pairs: a file that is larger in
every pair reveals its condition, even if the sizes of all films overlap. Differences below a
trait's slack count as equal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from believable.recordings.film_file import load_av

#: The first picture is compared with the one after this time: it is an artifact if it looks
#: different from the film.
SETTLED_S = 0.5
#: With fewer pairs, or films of a condition without pairs, it is a warning, not an error. Three
#: alike may be chance, too, but a judge can learn them all the same, and `believable stimuli even`
#: removes the difference.
FEWEST = 3
#: A condition is revealed if it has the larger amount in this share of pairs, or the smaller one.
REVEALING_SHARE = 0.9


@dataclass(frozen=True, slots=True)
class ArtifactTrait:
    """One amount. Two of them are equal if they differ by less than `slack`, or by less than
    `slack_share` of the larger one.
    """

    name: str
    words: str
    slack: float = 0.0
    slack_share: float = 0.0

    def sign(self, left: float, right: float) -> int:
        """1: the left one is larger; −1: the right one; 0: equal."""
        if abs(left - right) <= max(self.slack, self.slack_share * max(abs(left), abs(right))):
            return 0
        return 1 if left > right else -1


LENGTH = ArtifactTrait("length_ms", "length in ms", slack=50)
FIRST_LIGHT = ArtifactTrait(
    "first_light", "brightness of the first picture against the next half second (of 255)", slack=6
)
FIRST_EDGES = ArtifactTrait(
    "first_edges", "sharpness of the first picture against the next half second (of 255)", slack=3
)
ARTIFACTS = (
    ArtifactTrait("bytes", "file size in bytes", slack=64, slack_share=0.002),
    ArtifactTrait("packet_mean", "mean size of its packets in bytes", slack=8, slack_share=0.002),
    ArtifactTrait(
        "packet_spread", "spread of the sizes of its packets in bytes", slack=8, slack_share=0.05
    ),
    ArtifactTrait("packet_largest", "largest packet in bytes", slack=8, slack_share=0.02),
    ArtifactTrait(
        "key_packet_mean", "mean size of its key packets in bytes", slack=8, slack_share=0.02
    ),
    LENGTH,
    FIRST_LIGHT,
    FIRST_EDGES,
)


@dataclass(frozen=True, slots=True)
class ComparedStimulus:
    """A stimulus with its amounts. Stimuli of one scenario are shown against each other."""

    condition: str
    scenario: str | None
    amounts: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairLead:
    """How often one of two conditions has the larger amount. `pairs`: the number of pairs; a tie
    counts for neither. Without scenarios that both conditions have, every film of one is compared
    with every film of the other (`paired` is false). `fewest`: pairs, or films of the condition
    that has fewer; 0 if a condition is shown against others only, so that judges never compare the
    two.
    """

    trait: ArtifactTrait
    first: str
    second: str
    first_larger: int
    second_larger: int
    pairs: int
    fewest: int
    paired: bool
    first_amounts: tuple[float, ...]
    second_amounts: tuple[float, ...]

    @property
    def reveals(self) -> bool:
        return max(self.first_larger, self.second_larger) >= REVEALING_SHARE * self.pairs > 0

    @property
    def is_certain(self) -> bool:
        """Enough pairs, so that chance is a poor explanation."""
        return self.fewest >= FEWEST

    def __str__(self) -> str:
        larger, smaller = (
            (self.first, self.second)
            if self.first_larger > self.second_larger
            else (self.second, self.first)
        )
        count = max(self.first_larger, self.second_larger)
        amounts = (
            f"{self.first} {_range(self.first_amounts)}, {self.second}"
            f" {_range(self.second_amounts)}"
        )
        pairs = "pairs" if self.paired else "comparisons"
        return (
            f"{self.trait.words} is larger in {larger} than in {smaller} in {count} of {self.pairs}"
            f" {pairs} ({amounts})"
        )


def _range(amounts: Sequence[float]) -> str:
    low, high = (
        f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"
        for value in (min(amounts), max(amounts))
    )
    return low if low == high else f"{low} to {high}"


def film_amounts(path: Path) -> dict[str, float]:
    """The amounts of a film: what its packets hold, without the container, which participants get
    stripped.
    """
    av = load_av("Looking at films")
    with av.open(str(path)) as file:
        stream = file.streams.video[0]
        packets = [
            packet
            for packet in file.demux(*file.streams.video[:1], *file.streams.audio[:1])
            if packet.dts is not None
        ]
        pictures = [packet for packet in packets if packet.stream.index == stream.index]
        sizes = np.array([packet.size for packet in pictures], float)
        keys = np.array([packet.is_keyframe for packet in pictures])
        length_ms = (file.duration or 0) / 1000
        total = float(sum(packet.size for packet in packets))
    return {
        "bytes": total,
        "packet_mean": float(sizes.mean()),
        "packet_spread": float(sizes[~keys].std()) if (~keys).any() else 0.0,
        "packet_largest": float(sizes.max()),
        "key_packet_mean": float(sizes[keys].mean()) if keys.any() else 0.0,
        LENGTH.name: float(length_ms),
        **_first_picture(av, path),
    }


def _first_picture(av: Any, path: Path) -> dict[str, float]:
    """How much brighter and sharper the first picture is than the film half a second later."""
    first = settled = None
    with av.open(str(path)) as file:
        for frame in file.decode(video=0):
            if first is None:
                first = settled = frame.to_ndarray(format="gray").astype(float)
            elif (frame.time or 0) >= SETTLED_S:
                settled = frame.to_ndarray(format="gray").astype(float)
                break
    assert first is not None
    assert settled is not None
    return {
        FIRST_LIGHT.name: float(first.mean() - settled.mean()),
        FIRST_EDGES.name: float(_edges(first) - _edges(settled)),
    }


def _edges(picture: Any) -> float:
    return float(np.abs(np.diff(picture, axis=1)).mean())


def pair_leads(shown: Sequence[ComparedStimulus]) -> list[PairLead]:
    """Every trait of every two conditions."""
    conditions = sorted({stimulus.condition for stimulus in shown})
    traits = [
        trait for trait in ARTIFACTS if all(trait.name in stimulus.amounts for stimulus in shown)
    ]
    return [
        _lead(shown, trait, first, second)
        for trait in traits
        for first, second in combinations(conditions, 2)
    ]


def _lead(
    shown: Sequence[ComparedStimulus], trait: ArtifactTrait, first: str, second: str
) -> PairLead:
    by_scenario = {
        condition: _by_scenario(
            [stimulus for stimulus in shown if stimulus.condition == condition], trait
        )
        for condition in (first, second)
    }
    common = sorted(by_scenario[first].keys() & by_scenario[second].keys())
    left, right = (
        tuple(value for values in by_scenario[name].values() for value in values)
        for name in (first, second)
    )
    if common:
        compared = [
            (median(by_scenario[first][name]), median(by_scenario[second][name])) for name in common
        ]
    else:
        compared = [(x, y) for x in left for y in right]
    signs = [trait.sign(x, y) for x, y in compared]
    return PairLead(
        trait=trait,
        first=first,
        second=second,
        first_larger=signs.count(1),
        second_larger=signs.count(-1),
        pairs=len(signs),
        fewest=(
            len(common)
            if common
            else 0
            if _has_partners(shown, first, second)
            else min(len(left), len(right))
        ),
        paired=bool(common),
        first_amounts=left,
        second_amounts=right,
    )


def _has_partners(shown: Sequence[ComparedStimulus], *conditions: str) -> bool:
    """Whether one of the conditions shares a scenario with another condition."""
    seen: dict[str, set[str]] = {}
    for stimulus in shown:
        if stimulus.scenario is not None:
            seen.setdefault(stimulus.scenario, set()).add(stimulus.condition)
    return any(
        len(together) > 1 and condition in together
        for together in seen.values()
        for condition in conditions
    )


def _by_scenario(shown: Sequence[ComparedStimulus], trait: ArtifactTrait) -> dict[str, list[float]]:
    amounts: dict[str, list[float]] = {}
    for number, stimulus in enumerate(shown):
        # A stimulus without a scenario has no partner.
        scenario = (
            f"\0{stimulus.condition}{number}" if stimulus.scenario is None else stimulus.scenario
        )
        amounts.setdefault(scenario, []).append(stimulus.amounts[trait.name])
    return amounts
