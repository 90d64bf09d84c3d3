"""The codebook: what every column means, and for every question its words, its instrument and what it records."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from believable.bundle.tables import Field, Table
from believable.bundle.tracing import VALUES
from believable.core.registry import Registry
from believable.instruments.contract import Instrument
from believable.study.definition import Definition
from believable.study.practice import annotation_of
from believable.study.progress import questions_of
from believable.study.quality import MEAN_SDA, RELIABLE, SDA, parts
from believable.study.records import Block, Check, Consent, Device, Qa, Study, Text, TimelineItem

CODEBOOK = Table(
    "codebook",
    "Meaning of every column and every question.",
    (
        Field("table", "string", "Table the entry is about.", required=True),
        Field("column", "string", "Column it is about.", required=True),
        Field("trial", "string", "For a question: id of its trial."),
        Field("question", "string", "For a question: its id."),
        Field("kind", "string", "For a question: its instrument."),
        Field("type", "string", "Type of the values.", required=True),
        Field("about", "string", "What is recorded.", required=True),
        Field("prompt", "string", "For a question: its words in the study's first language."),
        Field("values", "string", "Possible values, where they can be listed."),
        Field("parameters", "string", "For a question: parameters of the instrument, as JSON."),
        Field("definitions", "string", "For a question: first 12 digits of the definitions that hold it."),
    ),
    refers=False,
)


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the codebook."""

    table: str
    column: str
    type: str
    about: str
    trial: str | None = None
    question: str | None = None
    kind: str | None = None
    prompt: str | None = None
    values: str | None = None
    parameters: str | None = None
    definitions: str | None = None


def entries(
    tables: Sequence[Table], definitions: Mapping[str, Definition], instruments: Registry[Instrument[Any]]
) -> tuple[Entry, ...]:
    """Columns first, then the questions in the order of the timeline. Equal questions of several definitions are one entry."""
    columns = [
        Entry(table.name, field.name, field.type, field.about, values=" | ".join(field.one_of) or None)
        for table in tables
        for field in table.fields
    ]
    holders: dict[Entry, list[str]] = {}
    for name, definition in definitions.items():
        for entry in _questions(definition.study, instruments):
            holders.setdefault(entry, []).append(name[:12])
    return (*columns, *(_held(entry, names) for entry, names in holders.items()))


def markdown(title: str, found: Sequence[Entry]) -> str:
    """The same for reading."""
    lines = [f"# Codebook of {_plain(title)}", ""]
    for table in dict.fromkeys(entry.table for entry in found):
        lines += [f"## {table}", "", "| column | type | meaning | values |", "|---|---|---|---|"]
        lines += [
            f"| {entry.column} | {entry.type} | {_plain(entry.about)} | {_plain(entry.values or '')} |"
            for entry in found
            if entry.table == table and entry.question is None
        ]
        lines.append("")
    questions = [entry for entry in found if entry.question is not None]
    if questions:
        lines += [
            "## Questions",
            "",
            "| trial | question | kind | prompt | recorded | values |",
            "|---|---|---|---|---|---|",
        ]
        lines += [
            f"| {entry.trial} | {entry.question} | {entry.kind} | {_plain(entry.prompt or '')}"
            f" | {entry.column}: {_plain(entry.about)} | {_plain(entry.values or '')} |"
            for entry in questions
        ]
        lines.append("")
    return "\n".join(lines)


def trials_of(items: Sequence[TimelineItem]) -> Iterator[TimelineItem]:
    """All trials of a timeline, blocks unrolled once; blocks themselves come before what they hold."""
    for item in items:
        yield item
        if isinstance(item, Block):
            yield from trials_of(item.each)


def _questions(study: Study, instruments: Registry[Instrument[Any]]) -> Iterator[Entry]:
    language = study.languages[0]
    for trial in trials_of(study.timeline):
        if isinstance(trial, Consent):
            for item in trial.require:
                prompt = _words(item.label, language)
                yield Entry(
                    "answers",
                    "value_text",
                    "string",
                    "`true` where ticked",
                    trial.id,
                    item.id,
                    "consent",
                    prompt,
                )
        for name, about, values in _tested(trial):
            where, what = ("value_number", "number") if values is None else ("value_text", "string")
            yield Entry("answers", where, what, about, trial.id, name, trial.kind, None, values)
        yield from _traced(trial, language, instruments)
        for question in questions_of(trial):
            instrument = instruments[question.kind]
            options = [*map(str, instrument.options(question.params))]
            right = f" (right: {trial.correct})" if isinstance(trial, Check) else ""
            parameters = json.dumps(
                question.params.model_dump(mode="json", by_alias=True), sort_keys=True, ensure_ascii=False
            )
            for column in instrument.records:
                text = column.type == "string"
                yield Entry(
                    "answers", "value_text" if text else "value_number", column.type, column.about, trial.id, question.id,
                    question.kind, _words(question.prompt, language), (" | ".join(options) + right).strip() or None, parameters,
                )  # fmt: skip


def _tested(trial: TimelineItem) -> Iterator[tuple[str, str, str | None]]:
    """What device checks and quality tests answer: name, meaning, and values where it is no number."""
    if isinstance(trial, Device):
        about = {"heard": ("tones counted", None), "wheel": ("whether the wheel was turned", "true | false")}
        yield from ((part, *about[part]) for part in parts(trial))
    if isinstance(trial, Qa):
        yield SDA, "signed differential agreement of the trace with the known signal, -1 to 1", None
        yield MEAN_SDA, "at the last quality test of the session: mean of all its scores", None
        yield RELIABLE, f"whether that mean is at least {trial.threshold:g}", "true | false"


def _traced(trial: TimelineItem, language: str, instruments: Registry[Instrument[Any]]) -> Iterator[Entry]:
    """What is annotated while watching, where it becomes a trace."""
    annotation = annotation_of(trial)
    if annotation is None:
        return
    instrument = instruments[annotation.kind]
    if not any(stream.kind in VALUES for stream in instrument.streams):
        return
    parameters = json.dumps(
        annotation.params.model_dump(mode="json", by_alias=True), sort_keys=True, ensure_ascii=False
    )
    for column in instrument.records:
        yield Entry(
            "traces", column.name, column.type, column.about, trial.id, "annotate", annotation.kind,
            _words(annotation.prompt, language), None, parameters,
        )  # fmt: skip


def _held(entry: Entry, names: Sequence[str]) -> Entry:
    return Entry(
        entry.table, entry.column, entry.type, entry.about, entry.trial, entry.question, entry.kind, entry.prompt,
        entry.values, entry.parameters, " ".join(names),
    )  # fmt: skip


def _words(text: Text | None, language: str) -> str | None:
    return None if text is None else text.in_language(language)


def _plain(text: str) -> str:
    """Text inside a Markdown table: no table marks, no line breaks, no markup."""
    escaped = text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
    return " ".join(escaped.split())
