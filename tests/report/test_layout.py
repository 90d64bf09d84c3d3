"""What people and studies wrote stays text."""

from __future__ import annotations

import doctest

import pytest
from jinja2 import UndefinedError

from believable.report import latex, layout
from believable.report.layout import environment, prose


def test_examples_in_the_module_hold() -> None:
    assert doctest.testmod(layout).failed == 0
    assert doctest.testmod(latex).failed == 0


def test_what_a_template_gets_is_escaped() -> None:
    template = environment().from_string('<p title="{{ text }}">{{ text }}{{ text|prose }}</p>')
    made = template.render(text='<script> " onload="')
    assert "<script>" not in made
    assert made.count('"') == 2


def test_an_undefined_name_in_a_template_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        environment().from_string("{{ nothing }}").render()


def test_symbols_are_italic_only_before_a_sign() -> None:
    made = prose("r = .5 and a t test with d > 0.2").replace("\u00a0", " ")
    assert made == "<i>r</i> = .5 and a t test with <i>d</i> &gt; 0.2"
    assert prose("group of = 5") == "group of\u00a0=\u00a05"


def test_no_line_ends_within_a_result() -> None:
    made = prose(
        "r = −0.061 (95 % CI [−0.5, 0.4]), t(20) = 0.47, p > .999, n = 21. One of 20 is n."
    )
    for kept in ("= −0.061", "95 %", "= 0.47", "&gt; .999", "= 21"):
        assert kept.replace(" ", "\u00a0") in made
    assert "One of 20 is n." in made


def test_code_cannot_smuggle_markup() -> None:
    assert prose("`<b>`") == "<code>&lt;b&gt;</code>"
