"""The tables. A change of one needs a migration."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)

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

judge_shares = Table(  # weighed by the rule `sequential`: one per complete session and agent
    "judge_shares",
    metadata,
    Column("session", String(32), ForeignKey("sessions.id"), primary_key=True),
    Column("agent", String(160), primary_key=True),  # or the pair: first-second
    Column("study", String(64), ForeignKey("studies.id"), nullable=False),
    Column("pool", String(10), nullable=False),  # real | simulated
    Column("place", Integer, nullable=False),  # 1, 2, 3 … in the order of closing, in a pool
    Column("numerator", Integer, nullable=False),  # the share as an exact fraction
    Column("denominator", Integer, nullable=False),
    Index("ix_judge_shares_study", "study", "pool"),
)

evidence_verdicts = Table(  # answers that evidence has given, never taken back
    "evidence_verdicts",
    metadata,
    Column("study", String(64), ForeignKey("studies.id"), primary_key=True),
    Column("pool", String(10), primary_key=True),
    Column("agent", String(160), primary_key=True),
    Column("verdict", String(12), primary_key=True),  # different | equivalent | outside
    Column("n", Integer, nullable=False),  # judges of the agent by then
    Column("judges", Integer, nullable=False),  # of all agents by then
    Column("log_evidence", Float, nullable=False),
    Column("definition", String(64), nullable=False),  # hash of the one with the rule
    Column("at_ms", BigInteger, nullable=False),
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

users = Table(
    "users",
    metadata,
    Column("name", String(64), primary_key=True),
    Column("password_hash", Text, nullable=True),  # None until the one-time link was used
    Column("disabled", Boolean, nullable=False, server_default="0"),
    Column("created_ms", BigInteger, nullable=False),
    Column(
        "administrator", Boolean, nullable=False, server_default="0"
    ),  # of the server: every study, every account
)

study_roles = Table(  # the rights of a user in one study
    "study_roles",
    metadata,
    Column("user", String(64), ForeignKey("users.name"), primary_key=True),
    Column(
        "study", String(64), primary_key=True, index=True
    ),  # may be granted before the study is first served
    Column("role", String(12), nullable=False),  # owner | researcher | coordinator | coder
    Column("at_ms", BigInteger, nullable=False),
)

second_factors = Table(  # secrets of one-time codes (TOTP)
    "second_factors",
    metadata,
    Column("user", String(64), ForeignKey("users.name"), primary_key=True),
    Column("nonce", String(32), nullable=False),
    Column("secret", String(64), nullable=False),  # under the server's key, in hexadecimal
    Column("confirmed_ms", BigInteger, nullable=True),  # None until a first code was right
    Column(
        "step", BigInteger, nullable=False, server_default="0"
    ),  # of the last code that was used: none counts twice
)

recovery_codes = Table(  # each admits a user once who has lost the device with the secret
    "recovery_codes",
    metadata,
    Column("user", String(64), ForeignKey("users.name"), primary_key=True),
    Column("code_hash", String(64), primary_key=True),  # keyed
)

identities = Table(  # the identity of a user at a provider of log-ins (OpenID Connect)
    "identities",
    metadata,
    Column("issuer", String(255), primary_key=True),
    Column("subject", String(255), primary_key=True),
    Column("user", String(64), ForeignKey("users.name"), nullable=False, index=True),
    Column("at_ms", BigInteger, nullable=False),
)

server_rules = Table(  # the decisions of administrators for all users
    "server_rules",
    metadata,
    Column("name", String(32), primary_key=True),
    Column("value", Text, nullable=False),
)

logins = Table(
    "logins",
    metadata,
    Column("token_hash", String(64), primary_key=True),
    Column("user", String(64), ForeignKey("users.name"), nullable=False),
    Column("csrf", String(32), nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    Column("expires_ms", BigInteger, nullable=False),
)

one_time_links = Table(
    "one_time_links",
    metadata,
    Column("token_hash", String(64), primary_key=True),
    Column("user", String(64), ForeignKey("users.name"), nullable=False),
    Column("expires_ms", BigInteger, nullable=False),
    Column("used_ms", BigInteger, nullable=True),
)

# for rate limits: who is a keyed hash (of a user name, or of a network peer), gone after an hour
attempts = Table(
    "attempts",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("what", String(16), nullable=False),  # login | resume_code
    Column("who", String(64), nullable=False),
    Column("at_ms", BigInteger, nullable=False),
    Index("ix_attempts_what_who", "what", "who", "at_ms"),
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

audit = (
    Table(  # who looked at what, took what away, changed what: only ever added to, see `audit_log`
        "audit",
        metadata,
        Column("id", Integer, primary_key=True, autoincrement=True),
        Column("user", String(64), nullable=False),
        Column("what", Text, nullable=False),
        Column("study", String(64), nullable=True),
        Column("at_ms", BigInteger, nullable=False),
        Column(
            "kind", String(10), nullable=False, server_default="change"
        ),  # view | export | unblind | change | account
        Column(
            "session", String(32), nullable=True, index=True
        ),  # whom the words are about; they go when the session does
        Index("ix_audit_study", "study", "id"),
    )
)

#: The replacement of texts about a session that was withdrawn.
FORGOTTEN = "about a session that was withdrawn later"

#: What keeps the log as it is against every statement that is not a change of the tables
#: themselves. Only words about a withdrawn session may go, with its name. SQLite runs no trigger
#: for rows that INSERT OR REPLACE deletes, so a known number is refused.
APPEND_ONLY = {
    "sqlite": (
        (
            "CREATE TRIGGER audit_kept BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'the audit"
            " log is only added to'); END"
        ),
        (
            "CREATE TRIGGER audit_unchanged BEFORE UPDATE ON audit WHEN NOT (OLD.session IS NOT"
            " NULL AND NEW.session IS NULL AND NEW.id IS OLD.id AND NEW.user IS OLD.user AND"
            " NEW.study IS OLD.study AND NEW.at_ms IS OLD.at_ms AND NEW.kind IS OLD.kind AND"
            f" NEW.what IS '{FORGOTTEN}') BEGIN SELECT RAISE(ABORT, 'the audit log is only added"
            " to'); END"
        ),
        (
            "CREATE TRIGGER audit_new BEFORE INSERT ON audit WHEN EXISTS (SELECT 1 FROM audit WHERE"
            " id = NEW.id) BEGIN SELECT RAISE(ABORT, 'the audit log is only added to'); END"
        ),
    ),
    "postgresql": (
        (
            "CREATE OR REPLACE FUNCTION audit_refuse() RETURNS trigger LANGUAGE plpgsql AS "
            "'BEGIN RAISE EXCEPTION ''the audit log is only added to''; END'"
        ),
        (
            "CREATE TRIGGER audit_kept BEFORE DELETE ON audit FOR EACH ROW EXECUTE FUNCTION"
            " audit_refuse()"
        ),
        (
            "CREATE TRIGGER audit_unchanged BEFORE UPDATE ON audit FOR EACH ROW WHEN (NOT"
            ' (OLD.session IS NOT NULL AND NEW.session IS NULL AND NEW.id = OLD.id AND NEW."user"'
            ' = OLD."user" AND NEW.study IS NOT DISTINCT FROM OLD.study AND NEW.at_ms = OLD.at_ms'
            f" AND NEW.kind = OLD.kind AND NEW.what = '{FORGOTTEN}')) EXECUTE FUNCTION"
            " audit_refuse()"
        ),
        "CREATE TRIGGER audit_not_emptied BEFORE TRUNCATE ON audit EXECUTE FUNCTION audit_refuse()",
    ),
}

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
