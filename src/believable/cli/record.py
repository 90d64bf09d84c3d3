"""`believable record`: rounds of a game as stimuli, played by people of the lab or by a script. One
command per world.
"""

from __future__ import annotations

import json
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

from believable.app.agents import values_of
from believable.cli.agent_options import agent_option, agent_values_option
from believable.cli.derive import FOLDER
from believable.core.draft_folders import draft_folder, sweep_drafts
from believable.core.errors import InvalidInput, Refused
from believable.core.system import account_number, is_private

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

    from believable.agents.choice import ChosenAgent
    from believable.contracts.agent import AgentTask
    from believable.contracts.record import Record
    from believable.contracts.world import Playable, World
    from believable.stimuli.raster import Look
    from believable.store.engine import Store

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
        from believable.contracts.registries import WORLDS

        return sorted([*(world.name for world in WORLDS if world.playing), *_played_tasks()])

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        from believable.contracts.registries import WORLDS

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
    from believable.contracts.registries import WORLDS

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
                help=world.game.trial.options.descriptions().get(name),
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
      believable record {task.name} people --players 8 --runs 10 --host 0.0.0.0
      believable record {task.name} people --players 8 --base-url http://lab.example.org:8123
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
    if opponents := list(world.game.trial.opponents.named):
        keys["opponent"] = opponents[0]
    study = _study(world, keys, runs, seconds, seed + first)
    _by_hand(targets, study, open_page=not no_browser, host=host, port=port, base_url=base_url)


def _command(world: World) -> click.Command:
    """`believable record WORLD`."""
    opponents = world.game.trial.opponents
    names = [*opponents.named, *([f"{opponents.level} from 0 to 1"] if opponents.level else [])]
    listed = f"{', '.join(names[:-1])}, or {names[-1]}." if len(names) > 1 else "".join(names)
    first = next(iter(opponents.named), "")
    descriptions = world.game.trial.options.descriptions()
    params: list[click.Parameter] = [
        click.Argument(["folder"], type=FOLDER),
        *(
            [click.Option(["--opponent"], default=first, show_default=True, help=listed)]
            if names
            else []
        ),
        click.Option(
            ["--rounds", "--runs", "--episodes", "rounds"],
            type=click.IntRange(1, 1000),
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
            for name, field in world.game.trial.options.model_fields.items()
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
        agent_option(world.name),
        agent_values_option(),
        *([_pace_option(world.game)] if world.game.rollout else []),
        *(
            [
                click.Option(
                    ["--film"],
                    default=None,
                    metavar="WxH",
                    help="Film each round in this size (extra `video`).",
                )
            ]
            if world.game.filmable
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
    seen = "--film 640x360" if world.game.filmable else "--video"
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


def _pace_option(playing: Playable[Any, Any]) -> click.Option:
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


def _steps_per_s(playing: Playable[Any, Any], pace: str | None) -> float | None:
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
    agent_values: tuple[str, ...],
    no_browser: bool,
    video: bool = False,
    film: str | None = None,
    opponent: str = "",
    agent: str | None = None,
    pace: str | None = None,
    **written: str | None,
) -> None:
    from believable.agents.choice import choose_in
    from believable.recordings.film_file import load_av

    playing = world.game
    if scripted and agent is None:
        agent = playing.stand_in.name
    player = None
    if agent is not None:
        player = choose_in(agent, world, playing.seat, values_of(agent_values))
    chosen = _plain(opponent)
    if isinstance(chosen, str) and ":" in chosen and "opponent" in playing.seats:
        choose_in(chosen, world, "opponent")
    elif (
        playing.trial.opponents.named
        and (problem := playing.trial.opponents.problem(chosen)) is not None
    ):
        raise InvalidInput(" ".join(problem))
    options = _options(
        playing, written, by_program=player is not None and player.agent.acts == "environment"
    )
    steps_per_s = _steps_per_s(playing, pace)
    if pace is not None and (player is None or player.agent.acts != "environment"):
        raise InvalidInput(
            "--pace: it sets the pace of an agent that acts in the environment, and there is none,"
            f" got --pace {pace}. Leave it out."
        )
    settle = partial(_settled, playing, options, chosen, seconds, seed)
    look = None if film is None else _look(film, playing.hz(settle(1)))
    if video or look is not None:
        load_av("Rendering recordings")  # what is missing is named before anybody plays
    beginning = name or "-".join(filter(None, (world.name, opponent.replace(":", "-"))))
    digits = max(2, len(str(rounds)))
    targets = [
        folder / f"{beginning}-{number:0{digits}d}.replay.json.gz"
        for number in range(1, rounds + 1)
    ]
    for target in targets:
        if target.exists():
            raise Refused(f"{target} exists already. Choose another --name, or move it away.")
    if player is not None and player.agent.acts == "environment":
        _in_environment(targets, playing, settle, player, seed, steps_per_s)
    elif player is not None:
        _in_rounds(targets, playing, settle, player, seed)
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
    playing: Playable[Any, Any], written: Mapping[str, str | None], *, by_program: bool = False
) -> Record:
    """The world's options, as they are written on the command line. A program needs no keys."""
    from pydantic import ValidationError

    plain = {name: _plain(value) for name, value in written.items() if value is not None}
    try:
        options: Record = playing.trial.options.model_validate(plain)
    except ValidationError as error:
        first = error.errors()[0]
        raise InvalidInput(
            f"--{first['loc'][0]}: {first['msg']}, got {first['input']!r}."
        ) from None
    check = playing.check_program if by_program else playing.trial.check
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
    playing: Playable[Any, Any],
    options: Record,
    opponent: str | float,
    seconds: int,
    seed: int,
    number: int,
) -> Record:
    """The setup of round `number`: the same as a person who plays by hand gets, so that everyone
    has the same starts.
    """
    from believable.contracts.game import RoundContext

    place = RoundContext(
        session_seed=seed,
        trial_key=f"{_ROUNDS}.{number}.{_ROUND}",
        condition=None,
        opponent=opponent,
        duration_s=seconds,
        practice=False,
    )
    setup: Record = playing.trial.resolve(options, place)
    return setup


def _in_rounds(
    targets: list[Path],
    playing: Playable[Any, Any],
    settle: Callable[[int], Record],
    player: ChosenAgent,
    seed: int,
) -> None:
    """The recording says which agent played, so that it cannot pass for a person."""
    from believable.core.seeds import derive
    from believable.recordings.file import write
    from believable.worlds.live_round import play_through

    about = {"player": player.written, **player.identity()}
    with click.progressbar(targets, label="Playing", file=sys.stderr) as bar:
        for number, target in enumerate(bar, start=1):
            act = player.sit_down(derive(seed, "player", number))
            recording = play_through(playing, settle(number), act, player.agent.game)
            write(replace(recording, provenance={**recording.provenance, **about}), target)
    for target in targets:
        click.echo(str(target))


def _in_environment(
    targets: list[Path],
    playing: Playable[Any, Any],
    settle: Callable[[int], Record],
    player: ChosenAgent,
    seed: int,
    steps_per_s: float | None,
) -> None:
    from believable.core.object_storage import digest_of
    from believable.core.seeds import derive
    from believable.recordings.actions import RECORDING_SUFFIX

    assert playing.rollout is not None, "worlds with environments have it"
    films: dict[str, Path] = {}
    about = {"player": player.written, **player.identity()}
    for number, target in enumerate(targets, start=1):
        act = player.sit_down(derive(seed, "player", number))
        beginning = target.with_name(target.name.partition(".")[0])
        for file in playing.rollout(
            settle(number), act, beginning, steps_per_s, player.written, about
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
    parent = Path(tempfile.gettempdir()) / f"believable-record-{account_number()}"
    parent.mkdir(mode=0o700, exist_ok=True)
    if not is_private(parent):
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
