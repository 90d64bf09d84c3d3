"""`believable power`: how many participants, by formula or by simulating the whole study."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from believable.cli.place import (
    FILE,
    PATH,
    bar,
    cluster_option,
    definition_of,
    extensions_option,
    setting,
    study_folder,
    utc_now,
    working_on,
)
from believable.core.errors import InvalidInput

if TYPE_CHECKING:
    from believable.analysis.findings import Table
    from believable.analysis.power_record import PowerRecord
    from believable.simulate.power_curve import Assumption, PowerPoint
    from believable.stats.power import PowerResult
    from believable.study.declaration import Hypothesis

FORMULAS = ("paired_t", "binomial", "mann_whitney", "correlation")
WIDTH = 30


@click.command()
@click.argument("study", type=PATH, required=False)
@click.option(
    "--test", type=click.Choice(FORMULAS), help="Answer by formula, for this test; needs no study."
)
@click.option(
    "--effect",
    type=float,
    help=(
        "For a formula: d of a paired t test, the share of a binomial test, P(a > b) of"
        " Mann-Whitney, r of a correlation."
    ),
)
@click.option(
    "--n", type=int, help="For a formula: the number of participants whose power is wanted."
)
@setting("--power", "wanted", type=float, default=0.8, help="The power that is wanted.")
@click.option("--alpha", type=float, help="Level of the test; default 0.05, for a study its own.")
@setting(
    "--side",
    type=click.Choice(("two-sided", "greater", "less")),
    default="two-sided",
    help="For a formula: the side that the test looks at.",
)
@setting(
    "--participants",
    default="20,40,60,80,100",
    metavar="N,N,…",
    help="For a simulated study: the numbers of participants to try.",
)
@setting("--studies", type=int, default=500, help="How many studies to simulate for each number.")
@click.option(
    "--truth",
    multiple=True,
    metavar="NAME=VALUE",
    help="A planted parameter that differs from the protocol's default.",
)
@setting("--seed", type=int, default=1, help="The same seed gives the same answer.")
@click.option("--workers", type=int, help="How many processes; default: one per core.")
@cluster_option
@click.option("--out", type=FILE, help="Write the curve to this CSV file, too.")
@extensions_option
def command(
    study: Path | None,
    test: str | None,
    effect: float | None,
    n: int | None,
    wanted: float,
    alpha: float | None,
    side: str,
    participants: str,
    studies: int,
    truth: tuple[str, ...],
    seed: int,
    workers: int | None,
    cluster: str | None,
    out: Path | None,
) -> None:
    """Find out how many participants a study needs.

    With --test by formula. With a study by simulating it as a whole, many times: its pages, its
    people with dropouts, its exclusions, its tests and criteria; the power of every hypothesis has
    an interval. The result is kept as power.json in the study folder, where the preregistration and
    the console's checklist quote it.

    \b
    Example:
      believable power --test paired_t --effect 0.5
      believable power my-study --participants 30,50,70 --truth skill=0.4
      believable power my-study --studies 5000 --cluster tcp://head:8786
    """
    if test is not None:
        click.echo(by_formula(test, effect, n, wanted, alpha or 0.05, side))
        return
    if study is None:
        raise InvalidInput(
            f"power: name a study to simulate it, or a test: --test {'|'.join(FORMULAS)} --effect"
            " NUMBER"
        )
    if alpha is not None:
        raise InvalidInput(
            "--alpha: a simulated study has its own, in the plan. Change `analysis: {alpha: …}` in"
            " study.yaml."
        )
    import numpy as np

    from believable.analysis.power_record import FILE as POWER_FILE
    from believable.analysis.power_record import write_power
    from believable.analysis.registered import plan_hash
    from believable.analysis.resolution import resolve
    from believable.core.whole_files import refuse_outside_links, write_whole
    from believable.protocols import PROTOCOLS
    from believable.simulate.planted_truth import parse_truth
    from believable.simulate.power_curve import assumptions, power_curve

    folder = study_folder(study)
    refuse_outside_links(folder, POWER_FILE)  # said before hours of work, not after
    definition, planted, sizes = definition_of(folder), parse_truth(truth), numbers(participants)
    with working_on(cluster, workers), bar("Simulating") as progress:
        points = power_curve(
            definition,
            sizes,
            studies=studies,
            seed=seed,
            protocols=PROTOCOLS,
            truth=planted,
            workers=workers,
            progress=progress,
        )
    declared = definition.study.analysis
    plan = None if declared is None else resolve(declared, definition.study, PROTOCOLS)
    criteria = {} if plan is None else {claim.id: claim for claim in plan.declared.hypotheses}
    assumed = assumptions(definition, PROTOCOLS, planted)
    click.echo(assumptions_text(assumed))
    click.echo(curves_text(points, wanted, criteria))
    if plan is not None:
        table = plan.analysis.planned(plan, definition.study, sizes, np.random.default_rng(seed))
        if table is not None:
            click.echo(table_text(table))
        record = power_record(points, assumed, plan_hash(plan), studies, seed)
        click.echo(f"Kept in {write_power(folder, record)}")
    if out is not None:
        write_whole(out, as_csv(points))
        click.echo(f"Wrote {out}")


def by_formula(
    test: str, effect: float | None, n: int | None, wanted: float, alpha: float, side: str
) -> str:
    """The answer of a formula, in words."""
    from believable.stats import power

    if effect is None:
        raise InvalidInput(f"--effect: {test} needs the effect to detect. Add --effect NUMBER.")
    formulas: dict[str, Callable[..., PowerResult]] = {
        "paired_t": power.paired_t,
        "binomial": power.binomial,
        "mann_whitney": power.mann_whitney,
        "correlation": power.correlation,
    }
    answer = formulas[test](
        effect, n=n, power=None if n is not None else wanted, alpha=alpha, alternative=side
    )
    exact = "" if answer.n_exact is None else f" (exactly {answer.n_exact:.2f})"
    size = "" if answer.size is None else f" The test's true level is {answer.size:.4f}."
    return (
        f"N = {answer.n} {answer.unit}{exact}: power {answer.power:.3f} for an effect of"
        f" {answer.effect:g} at alpha {answer.alpha:g}, {answer.alternative}."
        f" {answer.method}.{size}"
    )


def power_record(
    points: Sequence[PowerPoint], assumed: Sequence[Assumption], plan: str, studies: int, seed: int
) -> PowerRecord:
    """What is kept of a run, with the moment of it."""
    from believable.analysis.power_record import PowerRecord, SimulatedPower

    return PowerRecord(
        utc_now(),
        plan,
        studies,
        seed,
        tuple(f"{part.words} {part.value}" for part in assumed),
        tuple(
            SimulatedPower(
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
            for point in points
        ),
    )


def numbers(text: str) -> list[int]:
    """`30,50,70` → [30, 50, 70]."""
    try:
        return sorted({int(part) for part in text.split(",")})
    except ValueError:
        raise InvalidInput(
            f"--participants: expected whole numbers with commas between them, got {text!r}."
        ) from None


def assumptions_text(assumed: Sequence[Assumption]) -> str:
    """What the simulated studies take for granted, one line each."""
    width = max((len(part.value) for part in assumed), default=0)
    lines = [
        f"  {part.value:>{width}}  {part.words}{f' (--truth {part.name}=…)' if part.name else ''}"
        for part in assumed
    ]
    return "\n".join(["Assumed, and simulated:", *lines, ""])


def table_text(table: Table) -> str:
    """A table as lines of the terminal, with its note."""
    from believable.analysis.numbers import cell

    rows = [[column.title for column in table.columns]]
    rows += [
        [cell(column, value) for column, value in zip(table.columns, row, strict=True)]
        for row in table.rows
    ]
    widths = [max(len(row[place]) for row in rows) for place in range(len(table.columns))]
    lines = [
        "  ".join(text.rjust(width) for text, width in zip(row, widths, strict=True))
        for row in rows
    ]
    return "\n".join(["", table.title, *(f"  {line}" for line in lines), f"  {table.note}"])


def curves_text(
    points: Sequence[PowerPoint], wanted: float, criteria: Mapping[str, Hypothesis] | None = None
) -> str:
    """The curve of every hypothesis, as lines of the terminal. Only a test has power; another
    criterion is met, or is not.
    """
    from believable.analysis.power_record import undefined_words
    from believable.analysis.settled_plan import criterion_words

    lines: list[str] = []
    for what in dict.fromkeys(point.what for point in points):
        own = [point for point in points if point.what == what]
        claim = (criteria or {}).get(what)
        tested = claim is None or claim.criterion in ("significant", "equivalent")
        kind = (
            "power"
            if tested
            else (
                "how often the criterion is met; this is no power, and fewer people may meet it"
                " more often"
            )
        )
        lines += [
            "",
            f"{what}{f' ({criterion_words(claim)})' if claim is not None else ''}: {kind}",
        ]
        for point in own:
            undefined = undefined_words(point.undefined, point.studies, point.reason)
            if point.power.value is None or point.power.low is None or point.power.high is None:
                lines.append(f"  {point.participants:>5}  {undefined}")
                continue
            bar = "█" * round(WIDTH * point.power.value)
            lines.append(
                f"  {point.participants:>5}  {point.power.value:.3f}  [{point.power.low:.3f},"
                f" {point.power.high:.3f}]  {bar}"
            )
            if undefined:
                lines.append(f"         {undefined}; these count as not met")
            n_open = point.studies - point.judged - point.undefined
            if n_open:
                lines.append(
                    f"         left open by the interval in {n_open} of {point.studies} studies;"
                    " these count as not met"
                )
        if not tested:
            continue
        # Certain enough only where the whole interval lies above what is wanted.
        enough = next(
            (point.participants for point in own if (point.power.low or 0) >= wanted), None
        )
        lines.append(
            f"  power {wanted:g} is reached with {enough} participants (the interval lies above it)"
            if enough
            else (
                f"  power {wanted:g} is not shown to be reached with these;"
                f" {_advice(own, wanted, claim)}"
            )
        )
    studies = max((point.studies for point in points), default=0)
    return "\n".join(
        [f"Share of {studies} simulated studies per line; Wilson intervals at 95 %.", *lines]
    )


#: A curve that gains less than this from its first to its last number of participants does not
#: rise.
LEAST_RISE = 0.05


def _advice(points: Sequence[PowerPoint], wanted: float, claim: Hypothesis | None) -> str:
    """What would help if the wanted power was not reached."""
    last = points[-1]
    if last.undefined > last.studies * (1 - wanted):
        return (
            "the test is undefined too often: plan more participants, or ask them for more answers"
        )
    if any((point.power.high or 0) >= wanted for point in points):
        return "more studies narrow the intervals"
    if len(points) > 1 and (last.power.value or 0) - (points[0].power.value or 0) < LEAST_RISE:
        equivalent = claim is not None and claim.criterion == "equivalent"
        where = (
            "outside the margin, or too close to it"
            if equivalent
            else "too close to no effect, or on the other side"
        )
        return (
            "it does not rise with more participants, and more studies will not change that. The"
            f" assumed truth may lie {where}: compare it with the list above (--truth)"
        )
    return "try more participants: more studies will not change that"


def as_csv(points: Sequence[PowerPoint]) -> str:
    rows = ["participants,what,met,judged,undefined,power,power_low,power_high"]
    for point in points:
        cells = (point.power.value, point.power.low, point.power.high)
        numbers_ = ",".join("" if cell is None else repr(cell) for cell in cells)
        rows.append(
            f"{point.participants},{point.what},{point.met},{point.judged},{point.undefined},{numbers_}"
        )
    return "\n".join(rows) + "\n"
