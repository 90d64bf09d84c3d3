"""Agreement measures: published data, witnesses from other tools, and every designed edge case."""

from __future__ import annotations

import csv
import json
import lzma
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from believable.core.errors import InvalidInput
from believable.stats import agreement
from believable.stats.agreement.reliability import _mean_squares, satterthwaite_df

ORACLE = Path(__file__).parents[1] / "oracles" / "agreement"
DATA = Path(__file__).resolve().parents[1] / "data" / "agreement"
LEVELS = ("nominal", "ordinal", "interval", "ratio")
FORMS = ("ICC1", "ICC2", "ICC3", "ICC1k", "ICC2k", "ICC3k")


def oracle(name: str) -> Any:
    return json.loads((ORACLE / name).read_text())


INPUT, R, PYTHON = oracle("input.json"), oracle("output.json"), oracle("output_python.json")
BOTH = pytest.mark.parametrize("case", [0, 1])


def columns(rows: list[list[Any]]) -> tuple[list[Any], list[Any]]:
    return [row[0] for row in rows], [row[1] for row in rows]


class TestAgainstOtherTools:
    @BOTH
    @pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
    def test_cohen_kappa_is_that_of_r_vcd(self, case: int, weights: Any) -> None:
        expected = R["cohen"][case][weights or "unweighted"]
        found = agreement.cohen_kappa(*columns(INPUT["pairs"][case]), weights)
        assert found.value == pytest.approx(expected["value"], abs=1e-12)
        assert found.se == pytest.approx(expected["se"], abs=1e-12)

    @BOTH
    def test_fleiss_kappa_is_that_of_r(self, case: int) -> None:
        rows = INPUT["labels"][case]
        assert agreement.fleiss_kappa(rows).value == pytest.approx(R["fleiss"][case], abs=1e-12)

    @BOTH
    @pytest.mark.parametrize("kind", ["complete", "gaps"])
    @pytest.mark.parametrize("name", ["gwet_ac1", "fleiss_kappa"])
    def test_value_and_standard_error_are_those_of_irrcac(
        self, case: int, kind: str, name: str
    ) -> None:
        rows = INPUT["labels" if kind == "complete" else "gaps"][case]
        expected = PYTHON[kind][case][name]
        found = getattr(agreement, name)(rows)
        assert found.value == pytest.approx(expected["value"], abs=1e-11)
        assert found.se == pytest.approx(expected["se"], abs=1e-11)
        assert agreement.percent_agreement(rows).value == pytest.approx(
            expected["observed"], abs=1e-11
        )

    @BOTH
    @pytest.mark.parametrize("level", LEVELS)
    def test_krippendorff_alpha_is_that_of_two_tools(self, case: int, level: Any) -> None:
        value = agreement.krippendorff_alpha(INPUT["gaps"][case], level).value
        assert value == pytest.approx(R["krippendorff"][case][level], abs=1e-12)
        assert value == pytest.approx(PYTHON["alpha"][case][level], abs=1e-12)

    @BOTH
    @pytest.mark.parametrize("form", FORMS)
    def test_icc_is_that_of_r_psych(self, case: int, form: Any) -> None:
        expected = R["icc"][case][form]
        found = agreement.icc(INPUT["numbers"][case], form)
        assert found.value == pytest.approx(expected["value"], abs=1e-10)
        assert (found.low, found.high) == pytest.approx(
            (expected["low"], expected["high"]), abs=1e-10
        )
        assert found.statistic == pytest.approx(expected["F"], abs=1e-10)
        assert found.df == (expected["df1"], expected["df2"])

    @BOTH
    def test_cronbach_alpha_is_that_of_r_psy_and_psych(self, case: int) -> None:
        expected = R["cronbach"][case]
        found = agreement.cronbach_alpha(INPUT["numbers"][case])
        assert found.value == pytest.approx(expected["value"], abs=1e-12)
        assert found.value == pytest.approx(expected["psych"], abs=1e-12)
        assert (found.low, found.high) == pytest.approx(
            (expected["low"], expected["high"]), abs=1e-12
        )

    @BOTH
    def test_kendall_w_is_friedmans_statistic_in_r(self, case: int) -> None:
        expected = R["kendall"][case]
        found = agreement.kendall_w(INPUT["ranks"][case])
        assert found.value == pytest.approx(expected["W"], abs=1e-12)
        assert found.statistic == pytest.approx(expected["chi_square"], abs=1e-10)
        assert found.p_value == pytest.approx(expected["p"], abs=1e-12)


@pytest.fixture(scope="module")
def expected() -> Any:
    return json.loads((DATA / "expected.json").read_text())


class TestPublishedData:
    def rows(self, name: str, *, numbers: bool = False, header: bool = True) -> list[list[Any]]:
        packed = DATA / f"{name}.xz"
        with lzma.open(packed, "rt") if packed.is_file() else open(DATA / name, newline="") as file:
            lines = list(csv.reader(file))[1 if header else 0 :]
        return [
            [(float(cell) if numbers else cell) if cell else None for cell in line]
            for line in lines
        ]

    def test_diagnoses(self, expected: Any) -> None:
        rows = self.rows("irr_diagnoses.csv")
        found, wanted = agreement.fleiss_kappa(rows), expected["fleiss_diagnoses"]
        assert found.value == pytest.approx(wanted["kappa"], abs=1e-8)
        assert found.statistic == pytest.approx(wanted["z"], abs=1e-8)
        assert found.p_value == pytest.approx(0, abs=1e-12)
        assert found.n == wanted["subjects"]
        first_four = agreement.fleiss_kappa([row[:4] for row in rows]).value
        assert first_four == pytest.approx(expected["fleiss_diagnoses_r1to4"], abs=1e-8)

    def test_pairs_of_raters(self, expected: Any) -> None:
        rows = self.rows("irr_diagnoses.csv")
        found = agreement.cohen_kappa([row[1] for row in rows], [row[2] for row in rows])
        assert found.value == pytest.approx(expected["kappa2_diagnoses_2_3"]["kappa"], abs=1e-8)
        assert found.statistic == pytest.approx(expected["kappa2_diagnoses_2_3"]["z"], abs=1e-8)
        first, second = columns(self.rows("irr_anxiety.csv", numbers=True))
        squared = agreement.cohen_kappa(first, second, "quadratic")
        wanted = expected["kappa2_anxiety_1_2_squared"]
        assert squared.value == pytest.approx(wanted["kappa"], abs=1e-8)
        assert squared.statistic == pytest.approx(wanted["z"], abs=1e-8)
        assert squared.p_value == pytest.approx(wanted["p"], abs=1e-8)
        plain = agreement.cohen_kappa(first, second).value
        assert plain == pytest.approx(expected["kappa2_anxiety_1_2_unweighted"], abs=1e-8)

    def test_vision(self, expected: Any) -> None:
        right, left = columns(self.rows("irr_vision.csv"))
        grades = sorted(set(right))
        found = agreement.cohen_kappa(right, left)
        assert found.value == pytest.approx(expected["kappa2_vision"]["kappa"], abs=1e-8)
        assert found.statistic == pytest.approx(expected["kappa2_vision"]["z"], abs=1e-6)
        for weights, key in (
            ("linear", "kappa2_vision_equal"),
            ("quadratic", "kappa2_vision_squared"),
        ):
            value = agreement.cohen_kappa(right, left, weights, categories=grades).value  # type: ignore[arg-type]
            assert value == pytest.approx(expected[key], abs=1e-8)

    def test_anxiety(self, expected: Any) -> None:
        rows = self.rows("irr_anxiety.csv", numbers=True)
        wanted = expected["icc_anxiety_twoway_agreement"]
        found = agreement.icc(rows, "ICC2")
        assert (found.value, found.low, found.high) == pytest.approx(
            (wanted["ICC"], wanted["lbound"], wanted["ubound"]), abs=1e-8
        )
        assert found.statistic == pytest.approx(wanted["F"], abs=1e-8)
        # irr puts the interval's degrees of freedom into the test too; ours tests with the exact
        # 38.
        df = satterthwaite_df(_mean_squares(np.array(rows)), wanted["ICC"])
        assert df == pytest.approx(wanted["df2"], abs=1e-5)
        assert stats.f.sf(wanted["F"], wanted["df1"], df) == pytest.approx(wanted["p"], abs=1e-8)
        wanted = expected["icc_anxiety_twoway_consistency"]
        found = agreement.icc(rows, "ICC3")
        assert (found.value, found.low, found.high) == pytest.approx(
            (wanted["ICC"], wanted["lbound"], wanted["ubound"]), abs=1e-8
        )
        wanted = expected["kendall_anxiety_corrected"]
        found = agreement.kendall_w(rows)
        assert (found.value, found.statistic, found.p_value) == pytest.approx(
            (wanted["W"], wanted["chisq"], wanted["p"]), abs=1e-8
        )

    def test_video(self, expected: Any) -> None:
        rows = self.rows("irr_video.csv", numbers=True)
        assert agreement.percent_agreement(rows, rule="all").value == expected["agree_video"] / 100
        near = agreement.percent_agreement(rows, rule="all", tolerance=1).value
        assert near == expected["agree_video_tol1"] / 100

    def test_krippendorffs_example(self, expected: Any) -> None:
        units = list(
            zip(*self.rows("krippendorff2011_codings.csv", numbers=True, header=False), strict=True)
        )
        for level in LEVELS:
            found = agreement.krippendorff_alpha(units, level)  # type: ignore[arg-type]
            assert found.value == pytest.approx(expected[f"kripp_2011_{level}"], abs=1e-8)
            assert found.notes == ("1 of 12 units have fewer than two values",)

    def test_four_raters_with_gaps(self) -> None:
        rows = [row[1:] for row in self.rows("cac.raw4raters.csv")]
        published = {
            "gwet_ac1": 0.77544,
            "fleiss_kappa": 0.76117,
            "krippendorff_alpha": 0.74342,
            "percent_agreement": 0.81818,
        }
        for name, value in published.items():
            assert round(getattr(agreement, name)(rows).value, 5) == value


CATEGORY = ("fleiss_kappa", "gwet_ac1", "krippendorff_alpha")
NUMBER = ("icc", "cronbach_alpha", "kendall_w")


class TestEdgeCases:
    @pytest.mark.parametrize("name", CATEGORY)
    def test_one_rater_is_undefined(self, name: str) -> None:
        found = getattr(agreement, name)([[1], [2], [1]])
        assert found.value is None
        assert found.reason

    @pytest.mark.parametrize("name", CATEGORY)
    def test_one_category_is_undefined(self, name: str) -> None:
        found = getattr(agreement, name)([[1, 1, 1]] * 5)
        assert found.value is None
        assert "category" in found.reason or "same" in found.reason

    def test_one_category_of_two_is_full_agreement_for_ac1(self) -> None:
        found = agreement.gwet_ac1([["yes", "yes"]] * 10, categories=["yes", "no"])
        assert (found.value, found.high) == (1.0, 1.0)
        assert found.low is not None
        assert 0.5 < found.low < 1

    @pytest.mark.parametrize("name", [*CATEGORY, "percent_agreement"])
    def test_all_missing_is_undefined(self, name: str) -> None:
        found = getattr(agreement, name)([[None, None], [np.nan, None]])
        assert found.value is None
        assert found.n == 0

    @pytest.mark.parametrize("name", NUMBER)
    def test_numbers_all_missing_are_undefined(self, name: str) -> None:
        found = getattr(agreement, name)([[1.0, None], [np.nan, 2.0]])
        assert found.value is None
        assert "2 of 2 rows left out" in found.notes[0]

    @pytest.mark.parametrize("name", NUMBER)
    def test_no_variance_is_undefined(self, name: str) -> None:
        assert getattr(agreement, name)([[3, 3, 3]] * 6).value is None

    @pytest.mark.parametrize("name", NUMBER)
    def test_one_item_or_rater_is_undefined(self, name: str) -> None:
        assert getattr(agreement, name)([[1, 2, 3]]).value is None
        assert getattr(agreement, name)([[1], [2], [3]]).value is None

    @pytest.mark.parametrize("name", [*CATEGORY, "percent_agreement"])
    def test_perfect_agreement_has_an_interval_that_reaches_one(self, name: str) -> None:
        found = getattr(agreement, name)([[1, 1, 1], [2, 2, 2]] * 10)
        assert (found.value, found.high) == (1.0, 1.0)
        assert 0.4 < found.low < 1

    @pytest.mark.parametrize("form", FORMS)
    def test_perfect_numbers_have_no_error_to_measure(self, form: Any) -> None:
        found = agreement.icc([[1, 1], [2, 2], [5, 5]], form)
        assert found.value == 1.0
        assert found.low is None
        assert "error variance is 0" in (found.reason or "")

    def test_one_item_has_a_value_and_no_interval(self) -> None:
        found = agreement.percent_agreement([[1, 1]])
        assert found.value == 1.0
        assert found.reason == "one item says nothing about the sampling error"

    def test_cohen_kappa_of_one_shared_category_is_undefined(self) -> None:
        found = agreement.cohen_kappa([1, 1, 1], [1, 1, 1])
        assert found.value is None
        assert "one and the same category" in (found.reason or "")

    def test_cohen_kappa_of_different_constants_is_zero(self) -> None:
        assert agreement.cohen_kappa([1, 1, 1], [2, 2, 2]).value == 0

    def test_missing_pairs_are_counted(self) -> None:
        found = agreement.cohen_kappa(["a", "b", None, "a"], ["a", "b", "a", None])
        assert found.n == 2
        assert found.notes == ("2 incomplete pairs left out",)

    def test_a_category_seen_only_in_incomplete_pairs_does_not_count(self) -> None:
        with_gap = agreement.cohen_kappa([1, 2, 3, 1, 9], [1, 2, 3, 2, None], "quadratic")
        assert (
            with_gap.value == agreement.cohen_kappa([1, 2, 3, 1], [1, 2, 3, 2], "quadratic").value
        )

    def test_unused_points_of_a_scale_change_weighted_kappa(self) -> None:
        first, second = [1, 2, 5, 5, 1], [1, 5, 5, 2, 1]
        as_used = agreement.cohen_kappa(first, second, "linear").value
        as_scale = agreement.cohen_kappa(first, second, "linear", categories=[1, 2, 3, 4, 5]).value
        assert as_used != as_scale

    def test_zero_ratio_values(self) -> None:
        found = agreement.krippendorff_alpha([[0, 0], [1, 2], [3, 3]], "ratio")
        assert found.value is not None

    def test_continuous_values_need_no_memory_for_pairs(self) -> None:
        rng = np.random.default_rng(5)
        table = rng.standard_normal((20_000, 1)) + rng.standard_normal((20_000, 5))
        for level in ("interval", "ordinal"):
            assert agreement.krippendorff_alpha(table, level).value == pytest.approx(0.5, abs=0.02)  # type: ignore[arg-type]

    @pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "uint64", "float32", "float64"])
    def test_labels_of_any_kind_of_number(self, dtype: str) -> None:
        rows = np.array([[1, 1], [2, 3], [100, 100], [3, 3], [2, 2]], dtype=dtype)
        for level in LEVELS:
            found = agreement.krippendorff_alpha(rows, level).value  # type: ignore[arg-type]
            wanted = agreement.krippendorff_alpha(rows.tolist(), level).value  # type: ignore[arg-type]
            assert found == pytest.approx(wanted, abs=1e-12)

    def test_large_unsigned_and_broken_numbers_are_labels_too(self) -> None:
        large = np.array([[2**63, 2**63], [2**63 + 4096, 2**63]], dtype=np.uint64)
        assert (
            agreement.krippendorff_alpha(large).value
            == agreement.krippendorff_alpha([[1, 1], [2, 1]]).value
        )
        broken = agreement.krippendorff_alpha([[0.5, 0.5], [1.5, 0.5], [1.25, None]], "interval")
        assert broken.value == agreement.krippendorff_alpha([[1, 1], [3, 1]], "interval").value

    def test_values_far_from_zero_keep_their_digits(self) -> None:
        table = np.random.default_rng(1).standard_normal((50, 3))
        near, far = agreement.icc(table, "ICC3"), agreement.icc(table + 1e6, "ICC3")
        assert near.value == pytest.approx(far.value, abs=1e-8)
        near, far = (agreement.krippendorff_alpha(t, "interval") for t in (table, table + 1e6))
        assert near.value == pytest.approx(far.value, abs=1e-8)


class TestErrors:
    @pytest.mark.parametrize(
        ("call", "message"),
        [
            (lambda: agreement.cohen_kappa([1, 2], [1]), "same length, got shapes"),
            (lambda: agreement.cohen_kappa([1], [1], "square"), "weights: unknown value 'square'"),
            (
                lambda: agreement.cohen_kappa(list("abc"), list("abc"), "linear"),
                "needs ordered categories",
            ),
            (lambda: agreement.cohen_kappa([1, "a"], [1, "a"]), "labels of one kind, got int, str"),
            (lambda: agreement.cohen_kappa(["a", ""], ["a", "b"]), "got an empty text"),
            (
                lambda: agreement.cohen_kappa([1, 7], [1, 1], categories=[1, 2]),
                "label 7 is not among",
            ),
            (
                lambda: agreement.cohen_kappa([1, 2], [1, 1], categories=[1, 1, 2]),
                "each label once",
            ),
            (lambda: agreement.cohen_kappa([1, np.inf], [1, 2]), "finite labels, got infinity"),
            (lambda: agreement.fleiss_kappa([1, 2, 3]), "table of items × raters"),
            (
                lambda: agreement.fleiss_kappa([["a", "b"], ["a"]]),
                r"equally long rows, got lengths \[1, 2\]",
            ),
            (
                lambda: agreement.krippendorff_alpha([["a", "b"]], "interval"),
                "interval α needs numbers",
            ),
            (
                lambda: agreement.krippendorff_alpha([[-1, 1], [1, 1]], "ratio"),
                "values of 0 or more, got -1",
            ),
            (lambda: agreement.krippendorff_alpha([[1, 2]], "ordnal"), "Did you mean 'ordinal'"),
            (lambda: agreement.icc([["a", "b"]]), "ratings: expected numbers, got 'a'"),
            (
                lambda: agreement.icc([[1, np.inf], [1, 2]]),
                r"ratings\[0, 1\]: expected a finite number",
            ),
            (lambda: agreement.icc([[1, 2], [3, 4]], "ICC4"), "form: unknown value 'ICC4'"),
            (
                lambda: agreement.icc([[1, 2], [3, 4]], level=95),
                "level: expected a number between 0 and 1",
            ),
            (
                lambda: agreement.percent_agreement([[1, 2]], tolerance=-1),
                "tolerance: expected 0 or more",
            ),
        ],
    )
    def test_place_value_and_cure(self, call: Any, message: str) -> None:
        with pytest.raises(InvalidInput, match=message):
            call()


@pytest.mark.parametrize("positives", [1, 3, 26])
def test_perfect_agreement_of_a_rare_code_says_as_little_by_alpha_as_by_kappa(
    positives: int,
) -> None:
    """With one rare code, some unseen disagreements weigh much; α and κ have the same lower bound
    up to n against n − 1.
    """
    codes = np.array([1] * positives + [0] * (53 - positives))
    alpha = agreement.krippendorff_alpha(np.column_stack([codes, codes]))
    kappa = agreement.cohen_kappa(codes, codes)
    assert (alpha.value, alpha.high) == (kappa.value, kappa.high) == (1.0, 1.0)
    assert alpha.low == pytest.approx(kappa.low, abs=0.02)
    assert agreement.krippendorff_alpha(
        np.column_stack([codes, codes]), "interval"
    ).low == pytest.approx(alpha.low)


def test_numbers_too_large_to_square_are_refused() -> None:
    with pytest.raises(
        InvalidInput, match="ratings: expected values whose squares a computer can hold"
    ):
        agreement.icc(np.array([[1.0, 2.0], [3.0, 5.0], [4.0, 4.5]]) * 1e150)


def test_spaces_are_not_a_category() -> None:
    with pytest.raises(
        InvalidInput, match=r"expected a label, got spaces only\. Give None for a missing label"
    ):
        agreement.cohen_kappa([" ", "a", "b"], ["a", "a", "b"])


@pytest.mark.parametrize("name", ["fleiss_kappa", "gwet_ac1"])
def test_constant_ratings_are_counted(name: str) -> None:
    undefined = getattr(agreement, name)([["a", "a"]] * 6)
    assert (undefined.value, undefined.n) == (None, 6)


@pytest.mark.parametrize("form", ["ICC1", "ICC2", "ICC3"])
def test_raters_who_cancel_each_other_out_have_no_interval(form: str) -> None:
    opposite = agreement.icc([[1, 5], [2, 4], [3, 3], [4, 2], [5, 1]], form)
    assert opposite.value is not None
    assert opposite.value <= -1
    assert (opposite.low, opposite.high) == (None, None)
    assert (
        opposite.reason == "the items' mean ratings are all the same, so the F of the interval is 0"
    )


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
def test_no_bound_of_kappa_is_below_full_disagreement(weights: Any) -> None:
    """Of three items the interval on the log scale alone runs down to −70."""
    found = agreement.cohen_kappa([1, 2, 2], [1, 1, 2], weights)
    assert found.low == -1
    assert found.value is not None
    assert found.high is not None
    assert -1 < found.value < found.high < 1


def test_no_bound_of_a_coefficient_is_below_full_disagreement() -> None:
    rng = np.random.default_rng(2)
    for _ in range(200):
        table = rng.integers(0, 2, (int(rng.integers(2, 6)), 2))
        for found in (
            agreement.cohen_kappa(table[:, 0], table[:, 1]),
            agreement.fleiss_kappa(table),
            agreement.gwet_ac1(table),
            agreement.krippendorff_alpha(table, level="nominal"),
        ):
            assert found.low is None or -1 <= found.low <= (found.high or 0) <= 1
