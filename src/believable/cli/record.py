"""`believable record`: rounds of a game as stimuli, played by people of the lab or by a script. One
command per world, and one per task at which people are recorded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from believable.app.agents import values_of
from believable.app.options import Options, fields_of
from believable.app.record import (
    PeopleOptions,
    RecordedRounds,
    RoundOptions,
    played_tasks,
    record_people,
    record_rounds,
)
from believable.cli.agent_options import agent_option, agent_values_option
from believable.cli.derive import JSON_OPTION, callback, parameter
from believable.contracts.registries import WORLDS

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

    from believable.contracts.agent import AgentTask
    from believable.contracts.world import World


class WorldCommands(click.Group):
    """One command for each world that can be played; its own options are read from its record."""

    def list_commands(self, context: click.Context) -> list[str]:
        return sorted([*(world.name for world in WORLDS if world.playing), *played_tasks()])

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name in (tasks := played_tasks()):
            return _task_command(*tasks[name])
        return _world_command(WORLDS[name]) if name in WORLDS and WORLDS[name].playing else None


@click.group(cls=WorldCommands)
def command() -> None:
    """Record rounds of a game as stimuli.

    \b
    Example:
      believable record maze my-study/stimuli --opponent calm --rounds 3
    """


def _show(recorded: RecordedRounds) -> None:
    for file in (*recorded.files, *recorded.videos):
        click.echo(str(file))


def _params(
    record: type[Options], instead: Mapping[str, list[click.Parameter]]
) -> Iterator[click.Parameter]:
    """The parameters of a record, some of them replaced by others."""
    for field in fields_of(record):
        yield from instead.get(field.name, [parameter(field)])
    yield JSON_OPTION


def _task_command(world: World, task: AgentTask) -> click.Command:
    """`believable record TASK`: rounds of people who are sent a link."""
    descriptions = world.game.trial.options.descriptions()
    own = {name: value for name, value in task.rounds.items() if name != "map"}
    of_world: list[click.Parameter] = [
        click.Option(
            [f"--{name}"], default=str(value), show_default=True, help=descriptions.get(name)
        )
        for name, value in own.items()
    ]

    def prepare(values: dict[str, Any]) -> None:
        values["task"] = task.name
        values["world_options"] = {name: values.pop(name) for name in own}

    return click.Command(
        task.name,
        params=list(_params(PeopleOptions, {"task": [], "world_options": of_world})),
        help=f"""{record_people.__doc__}

    \b
    Example:
      believable record {task.name} people --players 8 --runs 10 --host 0.0.0.0
      believable record {task.name} people --players 8 --base-url http://lab.example.org:8123
    """,
        callback=callback(record_people, _show, prepare=prepare),
    )


def _world_command(world: World) -> click.Command:
    """`believable record WORLD`."""
    playing = world.game
    opponents = playing.trial.opponents
    names = [*opponents.named, *([f"{opponents.level} from 0 to 1"] if opponents.level else [])]
    first = next(iter(opponents.named), "")
    own = playing.trial.options.model_fields

    def prepare(values: dict[str, Any]) -> None:
        values["world"] = world.name
        values["agent_options"] = values_of(values.pop("agent_values"))
        values["world_options"] = {name: values.pop(name) for name in own}

    against = f" --opponent {names[1] if len(names) > 1 else first}" if names else ""
    last = (
        "--agent my_agent:agent --episodes 20"
        if playing.rollout
        else f"--scripted --rounds 20 {'--film 640x360' if playing.filmable else '--video'}"
    )
    return click.Command(
        world.name,
        params=list(_params(RoundOptions, _of_world(world, names, first))),
        help=f"""Play rounds of the {world.name} and keep them as recordings.

    Opens a page on this machine with a practice and the rounds, and writes each round to FOLDER as
    soon as it is over. The recordings are stimuli like any other: name them in study.yaml, render
    or cut them with `believable stimuli`.

    \b
    Example:
      believable record {world.name} my-study/stimuli{against} --rounds 3
      believable record {world.name} my-study/stimuli {last}
    """,
        callback=callback(record_rounds, _show, prepare=prepare),
    )


def _of_world(world: World, names: list[str], first: str) -> dict[str, list[click.Parameter]]:
    """The parameters that differ between worlds."""
    playing = world.game
    listed = f"{', '.join(names[:-1])}, or {names[-1]}." if len(names) > 1 else "".join(names)
    descriptions = playing.trial.options.descriptions()
    opponent: list[click.Parameter] = [
        click.Option(["--opponent"], default=first, show_default=True, help=listed)
    ]
    options: list[click.Parameter] = [
        click.Option(
            [f"--{name.replace('_', '-')}"],
            default=_default(field),
            show_default=True,
            help=descriptions.get(name),
        )
        for name, field in playing.trial.options.model_fields.items()
    ]
    (pace,) = (field for field in fields_of(RoundOptions) if field.name == "pace")
    assumed = playing.human_steps_per_s
    about = f"{pace.description}{'' if assumed is None else f'; human: {assumed:.1f}'}."
    return {
        "world": [],
        "opponent": opponent if names else [],
        "world_options": options,
        "agent": [agent_option(world.name)],
        "agent_options": [agent_values_option()],
        "pace": [parameter(replace(pace, description=about))] if playing.rollout else [],
        **({"video": []} if playing.filmable else {"film": []}),
    }


def _default(field: FieldInfo) -> str | None:
    """As it is written on the command line; None if there is no default."""
    value = field.get_default(call_default_factory=True)
    return None if value is None or value == {} else str(value)
