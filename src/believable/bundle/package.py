"""The papers of a bundle: its description (`dataset_description.json`, Psych-DS), its contents
(`datapackage.json`, Frictionless), a README, and the codebook: the meaning of every column, and
every question's text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from believable.bundle.marks import TRACE_VALUES
from believable.bundle.session_records import StudyRecord
from believable.bundle.tables import BundleTable, Field
from believable.contracts.instrument import Instrument
from believable.contracts.record import Text
from believable.contracts.registries import INSTRUMENTS
from believable.contracts.trial import Annotation, Question, TrialBase, outline
from believable.core.documents import document
from believable.study.definition import Definition
from believable.study.records import Study

FORMAT = "believable-bundle/1"
EVENTS = "data/raw/events.jsonl.gz"
STRAYS = "data/raw/strays.jsonl.gz"
PAGAN = "results/traces-pagan.csv"
#: The folder of the tables as Parquet, in bundles that have them.
PARQUET = "parquet"
#: The key of `datapackage.json` that says how coarse the times of a release are.
RELEASE = "release"
_TEMPLATES = Path(__file__).with_name("templates")


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """A file that was written: where, how long, its SHA-256, its rows, and its table if it is
    one.
    """

    path: str
    bytes: int
    sha256: str
    rows: int
    about: str
    table: BundleTable | None = None


def slug(study_id: str) -> str:
    """The study's name as Psych-DS file names take it: letters and digits only."""
    return re.sub(r"[^A-Za-z0-9]", "", study_id) or "study"


def table_path(study: StudyRecord, table: BundleTable) -> str:
    marks = "_condition-simulated" if study.simulated else ""
    return f"data/study-{slug(study.id)}{marks}_description-{table.name}_data.csv"


def datapackage(study: StudyRecord, contents: Sequence[Content]) -> str:
    tables = {content.table.name: content for content in contents if content.table is not None}
    package = {
        "profile": "data-package",
        "format": FORMAT,
        "name": slug(study.id).lower() + ("-simulated" if study.simulated else ""),
        "title": study.title,
        "simulated": study.simulated,
        "withdrawn": study.withdrawn,
        "resources": [_resource(content, "participants" in tables) for content in contents],
    }
    return _json(package)


def dataset_description(study: StudyRecord, contents: Sequence[Content]) -> str:
    measured: dict[str, Field] = {}
    for content in contents:
        if content.table is not None and content.path.startswith("data/"):
            for field in content.table.fields:
                measured.setdefault(field.name, field)
    title = f"SIMULATED: {study.title}" if study.simulated else study.title
    description = {
        "@context": "https://schema.org/",
        "@type": "Dataset",
        "name": title,
        "description": _first_sentence(study),
        "schemaVersion": "Psych-DS 1.5.1",
        "variableMeasured": [
            {"@type": "PropertyValue", "name": field.name, "description": field.about}
            for field in measured.values()
        ],
    }
    return _json(description)


def readme(study: StudyRecord, contents: Sequence[Content]) -> str:
    rows = {content.table.name: content.rows for content in contents if content.table is not None}
    return document(
        _TEMPLATES / "README.md",
        title=" ".join(study.title.split()),
        study=study,
        first_sentence=_first_sentence(study),
        sessions=rows.get("participants", 0),
        contents=contents,
    )


def changes(contents: Sequence[Content], last_event_on: str | None) -> str:
    events = next((content.rows for content in contents if content.path == EVENTS), 0)
    until = f" Last event received on {last_event_on} (UTC)." if last_event_on else ""
    return f"# Changes\n\n- First and only version of this export: {events} events.{until}\n"


def ignored_files() -> str:
    """Files that a Psych-DS validator can ignore, in the syntax of `.gitignore`."""
    return "datapackage.json\nSHA256SUMS\ndata/raw/\n"


def checksums(contents: Mapping[str, str]) -> str:
    return "".join(f"{digest}  {path}\n" for path, digest in sorted(contents.items()))


def _first_sentence(study: StudyRecord) -> str:
    kind = "simulated participants" if study.simulated else "participants"
    return (
        f"Data of {kind} of the study “{' '.join(study.title.split())}”, collected and exported"
        " with believable."
    )


def _resource(content: Content, has_participants: bool) -> dict[str, Any]:
    name = (
        content.table.name
        if content.table
        else re.sub(r"[^a-z0-9]+", "-", content.path.lower()).strip("-")
    )
    resource: dict[str, Any] = {
        "name": name,
        "path": content.path,
        "description": content.about,
        "bytes": content.bytes,
        "hash": f"sha256:{content.sha256}",
    }
    if content.table is None:
        return resource | {"type": "file"}
    table = content.table
    resource |= {
        "profile": "tabular-data-resource",
        "format": "csv",
        "mediatype": "text/csv",
        "encoding": "utf-8",
    }
    schema: dict[str, Any] = {
        "fields": [_field(field) for field in table.fields],
        "missingValues": [""],
    }
    if table.key:
        schema["primaryKey"] = list(table.key)
    if table.refers and has_participants:
        reference = {"resource": "participants", "fields": ["session"]}
        schema["foreignKeys"] = [{"fields": ["session"], "reference": reference}]
    return resource | {
        "dialect": {"delimiter": ",", "lineTerminator": "\n"},
        "rows": content.rows,
        "schema": schema,
    }


def _field(field: Field) -> dict[str, Any]:
    limits: dict[str, Any] = {}
    if field.required:
        limits["required"] = True
    if field.one_of:
        limits["enum"] = list(field.one_of)
    described: dict[str, Any] = {"name": field.name, "type": field.type, "description": field.about}
    return described | ({"constraints": limits} if limits else {})


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


CODEBOOK = BundleTable(
    name="codebook",
    about="Meaning of every column and every question.",
    fields=(
        Field(name="table", type="string", about="Table the entry is about.", required=True),
        Field(name="column", type="string", about="Column it is about.", required=True),
        Field(name="trial", type="string", about="For a question: id of its trial."),
        Field(name="question", type="string", about="For a question: its id."),
        Field(name="kind", type="string", about="For a question: its instrument."),
        Field(name="type", type="string", about="Type of the values.", required=True),
        Field(name="about", type="string", about="Subject of the event.", required=True),
        Field(
            name="prompt",
            type="string",
            about="For a question: its words in the study's first language.",
        ),
        Field(name="values", type="string", about="Possible values, if they can be listed."),
        Field(
            name="parameters",
            type="string",
            about="For a question: parameters of the instrument, as JSON.",
        ),
        Field(
            name="definitions",
            type="string",
            about="For a question: first 12 digits of the definitions that hold it.",
        ),
    ),
    refers=False,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CodebookEntry:
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
    tables: Sequence[BundleTable], definitions: Mapping[str, Definition]
) -> tuple[CodebookEntry, ...]:
    """Columns first, then the questions in the order of the timeline. Equal questions of several
    definitions are one entry.
    """
    columns = [
        CodebookEntry(
            table=table.name,
            column=field.name,
            type=field.type,
            about=field.about,
            values=" | ".join(field.one_of) or None,
        )
        for table in tables
        for field in table.fields
    ]
    holders: dict[CodebookEntry, list[str]] = {}
    for name, definition in definitions.items():
        for entry in _questions(definition.study):
            holders.setdefault(entry, []).append(name[:12])
    return (
        *columns,
        *(replace(entry, definitions=" ".join(names)) for entry, names in holders.items()),
    )


def markdown(title: str, codebook_entries: Sequence[CodebookEntry]) -> str:
    """The same for reading."""
    return document(
        _TEMPLATES / "codebook.md",
        title=title,
        plain=_plain,
        tables=dict.fromkeys(entry.table for entry in codebook_entries),
        columns=[entry for entry in codebook_entries if entry.question is None],
        questions=[entry for entry in codebook_entries if entry.question is not None],
    )


def _questions(study: Study) -> Iterator[CodebookEntry]:
    language = study.languages[0]
    for trial in (entry.item for entry in outline(study.timeline)):
        for answer in trial.page_answers:
            where = "value_number" if answer.type == "number" else "value_text"
            prompt = _words(answer.prompt, language)
            yield CodebookEntry(
                table="answers",
                column=where,
                type=answer.type,
                about=answer.about,
                trial=trial.id,
                question=answer.name,
                kind=trial.kind,
                prompt=prompt,
                values=answer.values,
            )
        yield from _trace_entries(trial, language)
        for question in trial.all_questions:
            instrument = INSTRUMENTS[question.kind]
            options = [*map(str, instrument.options(question.params))]
            right = (
                f" (right: {trial.quiz.right_answers[question.id]})"
                if question.id in trial.quiz.right_answers
                else ""
            )
            values = (" | ".join(options) + right).strip() or None
            for entry in _answer_entries(instrument, question, trial, question.id, language):
                column = "value_text" if entry.type == "string" else "value_number"
                yield replace(entry, table="answers", column=column, values=values)


def _trace_entries(trial: TrialBase, language: str) -> Iterator[CodebookEntry]:
    """The annotated dimension, if it becomes a trace."""
    annotation = trial.annotation
    if annotation is None:
        return
    instrument = INSTRUMENTS[annotation.kind]
    if not any(stream.kind in TRACE_VALUES for stream in instrument.streams):
        return
    yield from _answer_entries(instrument, annotation, trial, "annotate", language)


def _answer_entries(
    instrument: Instrument[Any],
    asked: Question | Annotation,
    trial: TrialBase,
    name: str,
    language: str,
) -> Iterator[CodebookEntry]:
    """An entry for each column that an instrument records."""
    parameters = json.dumps(
        asked.params.model_dump(mode="json", by_alias=True), sort_keys=True, ensure_ascii=False
    )
    for column in instrument.records:
        yield CodebookEntry(
            table="traces",
            column=column.name,
            type=column.type,
            about=column.about,
            trial=trial.id,
            question=name,
            kind=asked.kind,
            prompt=_words(asked.prompt, language),
            parameters=parameters,
        )


def _words(text: Text | None, language: str) -> str | None:
    return None if text is None else text.in_language(language)


def _plain(text: str) -> str:
    """Text inside a Markdown table: no table marks, no line breaks, no markup."""
    escaped = text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
    return " ".join(escaped.split())
