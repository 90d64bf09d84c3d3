"""Recruiting: the platform of the participants, who may take part, and the parameters that each
platform adds to a link.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from believable.contracts.record import Record

_MOMENT_SCHEMA = {"type": "string", "examples": ["2027-01-31T18:00:00Z"]}


def _moment(value: Any) -> Any:
    """A date (its first moment) or a date and time; UTC unless it says otherwise."""
    if isinstance(value, datetime.datetime):
        return value
    try:
        moment = datetime.datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise PydanticCustomError("moment", "a date and time") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=datetime.UTC)


class Recruit(Record):
    """The platform of the participants, who may take part, and for how long."""

    platform: Literal["none", "prolific", "connect", "sona", "mturk", "custom"] = "none"
    """The platform of the participants; follows from `finish.redirect` by default."""
    id_parameter: str | None = None
    """Link parameter with the participant id, for `platform: custom`."""
    extra_parameters: tuple[str, ...] = ()
    """More link parameters to keep, as keyed hashes."""
    repeats: Literal["refuse", "resume"] = "resume"
    """Whether a returning participant resumes or is refused. Participants are known by the id of
    `platform`, and if they are refused also by their browser, which keeps a mark; personal links
    are single-use anyway.
    """
    desktop_only: bool = False
    """Whether phones and tablets are turned away."""
    minutes: int | None = Field(default=None, ge=1)
    """How long the study takes, as the landing page says; estimated from its pages and media if it
    is left out.
    """
    limit: int | None = Field(default=None, ge=1)
    """How many participants at most."""
    payment: float | None = Field(default=None, ge=0)
    """The cost of a complete session, fees included; the console shows the spent and the remaining
    money. Participants never see it: write their payment into the consent.
    """
    currency: str = Field(default="EUR", pattern=r"^[A-Z]{3}$")
    """Of `payment`: three capitals, such as EUR, GBP or USD."""
    closes: (
        Annotated[datetime.datetime, BeforeValidator(_moment), WithJsonSchema(_MOMENT_SCHEMA)]
        | None
    ) = None
    """When the study closes; UTC unless it says otherwise."""


@dataclass(frozen=True, slots=True)
class Platform:
    """`id_parameter` names the person, `extra_parameters` study and assignment. `sends_back`:
    `redirect` knows the address.
    """

    name: str
    id_parameter: str | None
    extra_parameters: tuple[str, ...]
    sends_back: bool


PLATFORMS: Mapping[str, Platform] = {
    platform.name: platform
    for platform in (
        Platform("none", None, (), False),
        Platform("prolific", "PROLIFIC_PID", ("STUDY_ID", "SESSION_ID"), True),
        Platform("connect", "participantId", ("assignmentId", "projectId"), True),
        Platform("sona", "survey_code", (), False),
        Platform("mturk", "workerId", ("assignmentId", "hitId", "turkSubmitTo"), True),
        Platform("custom", None, (), False),
    )
}


def id_parameter(recruit: Recruit) -> str | None:
    """The parameter that holds the participant's id; `None` without one."""
    return recruit.id_parameter or PLATFORMS[recruit.platform].id_parameter


def parameters(recruit: Recruit) -> tuple[str, ...]:
    """All parameters that are read from the link: the id first."""
    name = id_parameter(recruit)
    everything = (
        ((name,) if name else ())
        + PLATFORMS[recruit.platform].extra_parameters
        + recruit.extra_parameters
    )
    return tuple(dict.fromkeys(everything))
