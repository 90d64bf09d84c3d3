"""Formulas and designs: what is read, how categories are coded, and errors that name the part."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from believable.core.errors import InvalidInput
from believable.stats.models.design import RandomPart, design, parse

TABLE: dict[str, Any] = {
    "flag": [0, 1, 0, 1, 1, 0, 0, 1],
    "condition": ["base", "ours", "ours", "base", "other", "other", "base", "ours"],
    "order": [1, 2, 1, 2, 1, 2, 2, 1],
    "person": ["a", "a", "b", "b", "c", "c", "d", "d"],
    "scene": [1, 1, 1, 1, 2, 2, 2, 2],
}


def build(formula: str, least_levels: int = 2, **options: Any) -> Any:
    return design(
        parse(formula), TABLE, levels=options.get("levels", {}), least_levels=least_levels
    )


def test_parts_of_a_formula() -> None:
    found = parse(
        "flag ~ condition * order + age + (1 + age | person) + (1|scene) + (x || clip:person)"
    )
    assert found.response == "flag"
    assert found.intercept
    assert found.terms == (("condition",), ("order",), ("age",), ("condition", "order"))
    assert found.random == (
        RandomPart(("person",), True, ("age",)),
        RandomPart(("scene",), True, ()),
        RandomPart(("clip", "person"), True, ()),
        RandomPart(("clip", "person"), False, ("x",)),
    )
    assert not parse("y ~ 0 + x + (1|g)").intercept
    assert not parse("y ~ x - 1 + (1|g)").intercept


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("flag condition", "expected one '~'"),
        ("flag ~ condition + (1 | person", r"cannot read .*\(1 \| person"),
        ("flag ~ 2fast + (1|g)", "expected the name of a column, got '2fast'"),
        ("log(y) ~ x + (1|g)", r"expected the name of a column, got 'log\(y\)'"),
        ("y ~ x + (0 | g)", r"nothing varies in '\(0 \| g\)'"),
        ("y ~ x + (a:b | g)", "interactions as random slopes are not supported"),
    ],
)
def test_unreadable_formulas(text: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        parse(text)


def test_categories_are_coded_against_their_first_level() -> None:
    found = build("flag ~ condition * order + (1|person)")
    assert found.names == (
        "(Intercept)",
        "condition[other]",
        "condition[ours]",
        "order",
        "condition[other]:order",
        "condition[ours]:order",
    )
    assert found.fixed[:, 2].tolist() == [0, 1, 1, 0, 0, 0, 0, 1]
    assert found.fixed[:, 5].tolist() == [0, 2, 1, 0, 0, 0, 0, 1]
    turned = build("flag ~ condition + (1|person)", levels={"condition": ["ours", "base", "other"]})
    assert turned.names == ("(Intercept)", "condition[base]", "condition[other]")
    as_category = build("flag ~ order + (1|person)", levels={"order": ["2", "1"]})
    assert as_category.names == ("(Intercept)", "order[1]")


def test_random_slopes_of_categories_and_joint_groups() -> None:
    found = build("flag ~ order + (condition | person:scene)")
    (varying,) = found.varying
    assert varying.names == ("(Intercept)", "condition[other]", "condition[ours]")
    assert (varying.group, varying.levels) == ("person:scene", 4)


def test_groups_with_few_levels_become_fixed_and_say_so() -> None:
    few = build("flag ~ order + (1|person) + (1|scene)", least_levels=3)
    assert few.names == ("(Intercept)", "order", "scene[2]") or few.names == (
        "(Intercept)",
        "order",
        "scene",
    )
    assert few.notes == (
        "scene has 2 levels, fewer than 3: it became a fixed effect instead of a random one",
    )
    one = design(
        parse("flag ~ order + (1|person) + (1|only)"),
        TABLE | {"only": ["x"] * 8},
        levels={},
        least_levels=2,
    )
    assert one.notes == ("only has 1 level: its random part was dropped",)
    assert [v.group for v in one.varying] == ["person"]


@pytest.mark.parametrize(
    ("formula", "change", "message"),
    [
        (
            "flag ~ conditoin + (1|person)",
            {},
            "unknown column 'conditoin'. Did you mean 'condition'",
        ),
        (
            "flag ~ order + (1|person)",
            {"order": [1, 2, np.nan, 2, 1, 2, 2, 1]},
            r"table\['order'\]\[2\]: .* got nan",
        ),
        (
            "flag ~ condition + (1|person)",
            {"condition": ["a", None, *"abcabc"]},
            r"table\['condition'\]\[1\]: .*None",
        ),
        ("flag ~ order + (1|person)", {"order": [1, 2]}, "expected columns of one length"),
        ("condition ~ order + (1|person)", {}, r"table\['condition'\]: expected numbers"),
        (
            "flag ~ order + twice + (1|person)",
            {"twice": [2, 4, 2, 4, 2, 4, 4, 2]},
            r"formula\['twice'\]: the terms before",
        ),
        ("flag ~ condition:order + (1|person)", {}, "stands without 'condition'. Write condition"),
        ("flag ~ 0 + condition + (1|person)", {}, "has no reference level. Keep the intercept"),
        ("flag ~ 0 + (1|person)", {}, "no fixed term"),
        ("flag ~ person + condition + order + (1|scene)", {}, "determine|more than"),
    ],
)
def test_tables_that_do_not_fit(formula: str, change: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        design(parse(formula), TABLE | change, levels={}, least_levels=2)


def test_empty_tables_and_unknown_levels() -> None:
    with pytest.raises(InvalidInput, match="at least one row"):
        design(parse("y ~ x + (1|g)"), {"y": [], "x": [], "g": []}, levels={}, least_levels=2)
    with pytest.raises(
        InvalidInput,
        match=r"levels\['condition'\]: expected each of \['base', 'other', 'ours'\] once",
    ):
        build("flag ~ condition + (1|person)", levels={"condition": ["base", "ours"]})


def test_a_power_is_the_sum_of_products() -> None:
    assert (
        parse("y ~ (a + b + c)^2 + (1 | p)").terms == parse("y ~ a*b + a*c + b*c + (1 | p)").terms
    )
    assert (
        parse("y ~ d + (a + b)**2 + (1 + a | p)").terms == parse("y ~ d + a*b + (1 + a | p)").terms
    )
    assert parse("y ~ (a + b)^1 + (1 | p)").terms == (("a",), ("b",))
    with pytest.raises(InvalidInput, match=r"expected a power of 1 or more, got '\(a \+ b\)\^0'"):
        parse("y ~ (a + b)^0 + (1 | p)")
