"""How one definition of a study differs from another: a list of changes that a researcher can read.

The authored tree is compared key by key. Entries of lists are matched by their `id`, else by their
kind and turn, so that a page that was moved or inserted does not make every later page look
changed.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from believable.study.definition import Definition, Medium

#: Parts of the study file that no participant meets: plan of the analysis, categories for coders,
#: recruiting.
BEHIND_THE_SCENES = frozenset({"analysis", "codebooks", "recruit", "reservation_minutes"})
#: Longer values are cut in a list of changes; the definitions themselves hold them in full.
SHOWN_CHARACTERS = 300


@dataclass(frozen=True, slots=True)
class Change:
    """One difference. `was` is None if something was added, `now` if it was removed."""

    part: Literal["study", "page", "medium", "extension"]
    path: str
    was: str | None
    now: str | None

    @property
    def reaches_participants(self) -> bool:
        """Whether it can make sessions differ: in pages, questions, or random draws."""
        return self.part != "study" or self.path.partition(".")[0] not in BEHIND_THE_SCENES

    def __str__(self) -> str:
        if self.was is None:
            return f"{self.path}: added {_short(self.now or '')}"
        if self.now is None:
            return f"{self.path}: removed {_short(self.was)}"
        return f"{self.path}: {_short(self.was)} → {_short(self.now)}"


def definition_changes(before: Definition, after: Definition) -> tuple[Change, ...]:
    """Everything that differs: first the study file in its own order, then page texts, media, and
    code of instruments.
    """
    return (
        *(
            Change("study", path or "study", was, now)
            for path, was, now in _tree(before.tree, after.tree, "")
        ),
        *_pages(before.pages, after.pages),
        *_media(before.media, after.media),
        *_extensions(before.extensions, after.extensions),
    )


# ---------------------------------------------------------------------------------------------- the
# study file

_Difference = tuple[str, str | None, str | None]


def _tree(was: Any, now: Any, path: str) -> Iterator[_Difference]:
    if was == now and type(was) is type(now):
        return
    if isinstance(was, Mapping) and isinstance(now, Mapping):
        for key in dict.fromkeys([*was, *now]):
            yield from _entry(was, now, key, _below(path, str(key)))
    elif (
        isinstance(was, Sequence)
        and isinstance(now, Sequence)
        and _has_parts(was)
        and _has_parts(now)
    ):
        yield from _list(was, now, path)
    else:
        yield path, _write_value(was), _write_value(now)


def _entry(
    was: Mapping[Any, Any], now: Mapping[Any, Any], key: Any, path: str
) -> Iterator[_Difference]:
    if key not in was:
        yield path, None, _write_value(now[key])
    elif key not in now:
        yield path, _write_value(was[key]), None
    else:
        yield from _tree(was[key], now[key], path)


def _has_parts(value: Sequence[Any]) -> bool:
    """A list of entries, as opposed to text and to lists of plain values, which are compared as
    wholes.
    """
    return not isinstance(value, str) and any(isinstance(part, Mapping | list) for part in value)


def _list(was: Sequence[Any], now: Sequence[Any], path: str) -> Iterator[_Difference]:
    before, after = _name_entries(was), _name_entries(now)
    for name in dict.fromkeys([*before, *after]):
        yield from _entry(before, after, name, f"{path}[{name}]")
    common_before = [name for name in before if name in after]
    common_after = [name for name in after if name in before]
    if common_before != common_after:
        yield f"{path} (order)", ", ".join(common_before), ", ".join(common_after)


def _name_entries(parts: Sequence[Any]) -> dict[str, Any]:
    """Entries by name: their id, else their kind, with a number from the second of its kind on."""
    named: dict[str, Any] = {}
    for part in parts:
        name = _name(part)
        number, unique = 1, name
        while unique in named:
            number += 1
            unique = f"{name} {number}"
        named[unique] = part
    return named


def _name(part: Any) -> str:
    if not isinstance(part, Mapping):
        return str(part) if isinstance(part, str | int | float) else "entry"
    if isinstance(part.get("id"), str):
        return str(part["id"])
    if len(part) == 1:
        ((kind, fields),) = part.items()
        own = fields.get("id") if isinstance(fields, Mapping) else None
        return own if isinstance(own, str) else str(kind)
    return str(part.get("rule") or part.get("name") or "entry")


def _below(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def _write_value(value: Any) -> str:
    """A value as one line: text as it is, everything else as JSON."""
    return (
        value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)
    )


# ----------------------------------------------------------------------------------------------
# pages, media, code


def _pages(was: Mapping[str, str], now: Mapping[str, str]) -> Iterator[Change]:
    for path in sorted({*was, *now}):
        if path not in was or path not in now:
            yield Change("page", path, was.get(path), now.get(path))
        elif was[path] != now[path]:
            yield from _lines(path, was[path].splitlines(), now[path].splitlines())


def _lines(path: str, was: list[str], now: list[str]) -> Iterator[Change]:
    """A change for each run of lines that differ; a difference in line breaks alone is one about
    the whole page.
    """
    differ = False
    for tag, start, end, new_start, new_end in difflib.SequenceMatcher(
        a=was, b=now, autojunk=False
    ).get_opcodes():
        if tag == "equal":
            continue
        differ = True
        old, new = "\n".join(was[start:end]), "\n".join(now[new_start:new_end])
        place = f"{path}, line {(start if end > start else new_start) + 1}"
        yield Change(
            "page", place, old if end > start else None, new if new_end > new_start else None
        )
    if not differ:
        yield Change("page", path, "its lines", "the same lines with other line breaks")


def _media(was: Mapping[str, Medium], now: Mapping[str, Medium]) -> Iterator[Change]:
    for stimulus in sorted({*was, *now}):
        before, after = was.get(stimulus), now.get(stimulus)
        if before != after:
            name = f"media of stimulus {stimulus}"
            yield Change("medium", name, _medium_words(before, after), _medium_words(after, before))


def _medium_words(medium: Medium | None, other: Medium | None) -> str | None:
    """A medium by its digest and length; its action log too if that differs."""
    if medium is None:
        return None
    length = "" if medium.duration_ms is None else f", {medium.duration_ms / 1000:g} s"
    words = f"SHA-256 {medium.digest[:12]}…, {medium.bytes:,} bytes{length}"
    if other is not None and other.actions != medium.actions:
        words += f", action log {'none' if medium.actions is None else medium.actions[:12] + '…'}"
    return words


def _extensions(was: Mapping[str, str], now: Mapping[str, str]) -> Iterator[Change]:
    for name in sorted({*was, *now}):
        if was.get(name) != now.get(name):
            before, after = (
                None if digest is None else f"code {digest[:12]}…"
                for digest in (was.get(name), now.get(name))
            )
            yield Change("extension", f"instrument {name}", before, after)


def _short(text: str) -> str:
    line = " ⏎ ".join(text.splitlines()) or "nothing"
    shown = line if len(line) <= SHOWN_CHARACTERS else f"{line[: SHOWN_CHARACTERS - 1]}…"
    return f"“{shown}”"
