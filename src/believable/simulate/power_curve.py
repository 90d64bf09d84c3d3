"""Power by simulating the whole study: the planted truth, the plan's exclusions, its tests and its
criteria, many times over.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any

import numpy as np

from believable.analysis.findings import Finding
from believable.analysis.resolution import resolve
from believable.analysis.run import prepare_data
from believable.analysis.settled_plan import Plan
from believable.analysis.verdicts import is_supported, judge_findings, undefined_because
from believable.core.errors import InvalidInput
from believable.core.seeds import derive
from believable.core.work import Progress, bounds, map_chunks
from believable.simulate import straight
from believable.simulate.behaviour import SimulatedProtocol
from believable.simulate.conduct import CONDUCT
from believable.simulate.own_people import simulated_protocol
from believable.simulate.planted_truth import plant_truth
from believable.stats.counts import proportion
from believable.stats.estimate import Estimate
from believable.study.definition import Definition

#: Studies that one worker simulates at a time.
CHUNK = 5
#: Options that only make resampling finer; one study of many does with less.
_COARSE = {"resamples": 500, "subsamples": 1, "criterion_studies": 0}


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerPoint:
    """How often one criterion was met, or one test was significant, with this number of
    participants: the share of all `studies`.

    judged      studies in which the criterion was met or missed; in the others it was undefined, or
                the interval left it open
    undefined   studies without a test or an interval
    reason      the most frequent reason of these
    """

    participants: int
    what: str
    met: int
    judged: int
    undefined: int
    reason: str
    power: Estimate
    studies: int


@dataclass(frozen=True, slots=True)
class SimulatedVerdict:
    """The result of one simulated study for a criterion. `met` is None if there is none: because
    the interval leaves the criterion open, or, with a reason in `undefined`, because there is no
    test or no interval.
    """

    met: bool | None
    undefined: str = ""


_NO_TEST = SimulatedVerdict(None, "there was no test")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Job:
    definition: str
    protocol: SimulatedProtocol
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
    """The share of simulated studies in which each hypothesis' criterion is met (each tested
    outcome significant, without a hypothesis), for each number of participants. The same seed gives
    the same curve on any number of workers.

    truth   planted parameters that differ from the protocol's defaults, by name
    """
    _must_fit(participants, studies)
    protocol = simulated_protocol(definition)
    plant_truth(definition, protocol, truth or {})
    text = definition.to_json()
    settled = tuple(sorted((truth or {}).items()))
    jobs = [
        _Job(
            definition=text,
            protocol=protocol,
            participants=n,
            studies=tuple(range(start, stop)),
            seed=seed,
            truth=settled,
        )
        for n in participants
        for start, stop in bounds(studies, CHUNK)
    ]
    chunks = map_chunks(_simulate, jobs, workers=workers, progress=progress, pool="processes")
    points = []
    for n in participants:
        verdicts = [
            verdict
            for job, part in zip(jobs, chunks, strict=True)
            if job.participants == n
            for verdict in part
        ]
        names = dict.fromkeys(name for verdict in verdicts for name in verdict)
        points += [_point(n, what, verdicts, level) for what in names]
    return tuple(points)


@dataclass(frozen=True, slots=True)
class Assumption:
    """One assumption of the simulated studies. `name` is its name in `--truth`; empty if it is not
    set there.
    """

    words: str
    value: str
    name: str = ""


def assumptions(
    definition: Definition, truth: Mapping[str, Any] | None = None
) -> tuple[Assumption, ...]:
    """The planted values and how people behave, with the resulting values of the main outcomes."""
    protocol = simulated_protocol(definition)
    planted = plant_truth(definition, protocol, truth or {})
    about = _explain(type(planted))
    parts = [
        Assumption(
            about.get(field.name, field.name.replace("_", " ")),
            _plain(getattr(planted, field.name)),
            field.name,
        )
        for field in fields(planted)
    ]
    conduct = CONDUCT
    for words, share in (
        ("share who leave early", conduct.drop_out),
        ("share who answer at random", conduct.careless),
        ("share who hurry", conduct.hasty),
    ):
        parts.append(Assumption(words, f"{share:g}"))
    drawn = straight.sessions(definition, 4, np.random.default_rng(1), truth=planted)
    for name, value in protocol.people.values(planted, drawn).items():
        parts.append(
            Assumption(
                f"then the true value of {name.replace('_', ' ').replace('.', ' of ')} is",
                f"{value:.3g}",
            )
        )
    return tuple(parts)


def _explain(truth: type[Any]) -> dict[str, str]:
    """The description of each parameter in the docstring of a truth: `name   words`, continued in
    deeper lines.
    """
    about: dict[str, str] = {}
    name = ""
    for line in (truth.__doc__ or "").splitlines():
        match = re.match(r"^    (\w+(?:, \w+)*)\s{2,}(\S.*)$", line)
        if match:
            for name in match.group(1).split(", "):
                about[name] = match.group(2)
        elif name and re.match(r"^\s{8,}\S", line):
            about[name] += f" {line.strip()}"
        else:
            name = ""
    return about


def _plain(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, tuple | list):
        return ", ".join(_plain(part) for part in value)
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_plain(part)}" for key, part in value.items())
    return str(value)


def _point(
    n: int, what: str, verdicts: Sequence[Mapping[str, SimulatedVerdict]], level: float
) -> PowerPoint:
    """An undefined test meets no criterion, so it counts as not met. If every test is undefined, so
    is the power.
    """
    own = [verdict.get(what, _NO_TEST) for verdict in verdicts]
    reasons = Counter(verdict.undefined for verdict in own if verdict.undefined)
    met = sum(verdict.met is True for verdict in own)
    return PowerPoint(
        participants=n,
        what=what,
        met=met,
        judged=sum(verdict.met is not None for verdict in own),
        undefined=reasons.total(),
        reason=reasons.most_common(1)[0][0] if reasons else "",
        power=proportion(met, len(own) if reasons.total() < len(own) else 0, level=level),
        studies=len(own),
    )


def _must_fit(participants: Sequence[int], studies: int) -> None:
    if not participants or min(participants) < 2:
        raise InvalidInput(
            f"participants: expected numbers of at least 2, got {list(participants)}."
        )
    if studies < 10:
        raise InvalidInput(
            f"studies: expected at least 10, got {studies}. With 500 a power of .8 is known to"
            " about ±.035."
        )


def _simulate(job: _Job) -> list[dict[str, SimulatedVerdict]]:
    definition, plan = _ready(job.definition, job.protocol)
    truth = plant_truth(definition, job.protocol, dict(job.truth))
    verdicts = []
    for number in job.studies:
        rng = np.random.default_rng(derive(job.seed, job.participants, number))
        bundle = straight.bundle(definition, job.participants, rng, truth=truth)
        verdicts.append(_verdict(definition, plan, bundle, rng))
    return verdicts


@lru_cache(maxsize=2)
def _ready(text: str, protocol: SimulatedProtocol) -> tuple[Definition, Plan]:
    """Read once per process."""
    definition = Definition.from_json(text)
    declared = definition.study.analysis
    if declared is None:
        raise InvalidInput(
            "study: there is no `analysis`, so that there is nothing to test. Add one."
        )
    plan = resolve(declared, definition.study)
    known = {option.name for option in plan.declaration.options}
    coarse = {name: value for name, value in _COARSE.items() if name in known}
    options = {
        **declared.options,
        **{name: min(value, plan.option(name)) for name, value in coarse.items()},
    }
    return definition, resolve(declared.model_copy(update={"options": options}), definition.study)


def _verdict(
    definition: Definition, plan: Plan, bundle: Any, rng: np.random.Generator
) -> dict[str, SimulatedVerdict]:
    data = prepare_data(bundle, plan, definition.study)
    if not len(data):
        nobody = SimulatedVerdict(None, "no session was left after exclusions")
        return {hypothesis.id: nobody for hypothesis in plan.declared.hypotheses}
    sections = judge_findings(plan.analysis.analyse(data, plan, rng), plan, None, ()).sections
    findings = [finding for section in sections for finding in section.findings]
    if plan.declared.hypotheses:
        return _of_hypotheses(findings, plan)
    return {
        f"{finding.outcome} {finding.about}".strip(): (
            SimulatedVerdict(finding.test.significant(plan.alpha))
            if finding.test.is_defined
            else SimulatedVerdict(None, finding.test.reason or _NO_TEST.undefined)
        )
        for finding in findings
        if finding.test is not None and finding.kind == "estimate"
    }


def _of_hypotheses(findings: Sequence[Finding], plan: Plan) -> dict[str, SimulatedVerdict]:
    verdicts: dict[str, SimulatedVerdict] = {}
    for hypothesis in plan.declared.hypotheses:
        own = [
            finding
            for finding in findings
            if finding.outcome == hypothesis.outcome
            and hypothesis.about in (None, finding.about)
            and (hypothesis.criterion == "equivalent") == (finding.kind == "equivalence")
        ]
        answers = [is_supported(hypothesis, finding, plan) for finding in own]
        if own and None not in answers:
            verdicts[hypothesis.id] = SimulatedVerdict(all(answers))
            continue
        unanswered = [
            finding for finding, answer in zip(own, answers, strict=True) if answer is None
        ]
        reasons = [
            reason for finding in unanswered if (reason := undefined_because(hypothesis, finding))
        ]
        verdicts[hypothesis.id] = (
            _NO_TEST if not own else SimulatedVerdict(None, reasons[0] if reasons else "")
        )
    return verdicts
