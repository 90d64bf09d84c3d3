"""`believable new`: a study folder from a template or a ready-made protocol."""

from __future__ import annotations

import itertools
import json
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from believable import __version__
from believable.cli.place import KNOWN_FOLDER, PATH, definition_of, setting
from believable.core.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from believable.core.work import Progress
    from believable.protocols.contract import ReadyStudy, ShownAgents
    from believable.protocols.own_clips import ClipFolder
    from believable.study.records import Study

BLANK = "blank"


@click.command()
@click.argument("folder", type=PATH)
@click.option("--blank", is_flag=True, help="A small complete study of your own, with placeholders: --template blank.")
@click.option(
    "--template", metavar="NAME",
    help="A study of your own by its question: compare-agents, rate-clips, play-and-annotate.",
)  # fmt: skip
@click.option(
    "--protocol", metavar="NAME", help="A ready-made protocol; believable list --protocols has them.  [default: demo]"
)
@click.option(
    "--variant",
    metavar="NAME",
    help="The protocol's study in another form: doom for clips and hntt (extra doom), contrast for hntt, choice_time for trace.",
)
@click.option(
    "--clips",
    multiple=True,
    metavar="CONDITION=FOLDER",
    help="Your own clips in place of generated stimuli: a folder of films or recordings for each condition. Repeatable.",
)
@click.option(
    "--agent",
    "agents",
    multiple=True,
    metavar="NAME",
    help="Clips of a trained agent: symbolic, hybrid, reward_shaping. Several make a study each, in folders in FOLDER.",
)
@click.option("--together", is_flag=True, help="Several agents in one study: each judge sees six pairs drawn from all.")
@setting(
    "--people-pairs",
    type=click.IntRange(0, 12),
    default=0,
    help="Control: so many pairs of two people, where nobody can be right.",
)
@setting(
    "--mismatched",
    type=click.IntRange(0, 12),
    default=0,
    help="Control: so many pairs of each agent and a person on the way to different goals.",
)
@click.option(
    "--humans",
    type=KNOWN_FOLDER,
    metavar="FOLDER",
    help="Recordings of people beside the agent's; without them a stand-in, which the study says.",
)
@setting("--runs", type=click.IntRange(6, 1000), default=100, help="Runs of the agent to draw clips from.")
@click.option(
    "--town",
    is_flag=True,
    help="replay: matched runs of the town by both minds, made now with the embedded model (extra town), kept in FOLDER/sources.",
)
@click.option(
    "--town-run",
    "town_runs",
    multiple=True,
    metavar="CONDITION=RUN",
    help="replay: such runs made before with `believable town run`, one for each condition. Repeatable.",
)
@click.option(
    "--recordings",
    type=KNOWN_FOLDER,
    metavar="DIR",
    help="Protocol clips: recordings of people on one Doom map, beside a player learned from them and the engine's bots.",
)
@setting("--groups", type=click.IntRange(1, 100), default=15, help="With --recordings: pages of three clips.")
@setting("--clip-seconds", type=click.IntRange(4, 120), default=20, help="With --recordings: length of a clip.")
@setting(
    "--people-pages",
    type=click.IntRange(0, 4),
    default=0,
    help="With --recordings: pages more, with people's demos of FreeDM (Debian packages freedm, dsda-doom).",
)
@click.option(
    "--languages", metavar="LIST", help="What participants read, the first where they state no wish: en, de or en,de."
)
@setting("--seed", type=int, default=7, help="Seed of the generated stimuli.")
def command(
    folder: Path, blank: bool, template: str | None, protocol: str | None, variant: str | None, clips: tuple[str, ...],
    agents: tuple[str, ...], together: bool, people_pairs: int, mismatched: int, humans: Path | None, runs: int, town: bool,
    town_runs: tuple[str, ...], recordings: Path | None, groups: int, clip_seconds: int, people_pages: int,
    languages: str | None, seed: int,
) -> None:  # fmt: skip
    """Start a study folder.

    With --blank or --template a study of your own design: consent, instructions, pages, questions, an analysis plan, and short
    recordings that hold the place of yours. With --protocol one of the published ways of asking. Writes study.yaml and its pages
    into FOLDER, which may hold `sources` and `stimuli` already.

    \b
    Example:
      believable new my-study --blank
      believable new my-study --template compare-agents --languages de
      believable new my-study --protocol hntt
      believable new my-study --protocol hntt --clips human=clips/people --clips agent=clips/agent
      believable new my-study --protocol hntt --agent reward_shaping --humans clips/people
      believable new my-study --protocol hntt --agent hybrid --humans clips/people --people-pairs 2 --mismatched 2
      believable new my-study --protocol replay --town --seed 3
      believable new my-study --protocol clips --recordings rec
    """
    from believable.protocols import own_clips, variants
    from believable.protocols.contract import ShownAgents

    folders = [own_clips.clip_folder(written) for written in clips]
    ready = chosen(blank=blank, template=template, protocol=protocol)
    if town or town_runs:
        if ready.name != "replay" or folders or agents:
            raise InvalidInput("new: --town and --town-run belong to --protocol replay, without --clips and --agent.")
        lived = _town_runs(folder, seed) if town else dict(_named_run(written) for written in town_runs)
        write(variants.variant(ready, variant), folder, seed, languages, towns=lived)
        click.echo(f"Wrote {folder}. Next: believable check {folder}")
        return
    if recordings is not None:
        if folders or variant or agents or humans is not None:
            raise InvalidInput(
                "new: --recordings makes clips of its own. Leave --clips, --variant, --agent and --humans out."
            )
        design = {"groups": groups, "clip_s": clip_seconds, "people_pages": people_pages}
        from_recordings(variants.recordings_variant(ready), folder, seed, languages, recordings, design)
        click.echo(f"Wrote {folder}. Next: believable check {folder}")
        return
    if agents:
        if folders or variant:
            raise InvalidInput("new: --agent makes clips of its own. Leave --clips and --variant out.")
        ready = variants.agent_variant(ready)
        for named in (agents,) if together else tuple((agent,) for agent in agents):
            place = folder if together or len(agents) == 1 else folder / named[0]
            write(ready, place, seed, languages, shown=ShownAgents(named, humans, runs, people_pairs, mismatched))
            click.echo(f"Wrote {place}. Next: believable check {place}")
        return
    if humans is not None or together or people_pairs or mismatched:
        raise InvalidInput(
            "new: --humans, --together, --people-pairs and --mismatched are about an agent. Add --agent, or use --clips "
            "CONDITION=FOLDER."
        )
    write(variants.variant(ready, variant, own_clips=bool(folders)), folder, seed, languages, folders)
    click.echo(f"Wrote {folder}. Next: believable check {folder}")


def _named_run(written: str) -> tuple[str, Path]:
    condition, equals, run = written.partition("=")
    if not equals or not condition or not run:
        raise InvalidInput(f"--town-run {written}: expected CONDITION=RUN, such as generative=my-run.")
    return condition, Path(run)


def _town_runs(folder: Path, seed: int) -> dict[str, Path]:
    """Both minds in the same town, in `sources`; the same command goes on with a run that was interrupted."""
    from believable.cli.town import run
    from believable.protocols import READY_STUDIES

    READY_STUDIES["replay"].must_fit(folder)
    runs = {}
    for mind in ("neurosymbolic", "generative"):
        runs[mind] = folder / "sources" / f"town-{seed}-{mind}"
        click.echo(f"{mind}: {runs[mind]}")
        run.main([str(runs[mind]), "--mind", mind, "--seed", str(seed), "--model", "embedded"], standalone_mode=False)
    return runs


def chosen(*, blank: bool = False, template: str | None = None, protocol: str | None = None) -> ReadyStudy:
    """What to start from; one of the three."""
    from believable.protocols import READY_STUDIES
    from believable.protocols.templates import TEMPLATES

    if blank + (template is not None) + (protocol is not None) > 1:
        raise InvalidInput("new: --blank, --template and --protocol are three ways to start. Give one of them.")
    if blank or template is not None:
        return TEMPLATES[BLANK if blank else str(template)]
    return READY_STUDIES[protocol or "demo"]


def create(protocol: str, folder: Path, seed: int, progress: Progress | None = None) -> None:
    """The folder of a ready-made protocol with everything in it."""
    write(chosen(protocol=protocol), folder, seed, progress=progress)


def write(
    ready: ReadyStudy,
    folder: Path,
    seed: int,
    languages: str | None = None,
    clips: Sequence[ClipFolder] = (),
    progress: Progress | None = None,
    shown: ShownAgents | None = None,
    towns: Mapping[str, Path] | None = None,
) -> None:
    """The folder with everything in it. What takes long tells `progress`, or shows a bar. What cannot be made leaves nothing
    behind."""
    from believable.protocols.variants import with_conditions_of_own

    ready.must_fit(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    workshop = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        draft = workshop / "study"  # the workshop itself is readable by nobody else
        ready.copy(draft)
        if languages is not None:
            _speak(draft / "study.yaml", languages)
        if clips:
            with_conditions_of_own(draft / "study.yaml")
        study = definition_of(draft).study
        if clips:
            _take(draft, ready, study, clips, progress)
        elif shown is not None:
            label = f"Runs of {', '.join(shown.agents)}"
            with click.progressbar(length=shown.runs * len(shown.agents), label=label, file=sys.stderr) as bar:
                ready.write_agent_clips(study, draft, seed, shown, bar.update)
        elif towns is not None:
            _live_in(draft, study, seed, towns, progress)
        elif study.stimuli:
            with _counting(len(study.stimuli), progress) as count:
                ready.write_stimuli(study, draft, seed, lambda stimulus: count())
        definition_of(draft)  # what was made of clips and runs is checked, too
        folder.mkdir(exist_ok=True)
        shutil.copytree(draft, folder, dirs_exist_ok=True)
    finally:
        shutil.rmtree(workshop, ignore_errors=True)


def _live_in(draft: Path, study: Study, seed: int, towns: Mapping[str, Path], progress: Progress | None) -> None:
    from believable.protocols.replay.stimuli import write_town
    from believable.worlds.town.town_folder import read_town

    missing = [name for name in study.conditions if name not in towns]
    if missing or len(towns) != len(study.conditions):
        raise InvalidInput(
            f"--town-run: expected one run for each of {', '.join(study.conditions)}, got {', '.join(towns)}."
        )
    with _counting(len(study.stimuli), progress) as count:
        runs = {name: read_town(path) for name, path in towns.items()}
        write_town(study, draft, seed, runs, lambda stimulus: count())


def from_recordings(
    ready: ReadyStudy, folder: Path, seed: int, languages: str | None, recordings: Path, design: Mapping[str, int]
) -> None:
    """A study whose clips are made of recordings. It takes minutes: what is done lies beside FOLDER until the study is whole, and
    the same command goes on from there."""
    from believable.core.object_storage import digest_of
    from believable.protocols.contract import STIMULUS_FOLDERS
    from believable.stimuli.source_pool import alone

    ready.must_fit(folder)
    work = folder.parent / f".{folder.name}-clips"
    with alone(work):
        request = {
            "seed": seed, "design": dict(design), "believable": __version__,
            "recordings": {file.name: digest_of(file) for file in sorted(recordings.glob("*.replay.json.gz"))},
        }  # fmt: skip
        asked = json.dumps(request, indent=1, sort_keys=True)
        note, draft = work / "asked.json", work / "study"
        if note.is_file() and note.read_text("utf-8") == asked:
            click.echo(f"Going on with what is in {work}", err=True)
        else:
            for part in ("rounds", "players", "films", "demos", "study"):
                shutil.rmtree(work / part, ignore_errors=True)
            note.write_text(asked, encoding="utf-8")
        for entry in draft.glob("*"):
            if entry.is_dir() and entry.name not in STIMULUS_FOLDERS:
                shutil.rmtree(entry)
            elif entry.is_file():
                entry.unlink()
        ready.copy(draft)
        if languages is not None:
            _speak(draft / "study.yaml", languages)
        ready.write_recorded_clips(draft, seed, recordings, design, work, lambda words: click.echo(words, err=True))
        definition_of(draft)
        shutil.copytree(draft, folder, dirs_exist_ok=True)
    shutil.rmtree(work, ignore_errors=True)


def _take(draft: Path, ready: ReadyStudy, study: Study, clips: Sequence[ClipFolder], progress: Progress | None) -> None:
    from believable.cli.stimuli import new_name
    from believable.core.clock import WallClock
    from believable.protocols.own_clips import make_stimuli, scenes

    chosen = scenes(study.conditions, clips)
    with _counting(len(chosen), progress) as count:
        make_stimuli(draft, chosen, clock=WallClock(), new_name=new_name, masks=ready.masks, done=count)


@contextmanager
def _counting(total: int, progress: Progress | None) -> Iterator[Callable[[], None]]:
    """What to call for each stimulus that is made."""
    done = itertools.count(1)
    if progress is not None:
        yield lambda: progress(next(done), total)
        return
    with click.progressbar(length=total, label="Making stimuli", file=sys.stderr) as bar:
        yield lambda: bar.update(1)


def _speak(path: Path, languages: str) -> None:
    """The study file with its `languages:` exchanged; every text of it is there in each, or loading says which is not."""
    listed = ", ".join(part.strip() for part in languages.split(","))
    text = re.sub(r"^languages: \[[^\]]*\]", f"languages: [{listed}]", path.read_text("utf-8"), count=1, flags=re.M)
    path.write_text(text, encoding="utf-8")
