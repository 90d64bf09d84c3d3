"""Reading one record: unknown keys and wrong values are reported, and the rest of the record is
still used.
"""

from __future__ import annotations

import difflib
import typing
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from believable.contracts.fields import keys, record_inside, type_words
from believable.contracts.record import Record
from believable.core.errors import Problem
from believable.core.nodes import Node
from believable.study.wording import UNQUOTED, describe_error, missing, unknown

R = TypeVar("R", bound=Record)

#: Replaces a body that is no mapping: reported as such, so no missing key is reported as well.
NOT_A_BODY = ""


def inside(path: str, outer: str) -> bool:
    """Whether a path is `outer` or lies inside it."""
    return path == outer or path.startswith((f"{outer}.", f"{outer}["))


class Places:
    """The path of each record in the file. Equal records may occur at several paths, so each is
    known by its identity, and kept, because an identity is reused once its owner is gone.
    """

    def __init__(self) -> None:
        self._nodes: dict[int, tuple[object, Node]] = {}

    def __setitem__(self, record: object, node: Node) -> None:
        self._nodes[id(record)] = record, node

    def __getitem__(self, record: object) -> Node:
        return self._nodes[id(record)][1]


class RecordReader:
    """Collects the problems and the paths of the records that it reads."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.problems: list[Problem] = []
        self.places = Places()

    def report(self, node: Node, message: str, cure: str) -> None:
        self.problems.append(
            Problem(file=self.file, line=node.line, path=node.path, message=message, cure=cure)
        )

    def is_broken(self, path: str) -> bool:
        return any(inside(problem.path, path) for problem in self.problems)

    def tidy(self, record: type[Record], node: Node, *, skip: Sequence[str] = ()) -> Node:
        """The node without unknown keys, each reported; one that is nearly a known key is read as
        that key.

        Keys in `skip` are accepted, and their content is left to the caller.
        """
        if not node.is_mapping:
            return node
        known = keys(record)
        entries: dict[str, Node] = {
            key: value for key, value in node.value.items() if key in known or key == NOT_A_BODY
        }
        reported = {problem.path for problem in self.problems}
        for key, value in node.value.items():
            if key in entries or key in skip or value.path in reported:
                continue
            free = [name for name in known if name not in node.value]
            self.report(value, *unknown("key", key, free or known))
            near = difflib.get_close_matches(key, free, n=1)
            if near and near[0] not in entries:
                entries[near[0]] = value
        for key, value in entries.items():
            inner = (
                record_inside(record.model_fields[known[key]].annotation) if key in known else None
            )
            if inner is not None and key not in skip:
                named = typing.get_origin(record.model_fields[known[key]].annotation) is dict
                entries[key] = (
                    self._tidy_named(inner, value) if named else self._tidy_inside(inner, value)
                )
        return Node(entries, node.line, node.path)

    def _tidy_named(self, record: type[Record], node: Node) -> Node:
        """Records under names that the author chose."""
        if not node.is_mapping:
            return node
        entries = {name: self._tidy_inside(record, entry) for name, entry in node.value.items()}
        return Node(entries, node.line, node.path)

    def _tidy_inside(self, record: type[Record], node: Node) -> Node:
        if node.is_list:
            return Node([self._tidy_inside(record, entry) for entry in node], node.line, node.path)
        return self.tidy(record, node)

    def record(
        self,
        record: type[R],
        node: Node,
        built: Mapping[str, Any] | None = None,
        *,
        hidden: Sequence[str] = (),
    ) -> R | None:
        """Validate; report problems; continue without the wrong values if the record allows it.

        `built` holds fields that the caller has read already; problems inside them have been
        reported. Fields in `hidden` are never reported as missing.
        """
        built = built or {}
        data = node.freeze()
        if isinstance(data, dict):
            data = {**data, **built}
        details = self._validate(record, node, data)
        if not isinstance(details, list):
            return details
        for detail in details:
            self._report_detail(record, node, detail, built, hidden)
        while isinstance(details, list):
            data, dropped = _without(data, node, details)
            if not dropped:
                return None
            details = self._validate(record, node, data)
        return details

    def _validate(self, record: type[R], node: Node, data: Any) -> R | list[ErrorDetails]:
        try:
            instance = record.model_validate(data, strict=True)
        except ValidationError as error:
            return error.errors(include_url=False)
        self.places[instance] = node
        return instance

    def _report_detail(
        self,
        record: type[Record],
        node: Node,
        detail: ErrorDetails,
        built: Mapping[str, Any],
        hidden: Sequence[str],
    ) -> None:
        place, trail = _locate(node, detail["loc"])
        if NOT_A_BODY in (node.value if node.is_mapping else ()):
            return
        if detail["type"] == "missing":
            key = str(detail["loc"][-1])
            if key not in hidden and place.get(key) is None:
                self.report(place, *missing(key, _about(record, detail["loc"])))
            return
        too_short = detail["type"] == "too_short" and place.is_list
        if too_short and len(place.value) >= detail["ctx"]["min_length"]:
            # entries that could not be read have been reported; they are not missing as well
            return
        if trail and trail[0] in built and trail[0] != "id" and not too_short:
            return
        message, cure = describe_error(detail, place)
        around = place.path.rpartition("[")[0]
        reported = any(
            problem.path == place.path
            or (
                message == UNQUOTED[0] == problem.message
                and problem.path.rpartition("[")[0] == around
            )
            for problem in self.problems
        )
        if not reported:
            self.report(place, message, cure)


def _locate(node: Node, loc: Sequence[str | int]) -> tuple[Node, list[str | int]]:
    """The deepest node on the way; parts that name a form of a union are no place in the file."""
    trail: list[str | int] = []
    for part in loc:
        inner = node.get(part) if isinstance(part, str) else node.at(part)
        if inner is not None:
            node = inner
            trail.append(part)
    return node, trail


def _without(data: Any, node: Node, details: Sequence[ErrorDetails]) -> tuple[Any, bool]:
    """The data without the values that were wrong, and whether there was anything to leave out."""
    trails = [_locate(node, detail["loc"])[1] for detail in details if detail["type"] != "missing"]
    dropped = False
    for trail in sorted(trails, key=lambda parts: [str(part) for part in parts], reverse=True):
        if trail:
            data, gone = _drop(data, trail)
            dropped = dropped or gone
    return data, dropped


def _drop(data: Any, trail: Sequence[str | int]) -> tuple[Any, bool]:
    part, rest = trail[0], trail[1:]
    if isinstance(data, dict) and part in data:
        if not rest:
            return {key: value for key, value in data.items() if key != part}, True
        inner, gone = _drop(data[part], rest)
        return {**data, part: inner}, gone
    if isinstance(data, tuple) and isinstance(part, int) and part < len(data):
        if not rest:
            return data[:part] + data[part + 1 :], True
        inner, gone = _drop(data[part], rest)
        return (*data[:part], inner, *data[part + 1 :]), gone
    return data, False


def _about(record: type[Record], loc: Sequence[str | int]) -> str:
    """What has to be written for a missing key, in words."""
    holder: type[Record] | None = record
    for part in loc[:-1]:
        if isinstance(part, str) and holder is not None and part in keys(holder):
            holder = record_inside(holder.model_fields[keys(holder)[part]].annotation)
    if holder is None or loc[-1] not in keys(holder):
        return ""
    return type_words(holder.model_fields[keys(holder)[str(loc[-1])]].annotation)
