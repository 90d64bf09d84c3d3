"""The agent on the page about extending keeps the contract, and the page names every registry."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from believable.contracts import registries
from believable.core.registry import Registry
from believable.worlds.agent_check import check_agent

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "extend.md").read_text(encoding="utf-8")


def test_the_agent_of_the_page_keeps_the_contract() -> None:
    code = re.search(r"^```python\n(.*?)^```$", PAGE, re.M | re.S)
    assert code is not None
    names: dict[str, Any] = {}
    exec(code[1], names)
    assert check_agent(names["WALKER"]).decisions > 100


def test_every_entry_point_and_its_check_are_named() -> None:
    parts = [value for value in vars(registries).values() if isinstance(value, Registry)]
    assert len(parts) == 6
    for part in parts:
        group = part.what.replace("kind of page", "page")
        assert f"`believable.{group}s`" in PAGE
        assert f"`check_{group}`" in PAGE
