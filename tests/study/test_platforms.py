"""The id parameters of the recruiting platforms."""

from __future__ import annotations

import pytest

from believable.study.platforms import PLATFORMS, id_parameter, parameters
from believable.study.records import Recruit


@pytest.mark.parametrize(
    ("recruit", "expected"),
    [
        (Recruit(), ()),
        (Recruit(platform="prolific"), ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")),
        (Recruit(platform="connect"), ("participantId", "assignmentId", "projectId")),
        (Recruit(platform="sona"), ("survey_code",)),
        (Recruit(platform="mturk"), ("workerId", "assignmentId", "hitId", "turkSubmitTo")),
        (
            Recruit(platform="custom", id_parameter="who", extra_parameters=("where",)),
            ("who", "where"),
        ),
        (
            Recruit(platform="prolific", extra_parameters=("STUDY_ID", "wave")),
            ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID", "wave"),
        ),
    ],
)
def test_parameters(recruit, expected):
    assert parameters(recruit) == expected
    assert id_parameter(recruit) == (expected[0] if expected else None)


def test_every_platform_of_the_study_file_is_known():
    choices = Recruit.model_json_schema()["properties"]["platform"]["enum"]
    assert set(choices) == set(PLATFORMS)
