"""The reference page of the statistics: every public function, what it gives, by which formula, and
who saw it do so.
"""

from __future__ import annotations

import ast
import re

from validation.witnesses import ELSEWHERE, PARTS, WITNESSES, public_functions

#: Modules in the order of the page: what a reader looks for first, first.
TITLES = {
    "stats.location": "Two samples: which lies higher?",
    "stats.means": "Means",
    "stats.counts": "Counts and shares",
    "stats.estimate": "Intervals of shares",
    "stats.effects": "Effect sizes",
    "stats.equivalence": "Equivalence",
    "stats.correlations": "Correlations",
    "stats.regression": "Regression",
    "stats.models.logistic": "Mixed models: yes or no",
    "stats.models.ordinal": "Mixed models: ratings",
    "stats.models.linear": "Mixed models: numbers",
    "stats.bootstrap": "Bootstrap",
    "stats.two_way": "Bootstrap of people and stimuli",
    "stats.crossed": "Means over judges and clips",
    "stats.crossed_contrasts": "Differences over judges and clips",
    "stats.permutation": "Permutation",
    "stats.sequential": "Evidence that is read after every judge",
    "stats.stopping_rule": "The rule that reads it",
    "stats.e_values": "Evidence about many agents",
    "stats.result": "Many tests",
    "stats.power": "Planning",
    "stats.agreement.kappas": "Agreement: kappas of raters with habits of their own",
    "stats.agreement.multirater": "Agreement: interchangeable raters",
    "stats.agreement.krippendorff": "Agreement: any level of measurement, missing values",
    "stats.agreement.reliability": "Agreement: numbers and orders",
    "stats.pairs": "Comparisons of two",
    "stats.bradley_terry": "Comparisons of two: a common scale",
    "stats.strength_contrasts": "Comparisons of two: contrasts, ranks, equivalence with people",
    "stats.strength_drift": "Comparisons of two: whether judges of two studies differ",
    "stats.smoothness": "Smoothness of movement",
    "stats.detection": "Signal detection",
    "stats.indices": "Indices of the published studies",
    "traces.resample": "Traces: from events to samples, windows and counts",
    "traces.trace_agreement": "Traces: agreement, outliers, gold standard",
    "traces.dtw": "Traces: dynamic time warping",
}
_FIELD = re.compile(
    r"^ {0,4}(Formula|Source|Checked|Criterion)\b:?\s+(.*(?:\n {5,}\S.*)*)", re.MULTILINE
)
_INLINE = re.compile(
    r"(?<=[.;]) (Source|Checked|Interval|Undefined|Range)(?::| against)? .*", re.DOTALL
)


def page() -> str:
    """The whole page as Markdown."""
    lines = [
        "# Statistical functions",
        "",
        (
            "Generated from the docstrings and from the list of witnesses: do not edit. A function"
            " is imported from the module in"
        ),
        (
            'its heading (`from believable.stats.location import paired_t`). "Cases" names the'
            " folder of `tests/oracles` whose"
        ),
        (
            "committed input, script and output show what the other tool gave; the tests compare"
            " every number with it. Coverage of"
        ),
        "the intervals is in [validity](../validity.md).",
    ]
    functions: dict[str, list[ast.FunctionDef]] = {}
    for module, node in public_functions():
        if node.name not in PARTS.get(module, "").split():
            functions.setdefault(module, []).append(node)
    missing = sorted(functions.keys() - TITLES.keys())
    if missing:
        raise ValueError(f"TITLES: no heading for {', '.join(missing)}. Add one.")
    for module, title in TITLES.items():
        lines += ["", f"## {title}", "", f"`believable.{module}`", ""]
        lines += [
            "| function | gives | formula, source | checked against | cases |",
            "|---|---|---|---|---|",
        ]
        lines += [_row(module, node) for node in functions.get(module, [])]
    return "\n".join(lines) + "\n"


def _row(module: str, node: ast.FunctionDef) -> str:
    text = ast.get_docstring(node) or ""
    fields = {name: " ".join(words.split()) for name, words in _FIELD.findall(text)}
    for name, words in tuple(fields.items()):  # several short fields may share a line
        for later in re.finditer(
            r"(Source|Checked):? (?:against )?(.+?)(?=(?: Source| Checked|$))", words
        ):
            fields.setdefault(later[1], later[2])
        fields[name] = _INLINE.sub("", words)
    formula = " ".join(
        part
        for part in (fields.get("Formula") or fields.get("Criterion"), fields.get("Source"))
        if part
    )
    witness = WITNESSES.get(module, {}).get(node.name)
    cases = (
        f"`{witness.folder}`: {', '.join(witness.entries)}"
        if witness
        else ELSEWHERE[f"{module}.{node.name}"]
    )
    cells = (
        f"`{node.name}`",
        " ".join(text.split("\n\n")[0].split()),
        formula,
        fields.get("Checked", ""),
        cases,
    )
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
