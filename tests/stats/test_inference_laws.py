"""Laws that whole families of tests and effect sizes must keep, and a check that no function is
left out.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from believable.core.errors import InvalidInput
from believable.stats import (
    bootstrap,
    bradley_terry,
    correlations,
    counts,
    detection,
    effects,
    equivalence,
    location,
    models,
    pairs,
    permutation,
    power,
    regression,
    result,
    two_way,
)
from believable.stats.estimate import Estimate
from believable.stats.result import TestResult
from validation.coverage.run import all_cases

# Every public function once, by the kind of data it takes.
PAIRED = {
    "paired_t": location.paired_t,
    "wilcoxon": location.wilcoxon,
    "dz": effects.dz,
    "dav": effects.dav,
    "rank_biserial": effects.rank_biserial,
}
INDEPENDENT = {
    "mann_whitney": location.mann_whitney,
    "g": effects.g,
    "cliffs_delta": effects.cliffs_delta,
}
CORRELATIONS = {"pearson": correlations.pearson, "spearman": correlations.spearman}
TABLES = {
    "odds_ratio": effects.odds_ratio,
    "mcnemar": counts.mcnemar,
    "chi_square": counts.chi_square,
    "fisher": counts.fisher,
}
COUNTS = {"binomial", "proportion", "tost_proportion", "d_prime", "criterion"}
SAMPLES = {
    "shapiro",
    "tost_mean",
    "bootstrap",
    "bootstrap_two_way",
    "permutation_test",
    "median_interval",
    "interval",
    "bca_by_moments",
    "paired_comparison",
    "ols",
    "pearson_with_choice",
    "correlations_compared",
    "within_correlation",
}
P_VALUES = {"holm", "benjamini_hochberg"}
MODELS = {"mixed_linear", "mixed_logistic", "mixed_ordinal", "proportional_odds"}
PAIRS = {"comparisons", "bradley_terry", "win_rates"}
GROUPED = {"permutation_anova"}
PLANNING = {"paired_t", "binomial", "mann_whitney", "correlation"}

MODULES = (
    *(bootstrap, bradley_terry, correlations, counts, detection, effects, equivalence, location),
    *(models, pairs, permutation, regression, result, two_way),
)
# What other modules of the package need, and a reader of results does not.
PARTS = {
    *("check_counts", "check_rank", "count_table", "noncentral_t_bounds"),
    *("no_result", "check_alternative", "tail", "t_test", "as_test", "tost_estimate"),
    "probability_of_superiority",
}
CLASSIFIED = {
    *PAIRED,
    *INDEPENDENT,
    *CORRELATIONS,
    *TABLES,
    *COUNTS,
    *SAMPLES,
    *P_VALUES,
    *MODELS,
    *PAIRS,
    *GROUPED,
}
NO_INTERVAL = {
    "shapiro": "gives a test only",
    "holm": "gives p values only",
    "benjamini_hochberg": "gives p values only",
    "permutation_test": "gives a test only",
    "permutation_anova": "gives a test only",
    "proportional_odds": "gives a test only",
    "comparisons": "codes data",
    "interval": "is what bootstrap calls",
    "paired_comparison": "passes on paired_t, wilcoxon and dz",
    "fisher": "passes on the exact interval of odds_ratio",
}

VALUES = st.integers(-60, 60).map(lambda value: value / 4)
PAIRS_OF_VALUES = st.lists(st.tuples(VALUES, VALUES), min_size=4, max_size=30).map(
    lambda rows: tuple(zip(*rows, strict=True))
)
GROUPS = st.tuples(
    st.lists(VALUES, min_size=3, max_size=20), st.lists(VALUES, min_size=3, max_size=20)
)
CELLS = st.integers(0, 40)
TABLE = st.tuples(CELLS, CELLS, CELLS, CELLS).map(lambda c: [[c[0], c[1]], [c[2], c[3]]])


def public(module: Any) -> set[str]:
    names = getattr(module, "__all__", None) or [
        name for name in vars(module) if not name.startswith("_")
    ]
    return {
        name
        for name in names
        if inspect.isfunction(getattr(module, name))
        and getattr(module, name).__module__.startswith("believable.stats")
        and (hasattr(module, "__all__") or getattr(module, name).__module__ == module.__name__)
    }


def test_every_public_function_is_classified() -> None:
    assert set().union(*(public(module) for module in MODULES)) == CLASSIFIED | PARTS
    assert public(power) == PLANNING


def test_the_published_names_are_there() -> None:
    """What others may import, by the module they import it from; names taken away stand in the list
    of changes.
    """
    published = {
        location: "paired_t wilcoxon shapiro paired_comparison mann_whitney",
        counts: "binomial proportion mcnemar chi_square",
        correlations: (
            "pearson spearman pearson_with_choice correlations_compared within_correlation"
        ),
        regression: "ols",
        equivalence: "tost_mean tost_proportion",
        effects: "dz dav g rank_biserial cliffs_delta odds_ratio",
        result: "holm benjamini_hochberg",
        bootstrap: "bootstrap median_interval",
        two_way: "bootstrap_two_way",
        permutation: "permutation_test",
        models: "mixed_logistic mixed_linear",
        bradley_terry: "bradley_terry",
        pairs: "comparisons win_rates",
        detection: "d_prime criterion",
        power: "paired_t binomial mann_whitney correlation",
    }
    for module, names in published.items():
        assert set(names.split()) <= public(module), module.__name__


def test_every_interval_has_a_coverage_case() -> None:
    covered = {case.name.split(":")[0] for case in all_cases()}
    assert CLASSIFIED - set(NO_INTERVAL) <= covered
    assert not set(NO_INTERVAL) & covered


def test_every_public_function_has_a_data_sheet() -> None:
    for module in (*MODULES, power):
        for name in public(module) - PARTS - {"comparisons", "interval", "paired_comparison"}:
            text = inspect.getdoc(getattr(module, name)) or ""
            assert "Checked" in text, name
            assert "Undefined" in text or module is power, name


def numbers(result: Any) -> tuple[float | None, ...]:
    """What a result says, as numbers."""
    if isinstance(result, Estimate):
        return result.value, result.low, result.high
    assert isinstance(result, TestResult)
    parts = [numbers(part) for part in (result.estimate, result.effect) if part is not None]
    return (result.p_value, *itertools.chain(*parts))


def close(
    one: tuple[float | None, ...], two: tuple[float | None, ...], abs_tol: float = 1e-7
) -> None:
    assert [value is None for value in one] == [value is None for value in two]
    kept = [pair for pair in zip(one, two, strict=True) if pair[0] is not None]
    assert [a for a, _ in kept] == pytest.approx([b for _, b in kept], abs=abs_tol, rel=1e-6)


def turned(estimate: Estimate | None) -> tuple[float | None, ...]:
    """The numbers of an estimate after a sign change."""
    if estimate is None or estimate.value is None:
        return (None, None, None)
    if estimate.low is None or estimate.high is None:
        return (-estimate.value, None, None)
    return -estimate.value, -estimate.high, -estimate.low


def mirror_images(one: Any, two: Any) -> None:
    if isinstance(one, Estimate):
        close(numbers(two), turned(one))
        return
    close((one.p_value,), (two.p_value,))
    for first, second in ((one.estimate, two.estimate), (one.effect, two.effect)):
        if first is not None:
            mirror_images(first, second)


@pytest.mark.parametrize("name", [*PAIRED, *INDEPENDENT])
@given(paired=PAIRS_OF_VALUES, groups=GROUPS)
def test_swapping_the_samples_turns_the_sign(name: str, paired: Any, groups: Any) -> None:
    function: Callable[..., Any] = (PAIRED | INDEPENDENT)[name]
    a, b = paired if name in PAIRED else groups
    mirror_images(function(a, b), function(b, a))


@pytest.mark.parametrize("name", [*PAIRED, *INDEPENDENT, *CORRELATIONS])
@given(
    paired=PAIRS_OF_VALUES,
    groups=GROUPS,
    shift=st.integers(-8, 8),
    scale=st.sampled_from([0.5, 2.0, 8.0]),
)
def test_a_change_of_unit_changes_nothing_but_the_unit(
    name: str, paired: Any, groups: Any, shift: int, scale: float
) -> None:
    function: Callable[..., Any] = (PAIRED | INDEPENDENT | CORRELATIONS)[name]
    a, b = groups if name in INDEPENDENT else paired
    plain = function(a, b)
    moved = function([shift + scale * x for x in a], [shift + scale * x for x in b])
    if isinstance(plain, Estimate):
        close(numbers(plain), numbers(moved))
        return
    close((plain.p_value,), (moved.p_value,))
    if plain.effect is not None:
        close(numbers(plain.effect), numbers(moved.effect))
    factor = 1.0 if name in CORRELATIONS else scale
    close(
        tuple(None if x is None else factor * x for x in numbers(plain.estimate)),
        numbers(moved.estimate),
        1e-6,
    )


@pytest.mark.parametrize("name", [*PAIRED, *INDEPENDENT, *CORRELATIONS])
@given(paired=PAIRS_OF_VALUES, groups=GROUPS, seed=st.integers(0, 9))
def test_the_order_of_rows_does_not_matter(name: str, paired: Any, groups: Any, seed: int) -> None:
    function: Callable[..., Any] = (PAIRED | INDEPENDENT | CORRELATIONS)[name]
    rng = np.random.default_rng(seed)
    if name in INDEPENDENT:
        a, b = groups
        close(numbers(function(a, b)), numbers(function(rng.permutation(a), rng.permutation(b))))
    else:
        order = rng.permutation(len(paired[0]))
        close(
            numbers(function(*paired)),
            numbers(function(*(np.array(side)[order] for side in paired))),
        )


@pytest.mark.parametrize("name", CORRELATIONS)
@given(paired=PAIRS_OF_VALUES)
def test_correlations_are_symmetric_and_turn_with_a_sign(name: str, paired: Any) -> None:
    a, b = paired
    close(numbers(CORRELATIONS[name](a, b)), numbers(CORRELATIONS[name](b, a)))
    mirror_images(CORRELATIONS[name](a, b), CORRELATIONS[name](a, [-x for x in b]))


@given(PAIRS_OF_VALUES)
def test_rank_methods_see_only_the_order(paired: Any) -> None:
    a, b = paired
    close(
        numbers(correlations.spearman(a, b)),
        numbers(correlations.spearman([x**3 for x in a], [np.exp(x / 20) for x in b])),
    )
    close(
        numbers(effects.cliffs_delta(a, b)),
        numbers(effects.cliffs_delta([x**3 for x in a], [x**3 for x in b])),
    )
    ours = location.mann_whitney(a, b).p_value
    theirs = location.mann_whitney([x**3 for x in a], [x**3 for x in b]).p_value
    close((ours,), (theirs,))


@given(TABLE)
def test_tables_read_from_either_side(table: list[list[int]]) -> None:
    transposed = [list(column) for column in zip(*table, strict=True)]
    close(numbers(effects.odds_ratio(table)), numbers(effects.odds_ratio(transposed)), 1e-6)
    close(numbers(counts.chi_square(table)), numbers(counts.chi_square(transposed)), 1e-6)
    close((counts.mcnemar(table).p_value,), (counts.mcnemar(transposed).p_value,))
    swapped = effects.odds_ratio(table[::-1])
    plain = effects.odds_ratio(table)
    if plain.value is not None and plain.low:
        assert swapped.value == pytest.approx(1 / plain.value, rel=1e-6)
        assert swapped.high == pytest.approx(1 / plain.low, rel=1e-6)


@given(PAIRS_OF_VALUES, st.integers(2, 4))
def test_seeing_everything_several_times_changes_no_descriptive_value(
    paired: Any, times: int
) -> None:
    a, b = paired
    again = a * times, b * times
    assert effects.cliffs_delta(*again).value == pytest.approx(effects.cliffs_delta(a, b).value)
    for test in CORRELATIONS.values():
        one, more = test(a, b).estimate, test(*again).estimate
        assert one is not None
        assert more is not None
        assert more.value == pytest.approx(one.value)
    assert bootstrap.median_interval(again[0]).value == bootstrap.median_interval(a).value
    table = np.histogram2d(a, b, bins=2, range=[[-16, 16], [-16, 16]])[0]
    v, same_v = counts.chi_square(table).effect, counts.chi_square(times * table).effect
    assert v is not None
    assert same_v is not None
    assert same_v.value == pytest.approx(v.value)


@given(st.integers(0, 40), st.integers(0, 40))
def test_shares_of_yes_and_of_no_are_mirror_images(yes: int, no: int) -> None:
    for interval in ("wilson", "exact"):
        one = counts.proportion(yes, yes + no, interval=interval)
        other = counts.proportion(no, yes + no, interval=interval)
        if one.value is not None:
            assert (other.low, other.high) == pytest.approx(
                (1 - (one.high or 0), 1 - (one.low or 0)), abs=1e-12
            )
            assert (one.low or 0) <= one.value <= (one.high or 0)
    close((counts.binomial(yes, yes + no).p_value,), (counts.binomial(no, yes + no).p_value,))


@given(PAIRS_OF_VALUES)
def test_one_sided_tests_halve_the_two_sided_one(paired: Any) -> None:
    a, b = paired
    for test in (location.paired_t, location.wilcoxon):
        both, less, greater = (
            test(a, b, alternative=side).p_value for side in ("two-sided", "less", "greater")
        )
        if both is not None:
            assert both == pytest.approx(min(1.0, 2 * min(less, greater)), rel=1e-9)
            assert less + greater >= 1 - 1e-9


@given(PAIRS_OF_VALUES)
def test_a_wider_level_gives_a_wider_interval(paired: Any) -> None:
    a, b = paired
    for function in (*PAIRED.values(), *INDEPENDENT.values(), *CORRELATIONS.values()):
        narrow, wide = function(a, b, level=0.8), function(a, b, level=0.99)
        pairs_of = (
            [(narrow, wide)] if isinstance(narrow, Estimate) else [(narrow.estimate, wide.estimate)]
        )
        for one, other in pairs_of:
            if one.low is not None and other.low is not None:
                assert other.low <= one.low + 1e-9
                assert other.high >= one.high - 1e-9


@pytest.mark.parametrize("name", [*PAIRED, *INDEPENDENT, *CORRELATIONS])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_non_finite_values_are_refused_with_their_place(name: str, bad: float) -> None:
    function: Callable[..., Any] = (PAIRED | INDEPENDENT | CORRELATIONS)[name]
    with pytest.raises(InvalidInput, match=r"a\[3\]: expected a finite number"):
        function([1.0, 2.0, 4.0, bad], [1.0, 3.0, 2.0, 5.0])
    with pytest.raises(InvalidInput, match="a: expected numbers"):
        function(["one", 2, 3, 4], [1.0, 3.0, 2.0, 5.0])
    with pytest.raises(InvalidInput, match="level: expected a number between 0 and 1"):
        function([1.0, 2.0, 4.0, 3.0], [1.0, 3.0, 2.0, 5.0], level=95)
