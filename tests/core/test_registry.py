from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import pytest

from believable.core.errors import BrokenPlugin, InvalidInput, NotFound
from believable.core.registry import RecordSource, Registry, did_you_mean


@dataclass(frozen=True)
class Thing:
    name: str


def test_lookup_order_and_membership() -> None:
    registry = Registry("thing", [Thing("likert"), Thing("choice")])
    assert registry["choice"] == Thing("choice")
    assert registry.names == ("likert", "choice")
    assert list(registry) == [Thing("likert"), Thing("choice")]
    assert "likert" in registry
    assert len(registry) == 2


def test_a_near_miss_is_named() -> None:
    registry = Registry("instrument", [Thing("likert"), Thing("choice")])
    with pytest.raises(NotFound, match=r"unknown instrument 'lickert'\. Did you mean 'likert'\?"):
        registry["lickert"]


def test_far_off_lists_what_there_is() -> None:
    assert did_you_mean("xyz", ["b", "a"]) == "Choose one of: a, b."
    assert did_you_mean("xyz", []) == "There is none to choose from."


def test_a_name_is_registered_once() -> None:
    registry = Registry("thing", [Thing("a")])
    with pytest.raises(InvalidInput, match="thing 'a' is registered already"):
        registry.add(Thing("a"))


def broken() -> Thing:
    raise OSError("no such place")


def test_sources_are_loaded_one_by_one_when_they_are_asked_for() -> None:
    loaded: list[str] = []

    def load(name: str) -> Thing:
        loaded.append(name)
        return Thing(name)

    sources = [RecordSource(name, "believable", partial(load, name)) for name in ("a", "b")]
    registry = Registry("thing", sources=lambda: sources)
    assert registry.names == ("a", "b")
    assert "b" in registry
    assert loaded == []
    assert registry["b"] == registry["b"] == Thing("b")
    assert loaded == ["b"]


def test_a_broken_one_is_an_error_for_whoever_asks_for_it_only(
    caplog: pytest.LogCaptureFixture,
) -> None:
    registry = Registry(
        "thing",
        sources=lambda: [
            RecordSource("x", "acme 1", broken),
            RecordSource("y", "acme 1", lambda: Thing("y")),
        ],
    )
    assert list(registry) == [Thing("y")]
    message = "thing 'x' of acme 1 cannot be loaded: OSError: no such place"
    assert message in caplog.text
    with pytest.raises(BrokenPlugin, match=message):
        registry["x"]


def test_a_fault_of_ours_is_not_hidden() -> None:
    registry = Registry("thing", sources=lambda: [RecordSource("x", "believable", broken)])
    with pytest.raises(OSError, match="no such place"):
        list(registry)


def test_a_record_is_declared_under_its_own_name() -> None:
    registry = Registry("thing", sources=lambda: [RecordSource("x", "acme 1", lambda: Thing("y"))])
    with pytest.raises(BrokenPlugin, match="thing 'x' of acme 1 calls itself 'y'"):
        registry["x"]


def test_a_name_declared_twice_names_both_owners() -> None:
    twice = [RecordSource("x", "acme 1", broken), RecordSource("x", "other 2", broken)]
    registry = Registry[Thing]("thing", sources=lambda: twice)
    with pytest.raises(InvalidInput, match="thing 'x' is declared by acme 1 and by other 2"):
        len(registry)
