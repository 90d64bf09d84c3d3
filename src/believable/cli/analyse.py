"""`believable analyse`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from believable.analysis.findings import Analysis
from believable.analysis.result_files import results_json
from believable.app.analyse import analyse, requirement_outcome
from believable.cli.derive import derive


def _default_folder(values: dict[str, Any]) -> None:
    source = values["source"]
    name = (source.parent if source.name == "study.yaml" else source).resolve().name
    values["out"] = values["out"] or Path(f"{name}-results")


@derive(
    analyse,
    example="""
      believable analyse my-study
      believable analyse my-study-bundle --out results
      believable analyse my-study --require H1
    """,
    prepare=_default_folder,
    outcome=lambda analysis, values: requirement_outcome(analysis, values["require"]),
    answer=lambda analysis: json.loads(results_json(analysis)),
)
def command(analysis: Analysis) -> None:
    lines = [analysis.title, ""]
    lines += [f"! {warning}" for warning in (*analysis.source.marks, *analysis.warnings)]
    lines += [f"≠ {deviation}" for deviation in analysis.deviations]
    for step in analysis.funnel:
        lost = step.before - step.after
        left_out = f" ({lost} left out: {step.reason})" if lost else ""
        lines.append(f"{step.title}: {step.after}{left_out}")
    for section in analysis.sections:
        if section.findings:
            lines += ["", section.title]
            lines += [f"  {finding.status:<13} {finding.sentence}" for finding in section.findings]
    click.echo("\n".join(lines))
