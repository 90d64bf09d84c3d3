"""Known signals: the signals that annotators were to follow, if a dataset is from another tool and
there is no study file.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Literal

from believable.bundle.foreign_csv import foreign_rows
from believable.bundle.tables import Cell, declare_table
from believable.core.errors import InvalidInput
from believable.core.registry import did_you_mean

Test = Literal["visual", "auditory"]

SIGNALS = declare_table("signals")


@dataclass(frozen=True, slots=True)
class KnownSignal:
    """A signal by its samples, equally far apart."""

    test: Test
    t_ms: tuple[float, ...]
    values: tuple[float, ...]

    def rows(self, stimulus: str) -> Iterator[Mapping[str, Cell]]:
        for t_ms, value in zip(self.t_ms, self.values, strict=True):
            yield {"stimulus": stimulus, "test": self.test, "t_ms": t_ms, "value": value}


def read_signal(path: Path, *, test: Test, frames_per_s: float = 60) -> KnownSignal:
    """Samples from the column `value` of a CSV file: at the times in the column `t_ms`, else one
    per picture.
    """
    if not (math.isfinite(frames_per_s) and frames_per_s > 0):
        raise InvalidInput(f"frames per second: expected a positive number, got {frames_per_s}.")
    with foreign_rows(path, "known signal") as rows:
        columns = {name.casefold(): name for name in reversed(rows.names)}
        if "value" not in columns:
            raise InvalidInput(
                f"{path}:1: expected a column `value`, got {', '.join(rows.names) or 'nothing'}."
            )
        wanted = [columns[name] for name in ("value", "t_ms") if name in columns]
        samples = [[_number(path, line, row, name) for name in wanted] for line, row in rows]
    if not samples:
        raise InvalidInput(f"{path}: there is no sample in it. Export the signal again.")
    values = tuple(sample[0] for sample in samples)
    if len(wanted) == 1:
        return KnownSignal(
            test, tuple(frame * 1000 / frames_per_s for frame in range(len(values))), values
        )
    times = tuple(sample[1] for sample in samples)
    if any(later <= earlier for earlier, later in pairwise(times)):
        raise InvalidInput(
            f"{path}: expected times that grow in the column `t_ms`. Sort the samples by time."
        )
    return KnownSignal(test, times, values)


def attach_signals(
    signals: Sequence[tuple[str, KnownSignal]], stimuli: Mapping[str, Collection[str]]
) -> dict[str, KnownSignal]:
    """Stimulus → the signal to follow in it. A signal names a file, or a video; `stimuli` has all
    names of each stimulus.
    """
    following: dict[str, KnownSignal] = {}
    for which, signal in signals:
        fitting = [stimulus for stimulus, names in stimuli.items() if which in names]
        if not fitting:
            known = sorted({name for names in stimuli.values() for name in names})
            raise InvalidInput(
                f"{signal.test}: no file or video is called {which!r}. {did_you_mean(which, known)}"
            )
        for stimulus in fitting:
            if stimulus in following:
                raise InvalidInput(
                    f"{signal.test}: {which!r} has two signals to follow. Name a file, or a video,"
                    " once."
                )
            following[stimulus] = signal
    return following


def _number(path: Path, line: int, row: Mapping[str, str], column: str) -> float:
    cell = row[column].strip()
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InvalidInput(
            f"{path}:{line}: expected a number in the column `{column}`, got {cell!r}."
        )
    return value
