"""Tables in print: the cells of a table, its footnotes, and LaTeX with booktabs. Text written by
people and studies is escaped.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from believable.analysis import numbers
from believable.analysis.findings import Column, Table

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
    "α": "alpha",
    "β": "beta",
    "γ": "gamma",
    "δ": "delta",
    "ε": "varepsilon",
    "η": "eta",
    "θ": "theta",
    "κ": "kappa",
    "λ": "lambda",
    "μ": "mu",
    "π": "pi",
    "ρ": "rho",
    "σ": "sigma",
    "τ": "tau",
    "φ": "varphi",
    "χ": "chi",
    "ψ": "psi",
    "ω": "omega",
    "Δ": "Delta",
    "Σ": "Sigma",
    "Ω": "Omega",
}
_ESCAPES |= {letter: rf"$\{name}$" for letter, name in _GREEK.items()}
_SPECIAL = re.compile("[" + re.escape("".join(_ESCAPES)) + "]")
_SPACES = re.compile(r"[\r\n\t\f\v]+")
#: The text of a marked cell.
MARKED = "p below alpha, each test on its own, not adjusted for their number"


def shown_columns(table: Table) -> list[tuple[int, Column]]:
    """The printed columns: all columns except the addresses of moments and the codes of sessions,
    which only join tables.
    """
    return [
        (place, column)
        for place, column in enumerate(table.columns)
        if column.name not in ("link", "session")
    ]


def footnotes(table: Table) -> Mapping[str, str]:
    """The marks of the reasons of undefined cells, in the order in which a reader meets them."""
    places = [(row, column.name) for row in range(len(table.rows)) for column in table.columns]
    reasons = dict.fromkeys(table.undefined[place] for place in places if place in table.undefined)
    return {reason: mark(number) for number, reason in enumerate(reasons, start=1)}


def mark(number: int) -> str:
    """Footnotes of tables are letters, as numbers would read as powers.

    >>> mark(1), mark(27)
    ('a', 'aa')
    """
    letters = ""
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("a") + rest) + letters
    return letters


def escape(text: str) -> str:
    r"""Text as LaTeX sets it.

    >>> escape("50 % of A_1 & B")
    '50 \\% of A\\_1 \\& B'
    """
    flat = _SPACES.sub(" ", text)
    printable = "".join(sign for sign in flat if sign.isprintable() or sign in _ESCAPES)
    return _SPECIAL.sub(lambda match: _ESCAPES[match.group()], printable)


def latex_table(table: Table, mark: str = "") -> str:
    """A `table` environment: caption, label, booktabs rules, footnotes of undefined cells below."""
    shown = shown_columns(table)
    notes = footnotes(table)
    caption = f"{mark}. {table.title}" if mark else table.title
    head = " & ".join(escape(column.title) for _, column in shown)
    lines = [
        "% needs \\usepackage{booktabs}",
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{escape(caption)}}}",
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
            cells.append(written + (rf"\textsuperscript{{{notes[reason]}}}" if reason else ""))
        lines.append(" & ".join(cells) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}"]
    below = [rf"\textsuperscript{{{sign}}} {escape(reason)}." for reason, sign in notes.items()]
    below += [escape(f"Bold cells: {MARKED}.")] if table.marked else []
    below += [escape(table.note)] if table.note else []
    if below:
        lines += [
            r"\par\smallskip",
            r"\begin{minipage}{\linewidth}\footnotesize",
            *below,
            r"\end{minipage}",
        ]
    return "\n".join([*lines, r"\end{table}", ""])


def _side(column: Column) -> str:
    return "l" if column.form in ("text", "flag") else "r"
