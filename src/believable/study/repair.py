"""Reading one record: unknown keys and wrong values are reported, and the rest of the record is still used."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from believable.core.errors import Problem
from believable.study.fields import keys, record_inside, type_words
from believable.study.nodes import Node
from believable.study.records import Record
from believable.study.wording import missing, unknown, worded

R = TypeVar("R", bound=Record)

#: Stands for a body that is no mapping: reported as such, so that no missing key is reported as well.
NOT_A_BODY = ""


def inside(path: str, outer: str) -> bool:
    """Whether a path is `outer` or lies inside it."""
    return path == outer or path.startswith((f"{outer}.", f"{outer}["))


class RecordReader:
    """Collects the problems and the places of what it reads."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.problems: list[Problem] = []
        self.places: dict[int, Node] = {}

    def report(self, node: Node, message: str, cure: str) -> None:
        self.problems.append(Problem(self.file, node.line, node.path, message, cure))

    def broken(self, path: str) -> bool:
        return any(inside(problem.path, path) for problem in self.problems)

    def tidy(self, record: type[Record], node: Node, *, skip: Sequence[str] = ()) -> Node:
        """The node without unknown keys, each reported; one that is nearly a known key is read as that key.

        Keys in `skip` are let through, and what they hold is left to the caller.
        """
        if not node.is_mapping:
            return node
        known = keys(record)
        entries: dict[str, Node] = {
            key: one for key, one in node.value.items() if key in known or key == NOT_A_BODY
        }
        reported = {problem.path for problem in self.problems}
        for key, one in node.value.items():
            if key in entries or key in skip or one.path in reported:
                continue
            free = [name for name in known if name not in node.value]
            self.report(one, *unknown("key", key, free or known))
            near = difflib.get_close_matches(key, free, n=1)
            if near and near[0] not in entries:
                entries[near[0]] = one
        for key, one in entries.items():
            inner = record_inside(record.model_fields[known[key]].annotation) if key in known else None
            if inner is not None and key not in skip:
                entries[key] = self._tidy_inside(inner, one)
        return Node(entries, node.line, node.path)

    def _tidy_inside(self, record: type[Record], node: Node) -> Node:
        if node.is_list:
            return Node([self._tidy_inside(record, one) for one in node], node.line, node.path)
        return self.tidy(record, node)

    def record(
        self,
        record: type[R],
        node: Node,
        built: Mapping[str, Any] | None = None,
        *,
        hidden: Sequence[str] = (),
    ) -> R | None:
        """Validate; report what is wrong; go on without the wrong values where the record can do without them.

        `built` holds fields that the caller has read already; what is wrong inside them has been reported. Fields in
        `hidden` are never reported as missing.
        """
        built = built or {}
        data = node.frozen()
        if isinstance(data, dict):
            data = {**data, **built}
        details = self._validated(record, node, data)
        if not isinstance(details, list):
            return details
        for detail in details:
            self._report_detail(record, node, detail, built, hidden)
        while isinstance(details, list):
            data, dropped = _without(data, node, details)
            if not dropped:
                return None
            details = self._validated(record, node, data)
        return details

    def _validated(self, record: type[R], node: Node, data: Any) -> R | list[ErrorDetails]:
        try:
            made = record.model_validate(data, strict=True)
        except ValidationError as error:
            return error.errors(include_url=False)
        self.places[id(made)] = node
        return made

    def _report_detail(
        self,
        record: type[Record],
        node: Node,
        detail: ErrorDetails,
        built: Mapping[str, Any],
        hidden: Sequence[str],
    ) -> None:
        place, trail = _located(node, detail["loc"])
        if NOT_A_BODY in (node.value if node.is_mapping else ()):
            return
        if detail["type"] == "missing":
            key = str(detail["loc"][-1])
            if key not in hidden and place.get(key) is None:
                self.report(place, *missing(key, _about(record, detail["loc"])))
            return
        too_short = detail["type"] == "too_short" and place.is_list
        if too_short and len(place.value) >= detail["ctx"]["min_length"]:
            return  # entries that could not be read have been reported; they are not missing as well
        if trail and trail[0] in built and trail[0] != "id" and not too_short:
            return
        if not any(problem.path == place.path for problem in self.problems):
            self.report(place, *worded(detail, place))


def _located(node: Node, loc: Sequence[str | int]) -> tuple[Node, list[str | int]]:
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
    trails = [_located(node, detail["loc"])[1] for detail in details if detail["type"] != "missing"]
    dropped = False
    for trail in sorted(trails, key=lambda one: [str(part) for part in one], reverse=True):
        if trail:
            data, gone = _dropped(data, trail)
            dropped = dropped or gone
    return data, dropped


def _dropped(data: Any, trail: Sequence[str | int]) -> tuple[Any, bool]:
    part, rest = trail[0], trail[1:]
    if isinstance(data, dict) and part in data:
        if not rest:
            return {key: value for key, value in data.items() if key != part}, True
        inner, gone = _dropped(data[part], rest)
        return {**data, part: inner}, gone
    if isinstance(data, tuple) and isinstance(part, int) and part < len(data):
        if not rest:
            return data[:part] + data[part + 1 :], True
        inner, gone = _dropped(data[part], rest)
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
