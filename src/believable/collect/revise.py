"""A study that changes while participants take part: what changed, and the reason that must be on
record first.

Sessions that have begun keep their definition in any case. New sessions begin with a changed
definition only once a reason was stated. A study that no participant has begun may change freely;
simulated sessions and previews do not count as participants.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from believable.core.errors import Conflict, InvalidInput, NotFound, Refused
from believable.store import studies
from believable.store.engine import Connection
from believable.store.study_versions import (
    Revision,
    pinned_definition,
    record_revision,
    stated_revisions,
    study_versions,
    unpinning_sessions,
)
from believable.study.changes import Change, definition_changes
from believable.study.definition import Definition

REASON_CHARACTERS = 2_000


@dataclass(frozen=True, slots=True)
class PendingChange:
    """A definition that differs from the one that the latest real session is pinned to
    (`previous`), and that has no stated reason yet.
    """

    previous: str
    definition: str
    changes: tuple[Change, ...]
    n_sessions: int

    def __str__(self) -> str:
        return "\n".join(f"  {change}" for change in self.changes)


class UnexplainedChange(Refused):
    """A study was changed while participants take part, without a stated reason."""


def pending_change(
    conn: Connection, *, study_id: str, definition: Definition
) -> PendingChange | None:
    """The changes for future sessions; None if nothing does, or if no participant has begun yet."""
    try:
        row = studies.get(conn, study_id)
    except NotFound:
        return None
    pinned = pinned_definition(conn, study_id)
    if (
        pinned is None
        or definition.hash in (row.definition, pinned)
        or _is_explained(conn, study_id, pinned, definition.hash)
    ):
        return None
    before = Definition.from_json(studies.definition_body(conn, pinned))
    n_sessions = sum(version.n_sessions for version in study_versions(conn, study_id))
    return PendingChange(
        pinned, definition.hash, definition_changes(before, definition), n_sessions
    )


def _is_explained(conn: Connection, study_id: str, pinned: str, definition: str) -> bool:
    """Whether a reason is on record for this very change, which may have been put back in
    between.
    """
    return any(
        (stated.previous, stated.definition) == (pinned, definition)
        for stated in stated_revisions(conn, study_id)
    )


def must_be_explained(pending: PendingChange, study: str) -> UnexplainedChange:
    """The error that lists the changes and names the command. `study` is the study as the command
    line names it.
    """
    were = "session is" if pending.n_sessions == 1 else "sessions are"
    return UnexplainedChange(
        f"{study}: the study changed while it runs: {pending.n_sessions} {were} pinned to it. The"
        f" latest has the definition {pending.previous[:12]}…, the folder now has"
        f" {pending.definition[:12]}…:\n{pending}\nSessions that have begun keep their definition."
        " Before new sessions can begin with the change, state the reason:\n "
        f" {revise_command(study)}\nor put the files back. To try the change with simulated"
        " participants first, give them a separate data folder:\n  believable simulate"
        f" {shlex.quote(study)} --data FOLDER"
    )


def revise_command(study: str) -> str:
    """The command that records a reason. `study` is the study as the command line names it."""
    return f'believable revise {shlex.quote(study)} --reason "…"'


def unpinned_note(conn: Connection, *, study_id: str, definition: Definition) -> str:
    """A sentence if the study changes and only simulated sessions and previews began with it
    before: they need no reason.
    """
    try:
        current = studies.get(conn, study_id).definition
    except NotFound:
        return ""
    if current == definition.hash or pinned_definition(conn, study_id) is not None:
        return ""
    count = unpinning_sessions(conn, study_id, definition.hash)
    if not count:
        return ""
    one = count == 1
    return (
        f"{count} simulated or preview session{'' if one else 's'} began with an earlier"
        f" definition. {'It does' if one else 'They do'} not count as participants, so the change"
        " needs no reason."
    )


def revise(
    conn: Connection, *, study_id: str, definition: Definition, reason: str, user: str, at_ms: int
) -> tuple[PendingChange | None, int]:
    """Record why the study changes, and give the definition to future sessions. The change and the
    number of its version.

    If the current definition of an older database has no stated reason, the reason is recorded
    afterwards: then nothing else changes.
    """
    words = checked_reason(reason)
    studies.get(conn, study_id, lock=True)
    pending = pending_change(conn, study_id=study_id, definition=definition)
    if pending is not None:
        title = definition.study.title.in_language(definition.study.languages[0])
        studies.put(
            conn,
            study_id,
            title=title,
            definition=definition.hash,
            body=definition.to_json(),
            at_ms=at_ms,
        )
        previous = pending.previous
    else:
        previous = _unexplained_predecessor(conn, study_id, definition)
    record_revision(
        conn,
        study_id,
        Revision(
            definition=definition.hash, previous=previous, reason=words, user=user, at_ms=at_ms
        ),
    )
    version = next(
        version
        for version in study_versions(conn, study_id)
        if version.definition == definition.hash
    )
    return pending, version.number


def _unexplained_predecessor(conn: Connection, study_id: str, definition: Definition) -> str:
    """The version before one that was changed without a stated reason; an error if there is nothing
    to explain.
    """
    versions = study_versions(conn, study_id)
    place = next(
        (place for place, version in enumerate(versions) if version.definition == definition.hash),
        None,
    )
    if place is None or pinned_definition(conn, study_id) is None:
        raise Conflict(
            f"study {study_id!r}: no participant has begun, so it can change without a reason."
            " Serve it as it is."
        )
    if place == 0 or versions[place].reason is not None:
        raise Conflict(
            f"study {study_id!r}: nothing changed since the last version, so there is nothing to"
            " explain."
        )
    return versions[place - 1].definition


def checked_reason(reason: str) -> str:
    words = reason.strip()
    if not words or len(words) > REASON_CHARACTERS:
        raise InvalidInput(
            f"reason: expected 1 to {REASON_CHARACTERS} characters, got {len(words)}. Say what"
            " changed and why, as readers of the report should know it."
        )
    return words
