"""Power that was simulated, kept in the study folder, so that a registration or a checklist can say
what came out, and when.

Nothing is said about a study without simulated power, or about numbers that belong to another plan.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from believable.analysis.numbers import listed, number
from believable.analysis.settled_plan import Plan, criterion_words
from believable.core.errors import InvalidInput
from believable.core.whole_files import refuse_outside_links, write_whole

FORMAT = "believable-power/1"
FILE = "power.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedPower:
    """The share of simulated studies with this number of participants in which a criterion was met,
    with its 95 % interval.

    undefined   studies without a test or an interval, which count as not met; None in records of
                earlier versions
    reason      the most frequent reason of these
    """

    participants: int
    what: str
    met: int
    judged: int
    share: float | None
    low: float | None
    high: float | None
    undefined: int | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerRecord:
    """One run of `believable power`.

    simulated_on  date and time in UTC
    plan          SHA-256 of the plan that was simulated
    assumed       the planted effects, each described with its value
    """

    simulated_on: str
    plan: str
    studies: int
    seed: int
    assumed: tuple[str, ...]
    points: tuple[SimulatedPower, ...]

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys(point.participants for point in self.points))

    def at(self, participants: int) -> tuple[SimulatedPower, ...]:
        return tuple(point for point in self.points if point.participants == participants)


def write_power(folder: Path, record: PowerRecord) -> Path:
    """Keep the latest run in the study folder."""
    path = refuse_outside_links(folder, FILE)
    tree = {"format": FORMAT, **asdict(record)}
    write_whole(path, json.dumps(tree, indent=2, ensure_ascii=False) + "\n")
    return path


def read_power(folder: Path) -> PowerRecord | None:
    """The latest run; None if there was none. A file that is not ours is refused."""
    path = folder / FILE
    if not path.is_file():
        return None
    try:
        tree = json.loads(path.read_text(encoding="utf-8"))
        if tree.pop("format") != FORMAT:
            raise KeyError("format")
        points = tuple(SimulatedPower(**point) for point in tree.pop("points"))
        return PowerRecord(**tree | {"assumed": tuple(tree["assumed"]), "points": points})
    except (ValueError, KeyError, TypeError, AttributeError):
        raise InvalidInput(
            f"{path}: expected what `believable power` writes ({FORMAT}). Run it again."
        ) from None


def power_words(record: PowerRecord | None, plan: Plan, digest: str) -> list[str]:
    """The statement of a registration about power: the simulated studies, and nothing else.
    `digest` is the hash of the plan.
    """
    if record is None:
        return ["No computation of power is part of this plan."]
    day = record.simulated_on[:10]
    if record.plan != digest:
        return [
            f"Power was simulated on {day} for another form of this plan; its numbers are not those"
            " of this one."
        ]
    claims = {hypothesis.id: hypothesis for hypothesis in plan.declared.hypotheses}
    lines = [
        (
            f"The whole study was simulated on {day}, {record.studies} times for each number of"
            f" participants ({listed([str(size) for size in record.sizes])}), with its dropouts,"
            f" exclusions, tests and criteria (seed {record.seed})."
        ),
        f"Assumed were: {'; '.join(record.assumed)}.",
    ]
    for what in dict.fromkeys(point.what for point in record.points):
        claim = claims.get(what)
        tested = claim is None or claim.criterion in ("significant", "equivalent")
        criterion = "" if claim is None else f" ({criterion_words(claim)})"
        kind = "Power" if tested else "Share of studies that met the criterion, which is no power,"
        lines.append(
            f"{kind} for {what}{criterion}:"
            f" {_curve([p for p in record.points if p.what == what], record.studies)}."
        )
    return lines


def _curve(points: Sequence[SimulatedPower], studies: int) -> str:
    return "; ".join(
        f"{point.participants} participants {share_words(point, studies)}" for point in points
    )


def share_words(point: SimulatedPower, studies: int) -> str:
    """A share with its interval, and in how many of the simulated studies the test was
    undefined.
    """
    undefined = undefined_words(point.undefined or 0, studies, point.reason)
    if point.share is None or point.low is None or point.high is None:
        return undefined or "undefined"
    share = f"{number(point.share)} [{number(point.low)}, {number(point.high)}]"
    return f"{share} ({undefined}, counted as not met)" if undefined else share


def undefined_words(undefined: int, studies: int, reason: str) -> str:
    """How often a test or an interval was undefined; empty if it never was."""
    if not undefined:
        return ""
    return (
        f"undefined in {undefined} of {studies} simulated"
        f" studies{f' – most often: {reason}' if reason else ''}"
    )
