"""`included` in a bundle says what the declared analysis counts: sessions, whole pages and single
answers.
"""

from __future__ import annotations

import pytest

from believable.analysis.analysed_set import find_exclusions
from believable.analysis.run import study_of
from believable.study.declaration import ExclusionRule


def reviewed(studies):
    """12 judges. The first one's first text was excluded in the review."""

    def change(tables):
        first = next(
            row
            for row in tables["answers"]
            if row["session"] == "j0000" and row["question"] == "why"
        )
        tables["exclusions"].append(
            {key: first[key] for key in ("session", "trial_key", "question")}
            | {"scope": "answer", "reason": "text_excluded"}
        )

    return studies.judges(12, change=change)


@pytest.mark.parametrize(
    ("drops", "left_out"), [("session", 240 // 12), ("trial", 3), ("answer", 1)]
)
def test_included_answers_are_those_that_the_analysis_reads(studies, drops, left_out):
    made = reviewed(studies)
    rule = ExclusionRule(rule="reviewed", drops=drops)
    data, _ = studies.data_of(made, exclusions=(rule,))
    found = find_exclusions(study_of(made)[1].analysis.model_copy(update={"exclusions": (rule,)}))(
        made
    )
    rows = list(made["answers"].rows())
    included = [row for row in rows if found.counts_answer(row)]
    assert included == list(data.table("answers").rows())
    assert len(rows) - len(included) == left_out
    people = [row["session"] for row in made["participants"].rows() if found.counts_session(row)]
    assert people == list(data.sessions)
    assert [
        (row["session"], row["scope"], row["reason"], row["applied"]) for row in found.rows
    ] == [("j0000", drops, "reviewed", True)]
