"""What people and studies wrote stays text."""

from __future__ import annotations

import doctest

from believable.report import markup
from believable.report.markup import Html, prose, tag


def test_examples_in_the_module_hold() -> None:
    assert doctest.testmod(markup).failed == 0


def test_text_and_attributes_are_escaped_and_markup_is_not() -> None:
    made = tag("p", "<script>", tag("b", "x"), title='" onload="')
    assert made == '<p title="&quot; onload=&quot;">&lt;script&gt;<b>x</b></p>'
    assert isinstance(made, Html)


def test_nothing_and_false_leave_attributes_out() -> None:
    assert tag("td", None, class_=None, hidden=False, open=True) == "<td open></td>"


def test_symbols_are_italic_only_before_a_sign() -> None:
    made = prose("r = .5 and a t test with d > 0.2").replace("\u00a0", " ")
    assert made == "<i>r</i> = .5 and a t test with <i>d</i> &gt; 0.2"
    assert prose("group of = 5") == "group of\u00a0=\u00a05"


def test_no_line_ends_within_a_result() -> None:
    made = prose("r = −0.061 (95 % interval −0.5 to 0.4), t(20) = 0.47, p > .999, n = 21. One of 20 is n.")
    for kept in ("= −0.061", "95 %", "= 0.47", "&gt; .999", "= 21"):
        assert kept.replace(" ", "\u00a0") in made
    assert "One of 20 is n." in made


def test_code_cannot_smuggle_markup() -> None:
    assert prose("`<b>`") == "<code>&lt;b&gt;</code>"
