"""The page of a ladder that grows, from bundles."""

from __future__ import annotations

import pytest

from believable.app.ladder import ladder
from believable.core.errors import InvalidInput


def test_bundles_become_a_page_with_one_table_over_time(simulated, tmp_path):
    bundles = [simulated("ladder", 40)[1], simulated("hntt", 30)[1], simulated("ladder", 30)[1]]
    joined = ladder(bundles, out=tmp_path / "ladder", formats="")
    text = (tmp_path / "ladder" / "report.html").read_text("utf-8")
    assert "Ladder of 7 agents from 3 studies" in text
    assert "bundle (3)" in text
    agents = {row["agent"]: row for row in joined.analysis.table("living")}
    assert agents["people"]["studies"] == 3
    assert agents["standin_agent"]["studies"] == 2
    assert agents["navigator"]["studies"] == 1
    over_time = [(row["agent"], row["study"]) for row in joined.analysis.table("over_time")]
    assert len(over_time) == 6 + 2 + 6
    assert "Drift of judges" in text


def test_studies_without_choices_between_two_are_refused(simulated, tmp_path):
    with pytest.raises(InvalidInput, match="judges of clips do not choose between two"):
        ladder([simulated("clips", 20)[1]], out=tmp_path / "ladder", formats="")
