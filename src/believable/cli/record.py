"""`believable record`: rounds of a game as stimuli, played by people of the lab or by a script. One
command per world.
"""

from __future__ import annotations

import importlib
import json
import os
import stat
import sys
import tempfile
import time
import webbrowser
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from believable.cli.place import FOLDER
from believable.core.draft_folders import draft_folder, sweep_drafts
from believable.core.errors import InvalidInput, Refused

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

    from believable.stimuli.raster import Look
    from believable.store.engine import Store
    from believable.study.bases import Record
    from believable.worlds.contract import Agent, AgentTask, Playing, World

#: How often the recorder looks whether a round is over.
LOOK_S = 0.3
#: The page shows its last words for so long before the server goes.
FAREWELL_S = 2.0
#: The block and its page in the study that people are served.
_ROUNDS, _ROUND = "rounds", "round"
_DONE = "# Recorded\n\nThe rounds are in the folder. You can close this window."


class WorldCommands(click.Group):
    """One command for each world that can be played; its own options come from its record."""

    def list_commands(self, context: click.Context) -> list[str]:
        from believable.worlds import WORLDS

        return sorted([*(world.name for world in WORLDS if world.playing), *_played_tasks()])

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        from believable.worlds import WORLDS

        if name in (tasks := _played_tasks()):
            return _task_command(tasks[name][0], tasks[name][1])
        return _command(WORLDS[name]) if name in WORLDS and WORLDS[name].playing else None


@click.group(cls=WorldCommands)
def command() -> None:
    """Record rounds of a game as stimuli.

    \b
    Example:
      believable record maze my-study/stimuli --opponent calm --rounds 3
    """


def _played_tasks() -> dict[str, tuple[World, AgentTask]]:
    """Tasks of worlds that people play, too."""
    from believable.worlds import WORLDS

    return {
        task.name: (world, task)
        for world in WORLDS
        if world.playing
        for task in world.tasks
        if task.rounds
    }


def _task_command(world: World, task: AgentTask) -> click.Command:
    """`believable record TASK`: rounds of people who are sent a link."""
    params: list[click.Parameter] = [
        click.Argument(["folder"], type=FOLDER),
        click.Option(
            ["--players"],
            type=click.IntRange(1, 500),
            default=1,
            show_default=True,
            help="How many people.",
        ),
        click.Option(
            ["--runs"],
            type=click.IntRange(1, 200),
            default=10,
            show_default=True,
            help="Rounds of each of them.",
        ),
        click.Option(
            ["--seconds"],
            type=click.IntRange(5, 1800),
            default=60,
            show_default=True,
            help="A round ends after this.",
        ),
        *(
            click.Option(
                [f"--{name}"],
                default=str(value),
                show_default=True,
                help=world.game.options.descriptions().get(name),
            )
            for name, value in task.rounds.items()
            if name != "map"
        ),
        click.Option(
            ["--seed"],
            type=int,
            default=1,
            show_default=True,
            help="What is drawn follows from it.",
        ),
        click.Option(
            ["--name"], default=task.name, show_default=True, help="Beginning of the file names."
        ),
        click.Option(
            ["--host"],
            default="127.0.0.1",
            show_default=True,
            help="Address to listen on; 0.0.0.0 for all.",
        ),
        click.Option(
            ["--port"], type=click.IntRange(1, 65535), default=None, help="Default: a free one."
        ),
        click.Option(
            ["--base-url"],
            metavar="URL",
            default=None,
            help="The address that players use, if it is another one.",
        ),
        click.Option(["--no-browser"], is_flag=True, help="Print the link and open nothing."),
    ]
    about = f"""Record people at {task.name}: one link for all players.

    Whoever opens the link practises, then plays RUNS rounds. Each round is written to FOLDER as soon as it is over; the command
    ends when PLAYERS × RUNS are there, or with Ctrl-C, and goes on with the next number when it is given again. FOLDER is what
    `believable new --humans` takes. Send the link to others with --host 0.0.0.0, or behind a proxy with --base-url.

    \b
    Example:
      believable record {task.name} people --players 8 --runs 10 --host 0.0.0.0 --port 8123 --base-url http://lab.example.org:8123
    """
    return click.Command(
        task.name,
        params=params,
        help=about,
        callback=lambda **values: _record_people(world, task, **values),
    )


def _record_people(
    world: World,
    task: AgentTask,
    *,
    folder: Path,
    players: int,
    runs: int,
    seconds: int,
    seed: int,
    name: str,
    host: str,
    port: int | None,
    base_url: str | None,
    no_browser: bool,
    **written: str | None,
) -> None:
    options = _options(world.game, {**task.rounds, **written})
    kept = [
        file.name.partition(".")[0].rpartition("-")[2]
        for file in folder.glob(f"{name}-*.replay.json.gz")
    ]
    first = max((int(number) for number in kept if number.isdecimal()), default=0) + 1
    targets = [
        folder / f"{name}-{number:03d}.replay.json.gz"
        for number in range(first, first + players * runs)
    ]
    keys = options.model_dump(exclude_none=True)
    if opponents := list(world.game.opponents.named):
        keys["opponent"] = opponents[0]
    study = _study(world, keys, runs, seconds, seed + first)
    _by_hand(targets, study, open_page=not no_browser, host=host, port=port, base_url=base_url)


def _command(world: World) -> click.Command:
    """`believable record WORLD`."""
    opponents = world.game.opponents
    names = [*opponents.named, *([f"{opponents.level} from 0 to 1"] if opponents.level else [])]
    listed = f"{', '.join(names[:-1])}, or {names[-1]}." if len(names) > 1 else "".join(names)
    first = next(iter(opponents.named), "")
    descriptions = world.game.options.descriptions()
    players = ", ".join(agent.name for agent in world.game.players)
    params: list[click.Parameter] = [
        click.Argument(["folder"], type=FOLDER),
        *(
            [click.Option(["--opponent"], default=first, show_default=True, help=listed)]
            if names
            else []
        ),
        click.Option(
            ["--rounds", "--episodes", "rounds"],
            type=click.IntRange(1, 200),
            default=1,
            show_default=True,
            help="How many.",
        ),
        click.Option(
            ["--seconds"],
            type=click.IntRange(5, 1800),
            default=60,
            show_default=True,
            help="Length of a round.",
        ),
        *(
            click.Option(
                [f"--{name.replace('_', '-')}"],
                default=_default(field),
                show_default=True,
                help=descriptions.get(name),
            )
            for name, field in world.game.options.model_fields.items()
        ),
        click.Option(
            ["--seed"],
            type=int,
            default=1,
            show_default=True,
            help="Rounds and scripted players follow from it.",
        ),
        click.Option(
            ["--name"],
            default=None,
            help="Beginning of the file names; default: world and opponent.",
        ),
        click.Option(["--scripted"], is_flag=True, help="Played by a script instead of a person."),
        click.Option(["--player"], default=None, help=f"Played by this script: {players}."),
        *([_AGENT, _pace_option(world.game)] if world.game.rollout else []),
        *(
            [
                click.Option(
                    ["--film"],
                    default=None,
                    metavar="WxH",
                    help="Film each round in this size (extra `video`).",
                )
            ]
            if world.game.rendering
            else [
                click.Option(
                    ["--video"],
                    is_flag=True,
                    help="Make a video of each recording, too (needs the extra `video`).",
                )
            ]
        ),
        click.Option(["--no-browser"], is_flag=True, help="Print the address and open nothing."),
    ]
    against = f" --opponent {names[1] if len(names) > 1 else first}" if names else ""
    seen = "--film 640x360" if world.game.rendering else "--video"
    last = (
        "--agent my_agent:agent --episodes 20"
        if world.game.rollout
        else f"--scripted --rounds 20 {seen}"
    )
    about = f"""Play rounds of the {world.name} and keep them as recordings.

    Opens a page on this machine with a practice and the rounds; each round is written to FOLDER as soon as it is over.
    The recordings are stimuli like any other: name them in study.yaml, render or cut them with `believable stimuli`.

    \b
    Example:
      believable record {world.name} my-study/stimuli{against} --rounds 3
      believable record {world.name} my-study/stimuli {last}
    """
    return click.Command(
        world.name, params=params, help=about, callback=lambda **values: _record(world, **values)
    )


_AGENT = click.Option(
    ["--agent"],
    default=None,
    metavar="MODULE:FUNCTION",
    help=(
        "Played by your own program: FUNCTION(env) gives a function from observation to action."
        " Films each episode."
    ),
)


def _pace_option(playing: Playing[Any, Any]) -> click.Option:
    assumed = playing.human_steps_per_s
    return click.Option(
        ["--pace"],
        default=None,
        metavar="human|STEPS",
        help=(
            "With --agent, if the environment waits for each step: steps per second, with gaps that"
            " vary as people's do"
        )
        + (f"; human: {assumed:.1f}." if assumed else "."),
    )


def _steps_per_s(playing: Playing[Any, Any], pace: str | None) -> float | None:
    """From `--pace`."""
    if pace is None:
        return None
    if pace == "human" and playing.human_steps_per_s is not None:
        return playing.human_steps_per_s
    steps = _plain(pace)
    if isinstance(steps, int | float) and 0.1 <= steps <= 60:
        return float(steps)
    raise InvalidInput(f"--pace: expected human, or steps per second from 0.1 to 60, got {pace!r}.")


def _default(field: FieldInfo) -> str | None:
    """As it is written on the command line; None where nothing is."""
    value = field.get_default(call_default_factory=True)
    return None if value is None or value == {} else str(value)


def _record(
    world: World,
    *,
    folder: Path,
    rounds: int,
    seconds: int,
    seed: int,
    name: str | None,
    scripted: bool,
    player: str | None,
    no_browser: bool,
    video: bool = False,
    film: str | None = None,
    opponent: str = "",
    agent: str | None = None,
    pace: str | None = None,
    **written: str | None,
) -> None:
    from believable.recordings.film_file import load_av

    playing = world.game
    if player is not None:
        playing.player(player)
    chosen = _plain(opponent)
    if playing.opponents.named and (problem := playing.opponents.problem(chosen)) is not None:
        raise InvalidInput(" ".join(problem))
    options = _options(playing, written, by_program=agent is not None)
    steps_per_s = _steps_per_s(playing, pace)
    if pace is not None and agent is None:
        raise InvalidInput(
            f"--pace: it sets the pace of a program, and there is no --agent, got --pace {pace}."
            " Leave it out."
        )
    settle = partial(_settled, playing, options, chosen, seconds, seed)
    look = None if film is None else _look(film, playing.hz(settle(1)))
    if video or look is not None:
        load_av("Rendering recordings")  # what is missing is named before anybody plays
    beginning = name or "-".join(filter(None, (world.name, opponent)))
    targets = [
        folder / f"{beginning}-{number:02d}.replay.json.gz" for number in range(1, rounds + 1)
    ]
    for target in targets:
        if target.exists():
            raise Refused(f"{target} exists already. Choose another --name, or move it away.")
    if agent is not None:
        _by_agent(targets, playing, settle, _program(agent), steps_per_s)
    elif scripted or player is not None:
        _scripted(targets, playing, settle, seed, player)
    else:
        keys = options.model_dump(exclude_none=True) | ({"opponent": chosen} if opponent else {})
        _by_hand(targets, _study(world, keys, rounds, seconds, seed), open_page=not no_browser)
    if video or look is not None:
        _videos(targets, folder, look)


def _look(film: str, frames_per_s: int) -> Look:
    """One picture for each tick, in this size."""
    from believable.stimuli.raster import Look

    width, _, height = film.partition("x")
    if not (width.isdecimal() and height.isdecimal()):
        raise InvalidInput(f"--film: expected WIDTHxHEIGHT such as 640x360, got {film!r}.")
    return Look(width_px=int(width), height_px=int(height), frames_per_s=frames_per_s)


def _plain(written: str) -> Any:
    """A number where it is one; {ArrowUp: 2} and [0, 1] as in a study file."""
    for number in (int, float):
        try:
            return number(written)
        except ValueError:
            continue
    if written[:1] not in ("{", "["):
        return written
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        return YAML(typ="safe", pure=True).load(written)
    except YAMLError:
        raise InvalidInput(
            f"expected {{KEY: VALUE, …}} or [VALUE, …], got {written!r}. Put it into quotes."
        ) from None


def _options(
    playing: Playing[Any, Any], written: Mapping[str, str | None], *, by_program: bool = False
) -> Record:
    """The world's options, as they are written on the command line. A program needs no keys."""
    from pydantic import ValidationError

    plain = {name: _plain(value) for name, value in written.items() if value is not None}
    try:
        options: Record = playing.options.model_validate(plain)
    except ValidationError as error:
        first = error.errors()[0]
        raise InvalidInput(
            f"--{first['loc'][0]}: {first['msg']}, got {first['input']!r}."
        ) from None
    check = playing.check_program if by_program else playing.check
    for key, message, cure in check(options):
        raise InvalidInput(f"--{key}: {message} {cure}")
    return options


def _study(world: World, keys: Mapping[str, Any], rounds: int, seconds: int, seed: int) -> str:
    """The study that the page shows: a practice, then the rounds. JSON is YAML, too."""
    practice = {"id": "practice", "practice": True, "countdown_s": 1, "world": world.name, **keys}
    played = {"id": _ROUND, "duration_s": seconds, "start_seed": seed, "world": world.name, **keys}
    timeline: list[Any] = [
        {"play": practice},
        {"block": {"id": _ROUNDS, "repeat": rounds, "each": [{"play": played}]}},
        {"finish": {"text": _DONE}},
    ]
    title = f"Recording rounds of the {world.name}"
    return json.dumps({"believable": 1, "title": title, "seed": seed, "timeline": timeline})


def _settled(
    playing: Playing[Any, Any],
    options: Record,
    opponent: str | float,
    seconds: int,
    seed: int,
    number: int,
) -> Record:
    """The setup of round `number`: the same as a person who plays by hand gets, so that everyone
    has the same starts.
    """
    from believable.worlds.contract import RoundPlace

    place = RoundPlace(
        session_seed=seed,
        trial_key=f"{_ROUNDS}.{number}.{_ROUND}",
        condition=None,
        opponent=opponent,
        duration_s=seconds,
        practice=False,
    )
    setup: Record = playing.settle(options, place)
    return setup


def _scripted(
    targets: list[Path],
    playing: Playing[Any, Any],
    settle: Callable[[int], Record],
    seed: int,
    player: str | None,
) -> None:
    from believable.core.seeds import derive

    agent = playing.player(player)

    with click.progressbar(targets, label="Playing", file=sys.stderr) as bar:
        for number, target in enumerate(bar, start=1):
            _play(playing, settle(number), derive(seed, "player", number), target, agent, player)
    for target in targets:
        click.echo(str(target))


def _by_agent(
    targets: list[Path],
    playing: Playing[Any, Any],
    settle: Callable[[int], Record],
    program: Callable[..., Any],
    steps_per_s: float | None,
) -> None:
    from believable.core.object_storage import digest_of
    from believable.recordings.actions import RECORDING_SUFFIX

    assert playing.rollout is not None, "--agent is offered if there is one"
    films: dict[str, Path] = {}
    for number, target in enumerate(targets, start=1):
        for file in playing.rollout(
            settle(number), program, target.with_name(target.name.partition(".")[0]), steps_per_s
        ):
            click.echo(str(file))
            if file.name.endswith(RECORDING_SUFFIX):
                continue
            first = films.setdefault(digest_of(file), file)
            if first != file:
                click.echo(
                    f"{file.name} shows the same as {first.name}: the environment starts alike and"
                    " the agent acts alike. A study takes each video once. Choose an environment"
                    " with random starts, such as MiniGrid-FourRooms-v0.",
                    err=True,
                )


def _program(written: str) -> Callable[..., Any]:
    """`module:function`, also from the folder one stands in."""
    module, _, function = written.partition(":")
    if not module or not function:
        raise InvalidInput(
            f"--agent: expected MODULE:FUNCTION such as my_agent:agent, got {written!r}."
        )
    sys.path.insert(0, str(Path.cwd()))
    try:
        program: Callable[..., Any] = getattr(importlib.import_module(module), function)
    except ModuleNotFoundError as error:
        raise InvalidInput(
            f"--agent: {error}. Stand in the folder of {module}.py, or install it."
        ) from None
    except AttributeError:
        raise InvalidInput(
            f"--agent: {module} has no {function!r}. Name a function in it."
        ) from None
    finally:
        sys.path.pop(0)
    return program


def _play(
    playing: Playing[Any, Any],
    setup: Record,
    seed: int,
    target: Path,
    agent: Agent[Any],
    written: str | None,
) -> None:
    """The recording says which script played, so that nobody takes it for a person."""
    from believable.recordings.file import write
    from believable.worlds.live_round import play_through

    recording = play_through(playing, setup, partial(agent.new, agent.params(), seed), agent.game)
    write(
        replace(recording, provenance={**recording.provenance, "player": written or agent.name}),
        target,
    )


def _by_hand(
    targets: list[Path],
    study: str,
    *,
    open_page: bool,
    host: str = "127.0.0.1",
    port: int | None = None,
    base_url: str | None = None,
) -> None:
    """A server of its own for as long as the recording takes; what it stored is thrown away
    afterwards.
    """
    from believable.core.clock import WallClock
    from believable.simulate.crowd import link_token
    from believable.simulate.server import Server
    from believable.store.engine import Store

    with temporary_folder() as place:
        (place / "rounds").mkdir()
        (place / "rounds" / "study.yaml").write_text(study, encoding="utf-8")
        with (
            Server(
                [place / "rounds"], data_dir=place / "data", host=host, port=port, base_url=base_url
            ) as server,
            Store.open(f"sqlite:///{place / 'data' / 'believable.db'}", clock=WallClock()) as store,
        ):
            address = f"{base_url or server.url}/join/{link_token(store, 'rounds', 'open')}"
            click.echo(f"Play here: {address}\nStop with Ctrl-C.")
            if open_page:
                webbrowser.open(address)
            _keep(store, targets, lambda target: click.echo(str(target)))
            time.sleep(FAREWELL_S)


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A folder that is deleted afterwards; those that killed recordings of this account left behind
    are deleted first.
    """
    parent = Path(tempfile.gettempdir()) / f"believable-record-{os.getuid()}"
    parent.mkdir(mode=0o700, exist_ok=True)
    held = parent.lstat()
    if not stat.S_ISDIR(held.st_mode) or held.st_uid != os.getuid() or held.st_mode & 0o077:
        raise Refused(
            f"{parent}: expected a folder that only this account can use. Delete it, or set TMPDIR"
            " to another folder."
        )
    sweep_drafts(parent)
    with draft_folder(parent) as place:
        yield place


def _keep(store: Store, targets: list[Path], tell: Callable[[Path], None]) -> None:
    """Write each round as soon as it is over, until there are as many as wanted."""
    from believable.recordings.file import from_bytes, write
    from believable.store import rounds

    written = 0
    while written < len(targets):
        for body in store.read(rounds.recordings)[written : len(targets)]:
            played = from_bytes(body, source=targets[written].name)
            write(
                replace(played, provenance={**played.provenance, "player": "person"}),
                targets[written],
            )
            tell(targets[written])
            written += 1
        time.sleep(LOOK_S)


def _videos(targets: list[Path], folder: Path, look: Look | None) -> None:
    from believable.stimuli.raster import render

    with click.progressbar(length=len(targets), label="Rendering", file=sys.stderr) as bar:
        rendered = render(targets, folder, look, progress=lambda done, total: bar.update(1))
    for video in rendered.results.values():
        click.echo(str(video))
    if rendered.failed:
        raise InvalidInput(
            "; ".join(f"{path.name}: {why}" for path, why in rendered.failed.items())
        )
