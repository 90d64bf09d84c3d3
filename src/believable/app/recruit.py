"""Match a recruiting platform's export with the sessions, and make personal links."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from believable.app.options import AnyPath, argument, option, options, setting, use_case
from believable.app.study_data import (
    BaseUrlOptions,
    DataOptions,
    ExtensionOptions,
    StudyData,
    StudyDataOptions,
    write_noted,
)
from believable.bundle.cells import csv_line, neutralise
from believable.collect.context import load_key
from believable.collect.match import (
    LISTS,
    MatchResult,
    PlatformFile,
    codes_of,
    match,
    read_platform,
)
from believable.collect.recruiting import participant_hash
from believable.core.errors import WrongUsage
from believable.core.ids import new_token
from believable.core.whole_files import whole_file, writing
from believable.store import studies
from believable.store.collected import Recruited, answered_true, recruited_sessions, study_record
from believable.store.engine import Connection, Store
from believable.study.definition import Definition
from believable.study.records import Recruit


@options
class MatchOptions(DataOptions, ExtensionOptions):
    export: AnyPath = argument("The platform's file.", metavar="PLATFORM.CSV", kw_only=False)
    study: AnyPath = option("The study's folder.")
    platform: Literal["prolific", "connect", "sona", "mturk"] | None = option(
        "Default: known by the columns.", default=None
    )
    column: str | None = option(
        "The column with the participants' ids, if it has an unusual name.",
        default=None,
        metavar="NAME",
    )
    bonus: float | None = option(
        "Bonus for each approved participant, in the platform's currency.", default=None, gt=0
    )
    bonus_if: str | None = option(
        "Only for those whose answer is yes, such as `auditory.reliable`: who passed the quality"
        " tests.",
        default=None,
        metavar="PAGE.ANSWER",
    )
    screen_out_bonus: float | None = option(
        "Bonus for each participant who was screened out.", default=None, gt=0
    )
    out: AnyPath | None = option(
        "Default: next to the export, named after it.", default=None, path="folder"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchLists:
    """The lists that were written, each with its number of lines."""

    platform: str
    n_submissions: int
    n_sessions: int
    written: Sequence[tuple[Path, int]]
    without_id: Sequence[int]
    n_absent: int


@use_case(MatchOptions)
def match_platform(options: MatchOptions) -> MatchLists:
    """Write approve, reject and bonus lists for a recruiting platform.

    The platform's ids are hashed here, with the study's own key, and compared with the stored
    hashes. They are written to the lists and nowhere else. Unclear cases go to review.csv: no
    person is paid or rejected on a guess.
    """
    export, folder = Path(options.export), options.folder_of(options.study)
    study = StudyData(options.study, folder, options.settings([folder]), options.actor)
    with study.open() as store:
        key = load_key(study.settings.data_dir)
        sessions, codes, recruit = read_sessions(store, study.name, key)
        earned = select_earners(store, study.name, key, options.bonus, options.bonus_if)
        file = read_platform(
            export,
            platform=options.platform,
            id_column=options.column
            or (recruit.id_parameter if recruit.platform == "custom" else None),
            expected=recruit.platform,
        )
        matched = match(file, sessions, key=key, study_id=study.name, codes=codes)
        study.note(store, f"matched the sessions with {export.name[:80]}", "export")
    written = write_lists(
        file,
        matched,
        Path(options.out or export.with_name(f"{export.stem}-matched")),
        bonus=options.bonus,
        screen_out_bonus=options.screen_out_bonus,
        earned=earned,
    )
    return MatchLists(
        platform=file.layout.platform,
        n_submissions=len(file.submissions),
        n_sessions=len(sessions),
        written=written,
        without_id=file.without_id,
        n_absent=matched.absent,
    )


@options
class LinksOptions(StudyDataOptions, BaseUrlOptions):
    count: int = setting("How many links.", default=20, ge=1, le=10_000)
    label: str = option("A note kept with the links, such as the class or the mailing.", default="")


@use_case(LinksOptions)
def make_links(options: LinksOptions) -> Sequence[str]:
    """Make personal links, each good for one session, and print them."""
    study = options.study_data()
    address = (options.base_url or study.settings.base_url).rstrip("/")
    tokens = [new_token() for _ in range(options.count)]
    with study.open() as store:
        now_ms = store.clock.now_ms()

        def create(conn: Connection) -> None:
            studies.get(conn, study.name)
            for token in tokens:
                studies.create_link(
                    conn,
                    token=token,
                    study=study.name,
                    kind="personal",
                    at_ms=now_ms,
                    label=options.label,
                )

        what = f"made {options.count} personal links"
        write_noted(store, create, what, user=options.actor, study=study.name)
    return [f"{address}/join/{token}" for token in tokens]


def read_sessions(
    store: Store, name: str, key: bytes
) -> tuple[Sequence[Recruited], dict[str, dict[str, str]], Recruit]:
    """The sessions that came from a recruiter, the completion codes of every definition, and how
    the study recruits now.
    """
    sessions = store.read(lambda conn: recruited_sessions(conn, name))
    bodies = store.read(lambda conn: study_record(conn, name, simulated=False)).definitions
    current = store.read(lambda conn: studies.get(conn, name)).definition
    parsed = {digest: Definition.from_json(body) for digest, body in bodies.items()}
    codes = {
        digest: codes_of(definition.study, key=key, study_id=name)
        for digest, definition in parsed.items()
    }
    return sessions, codes, parsed[current].study.recruit


def select_earners(
    store: Store, name: str, key: bytes, bonus: float | None, rule: str | None
) -> Callable[[str], bool]:
    """Who among the approved gets the bonus: all, or those with a yes on the page that the
    rule names.
    """
    if rule is None:
        return lambda participant: True
    trial, _, answer = rule.partition(".")
    if bonus is None or not trial or not answer:
        raise WrongUsage(
            f"--bonus-if: expected `PAGE.ANSWER` together with --bonus, got {rule!r}. Write both."
        )
    hashes = store.read(lambda conn: answered_true(conn, name, trial, answer))
    return lambda participant: participant_hash(key, name, participant) in hashes


def write_lists(
    file: PlatformFile,
    matched: MatchResult,
    folder: Path,
    *,
    bonus: float | None,
    screen_out_bonus: float | None,
    earned: Callable[[str], bool] = lambda participant: True,
) -> list[tuple[Path, int]]:
    """One file per list that is not empty, readable by the owner only: it names people."""
    folder.mkdir(parents=True, exist_ok=True)
    written: list[tuple[Path, int]] = []
    for name in LISTS:
        lines = [
            csv_line(
                [
                    own.participant,
                    own.submission,
                    own.status,
                    judged.outcome,
                    neutralise(judged.reason),
                ]
            )
            for judged in matched.of(name)
            for own in (judged.submission,)
        ]
        header = [file.id_column, "submission", "platform_status", "outcome", "reason"]
        written += _write(folder / f"{name}.csv", lines, csv_line(header))
    amounts = {"approve": bonus, "screened_out": screen_out_bonus}
    paid = [
        csv_line([judged.submission.participant, f"{amount:.2f}"])
        for name, amount in amounts.items()
        if amount is not None
        for judged in matched.of(name)
        if name != "approve" or earned(judged.submission.participant)
    ]
    written += _write(folder / "bonus.csv", paid)
    if file.layout.platform == "mturk":
        written += _write(folder / "mturk_upload.csv", *_mturk(file, matched))
    return written


def _mturk(file: PlatformFile, matched: MatchResult) -> tuple[list[str], str]:
    """The requester site takes the batch file back with two more columns."""
    header = [name for name in file.header if name not in ("Approve", "Reject")]
    lines = []
    for judged in (*matched.of("approve"), *matched.of("reject")):
        verdict = ["x", ""] if judged.list == "approve" else ["", neutralise(judged.reason)]
        lines.append(csv_line([*(judged.submission.cells[name] for name in header), *verdict]))
    return lines, csv_line([*header, "Approve", "Reject"])


def _write(path: Path, lines: Sequence[str], header: str = "") -> Iterable[tuple[Path, int]]:
    with writing(path):
        path.unlink(missing_ok=True)
    if not lines:
        return []
    with whole_file(path, 0o600) as draft:
        draft.write_text(header + "".join(lines), encoding="utf-8", newline="")
    return [(path, len(lines))]
