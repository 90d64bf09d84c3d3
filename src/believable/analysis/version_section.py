"""The section about a study that changed while it ran: its versions, each wording, and whether the
change made a difference.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from believable.analysis.data import Data
from believable.analysis.findings import Cell, Finding, Section
from believable.analysis.layouts import Layouts
from believable.analysis.numbers import counted, integer, listed
from believable.analysis.procedure import past, wording
from believable.analysis.registered import Registration
from believable.analysis.settled_plan import Plan
from believable.analysis.version_answers import SessionValues, session_values
from believable.analysis.version_records import DataVersion, version_deviations
from believable.stats.means import welch_t
from believable.stats.permutation import permutation_anova
from believable.stats.result import TestResult, holm

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
    compared = _compare(data, plan, kinds, rng)
    return (
        LAYOUTS.section(
            "versions",
            paragraphs=_paragraphs(versions, kinds, compared),
            findings=[_finding(quantity, test, len(compared)) for quantity, _, test in compared],
            tables=(
                LAYOUTS.table("versions", _version_rows(data, versions, registered, definition)),
                LAYOUTS.table("version_changes", _change_rows(versions)),
                LAYOUTS.table("version_tests", _test_rows(compared)) if compared else None,
                (
                    LAYOUTS.table("version_means", _mean_rows(data, plan, compared, kinds))
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


Compared = list[tuple[SessionValues, float | None, TestResult]]


def _compare(
    data: Data, plan: Plan, kinds: Sequence[Sequence[DataVersion]], rng: np.random.Generator
) -> Compared:
    """Each quantity with its unadjusted p and its test, whose p is adjusted by Holm's method over
    the quantities.
    """
    if len(kinds) < 2:
        return []
    groups = _groups(data, kinds)
    quantities = session_values(data, plan)
    tests = [permutation_anova(quantity.values, groups, rng=rng) for quantity in quantities]
    adjusted = holm([test.p_value for test in tests])
    compared: Compared = []
    for quantity, test, p_value in zip(quantities, tests, adjusted, strict=True):
        many = f", Holm-adjusted over {len(tests)} tests" if len(tests) > 1 else ""
        own = TestResult(
            statistic=test.statistic,
            p_value=p_value,
            n=test.n,
            method=f"{test.method}{many}",
            reason=test.reason,
            symbol=test.symbol,
        )
        compared.append((quantity, test.p_value, own))
    return compared


def _groups(
    data: Data, kinds: Sequence[Sequence[DataVersion]]
) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
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


def _test_rows(compared: Compared) -> Iterator[tuple[Cell, ...]]:
    for quantity, p_value, test in compared:
        yield (
            quantity.title,
            test.n,
            test.statistic if test.symbol == "F" else None,
            p_value,
            test.p_value,
            test.reason or test.method,
        )


def _mean_rows(
    data: Data, plan: Plan, compared: Compared, kinds: Sequence[Sequence[DataVersion]]
) -> Iterator[tuple[Cell, ...]]:
    """Mean and number of sessions by version, and each later one against the first, with Welch's
    interval for means.
    """
    groups = _groups(data, kinds)
    for quantity, _, _ in compared:
        for column, cell in enumerate(quantity.cells):
            first = _known(quantity, column, groups == 0)
            for index, kind in enumerate(kinds):
                own = _known(quantity, column, groups == index)
                mean = float(own.mean()) if len(own) else None
                difference = (
                    None
                    if not index or mean is None or not len(first)
                    else mean - float(first.mean())
                )
                estimate = (
                    welch_t(own, first, level=plan.level).estimate
                    if index and not quantity.is_share
                    else None
                )
                bounds = (
                    (None, None)
                    if estimate is None or difference is None
                    else (estimate.low, estimate.high)
                )
                name = "+".join(str(version.number) for version in kind)
                yield (quantity.title, cell, name, len(own), mean, difference, *bounds)


def _known(
    quantity: SessionValues, column: int, own: np.ndarray[tuple[int], np.dtype[np.bool_]]
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    values = quantity.values[own, column]
    return np.asarray(values[~np.isnan(values)])
