"""`believable new`: a study folder from a ready-made protocol."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from believable.study.records import Study


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--protocol",
    default="demo",
    show_default=True,
    help="Which ready-made study to start from: demo, trace, replay, clips, hntt or qa.",
)
@click.option("--seed", type=int, default=7, show_default=True, help="Seed of the generated stimuli.")
def command(folder: Path, protocol: str, seed: int) -> None:
    """Start a study folder from a ready-made protocol.

    Writes study.yaml and its pages into FOLDER and generates the demonstration stimuli that the protocol shows. Replace
    them by your own recordings, and the texts by your own words.

    \b
    Example:
      believable new my-study --protocol hntt
    """
    create(protocol, folder, seed)
    click.echo(f"Wrote {folder}. Next: believable check {folder}")


def create(protocol: str, folder: Path, seed: int) -> None:
    """The folder with everything in it, a progress bar for what takes long."""
    from believable.instruments import INSTRUMENTS
    from believable.simulate.demonstration import MAKERS, write_all
    from believable.study import protocols
    from believable.study.load import load

    protocols.copy(protocol, folder)
    study = load(folder, instruments=INSTRUMENTS).study
    if protocol in MAKERS:
        with click.progressbar(length=len(study.stimuli), label="Making recordings", file=sys.stderr) as bar:
            write_all(protocol, study, folder, seed, lambda one: bar.update(1))
    else:
        _films(study, folder, seed)


def _films(study: Study, folder: Path, seed: int) -> None:
    """The clips of the demo, as films."""
    from believable.stimuli.clips import CONDITIONS, SCENARIOS, Clip, render

    missing = [
        one for one in study.stimuli
        if not (folder / one.file).exists() and one.condition in CONDITIONS and one.scenario in SCENARIOS
    ]  # fmt: skip
    with click.progressbar(missing, label="Making clips", file=sys.stderr) as bar:
        for one in bar:
            (folder / one.file).parent.mkdir(parents=True, exist_ok=True)
            clip = Clip(one.id, str(one.condition), str(one.scenario))
            render(clip, folder / one.file, seed=seed, duration_s=6.0)
