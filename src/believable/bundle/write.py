"""Write the dataset of a study: tables, raw events, definitions and codebook. Same data, same
bytes.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from believable.bundle import package
from believable.bundle.folder import BundleFolder
from believable.bundle.judgements import judgement_rows, judgement_table
from believable.bundle.left_out import LeaveOut
from believable.bundle.marks import PLANS, Logs, action_rows, plan_rows
from believable.bundle.round_tables import recording_path, round_tables
from believable.bundle.rows import SessionRows
from believable.bundle.session_records import CodingRows, CollectedSession, StudyRecord
from believable.bundle.stream_tables import own_streams, stream_tables
from believable.bundle.tables import (
    DRAWS,
    PARTICIPANTS,
    RECRUITER_HASH,
    TABLES,
    VERSIONS,
    BundleTable,
    Field,
    arm_field,
    order_field,
)
from believable.contracts.trial import Block, outline
from believable.core.errors import InvalidInput
from believable.study.definition import Definition
from believable.study.pool_draw import needs_draw

Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class WrittenBundle:
    """What an export wrote."""

    folder: Path
    sessions: int
    events: int


def write(
    study: StudyRecord,
    sessions: Iterable[CollectedSession],
    folder: Path,
    *,
    with_recruiter_hashes: bool = False,
    media_dir: Path | None = None,
    coding: CodingRows | None = None,
    leave_out: LeaveOut | None = None,
    registered_ms: int | None = None,
    parquet: bool = False,
    progress: Progress = lambda done: None,
) -> WrittenBundle:
    """Write the bundle of `study` into `folder`, one session at a time. An older bundle there is
    replaced as a whole.

    Sessions of previews are refused, and simulated and real ones are never written together: the
    caller selects. `media_dir` holds the copies of the media that sessions were shown; it is needed
    where stimuli have logs of actions. `coding` holds the coded texts, if there are any.
    `leave_out` determines the exclusions of the declared analysis: without it, `included` contains
    only the decisions of sessions and reviewers. `registered_ms`: when the plan was registered, if
    it was. `parquet`: write the tables as Parquet, too.
    """
    definitions = {name: Definition.from_json(text) for name, text in study.definitions.items()}
    tables = tables_of(definitions.values(), with_recruiter_hashes=with_recruiter_hashes)
    coded = coding.tables() if coding is not None else ()
    tables += (
        judgement_table(definitions.values()),
        *(table for table, _ in coded),
        *round_tables(definitions.values()),
        *stream_tables(definitions.values()),
    )
    streams = own_streams(definitions.values())
    logs = Logs(media_dir)
    logged = list(logs.each(list(definitions.values())))
    plans = [row for stimulus in logged for row in plan_rows(*stimulus)]
    tables += (PLANS,) if plans else ()
    tables += (VERSIONS,) if study.versions else ()
    has_draws = any(needs_draw(definition.study) for definition in definitions.values())
    tables += (DRAWS,) if has_draws else ()
    done = events = 0
    with (
        BundleFolder(folder, study, tables, parquet=parquet) as bundle,
        _without_garbage_collection(),
    ):
        for collected in sessions:
            _must_belong(study, collected)
            rows = SessionRows(collected, _pinned_definition(definitions, collected))
            _write_session(bundle, collected, rows, logs)
            for row in rows.draws() if has_draws else ():
                bundle.row("draws", row)
            for own_table, row in rows.own_streams(streams):
                bundle.row(own_table, row)
            done += 1
            events += len(collected.events)
            progress(done)
        for reason, count in (("withdrawn", study.withdrawn), ("preview", study.previews)):
            if count:
                bundle.row(
                    "exclusions",
                    {"scope": "session", "reason": reason, "count": count, "applied": True},
                )
        for table, coded_rows in coded:
            for row in coded_rows:
                bundle.row(table.name, row)
        for stimulus in logged:
            for row in action_rows(*stimulus):
                bundle.row("actions", row)
        for row in plans:
            bundle.row("plans", row)
        for version in study.versions:
            bundle.row("versions", version.row(registered_ms))
        if leave_out is not None:
            bundle.apply(leave_out, study.definitions)
        for name, text in study.definitions.items():
            bundle.text(
                f"materials/definition-{name[:12]}.json",
                text,
                "Study definition that sessions are pinned to.",
            )
        write_codebook(bundle, study.title, tables, definitions)
    return WrittenBundle(folder, done, events)


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """Rows by the hundred thousand hold no cycles: to look for some among them took a fifth of an
    export.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def write_codebook(
    bundle: BundleFolder,
    title: str,
    tables: Sequence[BundleTable],
    definitions: Mapping[str, Definition],
) -> None:
    """The codebook as a table and as a text."""
    entries = package.entries(tables, definitions)
    bundle.table(
        "documentation/codebook.csv", package.CODEBOOK, [asdict(entry) for entry in entries]
    )
    bundle.text(
        "documentation/codebook.md", package.markdown(title, entries), "The codebook for reading."
    )


def _write_session(
    bundle: BundleFolder, collected: CollectedSession, rows: SessionRows, logs: Logs
) -> None:
    participant, exclusions = rows.participant(), rows.exclusions()
    trials, answers, shown = list(rows.trials()), list(rows.answers()), list(rows.shown())
    bundle.row("participants", participant)
    for table, table_rows in (
        ("trials", trials),
        ("answers", answers),
        ("traces", rows.traces()),
        ("views", rows.views()),
        ("shown", shown),
        ("flags", rows.flags(logs)),
        ("reactions", rows.reactions()),
        ("exclusions", exclusions),
        ("judgements", judgement_rows(participant, trials, answers, shown, exclusions)),
    ):
        for row in table_rows:
            bundle.row(table, row)
    for name, row in rows.rounds():
        bundle.row(name, row)
    for round_ in collected.rounds:
        if round_.recording is not None:
            about = "Recording of a round, with log, plan and telemetry."
            bundle.file(recording_path(collected.session.id, round_), round_.recording, about)
    bundle.events(collected.session.id, collected.events)
    bundle.strays(collected.session.id, collected.strays)


def tables_of(
    definitions: Iterable[Definition], *, with_recruiter_hashes: bool = False
) -> tuple[BundleTable, ...]:
    """The participants table has a column per arm and per Latin square of any definition."""
    more: dict[str, Field] = {}
    for definition in definitions:
        for arm in definition.study.arms:
            more.setdefault(f"arm_{arm}", arm_field(arm))
        for item in (entry.item for entry in outline(definition.study.timeline)):
            if isinstance(item, Block) and item.order == "latin_square":
                more.setdefault(f"order_{item.id}", order_field(item.id))
    hashes = [RECRUITER_HASH] if with_recruiter_hashes else []
    first = PARTICIPANTS.with_fields([*more.values(), *hashes])
    return (first, *(table for table in TABLES if table.name != "participants"))


def _must_belong(study: StudyRecord, collected: CollectedSession) -> None:
    session = collected.session
    if session.link_kind == "preview":
        raise InvalidInput(f"session {session.id}: previews are never exported. Leave it out.")
    if session.is_simulated != study.simulated:
        kind = "simulated" if session.is_simulated else "real"
        raise InvalidInput(
            f"session {session.id} is {kind}; simulated and real sessions never share a bundle."
            " Write two."
        )


def _pinned_definition(
    definitions: Mapping[str, Definition], collected: CollectedSession
) -> Definition:
    session = collected.session
    if session.definition not in definitions:
        raise InvalidInput(
            f"session {session.id}: its definition {session.definition[:12]} was not given."
        )
    return definitions[session.definition]
