"""Tables for LaTeX, with booktabs. Everything a person or a study wrote is escaped."""

from __future__ import annotations

import re

from believable.analysis.records import Column, Table
from believable.report import numbers
from believable.report.tables import footnotes, mark, shown_columns

_ESCAPES = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    numbers.MINUS: "$-$",
    numbers.THIN_SPACE: r"\,",
    "\N{NO-BREAK SPACE}": "~",
    "∞": r"$\infty$",
    "±": r"$\pm$",
    "×": r"$\times$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "≠": r"$\neq$",
    "→": r"$\rightarrow$",
    "–": "--",
    "—": "---",
    "…": r"\ldots{}",
    "“": "``",
    "”": "''",
    "‘": "`",
    "’": "'",
    "²": r"\textsuperscript{2}",
    "′": r"$'$",
    "✓": r"$\checkmark$",
    "▶": r"$\triangleright$",
}
_GREEK = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "varepsilon", "η": "eta", "θ": "theta", "κ": "kappa",
    "λ": "lambda", "μ": "mu", "π": "pi", "ρ": "rho", "σ": "sigma", "τ": "tau", "φ": "varphi", "χ": "chi", "ψ": "psi",
    "ω": "omega", "Δ": "Delta", "Σ": "Sigma", "Ω": "Omega",
}  # fmt: skip
_ESCAPES |= {letter: rf"$\{name}$" for letter, name in _GREEK.items()}
_SPECIAL = re.compile("[" + re.escape("".join(_ESCAPES)) + "]")
_SPACES = re.compile(r"[\r\n\t\f\v]+")


def escape(text: str) -> str:
    r"""Text as LaTeX sets it.

    >>> escape("50 % of A_1 & B")
    '50 \\% of A\\_1 \\& B'
    """
    flat = _SPACES.sub(" ", text)
    printable = "".join(sign for sign in flat if sign.isprintable() or sign in _ESCAPES)
    return _SPECIAL.sub(lambda found: _ESCAPES[found.group()], printable)


def latex_table(table: Table) -> str:
    """A `table` environment: caption, label, booktabs rules, footnotes of undefined cells below."""
    shown = shown_columns(table)
    notes = footnotes(table)
    head = " & ".join(escape(column.title) for _, column in shown)
    lines = [
        "% needs \\usepackage{booktabs}",
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{escape(table.title)}}}",
        rf"\label{{tab:{re.sub(r'[^A-Za-z0-9:-]', '-', table.name)}}}",
        rf"\begin{{tabular}}{{{''.join(_side(column) for _, column in shown)}}}",
        r"\toprule",
        rf"{head} \\",
        r"\midrule",
    ]
    for number, row in enumerate(table.rows):
        cells = []
        for place, column in shown:
            reason = table.undefined.get((number, column.name)) if row[place] is None else None
            written = escape(numbers.cell(column, row[place]))
            if (number, column.name) in table.marked:
                written = rf"\textbf{{{written}}}"
            cells.append(written + (rf"\textsuperscript{{{mark(notes[reason])}}}" if reason else ""))
        lines.append(" & ".join(cells) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}"]
    below = [rf"\textsuperscript{{{mark(place)}}} {escape(reason)}." for reason, place in notes.items()]
    below += [escape(table.note)] if table.note else []
    if below:
        lines += [r"\par\smallskip", r"\begin{minipage}{\linewidth}\footnotesize", *below, r"\end{minipage}"]
    return "\n".join([*lines, r"\end{table}", ""])


def _side(column: Column) -> str:
    return "l" if column.form in ("text", "flag") else "r"
