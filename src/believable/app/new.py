"""Start a study folder from a template or a ready-made protocol."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from believable import __version__
from believable.app.options import AnyPath, Options, argument, option, options, setting, use_case
from believable.app.study_data import load_study
from believable.app.study_folder import choose, set_languages, write_study
from believable.app.town import run_town
from believable.contracts.protocol import STIMULUS_FOLDERS, ReadyStudy, ShownAgents
from believable.core.errors import InvalidInput, WrongUsage
from believable.core.object_storage import digest_of
from believable.core.whole_files import put_in_place
from believable.protocols.own_clips import clip_folder
from believable.protocols.variants import agent_variant, recordings_variant, variant
from believable.stimuli.source_pool import alone
from believable.study.records import Study
from believable.worlds.doom.game_map import FREEDM_PEOPLE

#: Lengths of clips: people who fight are seldom quiet for longer.
CLIP_S, PEOPLE_CLIP_S = 20, 6


@options
class NewOptions(Options):
    folder: AnyPath = argument("Folder of the study.", kw_only=False)
    blank: bool = option(
        "A small complete study of your own, with placeholders: --template blank.", default=False
    )
    template: str | None = option(
        "A study of your own by its question: compare-agents, rate-clips, play-and-annotate.",
        default=None,
        metavar="NAME",
    )
    protocol: str | None = option(
        "A ready-made protocol; believable list --protocols has them.  [default: demo]",
        default=None,
        metavar="NAME",
    )
    variant: str | None = option(
        "The protocol's study in another form: doom for clips and hntt (extra doom), contrast for"
        " hntt, choice_time for trace.",
        default=None,
        metavar="NAME",
    )
    clips: Sequence[str] = option(
        "Your own clips in place of generated stimuli: a folder of films or recordings for each"
        " condition. Clips of the same environment and seed make a pair. Repeatable.",
        default=(),
        metavar="CONDITION=FOLDER",
    )
    whole_clips: bool = option(
        "With --clips: do not crop the clips of a pair to equal length.", default=False
    )
    agent: Sequence[str] = option(
        "Clips of a trained agent: symbolic, hybrid, reward_shaping. Several make a study each, in"
        " folders in FOLDER.",
        default=(),
        metavar="NAME",
    )
    together: bool = option(
        "Several agents in one study: each judge sees six pairs drawn from all.", default=False
    )
    people_pairs: int = setting(
        "Control: the number of pairs of two people, of which no answer is right.",
        default=0,
        ge=0,
        le=12,
    )
    mismatched: int = setting(
        "Control: the number of pairs of each agent and a person on the way to different goals.",
        default=0,
        ge=0,
        le=12,
    )
    humans: AnyPath | None = option(
        "Recordings of people to pair with the agent's; without them a scripted player, which the"
        " study says.",
        default=None,
        metavar="FOLDER",
        path="known folder",
    )
    runs: int = setting("Runs of the agent to draw clips from.", default=100, ge=6, le=1000)
    town: bool = option(
        "replay: matched runs of the town by both minds, made now with the embedded model (extra"
        " town), kept in FOLDER/sources.",
        default=False,
    )
    town_run: Sequence[str] = option(
        "replay: such runs made before with `believable town run`, one for each condition."
        " Repeatable.",
        default=(),
        metavar="CONDITION=RUN",
    )
    recordings: AnyPath | None = option(
        "Protocol clips: recordings of people on one Doom map, alongside a player learned from them"
        " and the engine's bots.",
        default=None,
        metavar="DIR",
        path="known folder",
    )
    groups: int = setting("With --recordings: pages of three clips.", default=15, ge=1, le=100)
    clip_seconds: int | None = setting(
        "With --recordings: length of a clip; default: 20, with --people 6.",
        default=None,
        ge=4,
        le=120,
    )
    people: bool = option(
        "Protocol clips: --recordings of the thirteen people of FreeDM's demos in the package.",
        default=False,
    )
    as_published: bool = option(
        "With --recordings or --people: the learned player acts by the published rules alone,"
        " without passages.",
        default=False,
    )
    languages: str | None = option(
        "Languages of the participants' pages, the default first: en, de or en,de.",
        default=None,
        metavar="LIST",
    )
    seed: int = setting("Seed of the generated stimuli.", default=7)


@use_case(NewOptions)
def new(options: NewOptions) -> Sequence[Path]:
    """Start a study folder.

    With --blank or --template a study of your own design: consent, instructions, pages, questions,
    an analysis plan, and short recordings that hold the place of yours. With --protocol one of the
    published ways of asking. Writes study.yaml and its pages into FOLDER, which may hold `sources`
    and `stimuli` already.
    """
    ready = choose(blank=options.blank, template=options.template, protocol=options.protocol)
    about_agents = options.humans is not None or options.together
    if not options.agent and (about_agents or options.people_pairs or options.mismatched):
        raise WrongUsage(
            "new: --humans, --together, --people-pairs and --mismatched are about an agent. Add"
            " --agent, or use --clips CONDITION=FOLDER."
        )
    town = options.town or bool(options.town_run)
    recorded = options.recordings is not None or options.people
    several = options.clips or (town + recorded + bool(options.agent)) > 1
    if town:
        if several or not ready.shows_towns:
            raise WrongUsage(
                "new: --town and --town-run belong to --protocol replay, without --clips and"
                " --agent."
            )
        return [_town_study(options, ready)]
    if recorded:
        if several or options.variant or (options.people and options.recordings is not None):
            raise WrongUsage(
                "new: --recordings and --people make their own clips. Give one of them, and"
                " leave --clips, --variant, --agent and --humans out."
            )
        return [_recorded_study(options, ready, Path(options.recordings or FREEDM_PEOPLE))]
    if options.as_published:
        raise WrongUsage("new: --as-published is about a learned player. Add --people.")
    if options.agent:
        if several or options.variant:
            raise WrongUsage("new: --agent makes its own clips. Leave --clips and --variant out.")
        return [*_agent_studies(options, ready)]
    folders = [clip_folder(written) for written in options.clips]
    folder = Path(options.folder)
    write_study(
        variant(ready, options.variant, own_clips=bool(folders)),
        folder,
        options,
        seed=options.seed,
        languages=options.languages,
        clips=folders,
        whole_clips=options.whole_clips,
    )
    return [folder]


def _agent_studies(options: NewOptions, ready: ReadyStudy) -> Iterator[Path]:
    """Clips of trained agents: a study for each of them, or one for all."""
    ready, agents, folder = agent_variant(ready), tuple(options.agent), Path(options.folder)
    humans = None if options.humans is None else Path(options.humans)
    shown = ShownAgents(
        agents=agents,
        humans=humans,
        runs=options.runs,
        people_pairs=options.people_pairs,
        mismatched=options.mismatched,
    )
    for named in (agents,) if options.together else tuple((agent,) for agent in agents):
        place = folder if options.together or len(agents) == 1 else folder / named[0]
        write_study(
            ready,
            place,
            options,
            seed=options.seed,
            languages=options.languages,
            fill=partial(_show_agents, options, ready, replace(shown, agents=named)),
        )
        yield place


def _show_agents(
    options: NewOptions, ready: ReadyStudy, shown: ShownAgents, study: Study, draft: Path
) -> None:
    total, done = shown.runs * len(shown.agents), 0
    with options.counting(f"Runs of {', '.join(shown.agents)}", total) as progress:

        def count(more: int) -> None:
            nonlocal done
            done += more
            progress(done, total)

        ready.write_agent_clips(study, draft, options.seed, shown, count)


def _town_study(options: NewOptions, ready: ReadyStudy) -> Path:
    """Days of the town, one run for each condition; they are made now unless they are named."""
    folder = Path(options.folder)
    runs = dict(map(_named_run, options.town_run)) if not options.town else {}
    if not runs:
        ready.must_fit(folder)
        # both minds in the same town; the same command continues an interrupted run
        for mind in ("neurosymbolic", "generative"):
            runs[mind] = folder / "sources" / f"town-{options.seed}-{mind}"
            options.say(f"{mind}: {runs[mind]}")
            run_town(
                runs[mind],
                agent=mind,
                seed=options.seed,
                model="embedded",
                progress=options.progress,
                notice=options.notice,
            )
    write_study(
        variant(ready, options.variant),
        folder,
        options,
        seed=options.seed,
        languages=options.languages,
        fill=partial(_show_towns, options, ready, runs),
    )
    return folder


def _named_run(written: str) -> tuple[str, Path]:
    condition, equals, run = written.partition("=")
    if not equals or not condition or not run:
        raise WrongUsage(
            f"--town-run {written}: expected CONDITION=RUN, such as generative=my-run."
        )
    return condition, Path(run)


def _show_towns(
    options: NewOptions, ready: ReadyStudy, towns: Mapping[str, Path], study: Study, draft: Path
) -> None:
    missing = [name for name in study.conditions if name not in towns]
    if missing or len(towns) != len(study.conditions):
        raise InvalidInput(
            f"--town-run: expected one run for each of {', '.join(study.conditions)}, got"
            f" {', '.join(towns)}."
        )
    with options.counting_each("Making stimuli", len(study.stimuli)) as count:
        ready.write_town_days(study, draft, options.seed, towns, lambda stimulus: count())


def _recorded_study(options: NewOptions, ready: ReadyStudy, recordings: Path) -> Path:
    """Clips of people, of a player learned from them, and of the engine's bots. It takes minutes:
    finished parts are kept in a folder next to the study until it is whole, and the same command
    continues there.
    """
    folder, ready = Path(options.folder), recordings_variant(ready)
    ready.must_fit(folder)
    design = {
        "groups": options.groups,
        "clip_s": options.clip_seconds or (PEOPLE_CLIP_S if options.people else CLIP_S),
        "as_published": options.as_published,
    }
    work = folder.parent / f".{folder.name}-clips"
    with alone(work):
        _begin(options, work, recordings, design)
        draft = work / "study"
        for entry in draft.glob("*"):
            if entry.is_dir() and entry.name not in STIMULUS_FOLDERS:
                shutil.rmtree(entry)
            elif entry.is_file():
                entry.unlink()
        ready.copy(draft)
        if options.languages is not None:
            set_languages(draft / "study.yaml", options.languages)
        ready.write_recorded_clips(draft, options.seed, recordings, design, work, options.say)
        load_study(draft)
        put_in_place(draft, folder)
    shutil.rmtree(work, ignore_errors=True)
    return folder


def _begin(options: NewOptions, work: Path, recordings: Path, design: Mapping[str, int]) -> None:
    """Throw away parts that were made for another request."""
    request = {
        "seed": options.seed,
        "design": dict(design),
        "believable": __version__,
        "recordings": {
            file.name: digest_of(file) for file in sorted(recordings.glob("*.replay.json.gz"))
        },
    }
    asked = json.dumps(request, indent=1, sort_keys=True)
    note = work / "asked.json"
    if note.is_file() and note.read_text("utf-8") == asked:
        options.say(f"Continuing with the files in {work}")
        return
    for part in ("rounds", "players", "films", "study"):
        shutil.rmtree(work / part, ignore_errors=True)
    note.write_text(asked, encoding="utf-8")
