"""`believable learn`, `believable continue` and `believable evaluate imitation`."""

from __future__ import annotations

from collections.abc import Mapping

import click

from believable.app import imitation
from believable.app.imitation import LearnedPlayer
from believable.cli.derive import derive
from believable.imitation.imitation_measures import ImitationMeasure


@derive(imitation.learn, example="believable learn duel.replay.json.gz --out person.imitation")
def learn(result: LearnedPlayer) -> None:
    click.echo(
        f"{result.out}: {result.nodes} nodes, {result.moves} moves, {result.goals} goals,"
        f" {result.primitives} movements of the hand, {result.n_bytes} bytes"
    )
    click.echo(f"{result.page}: what was learned, as a page")


@derive(
    imitation.continue_play,
    name="continue",
    example="believable continue person.imitation duel.replay.json.gz --seconds 60"
    " --out on.replay.json.gz",
)
def continue_recording(result: str) -> None:
    click.echo(result)


@derive(
    imitation.evaluate_imitation,
    name="imitation",
    example="believable evaluate imitation person.imitation --held-out last-week.replay.json.gz",
)
def evaluate_imitation(comparison: Mapping[str, ImitationMeasure]) -> None:
    width = max(map(len, comparison))
    for name, value in comparison.items():
        click.echo(f"{name:<{width}}  {_measure(value)}")


def _measure(value: ImitationMeasure) -> str:
    interval = f"  [{value.low:.3f}, {value.high:.3f}]" if value.low == value.low else ""
    return f"{value.value:8.3f}{interval}  n = {value.n}"
