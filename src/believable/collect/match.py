"""Match a recruiting platform's own export with the sessions, locally: whom to approve, to reject,
to pay a bonus.

The platform's ids are hashed with the study's key and compared with the stored hashes; they are
written to the lists and nowhere else. If the two sides disagree, or if more than one session
matches, the row goes to the review list: no participant is paid or rejected on a guess.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from believable.collect.recruiting import extra_hash, participant_hash
from believable.core.errors import AS_CSV, InvalidInput, NotFound, reading
from believable.core.ids import completion_code, normalise_code
from believable.core.registry import did_you_mean
from believable.store.collected import Recruited
from believable.study.records import Study

LISTS = ("approve", "reject", "screened_out", "review", "unmatched", "ignored")


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """How a platform names its columns, see `platform_layouts.yaml`."""

    platform: str
    ids: tuple[str, ...]
    submissions: tuple[str, ...] = ()
    parameter: str | None = None
    statuses: tuple[str, ...] = ("status",)
    codes: tuple[str, ...] = ("code", "completioncode")
    known_by: tuple[str, ...] = ()


@cache
def layouts() -> Mapping[str, Layout]:
    """By the platform's name, in the order in which they are tested."""
    written = YAML(typ="safe", pure=True).load(Path(__file__).with_name("platform_layouts.yaml"))
    fixed: dict[str, dict[str, Any]] = {
        name: {
            key: tuple(value) if isinstance(value, list) else value
            for key, value in columns.items()
        }
        for name, columns in written.items()
    }
    return {name: Layout(platform=name, **columns) for name, columns in fixed.items()}


#: What platforms say of submissions that ask for no decision, in small letters without marks.
_OVER = frozenset(
    {"returned", "timedout", "abandoned", "reserved", "active", "expired", "cancelled", "noshow"}
)
_DECIDED = frozenset(
    {"approved", "rejected", "accepted", "paid", "partiallyapproved", "screenedout"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """One row of the platform's file."""

    line: int
    participant: str
    submission: str
    status: str
    code: str
    cells: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlatformFile:
    layout: Layout
    id_column: str
    submissions: tuple[Submission, ...]
    header: tuple[str, ...]
    without_id: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class JudgedSubmission:
    """A submission, the list it belongs to, and why."""

    submission: Submission
    list: str
    reason: str
    outcome: str


@dataclass(frozen=True, slots=True)
class MatchResult:
    """Every submission of the file in exactly one list; `absent` counts sessions whose person is
    not in the file.
    """

    judged: tuple[JudgedSubmission, ...]
    absent: int

    def of(self, name: str) -> tuple[JudgedSubmission, ...]:
        return tuple(judgement for judgement in self.judged if judgement.list == name)


def read_platform(
    path: Path,
    *,
    platform: str | None = None,
    id_column: str | None = None,
    expected: str | None = None,
) -> PlatformFile:
    """Read a platform's export. It is recognised by its columns unless it is named; `expected`
    decides if they are ambiguous.
    """
    if not path.is_file():
        raise NotFound(
            f"{path}: there is no such file. Download the export from your recruiting platform."
        )
    text = path.read_text("utf-8-sig", "replace")
    first = text.split("\n", 1)[0]
    delimiter = max(",;\t", key=first.count)
    with reading(path, AS_CSV):
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    if not rows or not any(rows[0]):
        raise InvalidInput(
            f"{path}: the file has no header. Export it again, as CSV with column names."
        )
    header = tuple(rows[0])
    places = {fold_name(name): number for number, name in reversed(list(enumerate(header)))}
    layout = _layout(path, places, platform, id_column, expected)
    column = _id_place(path, header, places, layout, id_column)
    submissions, without_id = [], []
    for number, cells in enumerate(rows[1:], start=2):
        row = dict(zip(header, [*cells, *[""] * len(header)], strict=False))
        participant = row[header[column]].strip()
        if not any(cell.strip() for cell in cells):
            continue
        if not participant:
            without_id.append(number)
            continue
        pick = {
            name: _pick(row, header, places, names)
            for name, names in _wanted_columns(layout).items()
        }
        submissions.append(
            Submission(
                line=number,
                participant=participant,
                submission=pick["submission"],
                status=pick["status"],
                code=pick["code"],
                cells=row,
            )
        )
    return PlatformFile(
        layout=layout,
        id_column=header[column],
        submissions=tuple(submissions),
        header=header,
        without_id=tuple(without_id),
    )


def match(
    file: PlatformFile,
    sessions: Sequence[Recruited],
    *,
    key: bytes,
    study_id: str,
    codes: Mapping[str, Mapping[str, str]],
) -> MatchResult:
    """Judge every submission. `codes` maps each definition to its completion code per outcome (see
    `codes_of`).
    """
    by_hash: dict[str, list[Recruited]] = {}
    for session in sessions:
        by_hash.setdefault(session.recruiter_hash, []).append(session)
    times = _times(file.submissions)
    met: set[str] = set()
    judged = []
    for submission in file.submissions:
        hashed = participant_hash(key, study_id, submission.participant)
        met.add(hashed)
        candidates = by_hash.get(hashed, [])
        if times[submission.participant] > 1 or len(candidates) > 1:
            candidates = _by_submission(file.layout, submission, candidates, key, study_id)
        judged.append(_judge(submission, candidates, times[submission.participant], codes))
    return MatchResult(
        tuple(judged), sum(session.recruiter_hash not in met for session in sessions)
    )


def codes_of(study: Study, *, key: bytes, study_id: str) -> dict[str, str]:
    """The completion code of each outcome, as the last page shows it."""
    closing = study.timeline[-1].closing
    declared = {} if closing is None else closing.codes
    return {
        outcome: completion_code(code, key, study_id, outcome) for outcome, code in declared.items()
    }


def _layout(
    path: Path,
    places: Mapping[str, int],
    platform: str | None,
    id_column: str | None,
    expected: str | None,
) -> Layout:
    if platform is not None:
        return layouts()[platform]
    for layout in layouts().values():
        known = any(name in places for name in layout.known_by)
        if known and any(name in places for name in layout.ids):
            return layout
    if id_column is not None:
        return Layout(platform="custom", ids=(fold_name(id_column),))
    likely = layouts().get(expected or "")
    if likely is not None and any(name in places for name in likely.ids):
        return likely
    raise InvalidInput(
        f"{path}:1: no recruiting platform is recognised by the columns"
        f" {', '.join(sorted(places))[:200]}. Say which column holds the participants' ids:"
        " --column NAME"
    )


def _id_place(
    path: Path,
    header: Sequence[str],
    places: Mapping[str, int],
    layout: Layout,
    id_column: str | None,
) -> int:
    wanted = (fold_name(id_column),) if id_column is not None else layout.ids
    for name in wanted:
        if name in places:
            return places[name]
    asked = id_column or layout.ids[0]
    raise InvalidInput(
        f"{path}:1: there is no column {asked!r} with the participants' ids."
        f" {did_you_mean(asked, header)}"
    )


def _wanted_columns(layout: Layout) -> dict[str, tuple[str, ...]]:
    return {"submission": layout.submissions, "status": layout.statuses, "code": layout.codes}


def _pick(
    row: Mapping[str, str], header: Sequence[str], places: Mapping[str, int], names: Iterable[str]
) -> str:
    return next((row[header[places[name]]].strip() for name in names if name in places), "")


def fold_name(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.casefold())


def _times(submissions: Sequence[Submission]) -> dict[str, int]:
    """How many submissions of each person still ask for a decision."""
    times: dict[str, int] = {}
    for submission in submissions:
        times[submission.participant] = times.get(submission.participant, 0) + (
            fold_name(submission.status) not in _OVER
        )
    return times


def _by_submission(
    layout: Layout,
    submission: Submission,
    candidates: Sequence[Recruited],
    key: bytes,
    study_id: str,
) -> list[Recruited]:
    """Where a person occurs more than once, the submission's own id decides, if the link carried
    it.
    """
    parameter = layout.parameter
    if parameter is None or not submission.submission:
        return list(candidates)
    hashed = extra_hash(key, study_id, parameter, submission.submission)
    exact = [session for session in candidates if session.extra.get(parameter) == hashed]
    return exact or list(candidates)


def _judge(
    submission: Submission,
    candidates: Sequence[Recruited],
    times: int,
    codes: Mapping[str, Mapping[str, str]],
) -> JudgedSubmission:
    def conclude(name: str, reason: str, outcome: str = "") -> JudgedSubmission:
        return JudgedSubmission(submission, name, reason, outcome)

    status = fold_name(submission.status)
    if not candidates:
        if status in _OVER:
            return conclude(
                "ignored", f"the platform says {submission.status!r}, and there is no session"
            )
        return conclude(
            "unmatched", "no session has this id: never started, came without the id, or withdrew"
        )
    if len(candidates) > 1 or times > 1:
        return conclude(
            "review",
            f"{max(times, 1)} submissions and {len(candidates)} sessions of this person; cannot"
            " tell which is which",
        )
    session = candidates[0]
    outcome = session.outcome or "unfinished"
    if status in _OVER:
        if outcome == "complete":
            return conclude(
                "review",
                f"completed, but the platform says {submission.status!r}: they may be owed payment",
                outcome,
            )
        return conclude("ignored", f"the platform says {submission.status!r}", outcome)
    if status in _DECIDED:
        return conclude("ignored", f"decided already: {submission.status!r}", outcome)
    return _by_outcome(submission, session, outcome, codes.get(session.definition, {}))


def _by_outcome(
    submission: Submission, session: Recruited, outcome: str, codes: Mapping[str, str]
) -> JudgedSubmission:
    def conclude(name: str, reason: str) -> JudgedSubmission:
        return JudgedSubmission(submission, name, reason, outcome)

    if session.rejected:
        return conclude("reject", session.reason or "rejected in review")
    if session.approved:
        return conclude("approve", session.reason or "approved in review")
    if outcome == "failed_checks":
        return conclude("reject", "failed the attention checks")
    if outcome == "screened_out":
        return conclude(
            "screened_out",
            "did not fit the study; platforms ask to have these returned or paid a small fee",
        )
    if outcome == "declined":
        return conclude("review", "declined to take part, yet submitted")
    if outcome != "complete":
        return conclude("review", "submitted, but the session is not finished")
    wrong = submission.code and outcome in codes and not _same_code(submission.code, codes[outcome])
    if wrong:
        return conclude("review", f"completed, but entered another code: {submission.code!r}")
    return conclude("approve", "completed" if submission.code else "completed; no code was entered")


def _same_code(entered: str, right: str) -> bool:
    return entered.strip().casefold() == right.strip().casefold() or normalise_code(
        entered
    ) == normalise_code(right)
