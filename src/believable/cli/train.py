"""`believable train` and `believable evaluate`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from believable.app.train import NavigationMeasures, evaluate_navigation, train
from believable.cli.derive import derive
from believable.cli.imitation import evaluate_imitation
from believable.stats.estimate import Estimate


@derive(
    train,
    example="""
      believable train navigation --agent hybrid --steps 400000 --seeds 3
      believable train navigation --agent reward_shaping --rate 0.0003 \
--from trained/hybrid-1/hybrid.safetensors
    """,
)
def command(files: Sequence[Path]) -> None:
    for file in files:
        click.echo(str(file))


@click.group()
def evaluate() -> None:
    """Measure how close an agent is to people.

    \b
    Example:
      believable evaluate navigation --agent hybrid --runs 100
      believable evaluate imitation person.imitation --held-out last-week.replay.json.gz
    """


evaluate.add_command(evaluate_imitation)


@derive(
    evaluate_navigation,
    group=evaluate,
    name="navigation",
    example="believable evaluate navigation --agent symbolic --agent hybrid --agent reward_shaping"
    " --runs 100",
)
def show_measures(result: NavigationMeasures) -> None:
    for name, about in result.about.items():
        click.echo(f"{about} ({name})")
        for label, values in result.measures.items():
            click.echo(f"  {label:<28}{_estimate(values[name])}")


def _estimate(estimate: Estimate) -> str:
    if estimate.value is None:
        return f"undefined: {estimate.reason}"
    interval = (
        ""
        if estimate.low is None or estimate.high is None
        else f"  [{estimate.low:.3f}, {estimate.high:.3f}]"
    )
    return f"{estimate.value:8.3f}{interval}  n = {estimate.n}"
