"""`believable train` and `believable evaluate`: agents that worlds declare, trained for a task and
measured in it.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from believable.cli.imitation import evaluate_imitation
from believable.cli.place import FILE, FOLDER, KNOWN_FILE, cluster_option, setting, working_on
from believable.core.child_python import python_command
from believable.core.errors import InvalidInput, NotFound

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from believable.stats.estimate import Estimate
    from believable.worlds.contract import AgentTask

_FILE = KNOWN_FILE
_FOLDER = FOLDER


def _tasks() -> Mapping[str, AgentTask]:
    from believable.worlds import WORLDS

    return {task.name: task for world in WORLDS for task in world.tasks}


def _task(name: str, agent: str | None = None) -> AgentTask:
    from believable.core.registry import did_you_mean

    tasks = _tasks()
    if name not in tasks:
        raise NotFound(f"unknown task {name!r}. {did_you_mean(name, tasks)}")
    if agent is not None and agent not in tasks[name].agents:
        raise NotFound(
            f"--agent: {name!r} has no agent {agent!r}. {did_you_mean(agent, tasks[name].agents)}"
        )
    return tasks[name]


@click.command()
@click.argument("task")
@click.option(
    "--agent",
    required=True,
    help="Which of the task's agents: symbolic, hybrid, reward_shaping for navigation.",
)
@setting(
    "--steps",
    type=click.IntRange(1),
    default=400_000,
    help="Decisions to train for, with each seed.",
)
@setting("--seeds", type=click.IntRange(1, 20), default=1, help="Trainings with different chance.")
@setting("--seed", type=int, default=1, help="The first of them.")
@setting("--maps", type=click.IntRange(1, 64), default=1, help="Train on so many drawn maps.")
@setting("--workers", type=click.IntRange(1, 64), default=2, help="Processes with environments.")
@setting("--out", type=_FOLDER, default=Path("trained"), help="Where trainings are kept.")
@click.option(
    "--from",
    "start",
    type=_FILE,
    metavar="FILE",
    help="Begin with these weights instead of chance.",
)
@click.option(
    "--rate",
    type=click.FloatRange(0, min_open=True),
    help="Learning rate at the beginning; default: 0.001.",
)
@cluster_option
def command(
    task: str,
    agent: str,
    steps: int,
    seeds: int,
    seed: int,
    maps: int,
    workers: int,
    out: Path,
    start: Path | None,
    rate: float | None,
    cluster: str | None,
) -> None:
    """Train an agent of a world for a task.

    TASK is navigation. Each seed has a folder, OUT/AGENT-SEED, with a checkpoint, the curve as CSV
    and in the end the weights. A training that was interrupted, however hard, goes on from its
    checkpoint when the same command is given again. OUT/AGENT.svg is the curve of all seeds with a
    band of one standard deviation (needs the extra `report`). Needs the extra `train`. On a cluster
    the seeds are trained side by side; OUT must be mounted alike on its machines.

    \b
    Example:
      believable train navigation --agent hybrid --steps 400000 --seeds 3
      believable train navigation --agent reward_shaping --from trained/hybrid-1/hybrid.safetensors --rate 0.0003
    """
    chosen = _task(task, agent)
    folders = [out / f"{agent}-{number}" for number in range(seed, seed + seeds)]
    if cluster is not None:
        trainings = [
            Training(
                task,
                agent,
                number,
                steps,
                folder.resolve(),
                maps,
                workers,
                start and start.resolve(),
                rate,
            )
            for number, folder in zip(range(seed, seed + seeds), folders, strict=True)
        ]
        for file in trained_on(cluster, trainings):
            click.echo(str(file))
    for number, folder in (
        zip(range(seed, seed + seeds), folders, strict=True) if cluster is None else ()
    ):
        with click.progressbar(
            length=steps, label=f"{agent}, seed {number}", file=sys.stderr, item_show_func=_standing
        ) as bar:

            def tell(row: Any, bar: Any = bar) -> None:
                bar.update(row.decisions - bar.pos, row)

            file = chosen.train_agent(
                agent,
                number,
                steps,
                folder,
                maps=maps,
                workers=workers,
                tell=tell,
                start=start,
                rate=rate,
            )
        click.echo(str(file))
    curves = [chosen.part("read_curve")(folder) for folder in folders]
    click.echo(str(_drawn_curve(chosen, agent, curves, out / f"{agent}.svg")))


@dataclass(frozen=True, slots=True)
class Training:
    """One seed's training, as it travels to a cluster. There it has a process of its own: what
    works for a cluster may as a rule not start processes, and a training does.
    """

    task: str
    agent: str
    seed: int
    steps: int
    folder: Path
    maps: int
    workers: int
    start: Path | None
    rate: float | None

    def done(self) -> Path:
        """The file with the weights."""
        program = "import sys; from believable.cli.train import train_seed; train_seed(sys.argv[1])"
        words = json.dumps(asdict(self), default=str)
        process = subprocess.run(
            python_command("-c", program, words), capture_output=True, text=True, check=False
        )
        if process.returncode != 0:
            reason = process.stderr.strip().splitlines()[-1:] or [
                f"exit status {process.returncode}"
            ]
            raise InvalidInput(f"seed {self.seed} on {socket.gethostname()}: {reason[0]}")
        return Path(process.stdout.strip())


def train_seed(words: str) -> None:
    """What that process does: `words` are the fields of a `Training`. It prints the file with the
    weights.
    """
    fields = json.loads(words)
    start = None if fields["start"] is None else Path(fields["start"])
    file = _task(fields["task"], fields["agent"]).train_agent(
        fields["agent"],
        fields["seed"],
        fields["steps"],
        Path(fields["folder"]),
        maps=fields["maps"],
        workers=fields["workers"],
        tell=lambda row: None,
        start=start,
        rate=fields["rate"],
    )
    click.echo(str(file))


def trained_on(cluster: str, trainings: Sequence[Training]) -> list[Path]:
    """Side by side: the weights of all."""
    from believable.core.work import map_chunks

    with (
        working_on(cluster),
        click.progressbar(length=len(trainings), label="Trained", file=sys.stderr) as bar,
    ):
        return map_chunks(
            Training.done, trainings, progress=lambda done, _: bar.update(done - bar.pos)
        )


def _standing(row: Any) -> str:
    """Where a training stands, beside its bar."""
    if row is None:
        return ""
    return f"success {row.success:.2f}, {row.decisions_to_goal:.0f} decisions to the goal"


def _drawn_curve(task: AgentTask, agent: str, curves: Sequence[Any], file: Path) -> Path:
    from believable.report.agent_figures import curve_figure, write_figure

    points = [
        (point.decisions, point.mean, point.sd)
        for point in task.part("mean_curve")(curves, "success")
    ]
    write_figure(
        file,
        *curve_figure(
            {agent: points}, "Share of rounds that reach the goal", "Success, last 200 rounds"
        ),
    )
    return file


@click.group()
def evaluate() -> None:
    """Measure how near an agent comes to people.

    \b
    Example:
      believable evaluate navigation --agent hybrid --runs 100
      believable evaluate imitation person.imitation --held-out last-week.replay.json.gz
    """


evaluate.add_command(evaluate_imitation)


@evaluate.command("navigation")
@click.option(
    "--agent", "agents", multiple=True, help="An agent that comes with the package; repeatable."
)
@click.option(
    "--weights",
    multiple=True,
    type=_FILE,
    metavar="FILE",
    help="An agent of your own training; repeatable.",
)
@click.option(
    "--people",
    multiple=True,
    type=_FILE,
    metavar="RECORDING",
    help="Recordings of people, measured alike.",
)
@click.option(
    "--untrained", is_flag=True, help="Beside each agent the same one before it learned anything."
)
@setting("--runs", type=click.IntRange(2, 10_000), default=100, help="Runs of each agent.")
@setting("--seed", type=int, default=1, help="Goals and chance follow from it.")
@click.option(
    "--map-seed",
    "maps",
    multiple=True,
    type=int,
    help="Maps to run on; default: the one of the training.",
)
@click.option(
    "--workers",
    type=click.IntRange(1, 64),
    default=None,
    help="Runs at the same time; default: one per core.",
)
@click.option("--figure", type=FILE, help="Draw the shares: FILE.svg or FILE.png.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON with every run, for scripts.")
def evaluate_navigation(
    agents: tuple[str, ...],
    weights: tuple[Path, ...],
    people: tuple[Path, ...],
    untrained: bool,
    runs: int,
    seed: int,
    maps: tuple[int, ...],
    workers: int | None,
    figure: Path | None,
    as_json: bool,
) -> None:
    """Let navigation agents run to drawn goals, and measure how they move.

    Success, decisions to the goal, deaths; sudden turns of the camera, collisions, slow steps (P1
    to P3 of Milani et al. 2023); jerk, smoothness of turning, path efficiency. Each with a 95 %
    interval over runs.

    \b
    Example:
      believable evaluate navigation --agent symbolic --agent hybrid --agent reward_shaping --runs 100
    """
    task = _task("navigation")
    for agent in agents:
        _task("navigation", agent)
    if not (agents or weights or people):
        raise InvalidInput(
            "evaluate navigation: nothing to measure. Give --agent, --weights or --people."
        )
    wanted: list[tuple[str, str, dict[str, Any]]] = []
    for agent in agents:
        wanted.append((agent, agent, {}))
        if untrained:
            wanted.append((f"{agent} (untrained)", agent, {"untrained": True}))
    wanted += [(str(file), task.part("agent_in")(file), {"weights": file}) for file in weights]
    measured: dict[str, list[Any]] = {}
    for label, agent, source in wanted:
        with click.progressbar(length=runs, label=label, file=sys.stderr) as bar:
            measured[label] = task.part("evaluate_agent")(
                agent,
                runs,
                seed,
                **source,
                **({"map_seeds": maps} if maps else {}),
                workers=workers,
                progress=lambda done, total, bar=bar: bar.update(done - bar.pos),
            )
    if people:
        from believable.recordings.file import read

        measured["people"] = [task.part("measure_recording")(read(file)) for file in people]
    _tell_measures(task, measured, seed, figure, as_json=as_json)


def _tell_measures(
    task: AgentTask,
    measured: Mapping[str, Sequence[Any]],
    seed: int,
    figure: Path | None,
    *,
    as_json: bool,
) -> None:
    import numpy as np

    estimates: dict[str, dict[str, Estimate]] = {
        label: task.part("summarised")(runs, np.random.default_rng(seed))
        for label, runs in measured.items()
    }
    if figure is not None:
        from believable.report.agent_figures import measures_figure, write_figure

        write_figure(
            figure,
            *measures_figure(
                estimates, ("success", "camera", "collisions", "slow", "path_efficiency")
            ),
        )
    if as_json:
        summaries = {
            label: {name: asdict(e) for name, e in values.items()}
            for label, values in estimates.items()
        }
        runs = {label: [asdict(run) for run in rows] for label, rows in measured.items()}
        click.echo(json.dumps({"measures": summaries, "runs": runs}, indent=2))
        return
    words: Mapping[str, str] = task.part("MEASURE_WORDS")
    for name, about in words.items():
        click.echo(f"{about} ({name})")
        for label, values in estimates.items():
            click.echo(f"  {label:<28}{_estimate_words(values[name])}")


def _estimate_words(estimate: Estimate) -> str:
    if estimate.value is None:
        return f"undefined: {estimate.reason}"
    interval = (
        ""
        if estimate.low is None or estimate.high is None
        else f"  [{estimate.low:.3f}, {estimate.high:.3f}]"
    )
    return f"{estimate.value:8.3f}{interval}  n = {estimate.n}"
