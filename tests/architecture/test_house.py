"""Names in the package are used once, variables are nouns, and files have a readable size."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest

from tests.architecture import house

LONGEST_FILE = 600
#: Of the base: what came with later features is listed in `house.ADDITIONS` and not counted.
MOST_BASE_FILES = 372
MOST_BASE_LINES = 62_500

HOUSE = house.read_house()


def test_a_class_has_a_name_of_its_own() -> None:
    assert HOUSE.double_classes == {}, "one name, several classes: call each what it is"


def test_a_file_has_a_name_of_its_own() -> None:
    assert HOUSE.double_stems == {}, "one name, several files: call each what is in it"


def test_variables_are_nouns() -> None:
    places = [f"{place}:{line}" for place, lines in HOUSE.pronouns.items() for line in lines]
    assert places == [], "call these what they hold"


def test_a_file_is_a_concept_and_can_be_read_in_one_go() -> None:
    assert 120 <= HOUSE.median_lines <= 200
    assert [place for place, count in HOUSE.lines.items() if count > LONGEST_FILE] == []


def test_the_figures_are_printed() -> None:
    lines = house.figures(HOUSE).splitlines()
    assert lines[0].split()[0] == "."
    assert any(line.startswith("median of a file: ") for line in lines)


def test_base_and_additions_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "rooms.py").write_text("x = 1\n\n\n@mark\ndef added():\n    return 1\n")
    assert house.addition("rooms.py", tmp_path) == house.Size(1, 6)
    assert house.addition("rooms.py:added", tmp_path) == house.Size(0, 5)
    assert house.addition("rooms.py:gone", tmp_path) == house.addition("elsewhere", tmp_path) == house.Size(0, 0)
    printed = house.base_and_additions(HOUSE).splitlines()
    assert not [line for line in printed if "not there" in line]
    files, lines = (int(word.replace(",", "")) for word in printed[-1].split() if word[0].isdigit())
    cure = "list what came with a later feature in ADDITIONS of tests/architecture/house.py, or take something out"
    assert 300 < files <= MOST_BASE_FILES, cure
    assert 50_000 < lines <= MOST_BASE_LINES, cure


def test_no_addition_is_counted_twice() -> None:
    places = [place for places in house.ADDITIONS.values() for place in places]
    whole = {place for place in places if ":" not in place}
    parts: Counter[tuple[str, str]] = Counter()
    for place in places:
        file, _, names = place.partition(":")
        above = {file, *map(str, Path(file).parents)} - ({file} if not names else set())
        assert not above & whole, f"{place} lies in another addition"
        parts.update((file, name) for name in names.split(",") if name)
    assert len(whole) == len(places) - sum(":" in place for place in places)
    assert {part for part, count in parts.items() if count > 1} == set()
    for file in {file for file, _ in parts}:
        for node in house.nodes_of(house.SOURCE / file):
            if isinstance(node, ast.ClassDef) and (file, node.name) in parts:
                own = {member.name for member in node.body if isinstance(member, ast.FunctionDef | ast.AsyncFunctionDef)}
                assert not {name for name in own if (file, name) in parts}, f"{file}: {node.name} is named with its parts"


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("one = 1", [1]),
        ("\nfor found, x in y:\n    pass", [2]),
        ("def f(given, *, told=None): ...", [1, 1]),
        ("[here for here in there]", [1, 1]),
        ("x.one = made", [1]),
        ("def _told(): ...", [1]),
        ("sorted(x, key=lambda one: one)", [1, 1]),
    ],
)
def test_a_pronoun_is_noticed(source: str, lines: list[int]) -> None:
    assert list(house.pronoun_lines(ast.walk(ast.parse(source)))) == lines


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("const found = 1;", [1]),
        ("\nlet [a, one] = b;", [2]),
        ("const { media: given, number } = c;", [1]),
        ("const { ok, told } = await d();", [1]),
        ("for (const one of all) go(one);", [1]),
        ("all.map((one) => one.id)", [1]),
        ("all.map(one => one.id)", [1]),
        ("export function judge(moves, made = []) {}", [1]),
        ("function made(tag) {}", [1]),
        ("stored((/** @type {any} */ one, i) => one)", [1]),
        ("const { made: launched } = own; say('const one = 1'); // const one", []),
        ("x.found = here(one);", []),
    ],
)
def test_a_pronoun_of_a_script_is_noticed(source: str, lines: list[int]) -> None:
    assert house.pronoun_lines_of_script(source) == lines


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("\n{% for name, one in all.items() %}{% endfor %}", [2]),
        ("{% set given = 1 %}", [1]),
        ("{{ told.lines }}", [1]),
        ("{% macro m(found) %}{% endmacro %}", [1]),
        ("one {{ history.told }} {{ 'here' }}", []),
    ],
)
def test_a_pronoun_of_a_template_is_noticed(source: str, lines: list[int]) -> None:
    assert house.pronoun_lines_of_template(source) == lines


def test_doubles_are_noticed(tmp_path: Path) -> None:
    for name in ("store/rounds.py", "collect/rounds.py", "worlds/maze/rules.py", "worlds/town/rules.py", "cli/rounds.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("class _Made: ...\n" if "rounds" in name else "class Rules: ...\n", encoding="utf-8")
    read = house.read_house(tmp_path)
    assert read.double_stems == {"rounds": ["collect/rounds.py", "store/rounds.py"]}
    assert list(read.double_classes) == ["Made", "Rules"]
