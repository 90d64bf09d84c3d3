"""`believable judge`."""

from __future__ import annotations

import click

from believable.app import judge
from believable.cli.derive import derive
from believable.judges.motion_judge import JudgeCard


@click.group(name="judge")
def command() -> None:
    """Train an automatic judge, score recordings, explain scores.

    \b
    Example:
      believable judge train person=clips/people agent=clips/agent
    """


def _number(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.2f}"


def _echo_card(card: JudgeCard) -> None:
    click.echo(
        f"{card.movers} movers, {card.agents} of them agents, in {card.matches} matches; worlds:"
        f" {', '.join(card.worlds)}"
    )
    click.echo(
        f"identity within matches: AUC {_number(card.within_match)} ({card.pairs} pairs); shuffled"
        f" labels: mean {_number(card.null_mean)}, 95 % below {_number(card.null_95)}, largest"
        f" {_number(card.null_largest)} of {card.shuffles}"
    )
    agreement = card.agreement
    if agreement is None:
        click.echo("agreement with people: unknown, so no score is printed")
    else:
        click.echo(
            f"agreement with people: per clip {_number(agreement.per_clip)} ({agreement.clips}"
            f" clips), per agent {_number(agreement.per_agent)} ({agreement.agents} agents);"
            f" people's ceiling {_number(agreement.ceiling)}"
        )
    click.echo(f"calibration slope {card.calibration:.2f} (1: calibrated)")
    if card.too_short:
        click.echo(f"left out, too short: {', '.join(card.too_short)}")
    for use in card.not_allowed:
        click.echo(f"not allowed: {use}")


@derive(
    judge.train,
    group=command,
    name="train",
    example="""believable judge train person=clips/people agent=clips/agent --out judge.json
believable judge train trajectories.csv.gz --out judge.json""",
)
def train_command(result: judge.TrainedJudge) -> None:
    _echo_card(result.card)
    click.echo(f"Wrote {result.file}")


@derive(
    judge.score,
    group=command,
    name="score",
    example="believable judge score judge.json clips/agent/round-001.replay.json.gz",
)
def score_command(result: judge.JudgeScores) -> None:
    for one in result.scores:
        mark = "  unlike the training data" if one.is_unlike else ""
        click.echo(
            f"{one.recording}: log odds of an agent {one.log_odds:+.2f}, distance"
            f" {one.distance:.2f}{mark}"
        )
    _echo_card(result.card)


@derive(
    judge.explain,
    group=command,
    name="explain",
    example="believable judge explain judge.json clips/agent/round-001.replay.json.gz",
)
def explain_command(result: tuple[judge.ExplainedWindow, ...]) -> None:
    for window in result:
        shares = ", ".join(f"{name} {share:+.2f}" for name, share in window.features)
        click.echo(f"{window.start_s:6.1f} s: {shares}")
