"""`believable stimuli`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from believable.app import films, pools, stimuli
from believable.cli.derive import derive
from believable.core.shell import quote_command
from believable.stimuli.inventory import PoolLine


@click.group()
def command() -> None:
    """Turn recordings into stimuli that differ only in the judged quality.

    FOLDER is the study's folder. Recordings are kept in FOLDER/sources, stimuli are made in
    FOLDER/stimuli. Finished files are not made again, so an interrupted command is simply repeated.

    \b
    Example:
      believable stimuli add my-study human/*.mp4 --condition human --scenario harbour
      believable stimuli add my-study agent/*.mp4 --condition agent --scenario harbour
      believable stimuli standardise my-study --size 1280x720 --fps 30 \
--watermark "For Research Purposes Only"
      believable stimuli list my-study --yaml
    """


def _echo_failures(result: stimuli.FileOutcome) -> None:
    for name, reason in sorted(result.failed.items()):
        click.echo(f"{name}: {reason}", err=True)


def _echo_all(lines: Sequence[object]) -> None:
    for line in lines:
        click.echo(str(line))


@derive(
    stimuli.add_sources,
    group=command,
    name="add",
    example="believable stimuli add my-study human/*.mp4 --condition human --scenario harbour"
    " --cut-end 3",
)
def add_command(result: stimuli.PoolAddition) -> None:
    added = result.sources
    for file, source in added.new.items():
        click.echo(f"{source.name}  {source.length_ms / 1000:8.1f} s  {file.name}")
    for file, source in added.known.items():
        about = f"{source.condition}, {source.scenario}"
        click.echo(f"{source.name}  already there ({about})  {file.name}")
    click.echo(
        f"{len(added.new)} added, {len(added.known)} already there, {len(added.failed)} not usable."
    )
    _echo_failures(result)


@derive(
    stimuli.standardise,
    group=command,
    example="believable stimuli standardise my-study --match --per-cell 4"
    ' --watermark "For Research Purposes Only"',
)
def standardise_command(result: stimuli.Standardised) -> None:
    for name, reason in result.left_out.items():
        click.echo(f"left out  {name}: {reason}")
    click.echo(
        f"{len(result.made)} made, {len(result.kept)} kept, {len(result.left_out)} left out,"
        f" {len(result.failed)} failed."
    )
    if result.lines:
        click.echo("\nFor study.yaml:\n" + result.lines, nl=False)
    _echo_failures(result)


@derive(
    pools.make_clip_pools,
    group=command,
    name="pool",
    example="believable stimuli pool my-study --clips human=people --clips agent=runs --trials 6",
)
def pool_command(result: pools.PoolResult) -> None:
    for note in result.notes:
        click.echo(note)
    for condition, folder in result.folders.items():
        click.echo(f"{condition}: {folder}")
    click.echo(f"{result.pairs} pairs: {result.made} films made, {result.kept} kept.")
    _echo_failures(result)


@derive(stimuli.even, group=command, example="believable stimuli even my-study")
def even_command(result: stimuli.EvenStudy) -> None:
    for made in result.stimuli:
        before = "" if made.before_ms is None else f" (before: {made.before_ms / 1000:.1f} s)"
        click.echo(f"{made.id}  {made.duration_ms / 1000:6.1f} s{before}  {made.file}")
    check = quote_command("believable check", result.folder)
    click.echo(f"{len(result.stimuli)} stimuli. Next: {check}")


@derive(
    stimuli.render,
    group=command,
    example="believable stimuli render town.replay.json.gz --out videos --speed 60",
)
def render_command(result: stimuli.RenderedVideos) -> None:
    _echo_all(result.videos)
    _echo_failures(result)


@derive(
    stimuli.list_stimuli, group=command, name="list", example="believable stimuli list my-study"
)
def list_command(result: Sequence[PoolLine] | str) -> None:
    if isinstance(result, str):
        click.echo(result, nl=False)
        return
    for line in result:
        source = line.source
        length = "" if line.length_ms is None else f"{line.length_ms / 1000:.1f} s"
        click.echo(
            f"{source.name}  {line.state:<8} {source.condition:<14} {source.scenario:<14}"
            f" {source.length_ms / 1000:7.1f} s → {length:<9} {source.width_px}×{source.height_px}"
            f" {source.frames_per_s} fps  {source.audio}  {source.original}"
        )
    n_made = sum(line.state == "made" for line in result)
    click.echo(f"{len(result)} sources, {n_made} stimuli.")


@derive(stimuli.verify, group=command, example="believable stimuli verify my-study")
def verify_command(result: stimuli.Verification) -> None:
    _echo_all(result.problems)
    click.echo(f"{result.count('error')} problems, {result.count('warning')} warnings.")


@derive(
    films.make_quality_tests,
    group=command,
    name="qa",
    example="believable stimuli qa my-study --seed 7",
)
def qa_command(files: Sequence[Path]) -> None:
    _echo_all(files)


@derive(
    films.film_freedoom,
    group=command,
    name="freedoom",
    example="believable stimuli freedoom clips/people --demo freedm-demo2 --demo freedm-demo3"
    " --seconds 30",
)
def freedoom_command(files: Sequence[Path]) -> None:
    _echo_all(files)
