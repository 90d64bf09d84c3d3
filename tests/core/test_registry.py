from __future__ import annotations

from dataclasses import dataclass

import pytest

from believable.core.errors import InvalidInput, NotFound
from believable.core.registry import Registry, did_you_mean


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
