"""How many participants a study needs, by formula or by simulating the whole study."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np

from believable.analysis.findings import Table
from believable.analysis.power_record import FILE, PowerRecord, SimulatedPower, write_power
from believable.analysis.registered import plan_hash
from believable.analysis.resolution import resolve
from believable.app.options import AnyPath, argument, option, options, setting, use_case
from believable.app.study_data import ClusterOptions, ExtensionOptions, load_study, utc_now
from believable.contracts.protocol import subjects_of
from believable.core.errors import InvalidInput, WrongUsage
from believable.core.registry import did_you_mean
from believable.core.whole_files import refuse_outside_links, write_whole
from believable.simulate.own_people import simulated_protocol
from believable.simulate.planted_truth import parse_truth, plant_truth
from believable.simulate.power_curve import Assumption, PowerPoint, assumptions, power_curve
from believable.simulate.stopping_chances import stopping_chances
from believable.stats import power as formulas
from believable.stats.power import PowerResult
from believable.study.declaration import Hypothesis
from believable.study.definition import Definition

#: Sequential studies that are simulated at most: each is weighed after every judge.
MOST_STOPPING = 200
PowerTest: TypeAlias = Literal["paired_t", "binomial", "mann_whitney", "correlation"]
FORMULAS: Mapping[str, Callable[..., PowerResult]] = {
    "paired_t": formulas.paired_t,
    "binomial": formulas.binomial,
    "mann_whitney": formulas.mann_whitney,
    "correlation": formulas.correlation,
}


@options
class PowerOptions(ClusterOptions, ExtensionOptions):
    study: AnyPath | None = argument("The study to simulate.", default=None, kw_only=False)
    test: PowerTest | None = option(
        "Answer by formula, for this test; needs no study.", default=None
    )
    effect: float | None = option(
        "For a formula: d of a paired t test, the share of a binomial test, P(a > b) of"
        " Mann-Whitney, r of a correlation.",
        default=None,
    )
    n: int | None = option(
        "For a formula: the number of participants whose power is wanted.", default=None
    )
    power: float = setting("The power that is wanted.", default=0.8)
    alpha: float | None = option(
        "Level of the test; default 0.05, for a study its own.", default=None
    )
    side: Literal["two-sided", "greater", "less"] = setting(
        "For a formula: the side that the test looks at.", default="two-sided"
    )
    participants: str | Sequence[int] = setting(
        "For a simulated study: the numbers of participants to try.",
        default="20,40,60,80,100",
        metavar="N,N,…",
    )
    studies: int = setting("How many studies to simulate for each number.", default=500)
    truth: Sequence[str] = option(
        "A planted parameter that differs from the protocol's default.",
        default=(),
        metavar="NAME=VALUE",
    )
    claim: Sequence[str] = option(
        "For a simulated study: one more claim, such as lead:v2-v1>=.10 (the outcome, what it is"
        " about, >= or <=, a value): how many participants show it? Repeatable.",
        default=(),
        metavar="OUTCOME:ABOUT>=VALUE",
    )
    seed: int = setting("The same seed gives the same answer.", default=1)
    workers: int | None = option("How many processes; default: one per core.", default=None)
    out: AnyPath | None = option(
        "Write the curve to this CSV file, too.", default=None, path="file"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyPower:
    """How often simulated studies of several sizes met each criterion.

    kept     the file in the study folder, if the study declares a plan
    written  the CSV file, if one was wanted
    stopping  for the rule `sequential`: the answers, and the judges they take
    """

    wanted: float
    points: Sequence[PowerPoint]
    assumed: Sequence[Assumption]
    criteria: Mapping[str, Hypothesis]
    planned: Table | None
    stopping: Table | None
    kept: Path | None
    written: Path | None

    def as_json(self) -> object:
        return {"assumed": self.assumed, "points": self.points, "kept": self.kept}


@use_case(PowerOptions)
def power(options: PowerOptions) -> PowerResult | StudyPower:
    """Find out how many participants a study needs.

    With --test by formula. With a study by simulating it as a whole, many times: its pages, its
    people with dropouts, its exclusions, its tests and criteria; the power of every hypothesis has
    an interval. The result is kept as power.json in the study folder, where the preregistration and
    the console's checklist quote it.
    """
    if options.test is not None:
        return _by_formula(options, options.test)
    if options.study is None:
        raise WrongUsage(
            f"power: name a study to simulate it, or a test: --test {'|'.join(FORMULAS)} --effect"
            " NUMBER"
        )
    if options.alpha is not None:
        raise WrongUsage(
            "--alpha: a simulated study has its own, in the plan. Change `analysis: {alpha: …}` in"
            " study.yaml."
        )
    return _by_simulation(options, options.folder_of(options.study))


def _by_formula(options: PowerOptions, test: PowerTest) -> PowerResult:
    if options.effect is None:
        raise WrongUsage(f"--effect: {test} needs the effect to detect. Add --effect NUMBER.")
    return FORMULAS[test](
        options.effect,
        n=options.n,
        power=None if options.n is not None else options.power,
        alpha=options.alpha or 0.05,
        alternative=options.side,
    )


def _by_simulation(options: PowerOptions, folder: Path) -> StudyPower:
    refuse_outside_links(folder, FILE)  # before hours of work, not after
    definition = with_claims(load_study(folder), options.claim)
    planted = parse_truth(options.truth)
    sizes = _sizes(options.participants)
    with options.working(options.workers), options.counting("Simulating") as progress:
        points = power_curve(
            definition,
            sizes,
            studies=options.studies,
            seed=options.seed,
            truth=planted,
            workers=options.workers,
            progress=progress,
        )
    declared = definition.study.analysis
    assumed = assumptions(definition, planted)
    criteria, planned, kept, stopping = {}, None, None, None
    if declared is not None:
        plan = resolve(declared, definition.study)
        criteria = {claim.id: claim for claim in plan.declared.hypotheses}
        rng = np.random.default_rng(options.seed)
        planned = plan.analysis.planned(plan, definition.study, sizes, rng)
        stopping = stopping_chances(
            definition,
            plan,
            plant_truth(definition, simulated_protocol(definition), planted),
            studies=min(options.studies, MOST_STOPPING),
            seed=options.seed,
        )
        record = PowerRecord(
            simulated_on=utc_now(),
            plan=plan_hash(plan),
            studies=options.studies,
            seed=options.seed,
            assumed=tuple(f"{part.words} {part.value}" for part in assumed),
            points=tuple(map(_kept_point, points)),
        )
        # A claim that the plan does not make is no part of the preregistration.
        kept = None if options.claim else write_power(folder, record)
    if options.out is not None:
        write_whole(Path(options.out), as_csv(points))
    return StudyPower(
        wanted=options.power,
        points=points,
        assumed=assumed,
        criteria=criteria,
        planned=planned,
        stopping=stopping,
        kept=kept,
        written=None if options.out is None else Path(options.out),
    )


_CLAIM = re.compile(r"(\w+):([\w-]+)(>=|<=)(-?(?:\d+\.?\d*|\.\d+))")


def with_claims(definition: Definition, written: Sequence[str]) -> Definition:
    """The study with hypotheses from `--claim`."""
    if not written:
        return definition
    plan = definition.study.analysis
    if plan is None:
        raise InvalidInput("--claim: the study declares no analysis. Add one to study.yaml.")
    outcomes = {
        outcome.name: outcome for outcome in resolve(plan, definition.study).declaration.outcomes
    }
    claims = []
    for number, text in enumerate(written, start=1):
        match = _CLAIM.fullmatch(text.replace(" ", ""))
        if match is None:
            raise InvalidInput(
                f"--claim {text!r}: expected OUTCOME:ABOUT>=VALUE, such as lead:v2-v1>=.10."
            )
        name, about, sign, value = match.groups()
        if name not in outcomes:
            raise InvalidInput(f"--claim: unknown outcome {name!r}. {did_you_mean(name, outcomes)}")
        subjects = subjects_of(outcomes[name], definition.study.conditions)
        if about not in subjects:
            raise InvalidInput(
                f"--claim: {name} is not about {about!r}. {did_you_mean(about, subjects)}"
            )
        criterion = "at_least" if sign == ">=" else "at_most"
        claims.append(
            {
                "id": f"claim{number}",
                "text": text,
                "outcome": name,
                "about": about,
                "criterion": criterion,
                "value": float(value),
            }
        )
    tree = json.loads(json.dumps(definition.tree))
    tree["analysis"]["hypotheses"] = [*tree["analysis"].get("hypotheses", ()), *claims]
    return Definition.from_json(replace(definition, tree=tree).to_json())


def _kept_point(point: PowerPoint) -> SimulatedPower:
    return SimulatedPower(
        participants=point.participants,
        what=point.what,
        met=point.met,
        judged=point.judged,
        share=point.power.value,
        low=point.power.low,
        high=point.power.high,
        undefined=point.undefined,
        reason=point.reason,
    )


def _sizes(participants: str | Sequence[int]) -> list[int]:
    """`30,50,70` → [30, 50, 70]."""
    listed = participants.split(",") if isinstance(participants, str) else participants
    try:
        return sorted({int(part) for part in listed})
    except ValueError:
        raise InvalidInput(
            "--participants: expected whole numbers with commas between them, got"
            f" {participants!r}."
        ) from None


def as_csv(points: Sequence[PowerPoint]) -> str:
    rows = ["participants,what,met,judged,power,power_low,power_high,undefined"]
    for point in points:
        cells = (point.power.value, point.power.low, point.power.high)
        numbers = ",".join("" if cell is None else repr(cell) for cell in cells)
        rows.append(
            f"{point.participants},{point.what},{point.met},{point.judged},{numbers},"
            f"{point.undefined}"
        )
    return "\n".join(rows) + "\n"
