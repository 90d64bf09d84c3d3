"""The section about a study that changed while it ran: its versions, each wording, and whether the
change made a difference.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from believable.analysis.data import Data
from believable.analysis.findings import Cell, Finding, Section
from believable.analysis.group_comparison import (
    Compared,
    SessionGroups,
    compare_groups,
    mean_rows,
    test_rows,
)
from believable.analysis.layouts import Layouts
from believable.analysis.numbers import counted, integer, listed
from believable.analysis.procedure import past, wording
from believable.analysis.registered import Registration
from believable.analysis.settled_plan import Plan
from believable.analysis.version_answers import SessionValues
from believable.analysis.version_records import DataVersion, version_deviations
from believable.stats.result import TestResult

LAYOUTS = Layouts(__file__)
OUTCOME = "version_difference"
_NOTHING = "—"


def version_section(
    data: Data,
    plan: Plan,
    versions: Sequence[DataVersion],
    registered: Registration | None,
    rng: np.random.Generator,
    definition: str,
) -> tuple[Section, ...]:
    """One section if sessions began with several versions, else none. `definition`: the true hash
    of the main one; blinded definitions have other hashes, which are not shown.
    """
    if len(versions) < 2:
        return ()
    kinds = session_kinds(data, versions)
    groups = _groups(data, kinds)
    compared = compare_groups(data, plan, groups, rng) if len(kinds) > 1 else []
    names = ["+".join(str(version.number) for version in kind) for kind in kinds]
    return (
        LAYOUTS.section(
            "versions",
            paragraphs=_paragraphs(versions, kinds, compared),
            findings=[_finding(quantity, test, len(compared)) for quantity, _, test in compared],
            tables=(
                LAYOUTS.table("versions", _version_rows(data, versions, registered, definition)),
                LAYOUTS.table("version_changes", _change_rows(versions)),
                LAYOUTS.table("version_tests", test_rows(compared)) if compared else None,
                (
                    LAYOUTS.table("version_means", mean_rows(plan, compared, groups, names))
                    if compared
                    else None
                ),
            ),
        ),
    )


def session_kinds(
    data: Data, versions: Sequence[DataVersion]
) -> tuple[tuple[DataVersion, ...], ...]:
    """The versions in groups that participants could distinguish, as far as analysed sessions have
    them.
    """
    kinds: list[list[DataVersion]] = []
    for version in versions:
        if kinds and not version.reaches_participants:
            kinds[-1].append(version)
        else:
            kinds.append([version])
    analysed = set(data.people["definition"].values.tolist())
    return tuple(
        tuple(kind) for kind in kinds if any(version.definition in analysed for version in kind)
    )


def wordings(versions: Sequence[DataVersion], plan: Plan) -> str:
    """Each wording of the questions, with the versions and sessions that had it."""
    asked: dict[str, list[DataVersion]] = {}
    for version in versions:
        asked.setdefault(wording(version.study, plan, past), []).append(version)
    if len(asked) < 2:
        return next(iter(asked), "")
    return " ".join(
        f"In {_name(having)} ({counted(sum(version.n_sessions for version in having), 'session')}):"
        f" {words}"
        for words, having in asked.items()
    )


def _name(versions: Sequence[DataVersion]) -> str:
    word = "version" if len(versions) == 1 else "versions"
    return f"{word} {listed([str(version.number) for version in versions])}"


def _groups(data: Data, kinds: Sequence[Sequence[DataVersion]]) -> SessionGroups:
    kind_of = {version.definition: index for index, kind in enumerate(kinds) for version in kind}
    return np.array(
        [kind_of[str(name)] for name in data.people["definition"].values], dtype=np.int64
    )


def _paragraphs(
    versions: Sequence[DataVersion], kinds: Sequence[Sequence[DataVersion]], compared: Compared
) -> Iterator[str]:
    sizes = listed(
        [f"{integer(version.n_sessions)} with version {version.number}" for version in versions]
    )
    yield (
        f"The study changed while it ran: sessions began with {len(versions)} versions, {sizes}. A"
        " session keeps the version it began with."
    )
    unstated = [version for version in versions[1:] if version.reason is None]
    if unstated:
        yield f"No reason was stated for {_name(unstated)}."
    if not any(version.reaches_participants for version in versions):
        yield "No change reached participants, so there is nothing to compare."
    elif len(kinds) < 2:
        yield (
            "All analysed sessions have the same pages and media, so the versions cannot be"
            " compared."
        )
    elif not compared:
        yield (
            "The plan rests on no answers, traces or flags that could be compared between versions."
        )
    else:
        yield (
            "Whether the changes made a difference is tested by exchanging the versions of whole"
            " sessions at random: if they made none, sessions are exchangeable. Versions follow"
            " each other in time, so a difference can also come from who took part when; and a test"
            " that finds none does not show that there is none."
        )


def _finding(quantity: SessionValues, test: TestResult, n_tests: int) -> Finding:
    title = f"Versions compared: {quantity.title}"
    return Finding(
        outcome=OUTCOME,
        title=title,
        sentence=f"Versions were compared on {quantity.title} ({counted(test.n, 'session')}).",
        test=test,
        about=quantity.title,
    )


def _version_rows(
    data: Data, versions: Sequence[DataVersion], registered: Registration | None, definition: str
) -> Iterator[tuple[Cell, ...]]:
    analysed = data.people["definition"].values.tolist()
    late = (
        set()
        if registered is None
        else {change.field for change in version_deviations(registered, versions)}
    )
    true_hashes = definition in {version.definition for version in versions}
    for version in versions:
        after = (
            ""
            if registered is None or version.number == 1
            else "yes"
            if f"data.version.{version.number}" in late
            else "no"
        )
        yield (
            version.number,
            version.definition[:12] if true_hashes else _NOTHING,
            version.first_used_on or _NOTHING,
            version.n_sessions,
            analysed.count(version.definition),
            "first version" if version.number == 1 else version.reason or "no reason was stated",
            after or _NOTHING,
        )


def _change_rows(versions: Sequence[DataVersion]) -> Iterator[tuple[Cell, ...]]:
    for version in versions:
        for change in version.changes:
            was, now = (
                _NOTHING if text is None else text or "nothing" for text in (change.was, change.now)
            )
            yield (
                version.number,
                change.path,
                was,
                now,
                "yes" if change.reaches_participants else "no",
            )
