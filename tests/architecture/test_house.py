"""Ratchets only fall, class names are unique, and files have a readable size."""

from __future__ import annotations

import functools
from pathlib import Path

from tests.architecture import house

RATCHETS = house.read_ratchets()
#: A ratchet that is higher than its figure by more than this share allows growth without a reason.
SLACK = 0.03


@functools.cache
def our_house() -> house.House:
    """Read at the first use: every process collects this module, and one runs it."""
    return house.read_house()


def test_class_names_are_unique() -> None:
    assert our_house().double_classes == {}, (
        "several classes share a name: name each after what it is"
    )


def test_no_file_is_long() -> None:
    assert our_house().long_files == {}, (
        "split by subject, or delete: no file has more than 500 lines"
    )


def test_a_long_file_is_found(tmp_path: Path) -> None:
    (tmp_path / "even.py").write_text("\n" * house.LONG_FILE)
    (tmp_path / "long.py").write_text("\n" * (house.LONG_FILE + 1))
    assert house.read_house(tmp_path).long_files == {"long.py": 501}


def test_no_figure_is_above_its_ratchet() -> None:
    above = [
        f"{name}: {package} has {count}, its ratchet is {RATCHETS[name].get(package, 0)}"
        for name, counts in our_house().figures.items()
        for package, count in sorted(counts.items())
        if count > RATCHETS[name].get(package, 0)
    ]
    assert above == [], (
        "delete or improve something, or raise the ratchet in ratchets.toml with its reason"
    )


def test_no_ratchet_is_left_high() -> None:
    high = [
        f"{name}: {package} has {our_house().figures[name][package]}, its ratchet is {limit}"
        for name, limits in RATCHETS.items()
        for package, limit in limits.items()
        if limit > our_house().figures[name][package] * (1 + SLACK) + 5
    ]
    assert high == [], "run `python tests/architecture/house.py --lower`"


def test_a_file_is_one_concept() -> None:
    assert 120 <= our_house().median_lines <= 250


def test_the_figures_are_printed() -> None:
    text = house.print_figures(our_house(), RATCHETS)
    assert all(about in text for about in house.FIGURES.values())
    assert "median of a file: " in text


def test_statements_do_not_depend_on_formatting(tmp_path: Path) -> None:
    (tmp_path / "packed").mkdir()
    (tmp_path / "packed" / "a.py").write_text("x = 1; y = [1, 2]\n")
    (tmp_path / "loose.py").write_text("x = 1\n\n\ny = [\n    1,\n    2,\n]\n")
    counts = house.read_house(tmp_path).figures["statements"]
    assert counts == {"packed": 2, ".": 2}


def test_each_figure_is_noticed(tmp_path: Path) -> None:
    text = '''"""What is wanted of somebody."""
from dataclasses import dataclass
@dataclass
class Five:
    a: int
    b: int
    c: int
    d: int
    e: int
@dataclass(kw_only=True)
class Named:
    a: int
    b: int
    c: int
    d: int
    e: int
def settled():
    import json  # where it is needed
    return json.dumps(1, 2, 3, 4, 5, 6, 7)
'''
    wide = "x = " + "1" * 100 + "\n"
    (tmp_path / "a.py").write_text(text + wide, encoding="utf-8")
    figures = house.read_house(tmp_path).figures
    assert {name: counts["."] for name, counts in figures.items()} == {
        "statements": 18,
        "wide_lines": 1,
        "positional_records": 1,
        "positional_calls": 1,
        "imports_in_functions": 1,
        "participles": 1,
        "foreign_phrases": 3,
    }


def test_ratchets_fall_and_keep_their_reasons() -> None:
    n = our_house().figures["statements"]["stats"]
    text = f"[statements]\n# why\nstats = {n + 9}  # because\nweb = 1\nnone = 4\n"
    lowered = house.lower_ratchets(our_house(), text)
    assert lowered == f"[statements]\n# why\nstats = {n}  # because\nweb = 1\n"


def test_shared_class_names_are_noticed(tmp_path: Path) -> None:
    for name, text in {
        "a/x.py": "class _Made: ...\n",
        "b/y.py": "class Made: ...\n",
        "c/x.py": "class Rules: ...\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert house.read_house(tmp_path).double_classes == {"Made": ["a/x.py", "b/y.py"]}
