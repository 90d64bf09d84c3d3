"""Tables of studies and of the data that sessions send."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from believable.store.tables.metadata import metadata

studies = Table(
    "studies",
    metadata,
    Column("id", String(64), primary_key=True),  # slug of the study folder
    Column("title", Text, nullable=False),
    Column("state", String(8), nullable=False),  # open | paused | closed
    Column(
        "definition", String(64), nullable=False
    ),  # hash of the current definition, for new sessions
    Column("created_ms", BigInteger, nullable=False),
)

definitions = Table(
    "definitions",
    metadata,
    Column("hash", String(64), primary_key=True),
    Column("study", String(64), ForeignKey("studies.id"), nullable=False),
    Column("body", Text, nullable=False),  # canonical JSON: study tree, pages, media
    Column("created_ms", BigInteger, nullable=False),
    Column(
        "plan", String(64), nullable=True
    ),  # what names its plan once roles are settled, when first wanted
)

revisions = Table(  # why a study was changed while participants took part, never overwritten
    "revisions",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("study", String(64), ForeignKey("studies.id"), nullable=False, index=True),
    Column(
        "definition", String(64), ForeignKey("definitions.hash"), nullable=False
    ),  # of later sessions
    Column("previous", String(64), nullable=False),  # hash of the definition before
    Column("reason", Text, nullable=False),
    Column("user", String(64), nullable=False),
    Column("at_ms", BigInteger, nullable=False),
)

links = Table(
    "links",
    metadata,
    Column("token", String(32), primary_key=True),
    Column("study", String(64), ForeignKey("studies.id"), nullable=False, index=True),
    Column("kind", String(10), nullable=False),  # open | personal | preview | simulated
    Column("label", Text, nullable=False, server_default=""),
    Column("used_by", String(32), nullable=True),  # session of a used personal link
    Column("created_ms", BigInteger, nullable=False),
)

sessions = Table(
    "sessions",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("token_hash", String(64), nullable=False, unique=True),
    Column(
        "code_hash", String(64), nullable=False, unique=True
    ),  # keyed hash of the continue-later code
    Column("study", String(64), ForeignKey("studies.id"), nullable=False),
    Column("definition", String(64), ForeignKey("definitions.hash"), nullable=False),
    Column(
        "link_kind", String(10), nullable=False
    ),  # open | personal | preview | simulated: for ever
    Column("number", Integer, nullable=False),  # 1, 2, 3 … within study and link kind
    Column("language", String(6), nullable=False),
    Column("arms", Text, nullable=False),  # JSON {arm: level}
    Column("rows", Text, nullable=False),  # JSON {block id: row}
    Column("seed", BigInteger, nullable=False),  # below 2**63
    Column(
        "recruiter_hash", String(64), nullable=True
    ),  # keyed hash of the recruiter's participant id
    Column("recruiter_extra", Text, nullable=False),  # JSON {parameter: keyed hash}
    Column(
        "state", String(12), nullable=False
    ),  # active | finished (a withdrawn session leaves only its tombstone)
    Column(
        "outcome", String(16), nullable=True
    ),  # complete | screened_out | failed_checks | declined
    Column("position", Integer, nullable=False, server_default="0"),  # of the trial being shown
    Column(
        "run", Integer, nullable=False, server_default="0"
    ),  # grows when `resume: restart` begins again
    Column(
        "run_after_seq", Integer, nullable=False, server_default="0"
    ),  # events up to here belong to earlier runs
    Column("wrong_tries", Integer, nullable=False, server_default="0"),  # at the check being shown
    Column(
        "tried_seq", Integer, nullable=False, server_default="0"
    ),  # the last submission counted in wrong_tries
    Column(
        "opened_ms", BigInteger, nullable=False
    ),  # when the trial being shown became the current one
    Column(
        "epoch", Integer, nullable=False, server_default="0"
    ),  # grows with each tab or device that takes over
    Column("head_seq", Integer, nullable=False, server_default="0"),  # highest contiguous event
    Column("head_hash", String(64), nullable=False),
    Column(
        "top_seq", Integer, nullable=False, server_default="0"
    ),  # highest stored event; above head_seq: a gap
    Column("started_ms", BigInteger, nullable=False),
    Column("seen_ms", BigInteger, nullable=False),  # last batch or page
    Column(
        "reserved_until_ms", BigInteger, nullable=False
    ),  # holds its place in the balance until then
    Column(
        "reservation_ms", BigInteger, nullable=False
    ),  # each batch renews the reservation by this much
    Column("finished_ms", BigInteger, nullable=True),
    Column("rejected", Boolean, nullable=False, server_default="0"),
    Column(
        "approved", Boolean, nullable=False, server_default="0"
    ),  # looked at and to be paid, by a decision
    Column(
        "excluded", Boolean, nullable=False, server_default="0"
    ),  # left out of the analysis, by a decision
    Column(
        "stored_chars", BigInteger, nullable=False, server_default="0"
    ),  # of all its events and strays
    Column(
        "minute_ms", BigInteger, nullable=False, server_default="0"
    ),  # when the minute began that minute_chars counts
    Column("minute_chars", BigInteger, nullable=False, server_default="0"),
    UniqueConstraint("study", "link_kind", "number"),
    Index("ix_sessions_recruiter", "study", "recruiter_hash"),
    Index("ix_sessions_state", "study", "link_kind", "state"),
)

events = Table(
    "events",
    metadata,
    Column("session", String(32), ForeignKey("sessions.id"), primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("body", Text, nullable=False),  # exactly the text that the browser hashed
    Column("received_ms", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)

strays = Table(  # events of a tab or device that had been taken over: kept, outside the chain
    "strays",
    metadata,
    Column("session", String(32), ForeignKey("sessions.id"), primary_key=True),
    Column("epoch", Integer, primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("body", Text, nullable=False),
    Column("received_ms", BigInteger, nullable=False),
)

trials = Table(  # one row per trial the server has closed (or skipped by rule)
    "trials",
    metadata,
    Column("session", String(32), ForeignKey("sessions.id"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column(
        "run", Integer, primary_key=True, server_default="0"
    ),  # grows when `resume: restart` begins again
    Column("key", Text, nullable=False),
    Column("status", String(10), nullable=False),  # done | skipped | failed
    Column("attempts", Integer, nullable=False, server_default="1"),
    Column("submit_seq", Integer, nullable=True),  # the event that holds the accepted answers
    Column(
        "answers", Text, nullable=False
    ),  # JSON {question id: answer} as read by the instruments
    Column("opened_ms", BigInteger, nullable=True),
    Column("closed_ms", BigInteger, nullable=False),
)

media_sent = Table(  # how much of each medium the server has sent to a session
    "media_sent",
    metadata,
    Column("session", String(32), ForeignKey("sessions.id"), primary_key=True),
    Column("name", String(64), primary_key=True),  # the session's own name for the medium
    Column("bytes", BigInteger, nullable=False),
)

view_checks = Table(  # whether a stimulus could have been seen, for each player of a page
    "view_checks",
    metadata,
    Column("session", String(32), ForeignKey("sessions.id"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("run", Integer, primary_key=True),
    Column("player", Integer, primary_key=True),
    Column("length_ms", BigInteger, nullable=True),  # of the medium; None if it is not known
    Column("media_bytes", BigInteger, nullable=False),
    Column("sent_bytes", BigInteger, nullable=False),
    Column("open_ms", BigInteger, nullable=False),  # how long the page had been open
    Column(
        "needed_ms", BigInteger, nullable=False
    ),  # the shortest time in which the browser's claim is possible
    Column("possible", Boolean, nullable=False),
    Column(
        "refused", Integer, nullable=False, server_default="0"
    ),  # submissions that claimed an impossible view
)

decisions = Table(  # about sessions and answers, never overwritten
    "decisions",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("session", String(32), ForeignKey("sessions.id"), nullable=False, index=True),
    Column(
        "kind", String(12), nullable=False
    ),  # reject unreject approve exclude include | keep exclude_text
    Column(
        "target", Text, nullable=False, server_default=""
    ),  # '' = the session, else trial key + question id
    Column("reason", Text, nullable=False),
    Column("user", String(64), nullable=False),
    Column("at_ms", BigInteger, nullable=False),
)


tombstones = Table(  # the remains of a withdrawn session: that it existed
    "tombstones",
    metadata,
    Column("session", String(32), primary_key=True),
    Column(
        "token_hash", String(64), nullable=False, unique=True
    ),  # so that its page can say what happened
    Column("study", String(64), nullable=False, index=True),
    Column("link_kind", String(10), nullable=False),
    Column("number", Integer, nullable=False),  # never reused
    Column("withdrawn_ms", BigInteger, nullable=False),
)


alarms = Table(
    "alarms",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("study", String(64), nullable=True),
    Column("kind", String(32), nullable=False),  # storage_full | chain_conflict | stall …
    Column("message", Text, nullable=False),
    Column("raised_ms", BigInteger, nullable=False),
    Column("cleared_ms", BigInteger, nullable=True),
)


# PostgreSQL: the mark of each writing process's latest commit, to look up one whose answer got lost
writers = Table(
    "writers",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("mark", String(32), nullable=False),
)

blobs = Table(  # files made for one session (rendered replays and videos), deleted with it
    "blobs",
    metadata,
    Column("session", String(32), ForeignKey("sessions.id"), primary_key=True),
    Column("name", String(64), primary_key=True),
    Column("media_type", String(64), nullable=False),
    Column("body", LargeBinary, nullable=False),
)

rounds = Table(  # games played in a session; the attempts of one trial are counted from 1
    "rounds",
    metadata,
    Column("session", String(32), ForeignKey("sessions.id"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("run", Integer, primary_key=True),
    Column("attempt", Integer, primary_key=True),
    Column(
        "setup", Text, nullable=False
    ),  # JSON: with the inputs, everything the round follows from
    Column(
        "state", String(8), nullable=False
    ),  # live | over | left (begun again, or a practice that was ended)
    Column("tick", Integer, nullable=False, server_default="0"),  # inputs are durable up to here
    Column("holder", String(32), nullable=False),  # the connection that may continue it
    Column(
        "losses", Integer, nullable=False, server_default="0"
    ),  # how often the connection was lost
    Column("score", Integer, nullable=True),
    Column("started_ms", BigInteger, nullable=False),
    Column("ended_ms", BigInteger, nullable=True),
)

round_inputs = Table(  # the inputs that the server applied, in pieces
    "round_inputs",
    metadata,
    Column("session", String(32), ForeignKey("sessions.id"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("run", Integer, primary_key=True),
    Column("attempt", Integer, primary_key=True),
    Column("tick", Integer, primary_key=True),  # the piece ends before this tick
    Column(
        "seat", Integer, primary_key=True, server_default="0"
    ),  # number of the seat in its world; 0: the first
    Column(
        "inputs", Text, nullable=False
    ),  # JSON: each change of the inputs with the tick it was applied at
    sqlite_with_rowid=False,
)
