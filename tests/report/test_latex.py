"""LaTeX tables that compile whatever people wrote."""

from __future__ import annotations

import doctest
import re

import pytest

from believable.analysis.findings import Analysis, Column, Table
from believable.report import latex
from believable.report.latex import escape, latex_table


def test_examples_in_the_module_hold() -> None:
    assert doctest.testmod(latex).failed == 0


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("\\input{x}", r"\textbackslash{}input\{x\}"),
        ("a_b^c~d", r"a\_b\textasciicircum{}c\textasciitilde{}d"),
        ("100 % & $5 #1", r"100 \% \& \$5 \#1"),
        ("−0.5 ± κ", r"$-$0.5 $\pm$ $\kappa$"),
        ("p < .001\nnext", r"p \textless{} .001 next"),
        ("\u202bhidden\u0007", "hidden"),
    ],
)
def test_every_special_sign_is_escaped(text: str, written: str) -> None:
    assert escape(text) == written


def test_a_table_has_rules_footnotes_and_bold_marks(analysis: Analysis) -> None:
    made = latex_table(analysis.tables[0])
    assert re.findall(r"\\(toprule|midrule|bottomrule)", made) == [
        "toprule",
        "midrule",
        "bottomrule",
    ]
    assert r"\begin{tabular}{lrrrrlrl}" in made
    assert r"\textbf{\textless{} .001}" in made
    assert r"--\textsuperscript{a}" in made
    assert r"\textsuperscript{b} no interval, so the criterion is undefined." in made
    assert made.count(r" \\") == 1 + len(analysis.tables[0].rows)


def test_braces_and_environments_balance(analysis: Analysis) -> None:
    for table in analysis.tables:
        made = latex_table(table)
        unescaped = re.sub(r"\\[{}]", "", made)
        assert unescaped.count("{") == unescaped.count("}")
        assert sorted(re.findall(r"\\begin\{(\w+)\}", made)) == sorted(
            re.findall(r"\\end\{(\w+)\}", made)
        )


def test_addresses_of_moments_are_not_printed() -> None:
    table = Table(
        name="t",
        title="T",
        columns=(Column(name="what", title="What"), Column(name="link", title="Link")),
        rows=(("x", "stimulus:a@1"),),
    )
    assert "stimulus" not in latex_table(table)
