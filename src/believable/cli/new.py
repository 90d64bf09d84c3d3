"""`believable new`: a study folder from a ready-made protocol."""

from __future__ import annotations

import sys
from pathlib import Path

import click


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--protocol", default="demo", show_default=True, help="Which ready-made study to start from.")
@click.option("--seed", type=int, default=7, show_default=True, help="Seed of the generated clips.")
def command(folder: Path, protocol: str, seed: int) -> None:
    """Start a study folder from a ready-made protocol.

    Writes study.yaml and its pages into FOLDER and generates the demonstration clips that the protocol shows. Replace
    them by your own recordings, and the texts by your own words.

    \b
    Example:
      believable new my-study --protocol demo
    """
    create(protocol, folder, seed)
    click.echo(f"Wrote {folder}. Next: believable check {folder}")


def create(protocol: str, folder: Path, seed: int) -> None:
    """The folder with everything in it, a progress bar for what takes long."""
    from believable.instruments import INSTRUMENTS
    from believable.stimuli.clips import CONDITIONS, SCENARIOS, Clip, render
    from believable.study import protocols
    from believable.study.load import load

    protocols.copy(protocol, folder)
    study = load(folder, instruments=INSTRUMENTS).study
    missing = [
        one for one in study.stimuli
        if not (folder / one.file).exists() and one.condition in CONDITIONS and one.scenario in SCENARIOS
    ]  # fmt: skip
    with click.progressbar(missing, label="Making clips", file=sys.stderr) as bar:
        for one in bar:
            (folder / one.file).parent.mkdir(parents=True, exist_ok=True)
            clip = Clip(one.id, str(one.condition), str(one.scenario))
            render(clip, folder / one.file, seed=seed, duration_s=6.0)
