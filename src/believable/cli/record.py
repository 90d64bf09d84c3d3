"""`believable record`: rounds of a game as stimuli, played by people of the lab or by a script. One
command per world.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from believable.app.agents import values_of
from believable.cli.agent_options import agent_option, agent_values_option
from believable.cli.derive import FOLDER
from believable.core.errors import InvalidInput, Refused

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

    from believable.contracts.agent import AgentTask
    from believable.contracts.world import Playable, World


class WorldCommands(click.Group):
    """One command for each world that can be played; its own options are read from its record."""

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
            ["--seed"], type=int, default=1, show_default=True, help="Seed of all random choices."
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

    A player opens the link, practises, then plays RUNS rounds. The command writes each round to
    FOLDER as soon as it is over. It ends after PLAYERS × RUNS rounds, or with Ctrl-C; given again,
    it continues with the next number. Give FOLDER to `believable new --humans`. To let others open
    the link, use --host 0.0.0.0, or --base-url behind a proxy.

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
    from believable.app import record as recorder

    options = recorder.world_options(world.game, {**task.rounds, **written})
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
    study = recorder.study_text(world, keys, runs, seconds, seed + first)
    recorder.serve_players(
        targets,
        study,
        report=click.echo,
        open_page=not no_browser,
        host=host,
        port=port,
        base_url=base_url,
    )


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

    Opens a page on this machine with a practice and the rounds, and writes each round to FOLDER as
    soon as it is over. The recordings are stimuli like any other: name them in study.yaml, render
    or cut them with `believable stimuli`.

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


def _default(field: FieldInfo) -> str | None:
    """As it is written on the command line; None if there is no default."""
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
    from believable.app import record as recorder
    from believable.recordings.film_file import load_av

    playing = world.game
    if scripted and agent is None:
        agent = playing.stand_in.name
    player = None
    if agent is not None:
        player = choose_in(agent, world, playing.seat, values_of(agent_values))
    chosen = recorder.parse_value(opponent)
    if isinstance(chosen, str) and ":" in chosen and "opponent" in playing.seats:
        choose_in(chosen, world, "opponent")
    elif (
        playing.trial.opponents.named
        and (problem := playing.trial.opponents.problem(chosen)) is not None
    ):
        raise InvalidInput(" ".join(problem))
    options = recorder.world_options(
        playing, written, by_program=player is not None and player.agent.acts == "environment"
    )
    steps_per_s = recorder.parse_pace(playing, pace)
    if pace is not None and (player is None or player.agent.acts != "environment"):
        raise InvalidInput(
            "--pace: it sets the pace of an agent that acts in the environment, and there is none,"
            f" got --pace {pace}. Leave it out."
        )
    settle = partial(recorder.resolve_setup, playing, options, chosen, seconds, seed)
    look = None if film is None else recorder.look_of(film, playing.hz(settle(1)))
    if video or look is not None:
        load_av("Rendering recordings")  # report missing libraries before anyone plays
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
        for file, same in recorder.play_in_environment(
            targets, playing, settle, player, seed, steps_per_s
        ):
            click.echo(str(file))
            if same is not None:
                click.echo(
                    f"{file.name} shows the same as {same.name}: the environment starts alike and"
                    " the agent acts alike. A study takes each video once. Choose an environment"
                    " with random starts, such as MiniGrid-FourRooms-v0.",
                    err=True,
                )
    elif player is not None:
        with click.progressbar(length=len(targets), label="Playing", file=sys.stderr) as bar:
            recorder.play_rounds(targets, playing, settle, player, seed, lambda: bar.update(1))
        for target in targets:
            click.echo(str(target))
    else:
        keys = options.model_dump(exclude_none=True) | ({"opponent": chosen} if opponent else {})
        recorder.serve_players(
            targets,
            recorder.study_text(world, keys, rounds, seconds, seed),
            report=click.echo,
            open_page=not no_browser,
        )
    if video or look is not None:
        with click.progressbar(length=len(targets), label="Rendering", file=sys.stderr) as bar:
            videos = recorder.render_videos(
                targets, folder, look, lambda done, total: bar.update(1)
            )
        for rendered in videos:
            click.echo(str(rendered))
