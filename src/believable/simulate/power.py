"""Power by simulating the whole study: the planted truth, the plan's exclusions, its tests and its criteria, many times over."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Any

import numpy as np

from believable.analysis.judged import judged, supported
from believable.analysis.plan import Plan, resolve
from believable.analysis.protocols import PROTOCOL_ANALYSES
from believable.analysis.records import Finding
from believable.analysis.run import prepared
from believable.core.errors import InvalidInput
from believable.core.registry import did_you_mean
from believable.core.seeds import derive
from believable.instruments import INSTRUMENTS
from believable.simulate import straight
from believable.stats.counts import proportion
from believable.stats.estimate import Estimate
from believable.stats.parallel import Progress, bounds, map_chunks
from believable.study.definition import Definition

#: Studies that one worker simulates at a time.
CHUNK = 5
#: Options that only make resampling finer; one study of many does with less.
_COARSE = {"resamples": 500, "subsamples": 1}


@dataclass(frozen=True, slots=True)
class PowerPoint:
    """How often one criterion was met, or one test was significant, with so many participants. `judged` studies could tell."""

    participants: int
    what: str
    met: int
    judged: int
    power: Estimate


@dataclass(frozen=True, slots=True)
class _Job:
    definition: str
    participants: int
    studies: tuple[int, ...]
    seed: int
    truth: tuple[tuple[str, Any], ...]


def power_curve(
    definition: Definition,
    participants: Sequence[int],
    *,
    studies: int,
    seed: int,
    truth: Mapping[str, Any] | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
    level: float = 0.95,
) -> tuple[PowerPoint, ...]:
    """The share of simulated studies in which each hypothesis' criterion is met (each tested outcome significant, where there
    is no hypothesis), for each number of participants. The same seed gives the same curve on any number of workers.

    truth   planted parameters that differ from the protocol's defaults, by name
    """
    _must_fit(participants, studies)
    planted_truth(definition, truth or {})
    text = definition.to_json()
    settled = tuple(sorted((truth or {}).items()))
    jobs = [
        _Job(text, n, tuple(range(start, stop)), seed, settled)
        for n in participants
        for start, stop in bounds(studies, CHUNK)
    ]
    found = map_chunks(_simulated, jobs, workers=workers, progress=progress, pool="processes")
    points = []
    for n in participants:
        verdicts = [
            one for job, part in zip(jobs, found, strict=True) if job.participants == n for one in part
        ]
        points += [_point(n, what, verdicts, level) for what in _names(verdicts)]
    return tuple(points)


def planted_truth(definition: Definition, changes: Mapping[str, Any]) -> Any:
    """The truth of the study's protocol with some parameters changed."""
    behaviour = straight.behaviour_of(definition)
    truth = behaviour.truth_for(definition.study)
    known = {one.name for one in fields(truth)}
    for name in changes:
        if name not in known:
            raise InvalidInput(
                f"truth of {behaviour.name}: unknown parameter {name!r}. {did_you_mean(name, known)}"
            )
    return replace(truth, **changes)


def _point(n: int, what: str, verdicts: Sequence[Mapping[str, bool | None]], level: float) -> PowerPoint:
    told = [one[what] for one in verdicts if one.get(what) is not None]
    met = sum(bool(one) for one in told)
    return PowerPoint(n, what, met, len(told), proportion(met, len(told), level=level))


def _names(verdicts: Iterable[Mapping[str, bool | None]]) -> list[str]:
    return list(dict.fromkeys(name for one in verdicts for name in one))


def _must_fit(participants: Sequence[int], studies: int) -> None:
    if not participants or min(participants) < 2:
        raise InvalidInput(f"participants: expected numbers of at least 2, got {list(participants)}.")
    if studies < 10:
        raise InvalidInput(
            f"studies: expected at least 10, got {studies}. With 500 a power of .8 is known to about ±.035."
        )


def _simulated(job: _Job) -> list[dict[str, bool | None]]:
    definition, plan = _ready(job.definition)
    truth = planted_truth(definition, dict(job.truth))
    verdicts = []
    for number in job.studies:
        rng = np.random.default_rng(derive(job.seed, job.participants, number))
        bundle = straight.bundle(definition, job.participants, rng, truth=truth)
        verdicts.append(_verdict(definition, plan, bundle, rng))
    return verdicts


@lru_cache(maxsize=2)
def _ready(text: str) -> tuple[Definition, Plan]:
    """Read once per process."""
    definition = Definition.from_json(text, INSTRUMENTS)
    declared = definition.study.analysis
    if declared is None:
        raise InvalidInput("study: there is no `analysis`, so that there is nothing to test. Add one.")
    plan = resolve(declared, definition.study)
    known = {one.name for one in plan.declaration.options}
    coarse = {name: value for name, value in _COARSE.items() if name in known}
    options = {**declared.options, **{name: min(value, plan.option(name)) for name, value in coarse.items()}}
    return definition, resolve(declared.model_copy(update={"options": options}), definition.study)


def _verdict(
    definition: Definition, plan: Plan, bundle: Any, rng: np.random.Generator
) -> dict[str, bool | None]:
    data = prepared(bundle, plan, definition.study)
    if not len(data):
        return {one.id: None for one in plan.declared.hypotheses}
    sections = judged(PROTOCOL_ANALYSES[plan.protocol].analyse(data, plan, rng), plan, None, ())
    findings = [finding for section in sections for finding in section.findings]
    if plan.declared.hypotheses:
        return _of_hypotheses(findings, plan)
    return {
        f"{one.outcome} {one.about}".strip(): one.test.significant(plan.alpha)
        for one in findings
        if one.test is not None and one.kind == "estimate"
    }


def _of_hypotheses(findings: Sequence[Finding], plan: Plan) -> dict[str, bool | None]:
    verdicts: dict[str, bool | None] = {}
    for hypothesis in plan.declared.hypotheses:
        told = [
            supported(hypothesis, one, plan.alpha)
            for one in findings
            if one.outcome == hypothesis.outcome
            and hypothesis.about in (None, one.about)
            and (hypothesis.criterion == "equivalent") == (one.kind == "equivalence")
        ]
        verdicts[hypothesis.id] = None if not told or None in told else all(told)
    return verdicts


def parsed_truth(settings: Sequence[str]) -> dict[str, Any]:
    """`skill=0.4` → {"skill": 0.4}."""
    found: dict[str, Any] = {}
    for setting in settings:
        name, sign, value = setting.partition("=")
        if not sign:
            raise InvalidInput(f"--truth {setting!r}: expected name=value, such as skill=0.4.")
        try:
            found[name.strip()] = json.loads(value)
        except ValueError:
            raise InvalidInput(f"--truth {setting!r}: expected a number after =, got {value!r}.") from None
    return found
