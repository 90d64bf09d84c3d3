"""A study as it ran: the authored tree, its pages and its media, as canonical JSON with a hash that
names it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any

from believable.core.errors import InvalidInput, StudyError
from believable.core.nodes import from_plain
from believable.study.reading import read_study
from believable.study.records import Study

FORMAT = "believable-definition/1"

#: The media type of recordings (`*.replay.json.gz`).
REPLAY_TYPE = "application/vnd.believable.replay+gzip"


@dataclass(frozen=True, slots=True, kw_only=True)
class Medium:
    """The media file of a stimulus: its content's SHA-256, and its measured properties.

    `actions` is the SHA-256 of the action log of a video, if there was one.
    """

    digest: str
    bytes: int
    duration_ms: int | None
    media_type: str
    actions: str | None = None

    @property
    def is_replay(self) -> bool:
        return self.media_type == REPLAY_TYPE

    @property
    def log_digest(self) -> str | None:
        """The SHA-256 of the file that holds its log of actions; None without a log."""
        return self.digest if self.is_replay else self.actions

    def to_tree(self) -> dict[str, Any]:
        """As JSON values; without a log there is no key for it."""
        return {
            name: value
            for name, value in asdict(self).items()
            if name != "actions" or value is not None
        }


@dataclass(frozen=True, kw_only=True)
class Definition:
    """`pages` maps the paths named in the study to their Markdown; `media` maps stimulus ids to
    their media; `extensions` maps the instruments in the study folder to the SHA-256 of their code.
    """

    study: Study
    tree: Mapping[str, Any]
    pages: Mapping[str, str] = field(default_factory=dict)
    media: Mapping[str, Medium] = field(default_factory=dict)
    extensions: Mapping[str, str] = field(default_factory=dict)

    def to_json(self) -> str:
        """Canonical: equal definitions give equal bytes."""
        media = {name: medium.to_tree() for name, medium in self.media.items()}
        whole = {"format": FORMAT, "media": media, "pages": dict(self.pages), "study": self.tree}
        if self.extensions:
            whole["extensions"] = dict(self.extensions)
        return json.dumps(
            whole, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False
        )

    @cached_property
    def hash(self) -> str:
        """SHA-256 of the canonical JSON, in hex."""
        return hashlib.sha256(self.to_json().encode()).hexdigest()

    def with_media(self, media: Mapping[str, Medium]) -> Definition:
        return replace(self, media=dict(media))

    @classmethod
    def from_json(cls, text: str) -> Definition:
        """What `to_json` wrote. The study was checked when it was written; here it only has to be
        well formed.
        """
        whole = _parse(text)
        study, pages, extensions = whole["study"], whole["pages"], whole.get("extensions", {})
        media = {name: _medium(name, fields) for name, fields in whole["media"].items()}
        reading = read_study(from_plain(study), file="definition")
        if reading.problems:
            raise StudyError(reading.problems)
        return cls(study=reading.study, tree=study, pages=pages, media=media, extensions=extensions)


def _parse(text: str) -> dict[str, Any]:
    try:
        whole = json.loads(text)
    except ValueError as error:
        raise InvalidInput(
            f"definition: expected JSON, got {text[:40]!r}… ({error}). Export it again."
        ) from None
    if not isinstance(whole, dict) or whole.get("format") != FORMAT:
        written = whole.get("format") if isinstance(whole, dict) else type(whole).__name__
        raise InvalidInput(
            f"definition: expected format {FORMAT!r}, got {written!r}. Use the version that"
            " wrote it."
        )
    for part in ("study", "pages", "media", *(("extensions",) if "extensions" in whole else ())):
        if not isinstance(whole.get(part), dict):
            got = type(whole[part]).__name__ if part in whole else "nothing"
            raise InvalidInput(f"definition, {part}: expected a mapping, got {got}. {_DAMAGED}")
    for part in ("pages", "extensions"):
        for name, value in whole.get(part, {}).items():
            if not isinstance(value, str):
                raise InvalidInput(
                    f"definition, {part}, {name}: expected text, got {type(value).__name__}."
                    f" {_DAMAGED}"
                )
    return whole


_DAMAGED = "The file is damaged: copy the bundle again, or restore the backup."
#: What each field of a medium may be.
_MEDIUM_TYPES: Mapping[str, tuple[type, ...]] = {
    "digest": (str,),
    "bytes": (int,),
    "duration_ms": (int, float, type(None)),
    "media_type": (str,),
    "actions": (str, type(None)),
}


def _medium(name: str, fields: Any) -> Medium:
    """One medium of a stored definition, checked: the error names damaged parts."""
    if not isinstance(fields, dict):
        raise InvalidInput(
            f"definition, media, {name}: expected a mapping, got {type(fields).__name__}."
            f" {_DAMAGED}"
        )
    unknown = sorted({*fields} - {*_MEDIUM_TYPES})
    missing = sorted({*_MEDIUM_TYPES} - {"actions"} - {*fields})
    if unknown or missing:
        what = f"unknown field {unknown[0]!r}" if unknown else f"no field {missing[0]!r}"
        raise InvalidInput(f"definition, media, {name}: {what}. {_DAMAGED}")
    for field_name, value in fields.items():
        if not isinstance(value, _MEDIUM_TYPES[field_name]) or isinstance(value, bool):
            raise InvalidInput(
                f"definition, media, {name}.{field_name}: {value!r} cannot be right. {_DAMAGED}"
            )
    return Medium(**fields)
