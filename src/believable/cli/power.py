"""`believable power`: the answer as lines of the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import click

from believable.analysis.findings import Table
from believable.analysis.numbers import cell
from believable.analysis.power_record import undefined_words
from believable.analysis.settled_plan import criterion_words
from believable.app.power import StudyPower, power
from believable.cli.derive import derive
from believable.simulate.power_curve import Assumption, PowerPoint
from believable.stats.power import PowerResult
from believable.study.declaration import Hypothesis

WIDTH = 30


@derive(
    power,
    example="""
      believable power --test paired_t --effect 0.5
      believable power my-study --participants 30,50,70 --truth skill=0.4
      believable power versus-v1-v2 --claim "lead:v2-v1>=.10" --truth span=1
      believable power my-study --studies 5000 --cluster tcp://head:8786
    """,
)
def command(result: PowerResult | StudyPower) -> None:
    if isinstance(result, PowerResult):
        click.echo(formula_text(result))
        return
    click.echo(assumptions_text(result.assumed))
    click.echo(curves_text(result.points, result.wanted, result.criteria))
    if result.planned is not None:
        click.echo(table_text(result.planned))
    if result.kept is not None:
        click.echo(f"Kept in {result.kept}")
    if result.written is not None:
        click.echo(f"Wrote {result.written}")


def formula_text(answer: PowerResult) -> str:
    exact = "" if answer.n_exact is None else f" (exactly {answer.n_exact:.2f})"
    size = "" if answer.size is None else f" The test's true level is {answer.size:.4f}."
    return (
        f"N = {answer.n} {answer.unit}{exact}: power {answer.power:.3f} for an effect of"
        f" {answer.effect:g} at alpha {answer.alpha:g}, {answer.alternative}."
        f" {answer.method}.{size}"
    )


def assumptions_text(assumed: Sequence[Assumption]) -> str:
    """The assumptions of the simulated studies, one line each."""
    width = max((len(part.value) for part in assumed), default=0)
    lines = [
        f"  {part.value:>{width}}  {part.words}{f' (--truth {part.name}=…)' if part.name else ''}"
        for part in assumed
    ]
    return "\n".join(["Assumed, and simulated:", *lines, ""])


def table_text(table: Table) -> str:
    """A table as lines of the terminal, with its note."""
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
        # Certain enough only if the whole interval lies above the required power.
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
