"""Are the media there, whole, of the stated length, and free of technical differences between the
conditions? With them, everything else that is wrong with a study folder.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from believable.contracts.registries import WORLDS
from believable.core.errors import InvalidInput, Problem
from believable.core.registry import did_you_mean
from believable.core.work import Progress, available_cores, map_chunks
from believable.recordings.actions import RECORDING_SUFFIX, beside, read_actions
from believable.recordings.file import read as read_recording
from believable.recordings.film_file import load_av
from believable.stimuli.artifacts import (
    FIRST_EDGES,
    FIRST_LIGHT,
    LENGTH,
    SETTLED_S,
    ComparedStimulus,
    PairLead,
    film_amounts,
    pair_leads,
)
from believable.stimuli.prepare import MP4_CODECS, WEBM_CODECS, lines_naming
from believable.stimuli.probe import DecodedMedium, MediaFacts, decode, facts, have_av
from believable.study.checks.launch import launch_problems
from believable.study.definition import Definition
from believable.study.load import load
from believable.study.load import problems as file_problems
from believable.study.plan import Assignment, cells, plan, session_seed
from believable.study.records import Stimulus, Study

#: A stated length may differ from the measured one by one picture at 10 frames per second.
LENGTH_TOLERANCE_MS = 100
#: Sessions tried per combination of arms and orders.
SESSIONS_PER_CELL = 5

_SAME = (
    "Encode all videos with the same settings, for example: ffmpeg -i INPUT {options} OUTPUT.mp4"
)
_STRIPPED = (
    "Participants receive stripped copies, so nothing needs to be done unless you hand out the"
    " files themselves."
)


@dataclass(frozen=True, slots=True)
class Trait:
    """One technical property to compare between conditions."""

    field: str
    what: str
    cure: str
    severity: str


TRAITS = (
    Trait("container", "container format", _SAME.format(options="-c copy"), "warning"),
    Trait("video_codec", "video coding", _SAME.format(options="-c:v libx264 -c:a aac"), "error"),
    Trait(
        "video_profile",
        "video coding profile",
        _SAME.format(options="-c:v libx264 -profile:v high -c:a aac"),
        "warning",
    ),
    Trait(
        "width_px",
        "width in pixels",
        _SAME.format(options="-vf scale=1280:720 -c:v libx264 -c:a aac"),
        "error",
    ),
    Trait(
        "height_px",
        "height in pixels",
        _SAME.format(options="-vf scale=1280:720 -c:v libx264 -c:a aac"),
        "error",
    ),
    Trait(
        "frames_per_s", "frame rate", _SAME.format(options="-r 30 -c:v libx264 -c:a aac"), "error"
    ),
    Trait(
        "pixel_format",
        "pixel format",
        _SAME.format(options="-c:v libx264 -pix_fmt yuv420p -c:a aac"),
        "error",
    ),
    Trait(
        "colour",
        "colour range or space",
        _SAME.format(options="-c:v libx264 -colorspace bt709 -c:a aac"),
        "warning",
    ),
    Trait(
        "audio", "sound coding or layout", _SAME.format(options="-c:v copy -c:a aac -ac 2"), "error"
    ),
    Trait(
        "audio_rate_hz",
        "sound sampling rate",
        _SAME.format(options="-c:v copy -c:a aac -ar 48000"),
        "error",
    ),
    Trait(
        "encoder",
        "encoder settings inside the video",
        "They are removed from what participants receive, but the pictures may look better in one"
        " condition. " + _SAME.format(options="-c:v libx264 -crf 18 -c:a aac"),
        "warning",
    ),
    Trait("tags", "metadata", _STRIPPED, "note"),
)


@dataclass(frozen=True, slots=True)
class CheckedStimulus:
    """One stimulus after checking its file: its facts, or the problems."""

    stimulus: Stimulus
    facts: MediaFacts | None
    problems: tuple[Problem, ...]
    amounts: Mapping[str, float] = field(default_factory=dict)


def verify(
    definition: Definition,
    folder: Path,
    progress: Progress = lambda done, total: None,
    *,
    workers: int | None = None,
    amounts: bool = True,
) -> list[Problem]:
    """Everything wrong with the media of a study, in the order of the study file. `amounts`:
    compare bytes, packets and lengths between conditions, too.

    Severities: `error` (must be fixed), `warning` (conditions can be distinguished, or probably
    so), `note` (different, but removed before anyone sees it), `unchecked` (the video extra is
    missing, so it was not checked).
    """
    stimuli = definition.study.stimuli
    lines = lines_naming(folder, stimuli)
    if not have_av() and not all(stimulus.file.endswith(RECORDING_SUFFIX) for stimulus in stimuli):
        return _list_unchecked(folder, stimuli, lines)
    checked = map_chunks(
        lambda number: _check(number, stimuli[number], folder, lines),
        range(len(stimuli)),
        workers=workers or min(4, available_cores()),
        progress=progress,
    )
    problems = [problem for stimulus in checked for problem in stimulus.problems]
    problems += told_apart(
        [(stimulus.stimulus, stimulus.facts) for stimulus in checked if stimulus.facts is not None]
    )
    for is_film in (True, False) if amounts else ():
        compared = [
            ComparedStimulus(
                stimulus.stimulus.condition, stimulus.stimulus.match_group, stimulus.amounts
            )
            for stimulus in checked
            if stimulus.stimulus.condition is not None
            and stimulus.amounts
            and (stimulus.facts is not None) == is_film
        ]
        problems += revealing_amounts(compared, folder)
    return problems


def _list_unchecked(
    folder: Path, stimuli: Sequence[Stimulus], lines: Sequence[int]
) -> list[Problem]:
    problems = [
        _problem(number, lines, f"{stimulus.file!r} is not there.", _missing_cure(folder, stimulus))
        for number, stimulus in enumerate(stimuli)
        if not (folder / stimulus.file).is_file()
    ]
    if stimuli:
        message = (
            f"{len(stimuli)} media files were not opened: whether they decode, how long they are"
            " and whether they give the condition away could not be checked, and participants"
            " would receive them with their metadata."
        )
        cure = "Install the video part: pip install 'believable[video]'"
        problems.append(
            Problem(
                file="study.yaml",
                line=lines[0],
                path="stimuli",
                message=message,
                cure=cure,
                severity="unchecked",
            )
        )
    return problems


def _check(number: int, stimulus: Stimulus, folder: Path, lines: Sequence[int]) -> CheckedStimulus:
    path = folder / stimulus.file
    if not path.is_file():
        problem = _problem(
            number, lines, f"{stimulus.file!r} is not there.", _missing_cure(folder, stimulus)
        )
        return CheckedStimulus(stimulus, None, (problem,))
    if path.name.endswith(RECORDING_SUFFIX):
        return _check_recording(number, stimulus, path, lines)
    av = load_av("Checking media")
    try:
        known = facts(path)
    except av.FFmpegError as error:
        message = f"{stimulus.file!r} cannot be read as video ({error.strerror or error})."
        return CheckedStimulus(stimulus, None, (_problem(number, lines, message, _DAMAGED),))
    problems = [
        *_file_problems(number, stimulus, known, decode(path), lines),
        *_log_problems(number, path, known, lines),
    ]
    usable = not any(problem.severity == "error" for problem in problems)
    if not usable:
        return CheckedStimulus(stimulus, None, tuple(problems))
    return CheckedStimulus(stimulus, known, tuple(problems), film_amounts(path))


def _check_recording(
    number: int, stimulus: Stimulus, path: Path, lines: Sequence[int]
) -> CheckedStimulus:
    """A recording is read whole and must hold together. Of its amounts only the length can reveal a
    condition, because recordings of a scenario are served with equal sizes.
    """

    def refuse(message: str, cure: str) -> CheckedStimulus:
        return CheckedStimulus(stimulus, None, (_problem(number, lines, message, cure),))

    try:
        recording = read_recording(path)
    except InvalidInput as error:
        return refuse(str(error), "Record or import it again.")
    if recording.world.kind not in WORLDS:
        cure = (
            f"{did_you_mean(recording.world.kind, WORLDS.names)} Install the package that"
            " brings it."
        )
        return refuse(f"{stimulus.file!r}: unknown world {recording.world.kind!r}.", cure)
    length_ms = recording.timing.duration_ms
    problems: tuple[Problem, ...] = ()
    if stimulus.duration_ms is not None and stimulus.duration_ms != length_ms:
        message = (
            f"{stimulus.file!r} lasts {length_ms} ms, not the stated {stimulus.duration_ms} ms."
        )
        problems = (
            _problem(number, lines, message, f"Write duration_ms: {length_ms}.", "duration_ms"),
        )
    return CheckedStimulus(stimulus, None, problems, {LENGTH.name: float(length_ms)})


def _log_problems(
    number: int, path: Path, known: MediaFacts, lines: Sequence[int]
) -> list[Problem]:
    """The action log of a video must be readable and fit its length."""
    log_path = beside(path)
    if not log_path.is_file():
        return []
    try:
        log = read_actions(log_path)
    except InvalidInput as error:
        return [_problem(number, lines, str(error), "Mend the action log, or take it away.")]
    last_ms = max(
        [0, *(action.t1_ms for action in log.actions), *(step.t1_ms for step in log.plans)]
    )
    if last_ms <= known.duration_ms + LENGTH_TOLERANCE_MS:
        return []
    message = (
        f"{log_path.name!r} goes on until {last_ms} ms, the video ends at {known.duration_ms} ms."
    )
    return [_problem(number, lines, message, "Give the times of the video, in milliseconds.")]


_DAMAGED = "Copy it again from its source; it was cut off or damaged."


def _file_problems(
    number: int,
    stimulus: Stimulus,
    known: MediaFacts,
    all_of_it: DecodedMedium,
    lines: Sequence[int],
) -> list[Problem]:
    problems = []
    if not known.video_codec:
        problems.append(
            _problem(
                number, lines, f"{stimulus.file!r} has no moving picture.", "Give a video file."
            )
        )
    elif known.video_codec not in MP4_CODECS | WEBM_CODECS:
        message = f"{stimulus.file!r} is coded as {known.video_codec}, which browsers do not play."
        problems.append(
            _problem(
                number,
                lines,
                message,
                _SAME.format(options="-c:v libx264 -pix_fmt yuv420p -c:a aac"),
            )
        )
    elif all_of_it.fault:
        problems.append(_problem(number, lines, f"{stimulus.file!r} {all_of_it.fault}.", _DAMAGED))
    elif (
        stimulus.duration_ms is not None
        and abs(stimulus.duration_ms - known.duration_ms) > LENGTH_TOLERANCE_MS
    ):
        message = (
            f"{stimulus.file!r} lasts {known.duration_ms} ms, not the stated"
            f" {stimulus.duration_ms} ms."
        )
        problems.append(
            _problem(
                number,
                lines,
                message,
                f"Write duration_ms: {known.duration_ms}, or cut the file.",
                "duration_ms",
            )
        )
    return problems


def _missing_cure(folder: Path, stimulus: Stimulus) -> str:
    parent = (folder / stimulus.file).parent
    names = {path.name.lower(): path.name for path in parent.iterdir()} if parent.is_dir() else {}
    near = names.get(Path(stimulus.file).name.lower())
    if near:
        return f"There is {near!r}: upper and lower case differ."
    return "Put the file there, or correct the name."


def told_apart(known: Sequence[tuple[Stimulus, MediaFacts]]) -> list[Problem]:
    """Technical traits that differ between conditions."""
    groups: dict[str, list[MediaFacts]] = {}
    for stimulus, facts_ in known:
        if stimulus.condition is not None:
            groups.setdefault(stimulus.condition, []).append(facts_)
    if len(groups) < 2:
        return []
    problems = [problem for trait in TRAITS if (problem := _compare(trait, groups)) is not None]
    return problems + _compare_rounding(groups)


def revealing_amounts(shown: Sequence[ComparedStimulus], folder: Path) -> list[Problem]:
    """Amounts that reveal the condition: an error if there are enough pairs, so that it is no
    chance, otherwise a warning. One problem for each two conditions and each way to fix it.
    """
    by_cure: dict[tuple[str, str, str], list[PairLead]] = {}
    for lead in pair_leads(shown):
        if lead.reveals:
            by_cure.setdefault((_evening(lead, folder), lead.first, lead.second), []).append(lead)
    problems = []
    for (cure, first, second), leads in by_cure.items():
        message = (
            f"a judge can tell {first} from {second} without a look at the behavior:"
            f" {'; '.join(map(str, leads))}."
        )
        severity = "error" if any(lead.is_certain for lead in leads) else "warning"
        problems.append(
            Problem(
                file="study.yaml",
                line=1,
                path="stimuli",
                message=message,
                cure=cure,
                severity=severity,
            )
        )
    return problems


def _evening(lead: PairLead, folder: Path) -> str:
    command = f"believable stimuli even {shlex.quote(str(folder))}"
    if lead.trait in (FIRST_LIGHT, FIRST_EDGES):
        return f"Cut the first moment from all videos: {command} --cut-start {SETTLED_S}"
    return f"Make all of one rate, and of equal length within a scenario: {command}"


def _compare(trait: Trait, groups: dict[str, list[MediaFacts]]) -> Problem | None:
    values = {
        condition: {str(getattr(film, trait.field)) for film in ones}
        for condition, ones in groups.items()
    }
    if len({frozenset(ones) for ones in values.values()}) == 1:
        return None
    shared = set.intersection(*values.values())
    severity = trait.severity if not shared or trait.severity == "note" else "warning"
    verb = "differs between conditions" if shared else "reveals the conditions"
    return Problem(
        file="study.yaml",
        line=1,
        path="stimuli",
        message=f"{trait.what} {verb}: {_list_values(values)}.",
        cure=trait.cure,
        severity=severity,
    )


def _list_values(values: dict[str, set[str]]) -> str:
    def short(text: str) -> str:
        return text if len(text) <= 60 else text[:57] + "…"

    return "; ".join(
        f"{condition}: {', '.join(short(value) or 'none' for value in sorted(ones)[:3])}"
        for condition, ones in sorted(values.items())
    )


def _compare_rounding(groups: dict[str, list[MediaFacts]]) -> list[Problem]:
    """Lengths that are all round in one condition and never in another show who cut them."""
    round_ones = {
        name for name, ones in groups.items() if all(film.duration_ms % 500 == 0 for film in ones)
    }
    odd_ones = {
        name
        for name, ones in groups.items()
        if not any(film.duration_ms % 500 == 0 for film in ones)
    }
    if not round_ones or not odd_ones or min(len(ones) for ones in groups.values()) < 2:
        return []
    message = (
        "round lengths reveal the conditions: whole half-seconds in"
        f" {', '.join(sorted(round_ones))}, never in {', '.join(sorted(odd_ones))}."
    )
    return [
        Problem(
            file="study.yaml",
            line=1,
            path="stimuli",
            message=message,
            cure="Cut the videos of all conditions in the same way.",
            severity="warning",
        )
    ]


def _problem(
    number: int, lines: Sequence[int], message: str, cure: str, key: str = "file"
) -> Problem:
    return Problem(
        file="study.yaml",
        line=lines[number],
        path=f"stimuli[{number}].{key}",
        message=message,
        cure=cure,
    )


# ---------------------------------------------------------------------------------------------- the
# whole study folder


def study_problems(
    folder: Path,
    *,
    media: bool = True,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[Problem]:
    """All of them: the file's own first; the media (unless they are left out, since they are
    decoded) and the arms once the file can be read. Amounts that reveal a condition are left to the
    giveaway finder.
    """
    of_file = list(file_problems(folder))
    if any(problem.severity == "error" for problem in of_file):
        return of_file
    definition = load(folder)
    of_media = verify(definition, folder, progress, amounts=False) if media else []
    return [*of_file, *launch_problems(definition), *of_media, *unfillable(definition.study)]


def definition_problems(definition: Definition) -> list[Problem]:
    """The problems that can be found without the study's folder."""
    return [*launch_problems(definition), *unfillable(definition.study)]


def unfillable(study: Study) -> list[Problem]:
    """Combinations of arms and orders for which no session can be planned."""
    unfilled: dict[str, Problem] = {}
    for number, cell in enumerate(cells(study)):
        for attempt in range(SESSIONS_PER_CELL):
            seed = session_seed(study, number * SESSIONS_PER_CELL + attempt + 1)
            try:
                plan(study, Assignment(dict(cell.arms), dict(cell.rows), seed))
            except InvalidInput as error:
                where = (
                    ", ".join(f"{name} {level}" for name, level in (*cell.arms, *cell.rows))
                    or "the study"
                )
                message = f"no session can be planned for {where}: {error}"
                unfilled.setdefault(
                    str(error),
                    Problem(file="study.yaml", line=1, path="timeline", message=message, cure=""),
                )
    return list(unfilled.values())
