"""The reference of the instruments as Markdown, made from their records: what is documented is what runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from believable.core.recorded import Recorded
from believable.instruments.contract import Column, Instrument
from believable.study.reference import table
from believable.study.written import as_yaml

_HEAD = """# Instruments

Generated from the records by `believable.instruments.reference`; do not edit by hand.

An instrument is a way of answering. Try each with `believable gallery`; how pages use them is in
[the study file](study-file.md), what shows the stimuli in [players](players.md).
"""
_USES = {
    "answer": (
        "Questions",
        "Below `ask:` or `questions:`: `{id: seemed, prompt: How human?, likert: {points: 5}}`.",
    ),
    "annotate": ("Annotations", "While watching: `watch: {stimulus: any, annotate: {ranktrace: {}}}`."),
}


def reference(instruments: Iterable[Instrument[Any]]) -> str:
    """The whole page."""
    parts = [_HEAD]
    listed = tuple(instruments)
    for use, (title, where) in _USES.items():
        parts.append(f"## {title}\n\n{where}\n")
        for one in listed:
            if one.use == use:
                parts += _section(one)
    return "\n".join(parts)


def _events(recorded: Sequence[Recorded]) -> str:
    """A table of kinds of events."""
    rows = ["| event | data | meaning |", "|---|---|---|"]
    rows += [f"| `{one.kind}` | {_names(one.data)} | {_cell(one.about)} |" for one in recorded]
    return "\n".join(rows) + "\n"


def _section(one: Instrument[Any]) -> Iterator[str]:
    yield f"### `{one.name}`\n"
    yield f"{one.about} Version {one.version}.\n"
    if one.params.model_fields:
        yield table(one.params, id_needed=True)
    else:
        yield "It has no parameters.\n"
    examples = "\n".join(f"{one.name}:{_indented(as_yaml(params))}" for params in one.examples)
    yield f"```yaml\n{examples}\n```\n"
    yield "Records:\n"
    yield _columns(one.records)
    if one.streams:
        yield _events(one.streams)


def _columns(columns: Sequence[Column]) -> str:
    rows = ["| column | type | meaning |", "|---|---|---|"]
    rows += [f"| `{one.name}` | {one.type} | {_cell(one.about)} |" for one in columns]
    return "\n".join(rows) + "\n"


def _indented(yaml: str) -> str:
    if yaml == "{}\n":
        return " {}"
    return "".join(f"\n  {line}" for line in yaml.splitlines())


def _names(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
