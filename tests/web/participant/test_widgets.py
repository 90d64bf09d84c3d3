"""Every question's widget as the page gets it."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import pytest

from believable.contracts.record import Text
from believable.contracts.registries import INSTRUMENTS
from believable.contracts.texts import built_in
from believable.contracts.trial import Question
from believable.web.participant.questions import view

ASKED = [one for one in INSTRUMENTS if one.use == "answer"]
CASES = [(one, number) for one in ASKED for number in range(len(one.examples))]


class Elements(HTMLParser):
    """Tags with their attributes; complains about tags that are not closed."""

    EMPTY = frozenset({"input", "br"})

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def named(self, *tags: str) -> list[dict[str, str | None]]:
        return [attributes for tag, attributes in self.found if tag in tags]


def html(instrument: Any, number: int, *, required: bool = True, **more: Any) -> str:
    question = Question(
        id="q",
        kind=instrument.name,
        params=instrument.examples[number],
        required=required,
        prompt=Text.model_validate("Prompt & <b>more</b>?"),
        **more,
    )
    made = view(question, position=1, language="en", texts=built_in("en"), seed=7)
    return str(made.html())


@pytest.mark.parametrize(
    ("instrument", "number"), CASES, ids=lambda one: getattr(one, "name", str(one))
)
def test_every_input_has_a_label_and_an_error_line(instrument: Any, number: int) -> None:
    page = Elements(html(instrument, number))
    inputs = page.named("input", "textarea")
    assert inputs
    labels = {label.get("for") for label in page.named("label")}
    ids = {attributes.get("id") for _, attributes in page.found}
    for input_ in inputs:
        wrapped = input_["type"] in ("radio", "checkbox") if "type" in input_ else False
        assert wrapped or input_["id"] in labels
        assert "style" not in input_
    for _, attributes in page.found:
        for target in (attributes.get("aria-describedby") or "").split():
            assert target in ids
    assert "q-q-error" in ids


@pytest.mark.parametrize(
    ("instrument", "number"), CASES, ids=lambda one: getattr(one, "name", str(one))
)
def test_prompts_are_escaped_and_optional_ones_can_be_cleared(instrument: Any, number: int) -> None:
    required = html(instrument, number)
    assert "Prompt &amp; &lt;b&gt;more&lt;/b&gt;?" in required
    assert "Clear answer" not in required
    optional = html(instrument, number, required=False, help=Text.model_validate("Some *help*"))
    assert "(optional)" in optional
    assert "Clear answer" in optional
    assert "<em>help</em>" in optional


def test_nothing_is_chosen_beforehand() -> None:
    for instrument, number in CASES:
        page = Elements(html(instrument, number))
        for one in page.named("input", "textarea"):
            assert "checked" not in one
            assert one.get("type") in ("radio", "checkbox") or "value" not in one
