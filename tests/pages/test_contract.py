"""Every kind of page keeps the contract, and a kind that does not is told why."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest

import believable.web
from believable.contracts.page import PageKind, PageLooks, check_page
from believable.contracts.registries import PAGES
from believable.contracts.templates import TRIAL_BLOCKS, TRIAL_TEMPLATE
from believable.contracts.texts import REFERENCE_LANGUAGE, built_in
from believable.contracts.trial import TrialBase
from believable.core.errors import InvalidInput


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
    kind = PageKind(
        name="silent page",
        record=Silent,
        folder=tmp_path,
        looks=PageLooks(script_texts=("silence.",)),
    )
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
        keys = [kind.looks.title(None), kind.looks.words(None), kind.looks.next_words(None)]
        assert [key for key in keys if key is not None and key not in texts] == []


def test_the_blocks_that_pages_may_fill_are_those_of_the_template() -> None:
    template = Path(believable.web.__file__).parent / "templates" / TRIAL_TEMPLATE
    assert tuple(re.findall(r"{% block (\w+)", template.read_text())) == TRIAL_BLOCKS


@pytest.mark.parametrize(
    ("parent", "body", "complaint"),
    [
        (
            TRIAL_TEMPLATE,
            "{% block abvoe %}Hi{% endblock %}",
            "participant/trial.html has no block 'abvoe', so it is never shown. Did you mean 'above'",
        ),
        (
            "pages/watch/page.html",
            "{%- block prmopt -%}Hi{%- endblock -%}",
            "pages/watch/page.html has no block 'prmopt', so it is never shown. Did you mean",
        ),
        (TRIAL_TEMPLATE, "<p>Hello</p>{% block above %}{% endblock %}", "'<p>Hello</p>' is in no"),
        ("pages/wacth/page.html", "", "extends 'pages/wacth/page.html', which there is not"),
    ],
)
def test_what_a_template_would_never_show_is_named(
    tmp_path: Path, parent: str, body: str, complaint: str
) -> None:
    (tmp_path / "page.html").write_text(f'{{% extends "{parent}" %}}\n{body}\n')
    with pytest.raises(InvalidInput, match=re.escape(complaint)):
        check_page(replace(PAGES["text"], folder=tmp_path))


def test_blocks_inside_a_known_block_are_fine(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(
        '{% extends "participant/trial.html" %}\n{# a note #}\n'
        "{% block above %}{% block mine %}Hi{% endblock %}{% endblock above %}"
    )
    check_page(replace(PAGES["text"], folder=tmp_path))
