"""Rounds of a game as stimuli, played by people of the lab, by an agent or by a script."""

from __future__ import annotations

import json
import tempfile
import time
import webbrowser
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from believable.agents.choice import ChosenAgent, choose_in
from believable.app.options import AnyPath, Options, argument, option, options, setting, use_case
from believable.contracts.agent import AgentTask
from believable.contracts.game import RoundContext
from believable.contracts.record import Record
from believable.contracts.registries import WORLDS
from believable.contracts.world import Playable, World
from believable.core.clock import WallClock
from believable.core.draft_folders import draft_folder, sweep_drafts
from believable.core.errors import InvalidInput, Refused, UnknownName
from believable.core.object_storage import digest_of
from believable.core.registry import did_you_mean
from believable.core.seeds import derive
from believable.core.system import account_number, is_private
from believable.core.work import Progress
from believable.recordings.actions import RECORDING_SUFFIX
from believable.recordings.file import from_bytes, write
from believable.recordings.film_file import load_av
from believable.simulate.crowd import link_token
from believable.simulate.server import Server
from believable.stimuli.render import Look, render
from believable.store import rounds
from believable.store.engine import Store
from believable.worlds.live_round import play_through

#: How often the recorder looks whether a round is over.
LOOK_S = 0.3
#: The time that the page shows its last sentence, until the server stops.
FAREWELL_S = 2.0
#: The block and its page in the study that people are served.
_ROUNDS, _ROUND = "rounds", "round"
_DONE = "# Recorded\n\nThe rounds are in the folder. You can close this window."


@options
class RoundOptions(Options):
    world: str = argument("The world.", kw_only=False)
    folder: AnyPath = argument("The folder of the recordings.", kw_only=False, path="folder")
    opponent: str | int | float | None = option(
        "The opponent, if the world has some.", default=None
    )
    rounds: int = setting("How many.", default=1, ge=1, le=1000, flags="--rounds --runs --episodes")
    seconds: int = setting("Length of a round.", default=60, ge=5, le=1800)
    world_options: Mapping[str, Any] = option("Options of the world by name.", default={})
    seed: int = setting("Rounds and scripted players follow from it.", default=1)
    name: str | None = option(
        "Beginning of the file names; default: world and opponent.", default=None
    )
    scripted: bool = option("Played by a script instead of a person.", default=False)
    agent: str | None = option("The name of an agent, MODULE:FUNCTION, or a file.", default=None)
    agent_options: Mapping[str, str] = option("Options of the agent by name.", default={})
    pace: str | float | None = option(
        "With --agent, if the environment waits for each step: steps per second, with gaps that"
        " vary as people's do",
        default=None,
        metavar="human|STEPS",
    )
    film: str | None = option(
        "Film each round in this size (extra `video`).", default=None, metavar="WxH"
    )
    video: bool = option(
        "Make a video of each recording, too (needs the extra `video`).", default=False
    )
    no_browser: bool = option("Print the address and open nothing.", default=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedRounds:
    """`files` are the recordings and films of the rounds, `videos` those rendered from them.
    `repeated` maps a film to an earlier one that shows the same.
    """

    files: Sequence[Path]
    videos: Sequence[Path] = ()
    repeated: Mapping[str, str] = field(default_factory=dict)


@use_case(RoundOptions)
def record_rounds(options: RoundOptions) -> RecordedRounds:
    """Play rounds of a world and keep them as recordings.

    An agent plays them, or a person on a page of this machine. Each round is written to the folder
    as soon as it is over.
    """
    world, folder = WORLDS[options.world], Path(options.folder)
    playing = world.game
    player = _chosen_player(world, options)
    in_environment = player is not None and player.agent.acts == "environment"
    opponent = _chosen_opponent(world, options)
    chosen = world_options(playing, options.world_options, by_program=in_environment)
    steps_per_s = parse_pace(playing, options.pace)
    if options.pace is not None and not in_environment:
        raise InvalidInput(
            "--pace: it sets the pace of an agent that acts in the environment, and there is none,"
            f" got --pace {options.pace}. Leave it out."
        )
    settle = partial(resolve_setup, playing, chosen, opponent, options.seconds, options.seed)
    look = None if options.film is None else look_of(options.film, playing.hz(settle(1)))
    if options.video or look is not None:
        load_av("Rendering recordings")  # report missing libraries before anyone plays
    beginning = options.name or "-".join(
        filter(None, (world.name, str(opponent).replace(":", "-")))
    )
    targets = _new_files(folder, beginning, options.rounds)
    files = list(targets)
    repeated: dict[str, str] = {}
    if player is None:
        keys = chosen.model_dump(exclude_none=True) | (
            {} if opponent == "" else {"opponent": opponent}
        )
        study = study_text(world, keys, options.rounds, options.seconds, options.seed)
        serve_players(targets, study, options=options, open_page=not options.no_browser)
    elif in_environment:
        files = []
        with options.counting("Playing", len(targets)) as progress:
            for file, same in play_in_environment(
                targets, playing, settle, player, options.seed, steps_per_s
            ):
                files.append(file)
                progress(min(len(files), len(targets)), len(targets))
                if same is not None:
                    repeated[file.name] = same.name
                    options.say(
                        f"{file.name} shows the same as {same.name}: the environment starts alike"
                        " and the agent acts alike. A study takes each video once. Choose an"
                        " environment with random starts, such as MiniGrid-FourRooms-v0."
                    )
    else:
        with options.counting_each("Playing", len(targets)) as count:
            play_rounds(targets, playing, settle, player, options.seed, count)
    videos: Sequence[Path] = ()
    if options.video or look is not None:
        with options.counting("Rendering", len(targets)) as progress:
            videos = render_videos(targets, folder, look, progress)
    return RecordedRounds(files=files, videos=videos, repeated=repeated)


def _chosen_player(world: World, options: RoundOptions) -> ChosenAgent | None:
    """The agent that plays; None for a person."""
    agent = options.agent
    if options.scripted and agent is None:
        agent = world.game.stand_in.name
    if agent is None:
        return None
    return choose_in(agent, world, world.game.seat, options.agent_options)


def _chosen_opponent(world: World, options: RoundOptions) -> str | float:
    """The opponent as the setup names it: by default the world's first one."""
    opponents = world.game.trial.opponents
    written = options.opponent
    if written is None:
        written = next(iter(opponents.named), "")
    chosen: str | float = parse_value(written) if isinstance(written, str) else written
    if isinstance(chosen, str) and ":" in chosen and "opponent" in world.game.seats:
        choose_in(chosen, world, "opponent")
    elif opponents.named and (problem := opponents.problem(chosen)) is not None:
        raise InvalidInput(" ".join(problem))
    return chosen


def _new_files(folder: Path, beginning: str, n: int) -> list[Path]:
    """The recordings of n rounds; none may be there already."""
    digits = max(2, len(str(n)))
    files = [
        folder / f"{beginning}-{number:0{digits}d}.replay.json.gz" for number in range(1, n + 1)
    ]
    for file in files:
        if file.exists():
            raise Refused(f"{file} exists already. Choose another --name, or move it away.")
    return files


@options
class PeopleOptions(Options):
    task: str = argument("The task.", kw_only=False)
    folder: AnyPath = argument("The folder of the recordings.", kw_only=False, path="folder")
    players: int = setting("How many people.", default=1, ge=1, le=500)
    runs: int = setting("Rounds of each of them.", default=10, ge=1, le=200)
    seconds: int = setting("A round ends after this.", default=60, ge=5, le=1800)
    world_options: Mapping[str, Any] = option("Options of the rounds by name.", default={})
    seed: int = setting("Seed of all random choices.", default=1)
    name: str | None = option("Beginning of the file names; default: the task.", default=None)
    host: str = setting("Address to listen on; 0.0.0.0 for all.", default="127.0.0.1")
    port: int | None = option("Default: a free one.", default=None, ge=1, le=65535)
    base_url: str | None = option(
        "The address that players use, if it is another one.", default=None, metavar="URL"
    )
    no_browser: bool = option("Print the link and open nothing.", default=False)


@use_case(PeopleOptions)
def record_people(options: PeopleOptions) -> RecordedRounds:
    """Record people at a task: one link for all players.

    A player opens the link, practises, then plays RUNS rounds. Each round is written to FOLDER as
    soon as it is over. It ends after PLAYERS × RUNS rounds, or with Ctrl-C; given again, it
    continues with the next number. Give FOLDER to `believable new --humans`. To let others open the
    link, use --host 0.0.0.0, or --base-url behind a proxy.
    """
    world, task = _find_played(options.task)
    name, folder = options.name or task.name, Path(options.folder)
    chosen = world_options(world.game, {**task.rounds, **options.world_options})
    kept = [
        file.name.partition(".")[0].rpartition("-")[2]
        for file in folder.glob(f"{name}-*.replay.json.gz")
    ]
    first = max((int(number) for number in kept if number.isdecimal()), default=0) + 1
    targets = [
        folder / f"{name}-{number:03d}.replay.json.gz"
        for number in range(first, first + options.players * options.runs)
    ]
    keys = chosen.model_dump(exclude_none=True)
    if opponents := list(world.game.trial.opponents.named):
        keys["opponent"] = opponents[0]
    study = study_text(world, keys, options.runs, options.seconds, options.seed + first)
    serve_players(
        targets,
        study,
        options=options,
        open_page=not options.no_browser,
        host=options.host,
        port=options.port,
        base_url=options.base_url,
    )
    return RecordedRounds(files=targets)


def played_tasks() -> Mapping[str, tuple[World, AgentTask]]:
    """Tasks of worlds that people play, too."""
    return {
        task.name: (world, task)
        for world in WORLDS
        if world.playing
        for task in world.tasks
        if task.rounds
    }


def _find_played(name: str) -> tuple[World, AgentTask]:
    tasks = played_tasks()
    if name not in tasks:
        raise UnknownName(f"unknown task {name!r}. {did_you_mean(name, tasks)}")
    return tasks[name]


def parse_pace(playing: Playable[Any, Any], pace: str | float | None) -> float | None:
    """From `--pace`."""
    if pace is None:
        return None
    if pace == "human" and playing.human_steps_per_s is not None:
        return playing.human_steps_per_s
    steps = parse_value(pace) if isinstance(pace, str) else pace
    if isinstance(steps, int | float) and 0.1 <= steps <= 60:
        return float(steps)
    raise InvalidInput(f"--pace: expected human, or steps per second from 0.1 to 60, got {pace!r}.")


def look_of(film: str, frames_per_s: int) -> Look:
    """One picture for each tick, in this size."""
    width, _, height = film.partition("x")
    if not (width.isdecimal() and height.isdecimal()):
        raise InvalidInput(f"--film: expected WIDTHxHEIGHT such as 640x360, got {film!r}.")
    return Look(width_px=int(width), height_px=int(height), frames_per_s=frames_per_s)


def parse_value(written: str) -> Any:
    """A number, or true or false, if it is one; {ArrowUp: 2} and [0, 1] as in a study file."""
    for number in (int, float):
        try:
            return number(written)
        except ValueError:
            continue
    if written.lower() in ("true", "false"):
        return written.lower() == "true"
    if written[:1] not in ("{", "["):
        return written
    try:
        return YAML(typ="safe", pure=True).load(written)
    except YAMLError:
        raise InvalidInput(
            f"expected {{KEY: VALUE, …}} or [VALUE, …], got {written!r}. Put it into quotes."
        ) from None


def world_options(
    playing: Playable[Any, Any], written: Mapping[str, Any], *, by_program: bool = False
) -> Record:
    """The world's options; text is read as on the command line. A program needs no keys."""
    plain = {
        name: parse_value(value) if isinstance(value, str) else value
        for name, value in written.items()
        if value is not None
    }
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


def study_text(world: World, keys: Mapping[str, Any], rounds: int, seconds: int, seed: int) -> str:
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


def resolve_setup(
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


def play_rounds(
    targets: Sequence[Path],
    playing: Playable[Any, Any],
    settle: Callable[[int], Record],
    player: ChosenAgent,
    seed: int,
    done: Callable[[], None],
) -> None:
    """The recording says which agent played, so that it cannot pass for a person."""
    about = {"player": player.written, **player.identity()}
    for number, target in enumerate(targets, start=1):
        act = player.sit_down(derive(seed, "player", number))
        recording = play_through(playing, settle(number), act, player.agent.game)
        write(replace(recording, provenance={**recording.provenance, **about}), target)
        done()


def play_in_environment(
    targets: Sequence[Path],
    playing: Playable[Any, Any],
    settle: Callable[[int], Record],
    player: ChosenAgent,
    seed: int,
    steps_per_s: float | None,
) -> Iterator[tuple[Path, Path | None]]:
    """Each file as it is written, with the earlier film that shows the same, if there is one."""
    assert playing.rollout is not None, "worlds with environments have it"
    films: dict[str, Path] = {}
    about = {"player": player.written, **player.identity()}
    for number, target in enumerate(targets, start=1):
        act = player.sit_down(derive(seed, "player", number))
        beginning = target.with_name(target.name.partition(".")[0])
        for file in playing.rollout(
            settle(number), act, beginning, steps_per_s, player.written, about
        ):
            recorded = file.name.endswith(RECORDING_SUFFIX)
            first = file if recorded else films.setdefault(digest_of(file), file)
            yield file, None if first == file else first


def serve_players(
    targets: Sequence[Path],
    study: str,
    *,
    options: Options,
    open_page: bool,
    host: str = "127.0.0.1",
    port: int | None = None,
    base_url: str | None = None,
) -> None:
    """A separate server until all rounds are recorded. Its data are deleted
    afterwards.
    """
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
            options.say(f"Play here: {address}\nStop with Ctrl-C.")
            if open_page:
                webbrowser.open(address)
            with options.counting_each("Recording", len(targets)) as count:
                keep_rounds(store, targets, count)
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


def keep_rounds(store: Store, targets: Sequence[Path], count: Callable[[], None]) -> None:
    """Write each round as soon as it is over, until there are as many as wanted."""
    written = 0
    while written < len(targets):
        for body in store.read(rounds.recordings)[written : len(targets)]:
            played = from_bytes(body, source=targets[written].name)
            write(
                replace(played, provenance={**played.provenance, "player": "person"}),
                targets[written],
            )
            count()
            written += 1
        time.sleep(LOOK_S)


def render_videos(
    targets: Sequence[Path], folder: Path, look: Look | None, progress: Progress
) -> Sequence[Path]:
    """Make a video of each recording."""
    rendered = render(targets, folder, look, progress=progress)
    if rendered.failed:
        raise InvalidInput(
            "; ".join(f"{path.name}: {why}" for path, why in rendered.failed.items())
        )
    return list(rendered.results.values())
