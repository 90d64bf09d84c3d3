"""The tables of a bundle, declared: their columns, types and meanings. Writer, reader, codebook and package follow this."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

Cell = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Field:
    """One column. `type` is a Frictionless type: string, integer, number or boolean. `required` columns are never empty."""

    name: str
    type: str
    about: str
    required: bool = False
    one_of: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BundleTable:
    """One table. `key` names the columns that identify a row; `refers` whether `session` points to the participants."""

    name: str
    about: str
    fields: tuple[Field, ...]
    key: tuple[str, ...] = ()
    refers: bool = True

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(field.name for field in self.fields)

    def with_fields(self, more: Sequence[Field]) -> BundleTable:
        return replace(self, fields=(*self.fields, *more))


SESSION = Field("session", "string", "Random id of the session; the same in all tables.", required=True)
POSITION = Field("position", "integer", "Place of the trial in this participant's session, from 0.", required=True)
RUN = Field("run", "integer", "0, and one more for each time the session began again from the start.", required=True)
TRIAL_KEY = Field("trial_key", "string", "Unique name of the trial in this session's plan.", required=True)
TRIAL = Field("trial", "string", "Id of the trial in the study definition.", required=True)
CONDITION = Field("condition", "string", "Condition of the stimulus, or the one the enclosing block settled.")
SCENARIO = Field("scenario", "string", "Situation the stimulus shows.")
STIMULUS = Field("stimulus", "string", "Id of the stimulus in the study definition.")
QUESTION = Field("question", "string", "Id of the question in its trial.", required=True)
PLAYER = Field("player", "integer", "Which player of the page, from 0.")

#: Which page a row is about, and what was shown there.
PAGE = (SESSION, POSITION, RUN, TRIAL_KEY, TRIAL)
SETTING = (CONDITION, SCENARIO, STIMULUS)

PARTICIPANTS = BundleTable(
    "participants",
    "One row per session, also the incomplete and the rejected ones.",
    (
        SESSION,
        Field(
            "number",
            "integer",
            "Order of starting, within real or simulated sessions of the same kind of link.",
            required=True,
        ),
        Field(
            "link_kind",
            "string",
            "How the participant came in.",
            required=True,
            one_of=("open", "personal", "simulated", "imported"),
        ),
        Field("simulated", "boolean", "True for a simulated participant. Never pool these with people.", required=True),
        Field("language", "string", "Language of the pages."),
        Field("definition", "string", "SHA-256 of the study definition this session is pinned to."),
        Field("state", "string", "Whether the session reached an end.", required=True, one_of=("active", "finished")),
        Field("outcome", "string", "How it ended.", one_of=("complete", "screened_out", "failed_checks", "declined")),
        Field("included", "boolean", "False if the exclusions table names the whole session.", required=True),
        Field("started_on", "string", "Day (UTC) on which the session started."),
        Field("duration_ms", "integer", "From joining to finishing, on the server's clock."),
        Field("trials", "integer", "Trials done or failed, not counting skipped ones.", required=True),
        Field("events", "integer", "Events in the chain.", required=True),
        Field("takeovers", "integer", "How often a tab or device took over writing, after the first.", required=True),
        Field("receipt", "string", "Head of the hash chain over all events of the session."),
    ),
    key=("session",),
    refers=False,
)

TRIALS = BundleTable(
    "trials",
    "One row per trial that was closed, and the one an unfinished session stopped at.",
    (
        *PAGE,
        Field("kind", "string", "Kind of trial.", required=True),
        *SETTING,
        Field("status", "string", "How the trial ended.", required=True, one_of=("done", "skipped", "failed", "open")),
        Field("attempts", "integer", "Submissions until it was closed."),
        Field("opened_ms", "integer", "When it became the current trial, since the session started (server's clock)."),
        Field("closed_ms", "integer", "When it was closed, since the session started (server's clock)."),
        Field("rt_ms", "number", "From the page being shown to the accepted submission (browser's monotonic clock)."),
        Field("hidden_ms", "number", "Time the page was hidden in between (browser's monotonic clock)."),
    ),
    key=("session", "position", "run"),
)

ANSWERS = BundleTable(
    "answers",
    "One row per answer, or per part of an answer that has several.",
    (
        *PAGE,
        *SETTING,
        QUESTION,
        replace(PLAYER, about="Which player of the page it is about, from 0; empty where it is about the whole page."),
        Field("kind", "string", "Instrument that recorded it; `consent` for a ticked box.", required=True),
        Field("item", "string", "Part of the question (a matrix row, an option); empty for a single answer."),
        Field("value_text", "string", "The answer if it is text."),
        Field("value_number", "number", "The answer if it is a number."),
        Field("correct", "boolean", "For a check: whether it is the right answer."),
        Field("changes", "integer", "How often the answer was changed before it was submitted.", required=True),
        Field("pasted", "integer", "Characters pasted into it.", required=True),
    ),
)

TRACES = BundleTable(
    "traces",
    "Time-continuous annotations: one row per change, per mark and its repetitions, and per second without a change.",
    (
        *PAGE,
        *SETTING,
        Field("instrument", "string", "Instrument that recorded it; empty where an imported file does not say."),
        Field("seq", "integer", "Number of the event (or row of the imported file) it comes from."),
        Field("at_ms", "integer", "Wall-clock time in milliseconds since 1970.", required=True),
        Field("mono_ms", "number", "The same moment on the page's monotonic clock."),
        Field("media_ms", "number", "Time in the medium: what was on screen at that moment.", required=True),
        Field("value", "number", "Value of the annotation; 1 or -1 for a mark.", required=True),
        Field("frame", "integer", "Number of the picture on screen, counted by the browser since the page was shown."),
        Field(
            "input",
            "string",
            "How it was made; `heartbeat` is the value as it stood, once a second and when playing began.",
            one_of=("wheel", "trackpad", "key", "pointer", "heartbeat"),
        ),
    ),
)

FLAGS = BundleTable(
    "flags",
    "Thumbs down on actions or moments: one row per flag as it stands in the end, also those taken back.",
    (
        SESSION,
        POSITION,
        STIMULUS,
        Field("flag", "string", "Number of the flag on its page.", required=True),
        Field("seq", "integer", "Number of the event it comes from.", required=True),
        Field("media_ms", "number", "Time in the medium when it was set.", required=True),
        Field(
            "action",
            "string",
            "Id of the marked action. Where a moment was marked: of the action going on then, if there was exactly one.",
        ),
        Field("reason", "string", "Why, in the person's words."),
        Field("edits", "integer", "How often the reason was changed.", required=True),
        Field("undone", "boolean", "Whether it was taken back.", required=True),
    ),
    key=("session", "seq"),
)

VIEWS = BundleTable(
    "views",
    "What was really seen: one row per stretch of a medium that was played without interruption, and one for each part of the"
    " overlay that was open meanwhile.",
    (
        SESSION,
        POSITION,
        STIMULUS,
        Field("player", "integer", "Which player of the page, from 0.", required=True),
        Field("what", "string", "What was on screen.", required=True, one_of=("stimulus", "plan", "log")),
        Field("seq", "integer", "Number of the event it comes from.", required=True),
        Field("from_ms", "number", "First moment shown, in the medium.", required=True),
        Field("to_ms", "number", "Last moment shown, in the medium.", required=True),
        Field("rate", "number", "Playback rate.", required=True),
    ),
    key=("session", "seq", "what"),
)

SHOWN = BundleTable(
    "shown",
    "What stood where: one row per stimulus of a page, in the order of its players.",
    (
        *PAGE,
        replace(PLAYER, required=True),
        Field("label", "string", "What the participant saw it called: A, B, … in a comparison."),
        Field(
            "how",
            "string",
            "Whether the page played it, or asked about it after it was watched earlier.",
            required=True,
            one_of=("played", "remembered"),
        ),
        STIMULUS,
        CONDITION,
        SCENARIO,
        Field("views", "integer", "How often it was played to its end on this page.", required=True),
        Field("watched_ms", "number", "How much of it was played on this page, repetitions included.", required=True),
    ),
    key=("session", "position", "run", "player"),
)

ACTIONS = BundleTable(
    "actions",
    "Logged actions of the figures in recordings, and in videos with an action log.",
    (
        Field("stimulus", "string", "Id of the stimulus.", required=True),
        Field("log", "string", "SHA-256 of the file that holds them.", required=True),
        Field("action", "string", "Id of the action in it.", required=True),
        Field("actor", "string", "Who acts.", required=True),
        Field("from_ms", "number", "Begin, in the medium.", required=True),
        Field("to_ms", "number", "End, in the medium.", required=True),
        Field("verb", "string", "What is done."),
        Field("object", "string", "To what."),
        Field("place", "string", "Where."),
        Field("text", "string", "Words belonging to it."),
        Field("activity", "string", "What it was for, where the world logs it."),
        Field(
            "violations",
            "string",
            "What the world's rule checker says is wrong with it: category/rule, several apart by `; `, or none. Empty where the"
            " recording was not checked.",
        ),
    ),
    key=("stimulus", "log", "action"),
    refers=False,
)

REASONS = (
    "rejected", "excluded", "screened_out", "failed_checks", "declined", "incomplete", "text_excluded", "withdrawn",
    "preview", "damaged",
)  # fmt: skip

EXCLUSIONS = BundleTable(
    "exclusions",
    "Why sessions or answers should not be analysed. Rows without a session count what is not in the bundle at all.",
    (
        replace(SESSION, required=False),
        Field(
            "scope",
            "string",
            "Whether the whole session or one answer is meant.",
            required=True,
            one_of=("session", "answer"),
        ),
        Field("trial_key", "string", "Trial of the answer."),
        Field("question", "string", "Question of the answer."),
        replace(PLAYER, about="Player that the answer is about."),
        Field("reason", "string", "Kind of reason.", required=True, one_of=REASONS),
        Field("detail", "string", "The researcher's words, or where the session stopped."),
        Field("count", "integer", "How many sessions the row stands for.", required=True),
        Field(
            "decided_by",
            "string",
            "Who decided: reviewer_1, reviewer_2, … in the order of their first decision; no name.",
        ),
        Field("decided_on", "string", "Day of the decision, UTC."),
        Field(
            "decided_blind",
            "boolean",
            "Whether who decided had neither looked at the session's conditions nor at unblinded results.",
        ),
    ),
)

TABLES: tuple[BundleTable, ...] = (PARTICIPANTS, TRIALS, ANSWERS, TRACES, FLAGS, VIEWS, SHOWN, ACTIONS, EXCLUSIONS)
BY_NAME = {table.name: table for table in TABLES}

RECRUITER_HASH = Field("recruiter_hash", "string", "Keyed hash of the recruiter's participant id.")


def arm_field(arm: str) -> Field:
    return Field(f"arm_{arm}", "string", f"Level of the arm `{arm}` this participant was assigned to.")


def order_field(block: str) -> Field:
    return Field(f"order_{block}", "integer", f"Row of the Latin square of block `{block}`, from 0.")
