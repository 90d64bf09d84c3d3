"""Generic packages know worlds, protocols and kinds of pages by their contracts and none of them by
name.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping

import pytest

from believable.contracts.registries import AGENTS, INSTRUMENTS, WORLDS
from believable.protocols import READY_STUDIES
from tests.architecture.house import modules, nodes_of

KNOW_NO_WORLD = ("bundle", "cli", "collect", "report", "store", "web")
KNOW_NO_PROTOCOL = (
    *("core", "study", "analysis", "report", "simulate", "bundle"),
    *("collect", "store", "web", "stats", "traces", "coding", "cli"),
)
#: A protocol may be about a kind of page; everything else asks the record or the registry.
KNOW_KINDS = ("pages", "protocols")
#: What a generic package may know of pages: the registry, the contract, how answers are judged, the
#: message.
PAGES_FOR_ALL = {"expected_time", "message"}

#: Ask the registry of instruments and of agents; a protocol and a page may be about one of them.
KNOW_NO_INSTRUMENT = (
    *("core", "contracts", "study", "analysis", "report", "simulate", "bundle"),
    *("collect", "store", "web", "stats", "traces", "coding", "cli", "app", "stimuli"),
)
KNOW_NO_AGENT = (*KNOW_NO_INSTRUMENT, "pages", "instruments", "players", "recordings")
#: These write a study as an author does, or take the part of a person with this instrument.
NAME_AN_INSTRUMENT = {
    "bundle/foreign_judgements.py": {"likert"},
    "bundle/two_choices.py": {"long_text"},
    "simulate/viewer.py": {"flags"},
}
#: The demo of a town and the studies with its recordings choose a mind; `believable town` has one
#: unless told otherwise.
NAME_AN_AGENT = {"app/new.py": {"neurosymbolic", "generative"}, "app/town.py": {"generative"}}
#: Names of parts that are also words with other meanings.
WORDS = {
    *("choice", "choices", "text", "number", "flags", "preference", "certainty", "matrix"),
    *("person", "random", "bot", "network", "imitation", "regular", "routine"),
}
INSTRUMENT_NAMES = frozenset(INSTRUMENTS.names)
AGENT_NAMES = frozenset(AGENTS.names) | {name.partition("/")[2] for name in AGENTS.names}

PLAYED = [world.name for world in WORLDS if world.playing]
PROTOCOLS = frozenset(READY_STUDIES.names)
#: `replay`, `qa`, `trace` and `clips` are also kinds of pages, players and words; this is nothing
#: else.
UNMISTAKABLE = {"hntt"}


def worlds_named(source: str) -> list[int]:
    """Lines that import a world's own modules, or hold the name of one that is played as a
    value.
    """
    named = "|".join(PLAYED)
    pattern = re.compile(rf"believable\.worlds(\.| import )({named})\b|[\"']({named})[\"']")
    return [
        number for number, line in enumerate(source.splitlines(), start=1) if pattern.search(line)
    ]


def protocols_named(nodes: Iterable[ast.AST]) -> Iterator[int]:
    """Lines where a name of a protocol decides something: looked up in a registry, compared with
    one, or a key beside others.
    """
    for node in nodes:
        if isinstance(node, ast.Constant):
            named = node.value in UNMISTAKABLE
        elif isinstance(node, ast.Subscript):
            named = is_protocol(node.slice) and "protocol" in ast.unparse(node.value).lower()
        elif isinstance(node, ast.Compare):
            named = (
                any(map(is_protocol, ast.walk(node))) and "protocol" in ast.unparse(node).lower()
            )
        elif isinstance(node, ast.Dict | ast.Set | ast.Tuple | ast.List):
            items = node.keys if isinstance(node, ast.Dict) else node.elts
            names = {item.value for item in items if isinstance(item, ast.Constant)}
            named = len(names) > 1 and "demo" not in names and all(map(is_protocol, items))
        else:
            continue
        if named:
            yield node.lineno


def is_protocol(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Constant) and node.value in PROTOCOLS


def kinds_named(nodes: Iterable[ast.AST]) -> Iterator[int]:
    """Lines that import something of one kind of page."""
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("believable.pages"):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [
                alias.name for alias in node.names if alias.name.startswith("believable.pages.")
            ]
        else:
            continue
        if any(name.split(".")[2] not in PAGES_FOR_ALL for name in names):
            yield node.lineno


def parts_named(nodes: Iterable[ast.AST], names: frozenset[str]) -> Iterator[tuple[str, int]]:
    """The parts whose name is a value, or whose module is imported, with the line."""
    for node in nodes:
        if isinstance(node, ast.Constant) and node.value in names - WORDS:
            yield str(node.value), node.lineno
        elif isinstance(node, ast.ImportFrom):
            folder, _, name = (node.module or "").partition("believable.instruments.")
            if not folder and name.split(".")[0] in names:
                yield name.split(".")[0], node.lineno


@pytest.mark.parametrize(
    ("packages", "names", "excused"),
    [
        (KNOW_NO_INSTRUMENT, INSTRUMENT_NAMES, NAME_AN_INSTRUMENT),
        (KNOW_NO_AGENT, AGENT_NAMES, NAME_AN_AGENT),
    ],
    ids=["instrument", "agent"],
)
def test_no_instrument_and_no_agent_is_named(
    packages: tuple[str, ...], names: frozenset[str], excused: Mapping[str, set[str]]
) -> None:
    named = {
        (place, name): line
        for place, file in modules(*packages)
        for name, line in parts_named(nodes_of(file), names)
    }
    allowed = {(place, name) for place, some in excused.items() for name in some}
    assert [
        f"{place}:{line}: {name}"
        for (place, name), line in named.items()
        if (place, name) not in allowed
    ] == []
    assert allowed <= named.keys(), "nothing is excused that is not there"


@pytest.mark.parametrize(
    "source",
    [
        'TOOLS = ("ranktrace", "own")',
        'if kind == "long_text": pass',
        "from believable.instruments.number import bounds",
    ],
)
def test_an_instrument_is_noticed(source: str) -> None:
    assert list(parts_named(ast.walk(ast.parse(source)), INSTRUMENT_NAMES))


def test_an_agent_is_noticed() -> None:
    assert list(parts_named(ast.walk(ast.parse('new("town/scripted")')), AGENT_NAMES))
    assert list(parts_named(ast.walk(ast.parse('x = "symbolic"')), AGENT_NAMES))
    assert not list(parts_named(ast.walk(ast.parse('x = "person"')), AGENT_NAMES))


def test_no_world_is_named() -> None:
    texts = ((place, file.read_text(encoding="utf-8")) for place, file in modules(*KNOW_NO_WORLD))
    assert [f"{place}:{line}" for place, text in texts for line in worlds_named(text)] == []


def test_no_protocol_is_named() -> None:
    parsed = ((place, nodes_of(file)) for place, file in modules(*KNOW_NO_PROTOCOL))
    assert [f"{place}:{line}" for place, nodes in parsed for line in protocols_named(nodes)] == []


def test_no_kind_of_page_is_named() -> None:
    parsed = (
        (place, nodes_of(file)) for place, file in modules() if not place.startswith(KNOW_KINDS)
    )
    assert [f"{place}:{line}" for place, nodes in parsed for line in kinds_named(nodes)] == []


def test_a_world_is_noticed() -> None:
    assert PLAYED
    assert worlds_named(f"from believable.worlds.{PLAYED[0]}.rules import step")
    assert worlds_named(f"if world == '{PLAYED[0]}':")
    assert not worlds_named("from believable.contracts.registries import WORLDS")


@pytest.mark.parametrize(
    "source",
    [
        'PROTOCOLS["trace"]',
        'if plan.protocol == "replay": pass',
        'x = plan.protocol in ("replay", "clips")',
        'MAKERS = {"clips": 1, "replay": 2}',
        'name = "hntt"',
    ],
)
def test_a_protocol_is_noticed(source: str) -> None:
    assert list(protocols_named(ast.walk(ast.parse(source))))


@pytest.mark.parametrize(
    "source", ['player == "replay"', 'kinds = {"qa": 1, "watch": 2}', "x = {**y}"]
)
def test_other_uses_of_the_words_pass(source: str) -> None:
    assert not list(protocols_named(ast.walk(ast.parse(source))))


def test_a_kind_of_page_is_noticed() -> None:
    source = (
        "from believable.pages.watch import Watch\nfrom believable.pages import message\nimport"
        " believable.pages.play"
    )
    assert list(kinds_named(ast.walk(ast.parse(source)))) == [1, 3]
