"""`believable import`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import click

from believable.app import doom_demos, importing
from believable.app.importing import ImportedData
from believable.cli.derive import derive


@click.group()
def command() -> None:
    """Turn another tool's export into our formats.

    \b
    Example:
      believable import pagan export.csv --out annotations
    """


def _show(result: ImportedData) -> None:
    click.echo(f"{result.path}: {result.holds}")
    for note in result.notes:
        click.echo(f"  {note}")


IMPORTERS: Sequence[tuple[str, Callable[..., ImportedData], str]] = (
    (
        "pagan",
        importing.import_pagan,
        """
        believable import pagan export.csv --out annotations
        believable import pagan green.csv tone.csv film1.csv --visual green brightness.csv \
--auditory tone pitch.csv
        """,
    ),
    (
        "traces",
        importing.import_traces,
        "believable import traces traces_250ms.csv --auditory traces_250ms pitch.csv"
        " --out prepared",
    ),
    (
        "choices",
        importing.import_choices,
        """
        believable import choices judgements.csv --out judgements
        believable analyse judgements --protocol hntt
        """,
    ),
    (
        "judgements",
        importing.import_judgements,
        """
        believable import judgements turing.csv --out turing
        believable import judgements ratings.csv --scale 1 7 --out ratings
        believable analyse turing
        """,
    ),
    (
        "generative-agents",
        importing.import_generative_agents,
        "believable import generative-agents run --out day.replay.json.gz",
    ),
    (
        "concordia",
        importing.import_concordia,
        "believable import concordia run --out island.replay.json.gz",
    ),
    (
        "minari",
        importing.import_minari,
        "believable import minari lab/cartpole-v0 --out clips/agent --episodes 20",
    ),
    (
        "quake2",
        importing.import_quake2,
        "believable import quake2 duel.dm2 --out duel.replay.json.gz",
    ),
    (
        "doom-demo",
        doom_demos.import_doom_demo,
        """
        believable import doom-demo /usr/share/games/doom/freedm.wad --out people
        believable import doom-demo tracks.csv.gz --out people
        """,
    ),
)
for _name, _use_case, _example in IMPORTERS:
    derive(_use_case, group=command, name=_name, example=_example)(_show)
