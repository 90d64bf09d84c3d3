"""`protocol.yaml`: a block for the protocol, one for each role, outcome, option and source."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from believable.contracts.protocol import (
    Declaration,
    JudgeEvidence,
    Option,
    Outcome,
    Protocol,
    Role,
)
from believable.core.citation import Citation
from believable.core.data_files import read_blocks
from believable.core.errors import Problem, StudyError
from believable.core.nodes import Node, from_plain, parse
from believable.core.registry import did_you_mean

#: Our own files keep to a part of YAML that is read at once; a parser takes 50 ms. A test reads
#: them
#: with both.
_OURS = "believable.protocols."

#: Kind of block → its record, and the field that the name of the block fills.
_RECORDS: Mapping[str, tuple[type[Any], str]] = {
    "role": (Role, "name"),
    "outcome": (Outcome, "name"),
    "option": (Option, "name"),
    "evidence": (JudgeEvidence, "outcome"),
    "source": (Citation, "key"),
}
_WORDS = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}


@dataclasses.dataclass(frozen=True, kw_only=True)
class _ProtocolBlock:
    about: str
    learn: str
    version: int
    analysis: str
    compares: tuple[str, ...] = ()
    alike: tuple[str, ...] = ()
    t_test: bool = False
    sampled: str = ""


def read_protocol(package: str, module: str) -> Protocol:
    """The protocol in `protocol.yaml` of this package's folder. Raises StudyError with every
    problem of the file, each with its line.
    """
    path = Path(module).with_name("protocol.yaml")
    tree = from_plain(dict(read_blocks(path))) if package.startswith(_OURS) else _read_yaml(path)
    blocks = tree.plain()
    head = _values(blocks.pop("protocol"))
    parts: dict[str, list[Any]] = {kind: [] for kind in _RECORDS}
    for block, fields in blocks.items():
        kind, _, name = block.partition(" ")
        record, key = _RECORDS[kind]
        if "tests" in fields:
            fields = fields | {"tests": [Option(**_values(option)) for option in fields["tests"]]}
        parts[kind].append(record(**{key: name}, **_values(fields)))
    name = package.rpartition(".")[2]
    about = {key: head.pop(key) for key in ("about", "learn", "version")}
    declaration = Declaration(
        name=name,
        about=head.pop("analysis"),
        roles=tuple(parts["role"]),
        outcomes=tuple(parts["outcome"]),
        options=tuple(parts["option"]),
        evidence=parts["evidence"][0] if parts["evidence"] else None,
        **head,
    )
    sources = tuple(parts["source"])
    return Protocol(name=name, package=package, declaration=declaration, cites=sources, **about)


def _read_yaml(path: Path) -> Node:
    file = f"{path.parent.name}/{path.name}"
    tree, found = parse(path.read_bytes(), file)
    found = [*found, *([] if tree is None else _problems(tree, file))]
    if tree is None or found:
        raise StudyError(found)
    return tree


def _problems(tree: Node, file: str) -> Iterator[Problem]:
    def problem(node: Node, message: str, cure: str) -> Problem:
        return Problem(file=file, line=node.line, path=node.path, message=message, cure=cure)

    if not tree.is_mapping or "protocol" not in tree.value:
        yield problem(tree, "there is no block `protocol`.", "Add `protocol: {about: …}`.")
        return
    for block, node in tree.value.items():
        kind, _, name = block.partition(" ")
        if block == "protocol":
            record, key = _ProtocolBlock, ""
        elif kind in _RECORDS and name:
            record, key = _RECORDS[kind]
        else:
            known = [f"{known} NAME" for known in _RECORDS]
            yield problem(node, f"unknown block {block!r}.", did_you_mean(block, known))
            continue
        yield from (problem(*found) for found in _field_problems(node, record, key))


def _field_problems(node: Node, record: type[Any], key: str) -> Iterator[tuple[Node, str, str]]:
    """The problems of one block. `key` is the field that is not written in it."""
    if not node.is_mapping:
        yield node, "expected a mapping.", "Write `key: value` lines below it."
        return
    hints = typing.get_type_hints(record)
    fields = {field.name: field for field in dataclasses.fields(record) if field.name != key}
    for name, value in node.value.items():
        if name not in fields:
            yield value, f"unknown key {name!r}.", did_you_mean(name, fields)
        elif name == "tests" and value.is_list:
            for option in value:
                yield from _field_problems(option, Option, "")
        elif not _fits(value.plain(), hints[name]):
            yield value, f"expected {_describe(hints[name])}.", f"Correct `{name}`."
    for name, field in fields.items():
        needed = (
            field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
        )
        if needed and name not in node.value:
            yield node, f"`{name}` is missing.", f"Add `{name}: …` ({_describe(hints[name])})."


def _fits(value: Any, hint: Any) -> bool:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if hint is Any:
        return True
    if origin is Literal:
        return value in arguments
    if origin in (typing.Union, types.UnionType):
        return any(_fits(value, argument) for argument in arguments)
    if origin is tuple:
        return isinstance(value, list | tuple) and all(_fits(item, arguments[0]) for item in value)
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return value is None if hint is types.NoneType else isinstance(value, hint)


def _describe(hint: Any) -> str:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is Literal:
        return " or ".join(map(str, arguments))
    if origin in (typing.Union, types.UnionType):
        return " or ".join(_describe(argument) for argument in arguments)
    if origin is tuple:
        return f"a list, each {_describe(arguments[0])}"
    return "nothing" if hint is types.NoneType else _WORDS.get(hint, "a value")


def _values(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: tuple(value) if isinstance(value, list) else value for key, value in fields.items()
    }
