"""Tables of the queue of texts to review."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from believable.store.tables.metadata import metadata

# the free texts to review, with the kinds of their hints: follows from the trials
review_answers = Table(
    "review_answers",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("study", String(64), nullable=False),
    Column("pool", String(10), nullable=False),
    Column("session", String(32), ForeignKey("sessions.id"), nullable=False),
    Column("number", Integer, nullable=False),  # of the session
    Column("position", Integer, nullable=False),
    Column("ordinal", Integer, nullable=False),  # among the texts of its page, from 1
    Column("trial_key", Text, nullable=False),
    Column("question", Text, nullable=False),
    Column("took_ms", BigInteger, nullable=True),  # on the page
    Column("session_ms", BigInteger, nullable=True),  # from start to end, once there is an end
    Column("pasted", Integer, nullable=False),  # characters
    Column(
        "digest", String(32), nullable=False
    ),  # of the text in its compared form; '' if it is too short
    Column(
        "alike", Text, nullable=False
    ),  # JSON [[id, similarity], …]: a few that are nearly the same
    Column(
        "kinds", String(40), nullable=False
    ),  # of hints, with a comma before and behind each; else ''
    Column("n_kinds", Integer, nullable=False),
    Column("decision", String(12), nullable=True),  # the one that holds: keep | exclude_text
    UniqueConstraint("session", "position", "ordinal"),
    # Everything that a view counts and sorts by, so that it need not look at the rows themselves.
    Index(
        "ix_review_answers_queue",
        "study",
        "pool",
        "n_kinds",
        "number",
        "position",
        "ordinal",
        "decision",
        "kinds",
        "session",
    ),
    Index("ix_review_answers_digest", "study", "pool", "digest"),
)

review_keys = (
    Table(  # texts that are nearly the same share one of these, whatever study they belong to
        "review_keys",
        metadata,
        Column("key", BigInteger, primary_key=True, autoincrement=False),
        Column("answer", Integer, ForeignKey("review_answers.id"), primary_key=True, index=True),
        sqlite_with_rowid=False,
    )
)

review_sessions = Table(  # how far each session has been read for the queue
    "review_sessions",
    metadata,
    Column("session", String(32), ForeignKey("sessions.id"), primary_key=True),
    Column("run", Integer, nullable=False),
    Column("position", Integer, nullable=False),  # of its page
    Column("state", String(12), nullable=False),
    Column(
        "closed", Integer, nullable=False
    ),  # position of the last closed trial, -1 before the first
    Column("seq", Integer, nullable=False),  # the event that closed it
)

review_states = Table(  # the source of the queue of a pool
    "review_states",
    metadata,
    Column("study", String(64), ForeignKey("studies.id"), primary_key=True),
    Column("pool", String(10), primary_key=True),
    Column("fingerprint", Text, nullable=False),
    Column("medians", Text, nullable=False),  # JSON {trial: ms}; '' is the whole session
    Column("n_answers", Integer, nullable=False),  # when the medians were taken
    Column("withdrawn", Integer, nullable=False),
)
