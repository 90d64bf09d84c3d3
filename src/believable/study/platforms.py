"""Where participants come from: the id parameters that each recruiting platform adds to a link."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from believable.study.records import Recruit


@dataclass(frozen=True, slots=True)
class Platform:
    """`id_parameter` names the person, `extra_parameters` study and assignment. `sends_back`: `redirect` knows the address."""

    name: str
    id_parameter: str | None
    extra_parameters: tuple[str, ...]
    sends_back: bool


PLATFORMS: Mapping[str, Platform] = {
    one.name: one
    for one in (
        Platform("none", None, (), False),
        Platform("prolific", "PROLIFIC_PID", ("STUDY_ID", "SESSION_ID"), True),
        Platform("connect", "participantId", ("assignmentId", "projectId"), True),
        Platform("sona", "survey_code", (), False),
        Platform("mturk", "workerId", ("assignmentId", "hitId", "turkSubmitTo"), True),
        Platform("custom", None, (), False),
    )
}


def id_parameter(recruit: Recruit) -> str | None:
    """The parameter that holds the participant's id; `None` where nobody sends one."""
    return recruit.id_parameter or PLATFORMS[recruit.platform].id_parameter


def parameters(recruit: Recruit) -> tuple[str, ...]:
    """All parameters that are read from the link: the id first."""
    name = id_parameter(recruit)
    everything = (
        ((name,) if name else ()) + PLATFORMS[recruit.platform].extra_parameters + recruit.extra_parameters
    )
    return tuple(dict.fromkeys(everything))
