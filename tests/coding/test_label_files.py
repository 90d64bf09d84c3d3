"""CSV in and out, and the codebook for other programs."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest

from believable.coding.label_files import (
    NAMESPACE,
    MarkedText,
    read_codebook,
    read_labels,
    read_texts,
    to_qdc,
    write_codebook,
    write_labels,
)
from believable.coding.labels import Label, Mark
from believable.core.errors import InvalidInput
from believable.study.codebook import Codebook, ready, ready_names

BOOK = ready("hntt")
INTUITION = Label("intuition", None, "less")
TEXTS = {1: "=cmd|' /C calc'!A0", 2: "It is fine, really.\nYes.", 3: "x"}


@pytest.mark.parametrize("name", ready_names())
def test_a_codebook_survives_a_spreadsheet(name: str) -> None:
    book = ready(name)
    read = read_codebook(write_codebook(book), book.id, title=book.title)
    assert read.model_copy(update={"pick": book.pick}) == book


def test_labels_survive_a_spreadsheet() -> None:
    marks = [
        MarkedText(
            1,
            "kim",
            Mark(
                labels=(Label("goal", "+", "more", ((0, 3), (5, 8))), INTUITION),
                memo="=1+1",
                done=True,
            ),
        ),
        MarkedText(1, "lee", Mark(discard="cannot_tell", uncertain=True, done=True)),
        MarkedText(2, "kim", Mark(done=True)),
    ]
    text = write_labels(marks)
    assert "'=1+1" in text
    assert read_labels(text, BOOK, TEXTS) == marks


def test_texts_from_elsewhere() -> None:
    found = read_texts("judge,text,condition\nanna,'=1+1,robot\n,plain words,\n")
    assert [(one.text, one.judge, one.condition) for one in found] == [
        ("=1+1", "anna", "robot"),
        ("plain words", "row 3", None),
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("words\nx\n", r"texts.csv:1: there is no column 'text'"),
        ("text,jugde\nx,y\n", r"unknown column 'jugde'. Did you mean 'judge'?"),
        ("text\n  \n", r"texts.csv:2 text: expected words"),
        ("text,judge\nx\n", r"texts.csv:2: expected 2 cells, got 1"),
        ("text\n", "there are no texts"),
    ],
)
def test_texts_that_cannot_be_read_are_named(text: str, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        read_texts(text)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("9,kim,goal,+,more,", "labels.csv:2 response: expected the number of a text, got '9'"),
        ("1,,goal,+,more,", "coder: expected a name"),
        ("1,kim,gaol,+,more,", "unknown code 'gaol'"),
        ("1,kim,goal,,more,", "a direction is missing"),
        ("1,kim,goal,up,more,", r"expected \+ or - and more or less"),
        ("1,kim,goal,+,more,a-b", "spans: expected from-to pairs"),
        ("3,kim,goal,+,more,0-9", "beyond the text"),
        (
            "2,kim,goal,+,more,0-5\n2,kim,collision,+,more,3-9",
            "labels.csv:3: collision .* and goal .* on the same words, where the first wins",
        ),
    ],
)
def test_labels_that_do_not_fit_are_named_with_their_line(row: str, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        read_labels(f"response,coder,code,direction,side,spans\n{row}\n", BOOK, TEXTS)


GUID = re.compile(r"[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}")


def children(element: ET.Element) -> list[str]:
    return [child.tag.removeprefix(f"{{{NAMESPACE}}}") for child in element]


def check_code(code: ET.Element, guids: set[str]) -> None:
    """As the published schema has it: attributes, then Description, then codes."""
    assert set(code.attrib) <= {"guid", "name", "isCodable", "color"}
    assert {"guid", "name", "isCodable"} <= set(code.attrib)
    assert GUID.fullmatch(code.attrib["guid"])
    assert code.attrib["guid"] not in guids
    guids.add(code.attrib["guid"])
    assert code.attrib["isCodable"] in ("true", "false")
    assert re.fullmatch(r"#[0-9a-fA-F]{6}", code.attrib.get("color", "#000000"))
    tags = children(code)
    assert tags in ([*["Description"] * ("Description" in tags), *["Code"] * tags.count("Code")],)
    for child in code.findall(f"{{{NAMESPACE}}}Code"):
        check_code(child, guids)


@pytest.mark.parametrize("book", [*map(ready, ready_names())], ids=lambda book: book.id)
def test_the_codebook_file_has_the_published_structure(book: Codebook) -> None:
    root = ET.fromstring(to_qdc(book))
    assert root.tag == f"{{{NAMESPACE}}}CodeBook"
    assert root.attrib["origin"].startswith("believable ")
    assert children(root) == ["Codes", "Sets"]
    guids: set[str] = set()
    for code in root[0]:
        check_code(code, guids)
    for group in root[1]:
        assert set(group.attrib) == {"guid", "name"}
        assert GUID.fullmatch(group.attrib["guid"])
        assert {member.attrib["guid"] for member in group} <= guids
    names = {code.attrib["name"] for code in root[0]}
    assert {code.label for code in book.codes} <= names
    directed = [code for code in book.codes if code.direction]
    assert sum(
        code.attrib["isCodable"] == "false" for code in root[0].iter(f"{{{NAMESPACE}}}Code")
    ) == len(directed)


def test_guids_stay_the_same_and_children_stand_below_their_parent() -> None:
    book = BOOK.model_copy(
        update={
            "codes": tuple(
                code.model_copy(update={"parent": "goal"}) if code.id == "collision" else code
                for code in BOOK.codes
            )
        }
    )
    assert to_qdc(book) == to_qdc(book)
    root = ET.fromstring(to_qdc(book))
    goal = next(code for code in root[0] if code.attrib["name"] == "Goal directed")
    assert "Collision avoidance" in {code.attrib["name"] for code in goal if "name" in code.attrib}
