"""The reference of the study file as Markdown, made from the records: what is documented is what is read."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator, Sequence
from typing import Any

from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from believable.study.codebook import Codebook
from believable.study.declared import Plan
from believable.study.declared_reference import declared_reference
from believable.study.fields import keys, record_inside, type_words
from believable.study.kinds import QuestionKinds, annotating, answering
from believable.study.platforms import PLATFORMS
from believable.study.read import ITEM_KINDS, NAMED_KINDS
from believable.study.records import Annotation, Question, Record, Rule, Stimulus, Study

_HEAD = """# The study file

Generated from the records by `believable.study.reference`; do not edit by hand.

A study is a folder with `study.yaml` (YAML 1.2, UTF-8), the pages it names (Markdown) and its stimuli.
`believable check STUDY` lists every problem with its line and its cure; `believable schema` prints a JSON Schema for editors.
Where **text** is expected, write one string, or one per language: `{en: Next, de: Weiter}`.
"""


def reference(instruments: QuestionKinds) -> str:
    """The whole page."""
    parts = [_HEAD, *_section("Study", Study), *_section("Stimulus", Stimulus)]
    parts.append("## Timeline\n\nEach entry has one key, its kind: `- watch: {stimulus: any}`.\n")
    for kind, record in ITEM_KINDS.items():
        parts += _section(f"`{kind}`", record, level=3, id_needed=kind in NAMED_KINDS)
    parts += _section("Codebooks", Codebook)
    parts += _section("Analysis", Plan)
    parts += declared_reference()
    parts += _section("Rules", Rule)
    parts += _section("Questions", Question)
    parts += _kinds(instruments, answering(instruments))
    parts += _section("Annotations", Annotation)
    parts += _kinds(instruments, annotating(instruments))
    parts.append(_platforms())
    return "\n".join(parts)


def _kinds(instruments: QuestionKinds, names: Sequence[str]) -> Iterator[str]:
    for name in names:
        yield from _section(f"`{name}`", instruments[name].params, level=3, about=instruments[name].about)


def _section(
    title: str, record: type[Record], *, level: int = 2, about: str = "", id_needed: bool = True
) -> Iterator[str]:
    yield f"{'#' * level} {title}\n"
    words = f"{about} {inspect.getdoc(record) or ''}".strip()
    yield f"{words}\n"
    yield table(record, id_needed=id_needed)
    for name, inner in _inner_records(record):
        yield f"**`{name}`**: {inspect.getdoc(inner) or ''}\n"
        yield table(inner, id_needed=True)


def _inner_records(record: type[Record]) -> Iterator[tuple[str, type[Record]]]:
    """Records that occur in one place only and are explained there."""
    shared = (Annotation, Plan, Codebook, Question, Rule, Stimulus, *ITEM_KINDS.values())
    for key, name in keys(record).items():
        inner = record_inside(record.model_fields[name].annotation)
        if inner is not None and inner not in shared:
            yield key, inner


def table(record: type[Record], *, id_needed: bool) -> str:
    rows = ["| key | expects | default | meaning |", "|---|---|---|---|"]
    for key, name in keys(record).items():
        field = record.model_fields[name]
        default = "" if key == "id" and not id_needed else _default(field)
        expects = _cell(f"{type_words(field.annotation)}{_bounds(field)}")
        rows.append(f"| `{key}` | {expects} | {default} | {_cell(field.description or '')} |")
    return "\n".join(rows) + "\n"


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    default = field.get_default(call_default_factory=True)
    if default is None or default is PydanticUndefined or isinstance(default, Record) or default in ((), {}):
        return ""
    return f"`{_cell(_written(default))}`"


def _written(value: Any) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(_written(one) for one in value)}]"
    if isinstance(value, Record):
        return str(next(iter(value.model_dump().values())))
    return value if isinstance(value, str) else json.dumps(value)


def _bounds(field: FieldInfo) -> str:
    """`, 1 to 10` from the field's constraints."""
    found = {
        name: getattr(one, name)
        for one in field.metadata
        for name in ("ge", "gt", "le")
        if hasattr(one, name)
    }
    low, high = found.get("ge"), found.get("le")
    if low is not None and high is not None:
        return f", {low} to {high}"
    if low is not None:
        return f", at least {low}"
    return f", above {found['gt']}" if "gt" in found else ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _platforms() -> str:
    rows = [
        "## Platforms\n",
        "| platform | participant id | other parameters | `redirect` by name |",
        "|---|---|---|---|",
    ]
    for platform in PLATFORMS.values():
        extra = ", ".join(f"`{name}`" for name in platform.extra_parameters)
        name = f"`{platform.id_parameter}`" if platform.id_parameter else ""
        rows.append(f"| `{platform.name}` | {name} | {extra} | {'yes' if platform.sends_back else 'no'} |")
    return "\n".join(rows) + "\n"
