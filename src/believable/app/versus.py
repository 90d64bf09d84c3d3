"""Which of two versions of an agent is taken for a person more often: study, judges, verdict."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Any, Literal

from believable.agents.choice import ChosenAgent, choose_in
from believable.analysis.findings import Analysis, JudgedHypothesis
from believable.analysis.numbers import counted, estimate_words, in_words
from believable.analysis.run import run
from believable.app.analyse import DatasetOptions, open_dataset
from believable.app.options import (
    AnyPath,
    UseCaseOutcome,
    argument,
    option,
    options,
    setting,
    use_case,
)
from believable.app.record import parse_value, play_in_environment, play_rounds, resolve_setup
from believable.app.record import world_options as read_world_options
from believable.app.simulate import simulate
from believable.app.study_folder import write_study
from believable.contracts.record import ID_PATTERN
from believable.contracts.registries import WORLDS
from believable.core.errors import NotFound, Refused, WrongUsage
from believable.core.object_storage import digest_of
from believable.core.shell import quote_command
from believable.core.whole_files import write_whole
from believable.protocols import READY_STUDIES
from believable.protocols.own_clips import ClipFolder, clip_folder
from believable.protocols.variants import change_study, variant
from believable.recordings.actions import RECORDING_SUFFIX
from believable.stats.estimate import Estimate

#: The note in the study folder that says which clips it compares.
NOTE = "versus.json"
PROTOCOL = "ladder"
#: The number of simulated judges for each one that is needed, since some leave or are left out.
SPARE = 1.35
#: About the number of pairs that a judge can look at.
MOST_PAIRS = 10
#: How much wider Holm's adjustment over two tests makes an interval, and how much narrower the
#: interval of an equivalence test is, as t of many judges has it.
HOLM, NARROWER = 1.14, 1.19
#: Simulated judges go by how steadily a figure turns, and by nothing else.
LOOKING = ("span=0", "steady=1.0")

Requirement = Literal["better", "not-worse", "equal"]


class VersusVerdict(StrEnum):
    """The answer of the judges' choices about the new version."""

    BETTER = "better"
    WORSE = "worse"
    EQUAL = "equal"
    OPEN = "open"


@options
class VersusOptions(DatasetOptions):
    old: str = argument(
        "The old version: a folder of films or recordings, or an agent.",
        metavar="OLD",
        kw_only=False,
    )
    new: str = argument("The version in question, likewise.", metavar="NEW", kw_only=False)
    study: AnyPath | None = option(
        "Folder of the study; default: versus-OLD-NEW, here. If it is there, its judges decide.",
        default=None,
        path="folder",
    )
    judges: int = setting(
        "The number of judges that decide, after exclusions.", default=60, ge=4, le=100_000
    )
    sequential: bool = option(
        "Stop as soon as the answer is known: the evidence is weighed after every judge, and"
        " --judges is the largest number.",
        default=False,
    )
    simulated: bool = option(
        "Ask simulated judges now. They judge by how steadily figures turn, and show how the"
        " command works; they say nothing about people.",
        default=False,
    )
    truth: Sequence[str] = option(
        "With --simulated: an assumed parameter, as in `believable power`. Repeatable.",
        default=(),
        metavar="NAME=VALUE",
    )
    require: Requirement = setting(
        "The answer that ends with exit code 0; another ends with 5, and none yet with 6.",
        default="better",
    )
    margin: float = setting(
        "Two versions are as good as equal if the lead is smaller: .10 means 55 % against 45 %.",
        default=0.1,
        gt=0,
        lt=1,
    )
    world: str = setting("For agents: the world that they play in.", default="maze")
    settings_of_world: Sequence[str] = option(
        "For agents: an option of the world, such as env=CartPole-v1. Repeatable.",
        default=(),
        metavar="NAME=VALUE",
        flags="--set",
    )
    runs: int = setting("For agents: rounds of each.", default=12, ge=2, le=1000)
    seconds: int = setting("For agents: length of a round.", default=12, ge=5, le=600)
    seed: int = setting("The same seed gives the same rounds and judges.", default=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class VersusResult:
    """The verdict with its reasons.

    lead      share of choices of the new version less that of the old one; None without judges
    judges    how many were analysed
    needed    about how many judges would settle an open verdict, if the difference stays as it is;
              None: no number of judges would
    """

    verdict: VersusVerdict
    sentence: str
    advice: str
    lead: Estimate | None
    judges: int
    needed: int | None
    simulated: bool
    study: Path
    hypotheses: tuple[JudgedHypothesis, ...]
    outcome: UseCaseOutcome

    def as_json(self) -> object:
        return {
            "verdict": self.verdict,
            "sentence": self.sentence,
            "advice": self.advice,
            "lead": self.lead,
            "judges": self.judges,
            "needed": self.needed,
            "simulated": self.simulated,
            "study": self.study,
            "hypotheses": {claim.id: claim.verdict for claim in self.hypotheses},
            "outcome": self.outcome,
        }


@use_case(VersusOptions)
def versus(options: VersusOptions) -> VersusResult:
    """Find out whether a new version of an agent is taken for a person more often than the old one.

    OLD and NEW are two folders of films or recordings, or two agents that are recorded now from the
    same starts. Makes an open study of pairs (protocol ladder) in which each judge sees about ten
    pairs; `believable serve` asks real judges, --simulated asks simulated ones. The same
    command again gives the verdict, with an exit code for scripts: 0 if it is the required one, 5
    if it is not, 6 if more judges are needed.
    """
    names = _names(options.old, options.new)
    study = Path(options.study or f"versus-{names[0]}-{names[1]}")
    _study_of(options, study, names)
    analysis = _results(options, study)
    if analysis is None and options.simulated:
        simulate(
            study,
            participants=math.ceil(options.judges * SPARE),
            truth=(*LOOKING, *options.truth),
            seed=options.seed,
            data=options.data,
            database=options.database,
            progress=options.progress,
            notice=options.notice,
        )
        analysis = _results(options, study)
    if analysis is None:
        return _nobody(study, options)
    return judge(analysis, names, study, options)


def _results(options: VersusOptions, study: Path) -> Analysis | None:
    """The analysis of all judges until now, real ones if there are any; None without judges."""
    try:
        with open_dataset(study, options) as dataset:
            return run(dataset.bundle, dataset.registered)
    except NotFound:
        return None


# ------------------------------------------------------------------------------------------ study


def _names(old: str, new: str) -> tuple[str, str]:
    """The names of the two conditions: those of folders or files, if they are clear."""
    stems = [re.sub(r"\W", "_", Path(written.partition(":")[0]).stem) for written in (old, new)]
    clear = len(set(stems)) == 2 and all(re.fullmatch(ID_PATTERN, stem) for stem in stems)
    return (stems[0], stems[1]) if clear else ("old", "new")


def _study_of(options: VersusOptions, study: Path, names: tuple[str, str]) -> None:
    """Make the study, unless it is there and compares the same clips."""
    sources = dict(zip(names, (options.old, options.new), strict=True))
    players = {
        name: _player(written, options)
        for name, written in sources.items()
        if not Path(written).is_dir()
    }
    shown = {
        name: dict(players[name].identity()) if name in players else _digests(Path(written))
        for name, written in sources.items()
    }
    note = study / NOTE
    if study.exists():
        kept = json.loads(note.read_text("utf-8")) if note.is_file() else None
        if kept != json.loads(json.dumps(shown)):
            raise Refused(
                f"{study}: it compares other clips. Choose another --study, or move it away."
            )
        return
    folders = {
        name: _record(players[name], name, study, options) if name in players else Path(written)
        for name, written in sources.items()
    }
    clips: list[ClipFolder] = [clip_folder(f"{name}={folders[name]}") for name in reversed(names)]
    write_study(
        variant(READY_STUDIES[PROTOCOL], None, own_clips=True),
        study,
        options,
        seed=options.seed,
        clips=clips,
    )
    change_study(study / "study.yaml", _plan(options, len(clips[0].clips)))
    write_whole(note, json.dumps(shown, indent=1, sort_keys=True) + "\n")
    options.say(f"Wrote {study}")


def _plan(options: VersusOptions, n_pairs: int) -> Mapping[str, Any]:
    return {
        **(_different_clips(n_pairs) if options.sequential else {}),
        "seed": options.seed,
        "analysis": {
            "hypotheses": {"H3": {"value": -options.margin}},
            "tests": {"lead": {"margin": options.margin}},
            "stopping": _stopping(options),
        },
    }


def _different_clips(n_pairs: int) -> Mapping[str, Any]:
    """Each judge sees half of the clips, since evidence about clips that all judges see says
    nothing about other ones.
    """
    passes = max(1, min(MOST_PAIRS, n_pairs // 2))
    return {"draw": "pool", "timeline": {"trials": {"repeat": passes}}}


def _stopping(options: VersusOptions) -> Mapping[str, Any]:
    """A lead is twice the share less 1, so that its margin is twice that of the share."""
    if not options.sequential:
        return {"n": options.judges}
    return {
        "rule": "sequential",
        "until": "both",
        "margin": options.margin / 2,
        "n": options.judges,
    }


def _digests(folder: Path) -> Mapping[str, str]:
    return {file.name: digest_of(file) for file in sorted(folder.iterdir()) if file.is_file()}


# ------------------------------------------------------------------------------------------ agents


def _player(written: str, options: VersusOptions) -> ChosenAgent:
    if options.world not in WORLDS or WORLDS[options.world].playing is None:
        raise WrongUsage(
            f"versus: {written!r} is no folder, and {options.world!r} is no world that agents play"
            " in. Name two folders, or the world with --world."
        )
    world = WORLDS[options.world]
    return choose_in(written, world, world.game.seat)


def _record(player: ChosenAgent, name: str, study: Path, options: VersusOptions) -> Path:
    """Rounds of an agent, from the starts that the other one has, too."""
    playing = WORLDS[options.world].game
    written = dict(_setting(part) for part in options.settings_of_world)
    opponent = parse_value(written.pop("opponent", next(iter(playing.trial.opponents.named), "")))
    in_environment = player.agent.acts == "environment"
    chosen = read_world_options(playing, written, by_program=in_environment)
    settle = partial(resolve_setup, playing, chosen, opponent, options.seconds, options.seed)
    folder = study.parent / f"{study.name}-recordings" / name
    folder.mkdir(parents=True, exist_ok=True)
    targets = [
        folder / f"{name}-{number:03d}{RECORDING_SUFFIX}" for number in range(1, options.runs + 1)
    ]
    for target in targets:
        target.unlink(missing_ok=True)
    with options.counting_each(f"Playing {name}", len(targets)) as count:
        if in_environment:
            for file, _ in play_in_environment(
                targets, playing, settle, player, options.seed, None
            ):
                if file.name.endswith(RECORDING_SUFFIX):
                    count()
        else:
            play_rounds(targets, playing, settle, player, options.seed, count)
    return folder


def _setting(written: str) -> tuple[str, str]:
    name, equals, value = written.partition("=")
    if not equals:
        raise WrongUsage(f"--set {written!r}: expected NAME=VALUE, such as env=CartPole-v1.")
    return name, value


# ------------------------------------------------------------------------------------------ verdict


def _nobody(study: Path, options: VersusOptions) -> VersusResult:
    serve = quote_command("believable serve", study)
    return VersusResult(
        verdict=VersusVerdict.OPEN,
        sentence="There are no judgements yet.",
        advice=f"Complete the placeholders in {study}/pages, then serve it: {serve}",
        lead=None,
        judges=0,
        needed=options.judges,
        simulated=False,
        study=study,
        hypotheses=(),
        outcome=UseCaseOutcome.OPEN,
    )


def judge(
    analysis: Analysis, names: tuple[str, str], study: Path, options: VersusOptions
) -> VersusResult:
    """The verdict of an analysis on the new version against the old one."""
    old, new = (in_words(name) for name in names)
    claims = {claim.id: claim for claim in analysis.hypotheses}
    different, equal, not_worse = (claims[name].supported for name in ("H1", "H2", "H3"))
    lead = next(
        (
            finding.estimate
            for finding in analysis.findings
            if finding.outcome == "lead" and finding.kind != "equivalence"
        ),
        None,
    )
    ahead = lead is not None and lead.value is not None and lead.value > 0
    verdict = VersusVerdict.OPEN
    if different:
        verdict = VersusVerdict.BETTER if ahead else VersusVerdict.WORSE
    elif equal:
        verdict = VersusVerdict.EQUAL
    judges = analysis.funnel[-1].after if analysis.funnel else 0
    needed = _estimate_judges(analysis, judges, options)
    if verdict is not VersusVerdict.OPEN:
        needed = judges
    return VersusResult(
        verdict=verdict,
        sentence=_sentence(verdict, (old, new), lead, judges, analysis, margin=options.margin),
        advice=_advice(
            claims["H1"], verdict, judges, needed, study, options, evidence=_evidence(analysis)
        ),
        lead=lead,
        judges=judges,
        needed=needed,
        simulated=analysis.source.simulated,
        study=study,
        hypotheses=analysis.hypotheses,
        outcome=_outcome(verdict, equal, not_worse, options.require),
    )


def _evidence(analysis: Analysis) -> str:
    """How evidence after every judge decided, in words; empty under another rule."""
    sections = (section for section in analysis.sections if section.name == "evidence")
    return next((section.paragraphs[1] for section in sections), "")


def _sentence(
    verdict: VersusVerdict,
    names: tuple[str, str],
    lead: Estimate | None,
    judges: int,
    analysis: Analysis,
    *,
    margin: float,
) -> str:
    old, new = names
    whose = counted(judges, "simulated judge" if analysis.source.simulated else "judge")
    clips = {str(row["condition"]): row["clips"] for row in analysis.table("strength")}
    shown = f"{whose}, {min(int(str(n)) for n in clips.values())} clips of each"
    measured = "" if lead is None else f"its lead is {estimate_words(lead)} of the choices"
    taken = f"{new} is taken for a person"
    return {
        VersusVerdict.BETTER: f"{taken} more often than {old}: {measured} ({shown}).",
        VersusVerdict.WORSE: f"{taken} less often than {old}: {measured} ({shown}).",
        VersusVerdict.EQUAL: (
            f"{new} and {old} are equally human-like: {measured.replace('its', 'the')}, within"
            f" {margin:g} ({shown})."
        ),
        VersusVerdict.OPEN: (
            f"It is open whether {new} is taken for a person more often than {old}:"
            f" {measured} ({shown})."
        ),
    }[verdict]


def _advice(
    claim: JudgedHypothesis,
    verdict: VersusVerdict,
    judges: int,
    needed: int | None,
    study: Path,
    options: VersusOptions,
    *,
    evidence: str,
) -> str:
    if evidence:
        return evidence
    if verdict is not VersusVerdict.OPEN:
        return ""
    if judges < options.judges:
        return (
            f"{options.judges - judges} more judges decide, as planned ({claim.verdict}):"
            f" {quote_command('believable serve', study)}"
        )
    if needed is None:
        return (
            "More judges alone will not settle it, since clips differ too much: show more clips of"
            " each (--runs, or larger folders)."
        )
    return (
        f"If the difference stays as it is, about {needed} judges settle it, {needed - judges} more"
        " than there are: plan a new study with --judges."
    )


def _estimate_judges(analysis: Analysis, judges: int, options: VersusOptions) -> int | None:
    """About how many judges settle it, if difference and spread stay as they are: for the interval
    of the lead to exclude 0, or to lie within the margin. Only the part of the variance that judges
    bring becomes smaller.
    """
    row = next(iter(analysis.table("contrasts")))
    low, high, lead = (row[name] for name in ("lead_low", "lead_high", "lead"))
    shares = [row[f"share_{part}"] for part in ("judges", "clips", "rest")]
    if not all(isinstance(value, float) for value in (low, high, lead, *shares)) or not judges:
        return None
    half = (float(str(high)) - float(str(low))) / 2
    by_judges, by_clips = float(str(shares[0])) + float(str(shares[2])), float(str(shares[1]))
    distance = abs(float(str(lead)))
    found = []
    for wanted in (distance / HOLM, (options.margin - distance) * NARROWER / HOLM):
        room = (wanted / half) ** 2 - by_clips if wanted > 0 and half > 0 else 0.0
        if room > 0:
            found.append(math.ceil(judges * by_judges / room))
    # An open verdict needs more judges than there are, even if chance made its interval wide.
    return max(min(found), math.ceil(1.1 * judges)) if found else None


def _outcome(
    verdict: VersusVerdict, equal: bool | None, not_worse: bool | None, require: Requirement
) -> UseCaseOutcome:
    """The exit code follows from the required answer."""
    met = {
        "better": verdict is VersusVerdict.BETTER,
        "not-worse": verdict in (VersusVerdict.BETTER, VersusVerdict.EQUAL) or not_worse is True,
        "equal": equal is True,
    }[require]
    if met:
        return UseCaseOutcome.DONE
    return UseCaseOutcome.OPEN if verdict is VersusVerdict.OPEN else UseCaseOutcome.NOT_MET
