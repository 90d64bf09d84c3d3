"""The tables of coded texts: the codebook, every coder's labels, and the final ones. Only bundles of coded studies have them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from believable.bundle.tables import (
    CONDITION,
    PLAYER,
    QUESTION,
    SCENARIO,
    SESSION,
    STIMULUS,
    TRIAL,
    TRIAL_KEY,
    BundleTable,
    Cell,
    Field,
)

Row = Mapping[str, Cell]

CODEBOOK = Field("codebook", "string", "Id of the codebook.", required=True)
RESPONSE = Field("response", "integer", "Number of the text on the coder's desk.", required=True)
VERSION = Field("version", "integer", "Version of the codebook.", required=True)
CODE = Field("code", "string", "Code; empty where the text got none.")
DIRECTION = Field("direction", "string", "Whether it is said to be present (+) or lacking (-).", one_of=("+", "-"))
SIDE = Field("side", "string", "Whether it is said of the more or of the less human-like one.", one_of=("more", "less"))
SPANS = Field("spans", "string", "The words that carry it, as from-to in characters; empty for the whole text.")
DISCARD = Field("discard", "string", "Why the text is left out; empty where it is not.")

SAMPLE = Field(
    "sample",
    "string",
    "Part of the round: coded jointly, by all coders for agreement, by two as overlap, or by one.",
    required=True,
    one_of=("joint", "agreement", "overlap", "single"),
)

#: Which text a row is about. Texts that were imported belong to no session.
_PLACE = (
    replace(SESSION, required=False),
    Field("position", "integer", "Place of the trial in this participant's session, from 0."),
    Field("run", "integer", "Run of the session."),
    replace(TRIAL_KEY, required=False),
    replace(TRIAL, required=False),
    replace(QUESTION, required=False),
    PLAYER,
    Field("flag", "integer", "For the reason of a flag: `seq` of the flag."),
)

CODES = BundleTable(
    "codes",
    "The codebooks: one row per code, or reason to discard, and version.",
    (
        CODEBOOK,
        VERSION,
        Field("kind", "string", "What the row is.", required=True, one_of=("code", "discard")),
        Field("code", "string", "Id of the code or reason.", required=True),
        Field("label", "string", "Its name.", required=True),
        Field("short", "string", "Its name in figures."),
        Field("definition", "string", "When it applies."),
        Field("keywords", "string", "Words that speak for it, separated by `; `."),
        Field("direction", "boolean", "Whether it has a direction (+ or -).", required=True),
        Field("side", "boolean", "Whether it has a side (more or less human-like).", required=True),
        Field("parent", "string", "The more general code it belongs to."),
        Field("excludes", "string", "Codes that never stand beside it on the same side."),
        Field("wins_over", "string", "More general codes that give way to it on the same words."),
        Field("other", "boolean", "Whether it is the place for what no code fits.", required=True),
    ),
    key=("codebook", "version", "kind", "code"),
    refers=False,
)

CODE_LABELS = BundleTable(
    "code_labels",
    "What each coder said: one row per code, and one for a text that got none or was discarded.",
    (
        CODEBOOK,
        RESPONSE,
        Field("round", "integer", "Round of coding, from 1.", required=True),
        SAMPLE,
        Field("coder", "string", "Who coded: coder_1, coder_2, …", required=True),
        VERSION,
        CODE,
        DIRECTION,
        SIDE,
        SPANS,
        DISCARD,
        Field("uncertain", "boolean", "Whether the coder was uncertain.", required=True),
        Field("memo", "string", "The coder's note."),
        Field("done", "boolean", "Whether the coder was through with the text.", required=True),
        Field(
            "suggested",
            "boolean",
            "Whether suggestions were shown while it was coded; they bias agreement.",
            required=True,
        ),
        Field("review", "boolean", "Whether a later version of the codebook put it up for review.", required=True),
        *_PLACE,
    ),
)

CODE_FINAL = BundleTable(
    "code_final",
    "The codes that hold: one row per code, and one for a text that got none or was discarded.",
    (
        CODEBOOK,
        RESPONSE,
        CODE,
        DIRECTION,
        SIDE,
        SPANS,
        DISCARD,
        Field(
            "how",
            "string",
            "Where it comes from: coders agreed, a single coder, a third person, a discussion, a coder drawn at random.",
            required=True,
            one_of=("agreed", "single", "adjudicated", "discussed", "random_coder"),
        ),
        Field("coder", "string", "Whose labels they are, where they are one coder's."),
        Field("round", "integer", "Round they come from.", required=True),
        SAMPLE,
        VERSION,
        Field("note", "string", "What was written down when it was resolved."),
        *_PLACE,
        CONDITION,
        SCENARIO,
        STIMULUS,
    ),
)

TABLES = (CODES, CODE_LABELS, CODE_FINAL)


@dataclass(frozen=True, slots=True)
class CodingRows:
    """The rows of the three tables."""

    codes: Sequence[Row] = ()
    labels: Sequence[Row] = ()
    final: Sequence[Row] = ()

    def tables(self) -> tuple[tuple[BundleTable, Sequence[Row]], ...]:
        return (CODES, self.codes), (CODE_LABELS, self.labels), (CODE_FINAL, self.final)
