"""Which reasons are given how often: shares of codes per side, by group, with intervals over judges
and tests of differences.

`proportions(responses)` gives, per side, each code × direction's share of all codes applied to that
side, so that a side's shares add up to 1. `differences(responses, by=…)` tests whether a code is
present more often in one group than in another. Responses are read by
`believable.coding.coded_bundle`, or built elsewhere as `CodedResponse` records.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
from scipy import stats

from believable.coding.labels import SIDES, CodedResponse
from believable.core.errors import InvalidInput
from believable.stats.counts import chi_square
from believable.stats.estimate import Estimate, ratio_share, undefined, without_interval
from believable.stats.inputs import one_of
from believable.stats.models import mixed_logistic
from believable.stats.result import TestResult, benjamini_hochberg, holm, no_result

#: Judges with more than this share of right choices are called accurate.
HIGH_ACCURACY_ABOVE = 0.80
HIGH, LOW = "high accuracy", "low accuracy"
_CRITERION = "ML (Laplace)"


#: Which group a text belongs to; None leaves it out.
Group: TypeAlias = Callable[[CodedResponse], str | None]


def by_condition(response: CodedResponse) -> str | None:
    return response.condition


def by_accuracy(accuracies: Mapping[str, float], *, above: float = HIGH_ACCURACY_ABOVE) -> Group:
    """Judges with a share of right choices above `above`, against the others. Judges without one
    are left out.
    """

    def group(response: CodedResponse) -> str | None:
        accuracy = accuracies.get(response.judge)
        return None if accuracy is None else HIGH if accuracy > above else LOW

    return group


@dataclass(frozen=True, slots=True, kw_only=True)
class Proportion:
    """A code × direction's share of the `total` codes applied to a side, in one group (None: all
    texts).
    """

    group: str | None
    side: str | None
    code: str
    direction: str | None
    count: int
    total: int
    share: Estimate


def proportions(
    responses: Iterable[CodedResponse],
    *,
    by: Group | None = None,
    keys: Sequence[tuple[str, str | None]] | None = None,
    leave_out: Collection[str] = (),
    level: float = 0.95,
) -> tuple[Proportion, ...]:
    """Shares of all codes applied to a side, with intervals clustered by judge.

    keys        the (code, direction) pairs to report, in order; those that occur, sorted, without
                it. Give them when groups are compared, so that an unused code has a row with share
                0.
    leave_out   codes that do not count at all, such as `other`
    Interval    Wilson's, with the effective number of codes by the spread between judges
                (`stats.estimate.ratio_share`)
    Undefined   no code on that side; without interval: a single judge
    """
    kept = [response for response in responses if not response.discarded]
    groups = _group(kept, by)
    pairs = list(keys) if keys is not None else _pairs(kept, leave_out)
    sides = _sides(kept)
    return tuple(
        _proportion(group, side, pair, members, leave_out, level)
        for group, members in groups.items()
        for side in sides
        for pair in pairs
    )


def _group(
    responses: Sequence[CodedResponse], by: Group | None
) -> dict[str | None, list[CodedResponse]]:
    if by is None:
        return {None: list(responses)}
    groups: dict[str | None, list[CodedResponse]] = {}
    for response in responses:
        group = by(response)
        if group is not None:
            groups.setdefault(group, []).append(response)
    return dict(sorted(groups.items(), key=lambda item: str(item[0])))


def _pairs(
    responses: Iterable[CodedResponse], leave_out: Collection[str]
) -> list[tuple[str, str | None]]:
    pairs = {
        (code, direction)
        for response in responses
        for code, direction, _ in response.labels
        if code not in leave_out
    }
    return sorted(pairs, key=lambda pair: (pair[0], pair[1] or ""))


def _sides(responses: Iterable[CodedResponse]) -> list[str | None]:
    sides = {side for response in responses for _, _, side in response.labels}
    return [side for side in (*SIDES, None) if side in sides]


def _proportion(
    group: str | None,
    side: str | None,
    pair: tuple[str, str | None],
    responses: Sequence[CodedResponse],
    leave_out: Collection[str],
    level: float,
) -> Proportion:
    parts: dict[str, int] = {}
    wholes: dict[str, int] = {}
    for response in responses:
        on_side = [key for key in response.labels if key[2] == side and key[0] not in leave_out]
        if on_side:
            wholes[response.judge] = wholes.get(response.judge, 0) + len(on_side)
            parts[response.judge] = parts.get(response.judge, 0) + sum(
                key[:2] == pair for key in on_side
            )
    count, total = sum(parts.values()), sum(wholes.values())
    share = _share(np.array([*parts.values()], float), np.array([*wholes.values()], float), level)
    code, direction = pair
    return Proportion(
        group=group,
        side=side,
        code=code,
        direction=direction,
        count=count,
        total=total,
        share=share,
    )


def _share(parts: np.ndarray, wholes: np.ndarray, level: float) -> Estimate:
    method = "share of codes, Wilson interval clustered by judge"
    if not len(wholes):
        return undefined("no code was applied to this side", method=method, n=0, level=level)
    value = float(parts.sum() / wholes.sum())
    if len(wholes) < 2:
        return without_interval(value, "a single judge", method=method, n=1, level=level)
    low, high = ratio_share(parts, wholes, level=level)
    return Estimate(value=value, low=low, high=high, level=level, n=len(wholes), method=method)


# ----------------------------------------------------------------------------------------------
# differences


@dataclass(frozen=True, slots=True)
class GroupCount:
    """In how many of `n` texts of a group the code is present."""

    group: str
    present: int
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Whether a code is present more often in one group than in another. `p_adjusted` is corrected
    for all codes tested.
    """

    side: str | None
    code: str
    direction: str | None
    counts: tuple[GroupCount, ...]
    test: TestResult
    p_adjusted: float | None


Method = Literal["mixed", "chi2"]
Adjust = Literal["holm", "bh"]


def differences(
    responses: Iterable[CodedResponse],
    by: Group | Literal["side"],
    *,
    method: Method = "mixed",
    adjust: Adjust = "holm",
    keys: Sequence[tuple[str, str | None]] | None = None,
    leave_out: Collection[str] = (),
    level: float = 0.95,
) -> tuple[Difference, ...]:
    """One test per code × direction × side of the presence of the code in a text, between the
    groups of `by`.

    by          a group per text, or "side": the same texts' more human-like side against the less
                human-like one
    method      "mixed": likelihood-ratio test of `present ~ group + (1 | judge)`, since texts of a
                judge are not independent; "chi2": Pearson's test on the table, texts taken as
                independent. If the mixed model has no finite estimate (a code never, or always,
                used in a group) or fails, the chi-square test replaces it, and a note says so.
    adjust      over all tests of this call: "holm", or "bh" (Benjamini-Hochberg)
    Undefined   fewer than two groups with texts; a code that is in every text or in none
    """
    one_of(method, ("mixed", "chi2"), name="method")
    one_of(adjust, ("holm", "bh"), name="adjust")
    kept = [response for response in responses if not response.discarded]
    pairs = list(keys) if keys is not None else _pairs(kept, leave_out)
    sides: Sequence[str | None] = (None,) if by == "side" else _sides(kept)
    tests = [
        (side, pair, *_test(_rows(kept, by, side, pair), method, level))
        for side in sides
        for pair in pairs
    ]
    adjusted = (holm if adjust == "holm" else benjamini_hochberg)(
        [test.p_value for *_, test in tests]
    )
    return tuple(
        Difference(
            side=side, code=code, direction=direction, counts=counts, test=test, p_adjusted=p
        )
        for (side, (code, direction), counts, test), p in zip(tests, adjusted, strict=True)
    )


#: Judge, group, whether the code is present.
_Row: TypeAlias = tuple[str, str, bool]


def _rows(
    responses: Sequence[CodedResponse],
    by: Group | Literal["side"],
    side: str | None,
    pair: tuple[str, str | None],
) -> list[_Row]:
    if by == "side":
        return [
            (response.judge, which, (*pair, which) in response.labels)
            for response in responses
            for which in SIDES
        ]
    if not callable(by):
        raise InvalidInput(f"by: expected a function or 'side', got {by!r}.")
    grouped = ((response, by(response)) for response in responses)
    return [
        (response.judge, group, (*pair, side) in response.labels)
        for response, group in grouped
        if group is not None
    ]


def _test(
    rows: Sequence[_Row], method: Method, level: float
) -> tuple[tuple[GroupCount, ...], TestResult]:
    groups = sorted({group for _, group, _ in rows})
    counts = tuple(
        GroupCount(
            group,
            sum(present for _, of, present in rows if of == group),
            sum(of == group for _, of, _ in rows),
        )
        for group in groups
    )
    name = "likelihood-ratio test, mixed logistic" if method == "mixed" else "chi-square test"
    n_present = sum(count.present for count in counts)
    if len(groups) < 2:
        return counts, no_result("fewer than two groups with texts", method=name, n=len(rows))
    if n_present in (0, len(rows)):
        word = "no text" if n_present == 0 else "every text"
        return counts, no_result(f"the code is in {word}", method=name, n=len(rows))
    if method == "chi2":
        return counts, _chi2(counts, level)
    return counts, _fit_mixed(rows, counts, level)


def _chi2(counts: Sequence[GroupCount], level: float, notes: tuple[str, ...] = ()) -> TestResult:
    result = chi_square([[count.present, count.n - count.present] for count in counts], level=level)
    return replace(result, notes=(*result.notes, *notes))


def _fit_mixed(rows: Sequence[_Row], counts: Sequence[GroupCount], level: float) -> TestResult:
    if any(count.present in (0, count.n) for count in counts):
        return _chi2(
            counts,
            level,
            ("the mixed model has no finite estimate: a group has the code never or always",),
        )
    if len({judge for judge, *_ in rows}) < 5:
        return _chi2(
            counts, level, ("too few judges for a mixed model: texts taken as independent",)
        )
    table: dict[str, Sequence[float] | Sequence[str]] = {
        "present": [float(present) for *_, present in rows],
        "group": [group for _, group, _ in rows],
        "judge": [judge for judge, *_ in rows],
    }
    full = mixed_logistic("present ~ group + (1 | judge)", table, level=level)
    null = mixed_logistic("present ~ 1 + (1 | judge)", table, level=level)
    ends = [model.convergence.converged and model.criterion == _CRITERION for model in (full, null)]
    if not all(ends):
        return _chi2(
            counts, level, ("the mixed model did not converge: texts taken as independent",)
        )
    df = len(counts) - 1
    statistic = max(0.0, 2 * (full.log_likelihood - null.log_likelihood))
    effect = (
        next((t.odds_ratio for t in full.terms if t.name != "(Intercept)"), None)
        if df == 1
        else None
    )
    return TestResult(
        statistic=statistic,
        p_value=float(stats.chi2.sf(statistic, df)),
        n=len(rows),
        method="likelihood-ratio test, mixed logistic (random intercept per judge)",
        df=(float(df),),
        effect=effect,
        notes=full.notes,
        symbol="χ²",
    )
