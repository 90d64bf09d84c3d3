"""Class names are unique, and files have a readable size."""

from __future__ import annotations

from pathlib import Path

from tests.architecture import house

LONGEST_FILE = 600

HOUSE = house.read_house()


def test_class_names_are_unique() -> None:
    assert HOUSE.double_classes == {}, "several classes share a name: name each after what it is"


def test_a_file_is_one_concept_and_can_be_read_at_once() -> None:
    assert 120 <= HOUSE.median_lines <= 200
    assert [path for path, count in HOUSE.lines.items() if count > LONGEST_FILE] == []


def test_the_figures_are_printed() -> None:
    lines = house.figures(HOUSE).splitlines()
    assert lines[0].split() == ["package", "files", "statements"]
    assert any(line.startswith("median of a file: ") for line in lines)


def test_statements_do_not_depend_on_formatting(tmp_path: Path) -> None:
    (tmp_path / "packed").mkdir()
    (tmp_path / "packed" / "a.py").write_text("x = 1; y = [1, 2]\n")
    (tmp_path / "loose.py").write_text("x = 1\n\n\ny = [\n    1,\n    2,\n]\n")
    counts = house.read_house(tmp_path).statements_of_packages
    assert counts == {"packed": 2, ".": 2}


def test_shared_class_names_are_noticed(tmp_path: Path) -> None:
    for name, text in {"a/x.py": "class _Made: ...\n", "b/y.py": "class Made: ...\n", "c/x.py": "class Rules: ...\n"}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert house.read_house(tmp_path).double_classes == {"Made": ["a/x.py", "b/y.py"]}
