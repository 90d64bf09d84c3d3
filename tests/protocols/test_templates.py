"""Every template is a whole study: sound, simulated, analysed, with a verdict or a reason for each
hypothesis.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from believable.analysis.run import run
from believable.cli import group
from believable.protocols.templates import TEMPLATES
from believable.simulate import straight
from believable.study.load import load, problems


@pytest.mark.parametrize("name", TEMPLATES.names)
def test_a_template_is_a_sound_study_with_its_placeholders(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    result = CliRunner().invoke(
        group, ["new", str(folder), "--template", name], standalone_mode=False
    )
    assert result.exception is None, result.output
    assert [problem for problem in problems(folder) if problem.severity == "error"] == []
    study = load(folder).study
    assert study.analysis is not None
    assert study.analysis.protocol is None
    assert all((folder / stimulus.file).is_file() for stimulus in study.stimuli)
    assert study.demonstration == bool(study.stimuli), "placeholders are said to be placeholders"


@pytest.mark.parametrize("name", TEMPLATES.names)
def test_a_template_is_analysed_as_it_declares(name: str) -> None:
    definition = load(TEMPLATES[name].folder)
    bundle = straight.bundle(definition, 100, np.random.default_rng(4))
    analysis = run(bundle)
    plan = definition.study.analysis
    assert plan is not None
    judged = {
        name
        for finding in analysis.findings
        if finding.hypothesis
        for name in finding.hypothesis.split(", ")
    }
    assert judged == {hypothesis.id for hypothesis in plan.hypotheses}
    for finding in analysis.findings:
        if finding.hypothesis:
            assert finding.supported is not None, finding.sentence
    sections = {section.name for section in analysis.sections}
    assert set(plan.measures) <= sections
    assert "not_judged" not in sections
    assert all(
        chart.table in {table.name for table in analysis.tables}
        for s in analysis.sections
        for chart in s.charts
    )


def test_the_same_seed_gives_the_same_placeholders(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        CliRunner().invoke(group, ["new", str(tmp_path / folder), "--blank"], standalone_mode=False)
    first, second = (
        {file.name: file.read_bytes() for file in (tmp_path / f / "stimuli").iterdir()}
        for f in ("a", "b")
    )
    assert first == second
    assert len(first) == 12
