"""Can conditions be distinguished by anything except the content of their films? Traits of files
and pictures, and a guesser.

Judges compare films of one scenario, and so does the guesser: traits are taken as differences from
the mean of the scenario. It learns from all films but one which traits each condition has, guesses
the condition of that one, and so on for each. How often it is right is compared with how often it
is when conditions are dealt out by chance within scenarios. Light, colours and edges follow from
the places that are passed, too: conditions that go to other places differ in them, and then it is
for the author to say whether that is behaviour.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from believable.core.errors import InvalidInput
from believable.recordings.film_file import load_av
from believable.stimuli.artifacts import (
    ARTIFACTS,
    ComparedStimulus,
    PairLead,
    film_amounts,
    pair_leads,
)

#: Of every second this number of pictures is examined.
LOOKS_PER_S = 2
SHUFFLES = 999
SLACKS = {trait.name: trait for trait in ARTIFACTS}
#: A pixel that changes less than this over a whole film belongs to no surroundings: a bar, a mask,
#: a mark.
STILL_LEVELS = 6.0


@dataclass(frozen=True, slots=True)
class FilmTraits:
    """`header`: the metadata of the film, and the offsets and times of its packets; equal for films
    made alike. `amounts`: all that can be counted of it.
    """

    header: str
    amounts: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionGuess:
    """`rate`: share of films guessed right, each condition weighing alike; `p_value`: how often
    chance does as well; `least_p`: the smallest p that is possible with this number of films.
    `traits`: how often chance sets conditions as far apart by a trait; of pictures by any of their
    traits, because there are many; of artifacts by this one, because each can be read off alone.
    `leads`: artifacts that reveal a condition. `headers`: how many different ones a scenario has,
    at most.
    """

    rate: float
    chance: float
    p_value: float
    traits: Mapping[str, float]
    headers: int
    least_p: float
    leads: tuple[PairLead, ...]

    @property
    def is_blind(self) -> bool:
        """Whether nothing distinguishes the conditions."""
        return (
            self.headers == 1 and not self.leads and min(self.p_value, *self.traits.values()) > 0.05
        )


@dataclass(frozen=True, slots=True)
class GuessedFilm:
    """A film of a study. Conditions are dealt out within its scenario."""

    condition: str
    scenario: str | None
    traits: FilmTraits


def film_traits(path: Path) -> FilmTraits:
    """Packets and pictures of one film."""
    av = load_av("Looking at films")
    with av.open(str(path)) as file:
        stream = file.streams.video[0]
        packets = [packet for packet in file.demux(stream) if packet.dts is not None]
        header = repr(
            (
                file.format.name,
                sorted(file.metadata.items()),
                sorted(stream.metadata.items()),
                len(file.streams),
                stream.codec_context.name,
                bytes(stream.codec_context.extradata or b""),
                str(stream.time_base),
                stream.duration,
                [(packet.pts, packet.dts, packet.is_keyframe) for packet in packets],
            )
        )
        rate = float(stream.average_rate or LOOKS_PER_S)
    looks = _looks(av, path, max(1, round(rate / LOOKS_PER_S)))
    return FilmTraits(
        hashlib.sha256(header.encode()).hexdigest(), film_amounts(path) | picture_traits(looks)
    )


def _looks(av: Any, path: Path, every: int) -> NDArray[np.float32]:
    with av.open(str(path)) as file:
        pictures = [
            frame.to_ndarray(format="rgb24").astype(np.float32)
            for number, frame in enumerate(file.decode(video=0))
            if number % every == 0
        ]
    return np.stack(pictures)


def picture_traits(looks: NDArray[np.float32]) -> dict[str, float]:
    """Light, colour, edges, the static parts, and the centre; of pictures × height × width ×
    colours.
    """
    light = looks.mean(3)
    red, green, blue = (float(value) for value in looks.mean((0, 1, 2)))
    still = np.ptp(light, axis=0) < STILL_LEVELS
    height, width = still.shape
    mean = looks.mean(0)
    row, column, reach = height // 2, width // 2, max(2, height // 60)
    middle = mean[row - reach : row + reach + 1, column - reach : column + reach + 1]
    around = mean[
        row - 3 * reach : row + 3 * reach + 1, column - 3 * reach : column + 3 * reach + 1
    ]
    return {
        "light": float(light.mean()),
        "contrast": float(light.std()),
        "red_share": red / max(1.0, red + green + blue),
        "blue_share": blue / max(1.0, red + green + blue),
        "edges": float(np.abs(np.diff(light, axis=2)).mean()),
        "still_share": float(still.mean()),
        "still_light": float(light[:, still].mean()) if still.any() else 0.0,
        "middle": float(np.abs(middle.mean((0, 1)) - around.mean((0, 1))).max()),
    }


def guess_conditions(films: Sequence[GuessedFilm], rng: np.random.Generator) -> ConditionGuess:
    """How well conditions are guessed from traits."""
    names = sorted({film.condition for film in films})
    labels = np.array([names.index(film.condition) for film in films])
    fewest = int(np.bincount(labels).min()) if len(labels) else 0
    if len(names) < 2 or fewest < 2:
        raise InvalidInput(
            f"blinding: expected two films or more of two conditions or more, got {len(films)} of"
            f" {names}."
        )
    groups = _groups(films)
    columns = sorted(films[0].traits.amounts)
    values = np.array([[film.traits.amounts[column] for column in columns] for film in films])
    values = _without_slack(columns, values, groups)
    spread = values.std(0)
    varied = spread > 0
    scaled = values[:, varied] / spread[varied]
    artifacts = np.array([column in SLACKS for column in np.array(columns)[varied]], bool)
    rate, apart = _guess_rate(scaled, labels), _apart(scaled, labels)
    better, farther = 1, np.ones_like(apart)
    for _ in range(SHUFFLES):
        dealt = _deal(labels, groups, rng)
        better += _guess_rate(scaled, dealt) >= rate - 1e-9
        chance = _apart(scaled, dealt)
        of_pictures = chance[~artifacts].max(initial=0.0)
        farther += np.where(artifacts, chance, of_pictures) >= apart - 1e-9
    p_values = dict.fromkeys(columns, 1.0)
    for column, count in zip(np.array(columns)[varied].tolist(), farther.tolist(), strict=True):
        p_values[column] = count / (SHUFFLES + 1)
    compared = [
        ComparedStimulus(film.condition, film.scenario, film.traits.amounts) for film in films
    ]
    return ConditionGuess(
        rate=rate,
        chance=1 / len(names),
        p_value=better / (SHUFFLES + 1),
        traits=p_values,
        headers=max(len({films[number].traits.header for number in group}) for group in groups),
        least_p=_least_p(labels, groups),
        leads=tuple(lead for lead in pair_leads(compared) if lead.reveals),
    )


def _groups(films: Sequence[GuessedFilm]) -> list[NDArray[np.int64]]:
    """The films within which conditions are dealt out: of each scenario that several conditions
    have; all others together.
    """
    conditions: dict[str | None, set[str]] = {}
    for film in films:
        conditions.setdefault(film.scenario, set()).add(film.condition)
    members: dict[str | None, list[int]] = {}
    for number, film in enumerate(films):
        shared = film.scenario is not None and len(conditions[film.scenario]) > 1
        members.setdefault(film.scenario if shared else None, []).append(number)
    return [np.array(numbers) for numbers in members.values()]


def _without_slack(
    columns: Sequence[str], values: NDArray[np.float64], groups: Sequence[NDArray[np.int64]]
) -> NDArray[np.float64]:
    """Differences from the mean of the group; artifacts that are equal there but for their slack
    are equal.
    """
    centered = np.zeros_like(values)
    for group in groups:
        for number, column in enumerate(columns):
            amounts = values[group, number]
            slack = SLACKS.get(column)
            if slack is None or slack.sign(float(amounts.max()), float(amounts.min())):
                centered[group, number] = amounts - amounts.mean()
    return centered


def _deal(
    labels: NDArray[np.int64], groups: Sequence[NDArray[np.int64]], rng: np.random.Generator
) -> NDArray[np.int64]:
    dealt = labels.copy()
    for group in groups:
        dealt[group] = rng.permutation(labels[group])
    return dealt


def _least_p(labels: NDArray[np.int64], groups: Sequence[NDArray[np.int64]]) -> float:
    """One way to deal in which all is as it is, and its mirror image if there are two conditions,
    of all ways.
    """
    ways = 1.0
    for group in groups:
        counts = np.bincount(labels[group])
        ways *= math.factorial(len(group)) / math.prod(
            math.factorial(int(count)) for count in counts
        )
    mirrored = (
        2
        if len(np.unique(labels)) == 2
        and all(len(set(np.bincount(labels[group]))) == 1 for group in groups)
        else 1
    )
    return min(1.0, max(mirrored / ways, 1 / (SHUFFLES + 1)))


def _guess_rate(scaled: NDArray[np.float64], labels: NDArray[np.int64]) -> float:
    """Each film is guessed to be of the condition whose others are nearest in the mean."""
    own = np.eye(labels.max() + 1)[labels]
    counts, sums = own.sum(0), own.T @ scaled
    means = sums / counts[:, None]
    apart = ((scaled[:, None] - means[None]) ** 2).sum(2)
    without = (sums[labels] - scaled) / np.maximum(1, counts[labels] - 1)[:, None]
    apart[np.arange(len(labels)), labels] = ((scaled - without) ** 2).sum(1)
    right = apart.argmin(1) == labels
    return float(np.mean([right[labels == label].mean() for label in np.unique(labels)]))


def _apart(scaled: NDArray[np.float64], labels: NDArray[np.int64]) -> NDArray[np.float64]:
    """Of each trait the share of its variance that lies between conditions."""
    own = np.eye(labels.max() + 1)[labels]
    counts = own.sum(0)
    means = (own.T @ scaled) / counts[:, None]
    return np.asarray((counts[:, None] * means**2).sum(0) / len(labels))
