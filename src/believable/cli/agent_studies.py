"""Studies of agents for `believable new`: clips of trained agents, runs of the town, players
learned from recordings.

What each asks for is a request; it writes the study and gives the folders that it wrote.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import click

from believable import __version__
from believable.cli.place import KNOWN_FOLDER, definition_of, setting, with_options
from believable.core.errors import InvalidInput

if TYPE_CHECKING:
    from believable.protocols.contract import ReadyStudy, ShownAgents
    from believable.study.records import Study

Command = Callable[..., Any]


# ----------------------------------------------------------------------------------------------
# trained agents


@dataclass(frozen=True, slots=True)
class AgentRequest:
    """Clips of trained agents: a study for each of them, or one for all."""

    alone: ClassVar[str] = "--agent makes clips of its own. Leave --clips and --variant out."
    takes_variant: ClassVar[bool] = False

    shown: ShownAgents
    together: bool

    def write(
        self, ready: ReadyStudy, folder: Path, seed: int, languages: str | None, variant: str | None
    ) -> Iterator[Path]:
        from believable.cli.new import write
        from believable.protocols.variants import agent_variant

        ready, agents = agent_variant(ready), self.shown.agents
        for named in (agents,) if self.together else tuple((agent,) for agent in agents):
            place = folder if self.together or len(agents) == 1 else folder / named[0]
            shown = replace(self.shown, agents=named)
            write(ready, place, seed, languages, fill=partial(_show_agents, ready, seed, shown))
            yield place


def _show_agents(
    ready: ReadyStudy, seed: int, shown: ShownAgents, study: Study, draft: Path
) -> None:
    label = f"Runs of {', '.join(shown.agents)}"
    with click.progressbar(
        length=shown.runs * len(shown.agents), label=label, file=sys.stderr
    ) as bar:
        ready.write_agent_clips(study, draft, seed, shown, bar.update)


def agent_options(command: Command) -> Command:
    """`--agent` and what is said about it: the command gets them as `agents`, None where there are
    none.
    """

    @wraps(command)
    def with_agents(
        *,
        agents: tuple[str, ...],
        together: bool,
        people_pairs: int,
        mismatched: int,
        humans: Path | None,
        runs: int,
        **values: Any,
    ) -> Any:
        from believable.protocols.contract import ShownAgents

        if agents:
            shown = ShownAgents(agents, humans, runs, people_pairs, mismatched)
            return command(agents=AgentRequest(shown, together), **values)
        if humans is not None or together or people_pairs or mismatched:
            raise InvalidInput(
                "new: --humans, --together, --people-pairs and --mismatched are about an agent. Add"
                " --agent, or use --clips CONDITION=FOLDER."
            )
        return command(agents=None, **values)

    return with_options(
        with_agents,
        click.option(
            "--agent",
            "agents",
            multiple=True,
            metavar="NAME",
            help=(
                "Clips of a trained agent: symbolic, hybrid, reward_shaping. Several make a study"
                " each, in folders in FOLDER."
            ),
        ),
        click.option(
            "--together",
            is_flag=True,
            help="Several agents in one study: each judge sees six pairs drawn from all.",
        ),
        setting(
            "--people-pairs",
            type=click.IntRange(0, 12),
            default=0,
            help="Control: so many pairs of two people, where nobody can be right.",
        ),
        setting(
            "--mismatched",
            type=click.IntRange(0, 12),
            default=0,
            help="Control: so many pairs of each agent and a person on the way to different goals.",
        ),
        click.option(
            "--humans",
            type=KNOWN_FOLDER,
            metavar="FOLDER",
            help=(
                "Recordings of people beside the agent's; without them a stand-in, which the study"
                " says."
            ),
        ),
        setting(
            "--runs",
            type=click.IntRange(6, 1000),
            default=100,
            help="Runs of the agent to draw clips from.",
        ),
    )


# ----------------------------------------------------------------------------------------------
# runs of the town


@dataclass(frozen=True, slots=True)
class TownRequest:
    """Days of the town, one run for each condition; without `runs` they are made now."""

    alone: ClassVar[str] = (
        "--town and --town-run belong to --protocol replay, without --clips and --agent."
    )
    takes_variant: ClassVar[bool] = True

    runs: tuple[str, ...]

    def write(
        self, ready: ReadyStudy, folder: Path, seed: int, languages: str | None, variant: str | None
    ) -> Iterator[Path]:
        from believable.cli.new import write
        from believable.protocols.variants import variant as variant_of

        if not ready.shows_towns:
            raise InvalidInput(f"new: {self.alone}")
        runs = dict(map(_named_run, self.runs)) if self.runs else _town_runs(ready, folder, seed)
        write(
            variant_of(ready, variant),
            folder,
            seed,
            languages,
            fill=partial(_live_in, ready, seed, runs),
        )
        yield folder


def _named_run(written: str) -> tuple[str, Path]:
    condition, equals, run = written.partition("=")
    if not equals or not condition or not run:
        raise InvalidInput(
            f"--town-run {written}: expected CONDITION=RUN, such as generative=my-run."
        )
    return condition, Path(run)


def _town_runs(ready: ReadyStudy, folder: Path, seed: int) -> dict[str, Path]:
    """Both minds in the same town, in `sources`; the same command goes on with a run that was
    interrupted.
    """
    from believable.cli.town import run

    ready.must_fit(folder)
    runs = {}
    for mind in ("neurosymbolic", "generative"):
        runs[mind] = folder / "sources" / f"town-{seed}-{mind}"
        click.echo(f"{mind}: {runs[mind]}")
        run.main(
            [str(runs[mind]), "--mind", mind, "--seed", str(seed), "--model", "embedded"],
            standalone_mode=False,
        )
    return runs


def _live_in(
    ready: ReadyStudy, seed: int, towns: Mapping[str, Path], study: Study, draft: Path
) -> None:
    from believable.cli.new import counting

    missing = [name for name in study.conditions if name not in towns]
    if missing or len(towns) != len(study.conditions):
        raise InvalidInput(
            f"--town-run: expected one run for each of {', '.join(study.conditions)}, got"
            f" {', '.join(towns)}."
        )
    with counting(len(study.stimuli)) as count:
        ready.write_town_days(study, draft, seed, towns, lambda stimulus: count())


def town_options(command: Command) -> Command:
    """`--town` and `--town-run`: the command gets them as `towns`, None where there are none."""

    @wraps(command)
    def with_towns(*, town: bool, town_runs: tuple[str, ...], **values: Any) -> Any:
        return command(
            towns=TownRequest(() if town else town_runs) if town or town_runs else None, **values
        )

    return with_options(
        with_towns,
        click.option(
            "--town",
            is_flag=True,
            help=(
                "replay: matched runs of the town by both minds, made now with the embedded model"
                " (extra town), kept in FOLDER/sources."
            ),
        ),
        click.option(
            "--town-run",
            "town_runs",
            multiple=True,
            metavar="CONDITION=RUN",
            help=(
                "replay: such runs made before with `believable town run`, one for each condition."
                " Repeatable."
            ),
        ),
    )


# ----------------------------------------------------------------------------------------------
# learned players


@dataclass(frozen=True, slots=True)
class RecordingRequest:
    """Clips of people, of a player learned from them, and of the engine's bots. It takes minutes:
    what is done lies beside the folder until the study is whole, and the same command goes on from
    there.
    """

    alone: ClassVar[str] = (
        "--recordings makes clips of its own. Leave --clips, --variant, --agent and --humans out."
    )
    takes_variant: ClassVar[bool] = False

    recordings: Path
    design: Mapping[str, int]

    def write(
        self, ready: ReadyStudy, folder: Path, seed: int, languages: str | None, variant: str | None
    ) -> Iterator[Path]:
        from believable.cli.new import speak
        from believable.core.whole_files import put_in_place
        from believable.protocols.contract import STIMULUS_FOLDERS
        from believable.protocols.variants import recordings_variant
        from believable.stimuli.source_pool import alone

        ready = recordings_variant(ready)
        ready.must_fit(folder)
        work = folder.parent / f".{folder.name}-clips"
        with alone(work):
            self._begin(work, seed)
            draft = work / "study"
            for entry in draft.glob("*"):
                if entry.is_dir() and entry.name not in STIMULUS_FOLDERS:
                    shutil.rmtree(entry)
                elif entry.is_file():
                    entry.unlink()
            ready.copy(draft)
            if languages is not None:
                speak(draft / "study.yaml", languages)
            ready.write_recorded_clips(
                draft,
                seed,
                self.recordings,
                self.design,
                work,
                lambda words: click.echo(words, err=True),
            )
            definition_of(draft)
            put_in_place(draft, folder)
        shutil.rmtree(work, ignore_errors=True)
        yield folder

    def _begin(self, work: Path, seed: int) -> None:
        """What was done for another request is thrown away."""
        from believable.core.object_storage import digest_of

        files = sorted(self.recordings.glob("*.replay.json.gz"))
        request = {
            "seed": seed,
            "design": dict(self.design),
            "believable": __version__,
            "recordings": {file.name: digest_of(file) for file in files},
        }
        asked = json.dumps(request, indent=1, sort_keys=True)
        note = work / "asked.json"
        if note.is_file() and note.read_text("utf-8") == asked:
            click.echo(f"Going on with what is in {work}", err=True)
            return
        for part in ("rounds", "players", "films", "demos", "study"):
            shutil.rmtree(work / part, ignore_errors=True)
        note.write_text(asked, encoding="utf-8")


def recording_options(command: Command) -> Command:
    """`--recordings` and what is said about the clips: the command gets them as `recordings`, None
    where there are none.
    """

    @wraps(command)
    def with_recordings(
        *, recordings: Path | None, groups: int, clip_seconds: int, people_pages: int, **values: Any
    ) -> Any:
        design = {"groups": groups, "clip_s": clip_seconds, "people_pages": people_pages}
        request = None if recordings is None else RecordingRequest(recordings, design)
        return command(recordings=request, **values)

    return with_options(
        with_recordings,
        click.option(
            "--recordings",
            type=KNOWN_FOLDER,
            metavar="DIR",
            help=(
                "Protocol clips: recordings of people on one Doom map, beside a player learned from"
                " them and the engine's bots."
            ),
        ),
        setting(
            "--groups",
            type=click.IntRange(1, 100),
            default=15,
            help="With --recordings: pages of three clips.",
        ),
        setting(
            "--clip-seconds",
            type=click.IntRange(4, 120),
            default=20,
            help="With --recordings: length of a clip.",
        ),
        setting(
            "--people-pages",
            type=click.IntRange(0, 4),
            default=0,
            help=(
                "With --recordings: pages more, with people's demos of FreeDM (Debian packages"
                " freedm, dsda-doom)."
            ),
        ),
    )
