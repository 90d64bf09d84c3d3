"""Tables of coding projects."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
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

coding_projects = Table(  # the texts of a study, or imported ones, with a codebook to code them by
    "coding_projects",
    metadata,
    Column("id", String(64), primary_key=True),
    Column(
        "study", String(64), ForeignKey("studies.id"), nullable=True
    ),  # whose people code; None: only who imported it
    Column("pool", String(10), nullable=False),  # real | simulated | imported
    Column("title", Text, nullable=False),
    Column("sources", Text, nullable=False),  # JSON ["trial.question", …]; empty: all free texts
    Column("seed", BigInteger, nullable=False),  # below 2**63
    Column("suggestions", Boolean, nullable=False, server_default="0"),
    Column("rule", String(12), nullable=False, server_default="none"),  # none | random_coder
    Column("created_ms", BigInteger, nullable=False),
)

coding_books = Table(  # versions of a project's codebook, from 1, never changed
    "coding_books",
    metadata,
    Column("project", String(64), ForeignKey("coding_projects.id"), primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("body", Text, nullable=False),  # JSON of the codebook
    Column(
        "policies", Text, nullable=False
    ),  # JSON {code: keep | review | drop} for labels of the version before
    Column("note", Text, nullable=False),
    Column("user", String(64), nullable=False),
    Column("at_ms", BigInteger, nullable=False),
)

coding_texts = Table(
    "coding_texts",
    metadata,
    Column("project", String(64), ForeignKey("coding_projects.id"), primary_key=True),
    Column("number", Integer, primary_key=True),  # in an order that reveals nothing
    Column("session", String(32), nullable=True, index=True),
    Column("place", String(64), nullable=False),  # hash of its origin, so that it is collected once
    Column("text", Text, nullable=False),
    Column("about", Text, nullable=False),  # JSON: its origin, and the stimulus that was shown
    UniqueConstraint("project", "place"),
)

coding_rounds = Table(
    "coding_rounds",
    metadata,
    Column("project", String(64), ForeignKey("coding_projects.id"), primary_key=True),
    Column("number", Integer, primary_key=True),  # from 1
    Column("kind", String(10), nullable=False),  # joint | agreement | split
    Column("plan", Text, nullable=False),  # JSON: how it was drawn
    Column("state", String(8), nullable=False),  # open | closed
    Column("user", String(64), nullable=False),
    Column("created_ms", BigInteger, nullable=False),
)

coding_tasks = Table(  # who codes what
    "coding_tasks",
    metadata,
    Column("project", String(64), ForeignKey("coding_projects.id"), primary_key=True),
    Column("round", Integer, primary_key=True),
    Column("coder", String(64), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("position", Integer, nullable=False),
    Column("shared", Boolean, nullable=False),
    Index("ix_coding_tasks_coder", "coder", "project"),
)

coding_logs = Table(  # the events of a coder's browser about a project: a chain like a session's
    "coding_logs",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("project", String(64), ForeignKey("coding_projects.id"), nullable=False),
    Column("coder", String(64), nullable=False),
    Column("epoch", Integer, nullable=False, server_default="0"),
    Column("head_seq", Integer, nullable=False, server_default="0"),
    Column("head_hash", String(64), nullable=False),
    Column("top_seq", Integer, nullable=False, server_default="0"),
    UniqueConstraint("project", "coder"),
)

coding_operations = Table(
    "coding_operations",
    metadata,
    Column("log", String(32), ForeignKey("coding_logs.id"), primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("session", String(32), nullable=True, index=True),  # whose text it is about
    Column("body", Text, nullable=False),
    Column("received_ms", BigInteger, nullable=False),
)

coding_strays = Table(  # operations of a tab or device that had been taken over
    "coding_strays",
    metadata,
    Column("log", String(32), ForeignKey("coding_logs.id"), primary_key=True),
    Column("epoch", Integer, primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("session", String(32), nullable=True, index=True),
    Column("body", Text, nullable=False),
    Column("received_ms", BigInteger, nullable=False),
)

coding_marks = Table(  # what each coder says now, made from the operations
    "coding_marks",
    metadata,
    Column("project", String(64), ForeignKey("coding_projects.id"), primary_key=True),
    Column("round", Integer, primary_key=True),
    Column("coder", String(64), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("session", String(32), nullable=True, index=True),
    Column("body", Text, nullable=False),  # JSON of the mark
    Column("done", Boolean, nullable=False),
    Column("version", Integer, nullable=False),  # of the codebook it was made under
    Column("suggested", Boolean, nullable=False),  # whether suggestions were shown
    Column("review", Boolean, nullable=False),  # whether a later version put it up for review
    Column("at_ms", BigInteger, nullable=False),
)

coding_outcomes = Table(  # the decisions if coders differ, never overwritten
    "coding_outcomes",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("project", String(64), ForeignKey("coding_projects.id"), nullable=False),
    Column("round", Integer, nullable=False),
    Column("number", Integer, nullable=False),
    Column("session", String(32), nullable=True, index=True),
    Column("how", String(12), nullable=False),  # adjudicated | discussed
    Column("body", Text, nullable=False),  # JSON of the mark
    Column("version", Integer, nullable=False),
    Column("note", Text, nullable=False),
    Column("user", String(64), nullable=False),
    Column("at_ms", BigInteger, nullable=False),
    Index("ix_coding_outcomes_project", "project", "round", "number"),
)
