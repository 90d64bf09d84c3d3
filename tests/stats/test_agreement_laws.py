"""Laws that whole families of agreement measures obey, and a check that no measure is without its
laws.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from believable.stats import agreement
from believable.stats.estimate import Estimate

Measure = Callable[[Any], Estimate]


def cohen(table: Any, **options: Any) -> Estimate:
    return agreement.cohen_kappa(table[:, 0], table[:, 1], **options)


MEMBERS: dict[str, Measure] = {
    "percent_agreement": agreement.percent_agreement,
    "percent_agreement all": partial(agreement.percent_agreement, rule="all"),
    "percent_agreement tolerant": partial(agreement.percent_agreement, tolerance=1),
    "cohen_kappa": cohen,
    "cohen_kappa linear": partial(cohen, weights="linear", categories=(1, 2, 3, 4)),
    "cohen_kappa quadratic": partial(cohen, weights="quadratic", categories=(1, 2, 3, 4)),
    "fleiss_kappa": agreement.fleiss_kappa,
    "gwet_ac1": agreement.gwet_ac1,
    "krippendorff_alpha": agreement.krippendorff_alpha,
    "krippendorff_alpha ordinal": partial(agreement.krippendorff_alpha, level="ordinal"),
    "krippendorff_alpha interval": partial(agreement.krippendorff_alpha, level="interval"),
    "krippendorff_alpha ratio": partial(agreement.krippendorff_alpha, level="ratio"),
    "icc ICC1": partial(agreement.icc, form="ICC1"),
    "icc ICC2": partial(agreement.icc, form="ICC2"),
    "icc ICC3": partial(agreement.icc, form="ICC3"),
    "icc ICC1k": partial(agreement.icc, form="ICC1k"),
    "icc ICC2k": partial(agreement.icc, form="ICC2k"),
    "icc ICC3k": partial(agreement.icc, form="ICC3k"),
    "cronbach_alpha": agreement.cronbach_alpha,
    "kendall_w": agreement.kendall_w,
}
NOT_A_MEASURE = {"IccForm": "a type"}

NOMINAL = {
    "percent_agreement",
    "percent_agreement all",
    "cohen_kappa",
    "fleiss_kappa",
    "gwet_ac1",
    "krippendorff_alpha",
}
ORDINAL = {"krippendorff_alpha ordinal", "kendall_w"}
SHIFTED = {
    name for name in MEMBERS if name.startswith(("icc", "cronbach", "krippendorff_alpha interval"))
}
SCALED = SHIFTED | {"krippendorff_alpha ratio"}
GRADED = {
    "percent_agreement tolerant",
    "cohen_kappa linear",
    "cohen_kappa quadratic",
}  # bound to their own scale
SHARES = (NOMINAL | GRADED) - {
    "krippendorff_alpha"
}  # functions of shares only: a doubled sample says the same

few = settings(max_examples=settings.default.max_examples // 2)
tables = st.tuples(st.integers(3, 10), st.integers(2, 4)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.integers(1, 4).map(float))
)


def numbers(estimate: Estimate) -> tuple[float | None, ...]:
    return estimate.value, estimate.low, estimate.high


def assert_same(first: Estimate, second: Estimate) -> None:
    for a, b in zip(numbers(first), numbers(second), strict=True):
        assert (a is None) == (b is None), (first, second)
        if a is not None and b is not None:
            # A bound far out is an exponential of a ratio: equal in relative terms.
            assert a == pytest.approx(b, rel=1e-6, abs=1e-8), (first, second)


def every(names: set[str] | dict[str, Measure]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("name", sorted(names))


def test_every_public_measure_has_its_laws() -> None:
    covered = {name.split()[0] for name in MEMBERS} | set(NOT_A_MEASURE)
    assert covered == set(agreement.__all__)
    assert set(MEMBERS) == NOMINAL | ORDINAL | SHIFTED | SCALED | GRADED


@every(MEMBERS)
@few
@given(table=tables, seed=st.integers(0, 99))
def test_the_order_of_items_and_raters_does_not_matter(name: str, table: Any, seed: int) -> None:
    rng = np.random.default_rng(seed)
    if name.startswith("cohen"):
        table = table[:, :2]
    shuffled = table[rng.permutation(len(table))][:, rng.permutation(table.shape[1])]
    assert_same(MEMBERS[name](table), MEMBERS[name](shuffled))


@every(NOMINAL)
@few
@given(table=tables)
def test_names_of_categories_do_not_matter(name: str, table: Any) -> None:
    names = {1.0: "wait", 2.0: "a", 3.0: "zebra", 4.0: "m"}
    assert_same(
        MEMBERS[name](table), MEMBERS[name](np.vectorize(names.__getitem__, otypes=[object])(table))
    )


@every(ORDINAL)
@few
@given(table=tables)
def test_only_the_order_of_values_matters(name: str, table: Any) -> None:
    assert_same(MEMBERS[name](table), MEMBERS[name](np.exp(2 * table) - 7))


@every(SHIFTED)
@few
@given(table=tables, shift=st.sampled_from([-3.0, 0.5, 128.0]))
def test_a_common_shift_does_not_matter(name: str, table: Any, shift: float) -> None:
    assert_same(MEMBERS[name](table), MEMBERS[name](table + shift))


@every(SCALED)
@few
@given(table=tables, factor=st.sampled_from([0.125, 3.0, 100.0]))
def test_the_unit_does_not_matter(name: str, table: Any, factor: float) -> None:
    assert_same(MEMBERS[name](table), MEMBERS[name](table * factor))


@every(SHARES)
@few
@given(table=tables)
def test_a_doubled_sample_has_the_same_value_and_no_wider_interval(name: str, table: Any) -> None:
    once, twice = MEMBERS[name](table), MEMBERS[name](np.vstack([table, table]))
    assert (once.value is None) == (twice.value is None)
    if once.value is not None and twice.value is not None:
        assert once.value == pytest.approx(twice.value, abs=1e-12)
    if once.half_width is not None and twice.half_width is not None:
        assert twice.half_width <= once.half_width + 1e-9


@every(MEMBERS)
@few
@given(table=tables)
def test_an_item_nobody_rated_changes_nothing(name: str, table: Any) -> None:
    assert_same(
        MEMBERS[name](table), MEMBERS[name](np.vstack([table, np.full(table.shape[1], np.nan)]))
    )


@every(MEMBERS)
@few
@given(table=tables)
def test_bounds_enclose_the_value_and_nothing_exceeds_one(name: str, table: Any) -> None:
    found = MEMBERS[name](table)
    if found.value is None:
        assert found.reason
        return
    assert found.value <= 1
    if found.low is not None and found.high is not None:
        assert found.low <= found.value + 1e-12
        assert found.high >= found.value - 1e-12
        assert found.high <= 1


@every(MEMBERS)
@few
@given(table=tables)
def test_a_higher_level_gives_a_wider_interval(name: str, table: Any) -> None:
    option = "confidence" if name.startswith("krippendorff") else "level"
    narrow, wide = (MEMBERS[name](table, **{option: level}) for level in (0.8, 0.99))  # type: ignore[call-arg]
    if (
        narrow.low is not None
        and wide.low is not None
        and narrow.high is not None
        and wide.high is not None
    ):
        assert wide.low <= narrow.low
        assert wide.high >= narrow.high


@every(MEMBERS)
@few
@given(table=tables, holes=st.integers(1, 6), seed=st.integers(0, 99))
def test_missing_cells_give_a_result_or_a_reason(
    name: str, table: Any, holes: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    table = table.copy()
    table.ravel()[rng.integers(0, table.size, holes)] = np.nan
    found = MEMBERS[name](table)
    assert found.value is not None or found.reason


@few
@given(table=tables)
def test_cronbach_alpha_is_icc3k(table: Any) -> None:
    alpha, consistency = agreement.cronbach_alpha(table), agreement.icc(table, "ICC3k")
    if alpha.value is not None and consistency.value is not None:
        assert_same(alpha, consistency)
