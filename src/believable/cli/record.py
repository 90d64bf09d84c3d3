"""`believable record`: rounds of a game as stimuli, played by people of the lab or by a script."""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from believable.core.errors import InvalidInput, Refused

if TYPE_CHECKING:
    from believable.agents.maze_player import ScriptedPlayer
    from believable.agents.maze_setup import RoundSetup
    from believable.store.engine import Store
    from believable.worlds.maze.rules import Event

#: How often the recorder looks whether a round is over.
LOOK_S = 0.3
#: The page shows its last words for so long before the server goes.
FAREWELL_S = 2.0
_STUDY = """\
believable: 1
title: Recording rounds of the maze
seed: {seed}
timeline:
  - play: {{id: practice, practice: true, opponent: {opponent}, size: {size}, countdown_s: 1}}
  - block:
      id: rounds
      repeat: {rounds}
      each:
        - play: {{id: round, opponent: {opponent}, size: {size}, duration_s: {seconds}, maze: round}}
  - finish: {{text: "# Recorded\\n\\nThe rounds are in the folder. You can close this window."}}
"""


@click.group()
def command() -> None:
    """Record rounds of a game as stimuli.

    \b
    Example:
      believable record maze my-study/stimuli --opponent calm --rounds 3
    """


@command.command(name="maze")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--opponent",
    default="calm",
    show_default=True,
    help="calm, frustrated, chaser, or frustration from 0 to 1.",
)
@click.option("--rounds", type=click.IntRange(1, 200), default=1, show_default=True, help="How many.")
@click.option(
    "--seconds", type=click.IntRange(5, 1800), default=60, show_default=True, help="Length of a round."
)
@click.option(
    "--size", type=click.IntRange(9, 41), default=21, show_default=True, help="Tiles on each side, odd."
)
@click.option(
    "--seed",
    type=int,
    default=1,
    show_default=True,
    help="Mazes, opponents and scripted players follow from it.",
)
@click.option("--name", default=None, help="Beginning of the file names; default: the opponent.")
@click.option("--scripted", is_flag=True, help="Played by a script instead of a person.")
@click.option("--video", is_flag=True, help="Make a video of each recording, too (needs the extra `video`).")
@click.option("--no-browser", is_flag=True, help="Print the address and open nothing.")
def maze_command(
    folder: Path, opponent: str, rounds: int, seconds: int, size: int, seed: int, name: str | None, scripted: bool,
    video: bool, no_browser: bool,
) -> None:  # fmt: skip
    """Play rounds of the maze and keep them as recordings.

    Opens a page on this machine with a practice and the rounds; each round is written to FOLDER as soon as it is over.
    The recordings are stimuli like any other: name them in study.yaml, render or cut them with `believable stimuli`.

    \b
    Example:
      believable record maze my-study/stimuli --opponent frustrated --rounds 3
      believable record maze my-study/stimuli --scripted --rounds 20 --video
    """
    from believable.agents.maze_setup import opponent as check_opponent

    chosen = _opponent(opponent)
    check_opponent(chosen, 0)
    if size % 2 == 0:
        raise InvalidInput(f"--size: a maze has an odd number of tiles on each side, got {size}.")
    folder.mkdir(parents=True, exist_ok=True)
    beginning = name or f"maze-{opponent}"
    targets = [folder / f"{beginning}-{number:02d}.replay.json.gz" for number in range(1, rounds + 1)]
    for target in targets:
        if target.exists():
            raise Refused(f"{target} exists already. Choose another --name, or move it away.")
    if scripted:
        _scripted(targets, chosen, seconds, size, seed)
    else:
        text = _STUDY.format(seed=seed, opponent=opponent, size=size, rounds=rounds, seconds=seconds)
        _by_hand(targets, text, open_page=not no_browser)
    if video:
        _videos(targets, folder)


def _opponent(given: str) -> str | float:
    try:
        return float(given)
    except ValueError:
        return given


def _scripted(targets: list[Path], opponent: str | float, seconds: int, size: int, seed: int) -> None:
    from believable.agents.maze_player import ScriptedPlayer
    from believable.agents.maze_setup import RoundSetup
    from believable.core.seeds import derive
    from believable.worlds.maze.rules import TICKS_PER_S

    with click.progressbar(targets, label="Playing", file=sys.stderr) as bar:
        for number, target in enumerate(bar, start=1):
            setup = RoundSetup(
                maze_seed=derive(seed, "maze", number) >> 1,
                agent_seed=derive(seed, "opponent", number) >> 1,
                opponent=opponent,
                size=size,
                ticks=seconds * TICKS_PER_S,
            )
            _play(setup, ScriptedPlayer(derive(seed, "player", number)), target)
    for target in targets:
        click.echo(str(target))


def _play(setup: RoundSetup, player: ScriptedPlayer, target: Path) -> None:
    from believable.agents.maze_live import LiveRound, NumberedInput, record_round
    from believable.replay.file import write

    live = LiveRound(setup)
    events: list[Event] = []
    while not live.over:
        tick = live.game.tick
        live.receive(NumberedInput(tick + 1, tick, player.decide(live.game, events)))
        events = live.step()
    write(record_round(setup, live.take_changes(), setup.ticks), target)


def _by_hand(targets: list[Path], study: str, *, open_page: bool) -> None:
    """A server of its own for as long as the recording takes; what it stored is thrown away afterwards."""
    from believable.core.clock import WallClock
    from believable.simulate.links import link_token
    from believable.simulate.server import Server
    from believable.store.engine import Store

    place = Path(tempfile.mkdtemp(prefix="believable-record-"))
    try:
        (place / "rounds").mkdir()
        (place / "rounds" / "study.yaml").write_text(study, encoding="utf-8")
        with (
            Server([place / "rounds"], data_dir=place / "data") as server,
            Store.open(f"sqlite:///{place / 'data' / 'believable.db'}", clock=WallClock()) as store,
        ):
            address = f"{server.url}/join/{link_token(store, 'rounds', 'open')}"
            click.echo(f"Play here: {address}\nStop with Ctrl-C.")
            if open_page:
                webbrowser.open(address)
            _keep(store, targets, lambda target: click.echo(str(target)))
            time.sleep(FAREWELL_S)
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _keep(store: Store, targets: list[Path], tell: Callable[[Path], None]) -> None:
    """Write each round as soon as it is over, until there are as many as wanted."""
    from believable.store import rounds

    written = 0
    while written < len(targets):
        for body in store.read(rounds.recordings)[written : len(targets)]:
            targets[written].write_bytes(body)
            tell(targets[written])
            written += 1
        time.sleep(LOOK_S)


def _videos(targets: list[Path], folder: Path) -> None:
    from believable.stimuli.render import render

    with click.progressbar(length=len(targets), label="Rendering", file=sys.stderr) as bar:
        made = render(targets, folder, progress=lambda done, total: bar.update(1))
    for video in made.results.values():
        click.echo(str(video))
    if made.failed:
        raise InvalidInput("; ".join(f"{path.name}: {why}" for path, why in made.failed.items()))
