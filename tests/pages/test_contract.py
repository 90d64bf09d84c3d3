"""Every kind of page keeps the contract, and a kind that does not is told why."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest

from believable.core.errors import InvalidInput
from believable.pages import PAGES, PageKind
from believable.pages.contract import check_page
from believable.study.records import TrialBase
from believable.study.texts import REFERENCE_LANGUAGE, built_in


@pytest.mark.parametrize("kind", list(PAGES), ids=lambda kind: kind.name)
def test_every_kind_of_page_keeps_the_contract(kind: PageKind[Any]) -> None:
    check_page(kind)


class Silent(TrialBase):
    kind: Literal["loud"] = "loud"
    volume: int = 1


def test_what_breaks_the_contract_is_listed(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("<p>Hello</p>")
    (tmp_path / "page.js").write_text("export function play() {}")
    Silent.__doc__ = None
    kind = PageKind(name="silent page", record=Silent, folder=tmp_path, script_texts=("silence.",))
    with pytest.raises(InvalidInput) as told:
        check_page(kind)
    for words in (
        "does not match",
        "kind: Literal",
        "docstring",
        "'volume'",
        "extend",
        "export `show`",
        "silence.",
    ):
        assert words in str(told.value)


def test_a_script_can_be_that_of_another_kind() -> None:
    assert (
        PAGES["group"].script_address
        == PAGES["compare"].script_address
        == "/static/pages/compare/page.js"
    )
    assert PAGES["text"].script_address is None
    assert replace(PAGES["text"], folder=PAGES["watch"].folder).template == "pages/text/page.html"


def test_the_built_in_words_of_every_kind_exist() -> None:
    texts = built_in(REFERENCE_LANGUAGE)
    for name in ("consent", "check", "break", "rate", "device", "watch", "compare", "group"):
        kind = PAGES[name]
        keys = [kind.title(None), kind.words(None), kind.next_words(None)]
        assert [key for key in keys if key is not None and key not in texts] == []
