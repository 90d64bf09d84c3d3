"""The plan in the how-to is one that passes every check."""

from __future__ import annotations

import re
from pathlib import Path

from believable.analysis.resolution import resolve
from believable.core.nodes import parse
from believable.study.declaration import DeclaredPlan

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "analyse-a-study.md"


def test_the_plan_of_the_page_fits_a_study(studies):
    block = re.search(r"```yaml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert block is not None
    tree, problems = parse(block.group(1).encode(), "page")
    assert not problems
    assert tree is not None
    study = studies.definition_of({**studies.COMPARING, "analysis": tree.plain()["analysis"]}).study
    assert isinstance(study.analysis, DeclaredPlan)
    assert resolve(study.analysis, study).test_option("accuracy", "margin") == 0.1
