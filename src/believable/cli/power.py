"""`believable power`: how many participants, by formula or by simulating the whole study."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from believable.cli.place import study_folder
from believable.core.errors import InvalidInput

if TYPE_CHECKING:
    from believable.simulate.power import PowerPoint
    from believable.stats.power import PowerResult

FORMULAS = ("paired_t", "binomial", "mann_whitney", "correlation")
WIDTH = 30


@click.command()
@click.argument("study", type=click.Path(path_type=Path), required=False)
@click.option("--test", type=click.Choice(FORMULAS), help="Answer by formula, for this test; needs no study.")
@click.option(
    "--effect", type=float,
    help="For a formula: d of a paired t test, the share of a binomial test, P(a > b) of Mann-Whitney, r of a correlation.",
)  # fmt: skip
@click.option("--n", type=int, help="For a formula: the number of participants whose power is wanted.")
@click.option(
    "--power", "wanted", type=float, default=0.8, show_default=True, help="The power that is wanted."
)
@click.option("--alpha", type=float, help="Level of the test; default 0.05, for a study its own.")
@click.option(
    "--side", type=click.Choice(("two-sided", "greater", "less")), default="two-sided", show_default=True,
    help="For a formula: the side that the test looks at.",
)  # fmt: skip
@click.option(
    "--participants", default="20,40,60,80,100", show_default=True, metavar="N,N,…",
    help="For a simulated study: the numbers of participants to try.",
)  # fmt: skip
@click.option(
    "--studies",
    type=int,
    default=500,
    show_default=True,
    help="How many studies to simulate for each number.",
)
@click.option(
    "--truth",
    multiple=True,
    metavar="NAME=VALUE",
    help="A planted parameter that differs from the protocol's default.",
)
@click.option("--seed", type=int, default=1, show_default=True, help="The same seed gives the same answer.")
@click.option("--workers", type=int, help="How many processes; default: one per core.")
@click.option(
    "--out", type=click.Path(dir_okay=False, path_type=Path), help="Write the curve to this CSV file, too."
)
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
    out: Path | None,
) -> None:
    """Find out how many participants a study needs.

    With --test by formula. With a study by simulating it as a whole, many times: its pages, its people with dropouts, its
    exclusions, its tests and criteria; the power of every hypothesis has an interval.

    \b
    Example:
      believable power --test paired_t --effect 0.5
      believable power my-study --participants 30,50,70 --truth skill=0.4
    """
    if test is not None:
        click.echo(by_formula(test, effect, n, wanted, alpha or 0.05, side))
        return
    if study is None:
        raise InvalidInput(
            f"power: name a study to simulate it, or a test: --test {'|'.join(FORMULAS)} --effect NUMBER"
        )
    by_simulation(study_folder(study), participants, studies, truth, seed, workers, wanted, alpha, out)


def by_formula(test: str, effect: float | None, n: int | None, wanted: float, alpha: float, side: str) -> str:
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
    found = formulas[test](effect, n=n, power=None if n is not None else wanted, alpha=alpha, alternative=side)
    exact = "" if found.n_exact is None else f" (exactly {found.n_exact:.2f})"
    size = "" if found.size is None else f" The test's true level is {found.size:.4f}."
    return (
        f"N = {found.n} {found.unit}{exact}: power {found.power:.3f} for an effect of {found.effect:g} at alpha {found.alpha:g},"
        f" {found.alternative}. {found.method}.{size}"
    )


def by_simulation(
    folder: Path,
    participants: str,
    studies: int,
    truth: Sequence[str],
    seed: int,
    workers: int | None,
    wanted: float,
    alpha: float | None,
    out: Path | None,
) -> None:
    from believable.instruments import INSTRUMENTS
    from believable.simulate.power import parsed_truth, power_curve
    from believable.study.load import load

    definition = load(folder, instruments=INSTRUMENTS)
    if alpha is not None:
        raise InvalidInput(
            "--alpha: a simulated study has its own, in the plan. Change `analysis: {alpha: …}` in study.yaml."
        )
    sizes = numbers(participants)
    with click.progressbar(length=1, label="Simulating", file=sys.stderr) as bar:

        def progress(done: int, total: int) -> None:
            bar.length = total
            bar.update(done - bar.pos)

        points = power_curve(
            definition,
            sizes,
            studies=studies,
            seed=seed,
            truth=parsed_truth(truth),
            workers=workers,
            progress=progress,
        )
    click.echo(told(points, wanted))
    if out is not None:
        out.write_text(as_csv(points), encoding="utf-8")
        click.echo(f"Wrote {out}")


def numbers(text: str) -> list[int]:
    """`30,50,70` → [30, 50, 70]."""
    try:
        return sorted({int(part) for part in text.split(",")})
    except ValueError:
        raise InvalidInput(
            f"--participants: expected whole numbers with commas between them, got {text!r}."
        ) from None


def told(points: Sequence[PowerPoint], wanted: float) -> str:
    """The curve of every hypothesis, as lines of the terminal."""
    lines: list[str] = []
    for what in dict.fromkeys(point.what for point in points):
        own = [point for point in points if point.what == what]
        lines += ["", what]
        for point in own:
            if point.power.value is None or point.power.low is None or point.power.high is None:
                lines.append(f"  {point.participants:>5}  undefined: {point.power.reason}")
                continue
            bar = "█" * round(WIDTH * point.power.value)
            lines.append(
                f"  {point.participants:>5}  {point.power.value:.3f}  [{point.power.low:.3f}, {point.power.high:.3f}]  {bar}"
            )
        enough = next((one.participants for one in own if (one.power.value or 0) >= wanted), None)
        lines.append(
            f"  power {wanted:g} is reached with {enough} participants"
            if enough
            else f"  power {wanted:g} is not reached with these"
        )
    judged = max((point.judged for point in points), default=0)
    return "\n".join([f"Share of {judged} simulated studies per line; Wilson intervals at 95 %.", *lines])


def as_csv(points: Sequence[PowerPoint]) -> str:
    rows = ["participants,what,met,judged,power,power_low,power_high"]
    for point in points:
        cells = (point.power.value, point.power.low, point.power.high)
        numbers_ = ",".join("" if cell is None else repr(cell) for cell in cells)
        rows.append(f"{point.participants},{point.what},{point.met},{point.judged},{numbers_}")
    return "\n".join(rows) + "\n"
