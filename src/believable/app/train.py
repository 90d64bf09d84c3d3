"""Agents that worlds declare, trained for a task and measured in it."""

from __future__ import annotations

import json
import socket
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from believable.agents.choice import choose_agent
from believable.app.options import (
    AnyPath,
    Options,
    argument,
    option,
    options,
    setting,
    show_bar,
    use_case,
)
from believable.app.study_data import ClusterOptions
from believable.contracts.agent import AgentTask
from believable.contracts.registries import WORLDS
from believable.core.child_python import python_command
from believable.core.errors import InvalidInput, UnknownName, WrongUsage
from believable.core.registry import did_you_mean
from believable.core.work import map_chunks
from believable.recordings.file import read
from believable.report.agent_figures import curve_figure, measures_figure, write_figure
from believable.stats.estimate import Estimate

#: Measures that the figure shows.
DRAWN = ("success", "camera", "collisions", "slow", "path_efficiency")


def find_navigator(written: str) -> str | Path:
    """The name of an agent of the task, or the file with its weights."""
    world = next(world for world in WORLDS for task in world.tasks if task.name == "navigation")
    chosen = choose_agent(written, world)
    if chosen.checkpoint is not None and chosen.checkpoint.suffix == ".safetensors":
        return chosen.checkpoint
    find_task("navigation", chosen.agent.short_name)
    return chosen.agent.short_name


def find_task(name: str, agent: str | None = None) -> AgentTask:
    """Return the task of this name, which has this agent."""
    tasks = {task.name: task for world in WORLDS for task in world.tasks}
    if name not in tasks:
        raise UnknownName(f"unknown task {name!r}. {did_you_mean(name, tasks)}")
    if agent is not None and agent not in tasks[name].agents:
        raise UnknownName(
            f"--agent: {name!r} has no agent {agent!r}. {did_you_mean(agent, tasks[name].agents)}"
        )
    return tasks[name]


@options
class TrainOptions(ClusterOptions):
    task: str = argument("The task.", kw_only=False)
    agent: str = option(
        "Which of the task's agents: symbolic, hybrid, reward_shaping for navigation."
    )
    steps: int = setting("Decisions to train for, with each seed.", default=400_000, ge=1)
    seeds: int = setting("Trainings with different chance.", default=1, ge=1, le=20)
    seed: int = setting("The first of them.", default=1)
    maps: int = setting("Number of drawn maps to train on.", default=1, ge=1, le=64)
    workers: int = setting("Processes with environments.", default=2, ge=1, le=64)
    out: AnyPath = setting("Folder of the trainings.", default="trained", path="folder")
    from_: AnyPath | None = option(
        "Begin with these weights instead of chance.",
        default=None,
        metavar="FILE",
        path="known file",
    )
    rate: float | None = option(
        "Learning rate at the beginning; default: 0.001.", default=None, gt=0
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Training:
    """One seed's training, as it travels to a cluster. There it has a separate process: a worker
    of a cluster may as a rule not start processes, and a training does.
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

    def run(self, on_row: Any = lambda row: None) -> Path:
        """Train, and return the file with the weights."""
        return find_task(self.task, self.agent).train_agent(
            self.agent,
            self.seed,
            self.steps,
            self.folder,
            maps=self.maps,
            workers=self.workers,
            on_row=on_row,
            start=self.start,
            rate=self.rate,
        )

    def run_in_process(self) -> Path:
        """The same in a separate process."""
        program = "import sys; from believable.app.train import train_seed; train_seed(sys.argv[1])"
        text = json.dumps(asdict(self), default=str)
        process = subprocess.run(
            python_command("-c", program, text), capture_output=True, text=True, check=False
        )
        if process.returncode != 0:
            reason = process.stderr.strip().splitlines()[-1:] or [
                f"exit status {process.returncode}"
            ]
            raise InvalidInput(f"seed {self.seed} on {socket.gethostname()}: {reason[0]}")
        return Path(process.stdout.strip())


def train_seed(text: str) -> None:
    """Run the training with these fields, and print the file with the weights."""
    fields = json.loads(text)
    start = None if fields["start"] is None else Path(fields["start"])
    training = Training(**fields | {"folder": Path(fields["folder"]), "start": start})
    print(training.run())  # noqa: T201


@use_case(TrainOptions)
def train(options: TrainOptions) -> Sequence[Path]:
    """Train an agent of a world for a task.

    TASK is navigation. Each seed has a folder, OUT/AGENT-SEED, with a checkpoint, the curve as CSV
    and in the end the weights. The same command continues an interrupted training from its
    checkpoint. OUT/AGENT.svg is the curve of all seeds with a
    band of one standard deviation (needs the extra `report`). Needs the extra `train`. On a cluster
    the seeds are trained side by side; OUT must be mounted alike on its machines.
    """
    task, out = find_task(options.task, options.agent), Path(options.out)
    start = None if options.from_ is None else Path(options.from_)
    remote = options.cluster_address is not None
    folders = [
        out / f"{options.agent}-{number}"
        for number in range(options.seed, options.seed + options.seeds)
    ]
    trainings = [
        Training(
            task=options.task,
            agent=options.agent,
            seed=number,
            steps=options.steps,
            folder=folder.resolve() if remote else folder,
            maps=options.maps,
            workers=options.workers,
            start=start.resolve() if remote and start else start,
            rate=options.rate,
        )
        for number, folder in enumerate(folders, start=options.seed)
    ]
    if remote:
        with options.working(), options.counting("Trained", len(trainings)) as progress:
            files = map_chunks(Training.run_in_process, trainings, progress=progress)
    else:
        files = [_train_here(training, options) for training in trainings]
    curves = [task.part("read_curve")(folder) for folder in folders]
    points = [
        (point.decisions, point.mean, point.sd)
        for point in task.part("mean_curve")(curves, "success")
    ]
    drawing = curve_figure(
        {options.agent: points}, "Share of rounds that reach the goal", "Success, last 200 rounds"
    )
    figure = out / f"{options.agent}.svg"
    write_figure(figure, *drawing)
    return [*files, figure]


def _train_here(training: Training, options: TrainOptions) -> Path:
    report = options.progress or show_bar
    label = f"{training.agent}, seed {training.seed}"

    def on_row(row: Any) -> None:
        state = f"success {row.success:.2f}, {row.decisions_to_goal:.0f} decisions to the goal"
        report(f"{label}, {state}", row.decisions, training.steps)

    report(label, 0, training.steps)
    return training.run(on_row)


@options
class EvaluateOptions(Options):
    agent: Sequence[str] = option("An agent of the package; repeatable.", default=())
    weights: Sequence[AnyPath] = option(
        "An agent of your own training; repeatable.", default=(), metavar="FILE", path="known file"
    )
    people: Sequence[AnyPath] = option(
        "Recordings of people, measured alike.", default=(), metavar="RECORDING", path="known file"
    )
    untrained: bool = option("Also each agent before it learned anything.", default=False)
    runs: int = setting("Runs of each agent.", default=100, ge=2, le=10_000)
    seed: int = setting("Goals and chance follow from it.", default=1)
    map_seed: Sequence[int] = option(
        "Maps to run on; default: the one of the training.", default=()
    )
    workers: int | None = option(
        "Runs at the same time; default: one per core.", default=None, ge=1, le=64
    )
    figure: AnyPath | None = option(
        "Draw the shares: FILE.svg or FILE.png.", default=None, path="file"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class NavigationMeasures:
    """Measures by label and name, and every run. `about`: name of a measure → its meaning."""

    measures: Mapping[str, Mapping[str, Estimate]]
    runs: Mapping[str, Sequence[Any]]
    about: Mapping[str, str]

    def as_json(self) -> object:
        return {"measures": self.measures, "runs": self.runs}


@use_case(EvaluateOptions)
def evaluate_navigation(options: EvaluateOptions) -> NavigationMeasures:
    """Let navigation agents run to drawn goals, and measure how they move.

    Success, decisions to the goal, deaths; sudden turns of the camera, collisions, slow steps (P1
    to P3 of Milani et al. 2023); jerk, smoothness of turning, path efficiency. Each with a 95 %
    interval over runs.
    """
    task = find_task("navigation")
    chosen = [find_navigator(written) for written in options.agent]
    names = [name for name in chosen if isinstance(name, str)]
    own = [file for file in chosen if isinstance(file, Path)]
    if not (options.agent or options.weights or options.people):
        raise WrongUsage(
            "evaluate navigation: nothing to measure. Give --agent, --weights or --people."
        )
    wanted: list[tuple[str, str, dict[str, Any]]] = []
    for agent in names:
        wanted.append((agent, agent, {}))
        if options.untrained:
            wanted.append((f"{agent} (untrained)", agent, {"untrained": True}))
    for file in (*own, *map(Path, options.weights)):
        wanted.append((str(file), task.part("agent_in")(file), {"weights": file}))
    maps = {"map_seeds": tuple(options.map_seed)} if options.map_seed else {}
    measured: dict[str, list[Any]] = {}
    for label, agent, source in wanted:
        with options.counting(label, options.runs) as progress:
            measured[label] = task.part("evaluate_agent")(
                agent,
                options.runs,
                options.seed,
                **source,
                **maps,
                workers=options.workers,
                progress=progress,
            )
    if options.people:
        measure = task.part("measure_recording")
        measured["people"] = [measure(read(Path(file))) for file in options.people]
    estimates: dict[str, dict[str, Estimate]] = {
        label: task.part("summarise")(runs, np.random.default_rng(options.seed))
        for label, runs in measured.items()
    }
    if options.figure is not None:
        write_figure(Path(options.figure), *measures_figure(estimates, DRAWN))
    return NavigationMeasures(measures=estimates, runs=measured, about=task.part("MEASURE_WORDS"))
