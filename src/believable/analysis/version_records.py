"""The versions of a study in a dataset: how many sessions each has, what changed, and whether the
plan was registered before.
"""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from believable.analysis.registered import Deviation, Registration
from believable.bundle.read import Bundle
from believable.core.errors import InvalidInput
from believable.study.changes import Change, definition_changes
from believable.study.definition import Definition
from believable.study.records import Study


@dataclass(frozen=True, slots=True, kw_only=True)
class DataVersion:
    """A version that sessions of the dataset are pinned to.

    changes              compared with the version before; empty for the first
    after_registration   None if the dataset does not say
    """

    number: int
    definition: str
    study: Study
    first_used_on: str
    n_sessions: int
    changes: tuple[Change, ...] = ()
    reason: str | None = None
    revised_on: str | None = None
    after_registration: bool | None = None

    @property
    def reaches_participants(self) -> bool:
        return any(change.reaches_participants for change in self.changes)


def check_definitions(bundle: Bundle) -> None:
    """Raise `InvalidInput` if sessions are pinned to a definition that the bundle does not
    contain.
    """
    if not bundle.definitions or "participants" not in bundle.tables:
        return
    pinned = Counter(str(name) for name in bundle["participants"]["definition"].values if name)
    missing = [name for name in pinned if name not in bundle.definitions]
    if missing:
        there = ", ".join(f"{name[:12]}…" for name in bundle.definitions)
        raise InvalidInput(
            f"{bundle.folder}/materials: {pinned[missing[0]]} of {pinned.total()} sessions are"
            f" pinned to the definition {missing[0][:12]}…, but the bundle contains {there}. Its"
            " materials belong to another study or version: export the bundle again."
        )


def data_versions(bundle: Bundle) -> tuple[DataVersion, ...]:
    """The versions in the order of their first session. Data without definitions have none."""
    people = bundle["participants"]
    first: dict[str, tuple[int, str]] = {}
    count: Counter[str] = Counter()
    columns = (people[name].cells() for name in ("definition", "number", "started_on"))
    for name, number, day in zip(*columns, strict=True):
        if name is None or str(name) not in bundle.definitions:
            continue
        count[str(name)] += 1
        started = (int(number or 0), str(day or ""))
        first[str(name)] = min(first.get(str(name), started), started)
    stated = _stated_reasons(bundle)
    # Numbers of sessions are random in a release; the versions' own are not.
    place = {
        name: (int(row["number"]) if (row := stated.get(name)) else 0, *first[name])
        for name in first
    }
    versions: list[DataVersion] = []
    before: Definition | None = None
    for number, name in enumerate(sorted(first, key=place.__getitem__), start=1):
        definition = Definition.from_json(bundle.definitions[name])
        row = stated.get(name, {})
        versions.append(
            DataVersion(
                number=number,
                definition=name,
                study=definition.study,
                first_used_on=first[name][1],
                n_sessions=count[name],
                changes=() if before is None else definition_changes(before, definition),
                reason=None if row.get("reason") is None else str(row["reason"]),
                revised_on=None if row.get("revised_on") is None else str(row["revised_on"]),
                after_registration=(
                    None
                    if row.get("after_registration") is None
                    else bool(row["after_registration"])
                ),
            )
        )
        before = definition
    return tuple(versions)


def _stated_reasons(bundle: Bundle) -> Mapping[str, Mapping[str, Any]]:
    if "versions" not in bundle.tables:
        return {}
    return {str(row["definition"]): row for row in bundle["versions"].rows()}


def version_deviations(
    registered: Registration, versions: Sequence[DataVersion]
) -> tuple[Deviation, ...]:
    """A deviation for each change after the registration. One that reaches participants touches
    every outcome.
    """
    return tuple(
        Deviation(
            f"data.version.{version.number}",
            f"the study was changed after the plan was registered: version {version.number}, with"
            f" {version.n_sessions} of {sum(each.n_sessions for each in versions)} sessions, has"
            f" {_count_words(len(version.changes))}.",
            *(() if version.reaches_participants else (frozenset[str](),)),
        )
        for version in versions[1:]
        if _is_after(registered, version)
    )


#: This number of changes is quoted.
_QUOTED = 3


def early_changes(
    registered: Registration, bundle: Bundle, versions: Sequence[DataVersion]
) -> tuple[Deviation, ...]:
    """A deviation if the first session already began with another study than the one that was
    registered.

    Sessions from before the registration are a separate deviation, and simulated ones may be from
    any time. Changes of the plan are compared field by field elsewhere.
    """
    if (
        bundle.simulated
        or registered.definition is None
        or registered.sessions_before
        or not versions
    ):
        return ()
    was = Definition.from_json(registered.definition)
    now = Definition.from_json(bundle.definitions[versions[0].definition])
    if not was.media:  # they were not there yet
        was = was.with_media(now.media)
    changes = [change for change in definition_changes(was, now) if change.reaches_participants]
    if not changes:
        return ()
    quoted = "; ".join(str(change) for change in changes[:_QUOTED])
    more = f"; and {len(changes) - _QUOTED} more" if len(changes) > _QUOTED else ""
    words = (
        "the study was changed after the plan was registered and before its first session:"
        f" {_count_words(len(changes))} ({quoted}{more})."
    )
    return (Deviation("data.definition", words),)


def _count_words(count: int) -> str:
    return "1 change" if count == 1 else f"{count} changes"


def _is_after(registered: Registration, version: DataVersion) -> bool:
    """By the moment of the revision if the dataset knows it, else by days. A change on the very day
    of the registration counts as one after it, because the dataset cannot show the opposite.
    """
    if version.after_registration is not None:
        return version.after_registration
    changed = version.revised_on or version.first_used_on
    if not registered.registered_on or not changed:
        return True
    moment = datetime.datetime.fromisoformat(registered.registered_on).astimezone(datetime.UTC)
    return changed >= moment.date().isoformat()
