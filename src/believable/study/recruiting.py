"""Recruiting as a record: where participants come from, who may take part, and for how long."""

from __future__ import annotations

import datetime
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from believable.study.bases import Record

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
    """Where participants come from, who may take part, and for how long."""

    platform: Literal["none", "prolific", "connect", "sona", "mturk", "custom"] = "none"
    """Where people come from; settled by `finish.redirect` where it is left out."""
    id_parameter: str | None = None
    """Link parameter with the participant id, for `platform: custom`."""
    extra_parameters: tuple[str, ...] = ()
    """More link parameters to keep, as keyed hashes."""
    repeats: Literal["refuse", "resume"] = "resume"
    """Whether somebody who comes again goes on or is refused."""
    desktop_only: bool = False
    """Whether phones and tablets are turned away."""
    limit: int | None = Field(default=None, ge=1)
    """How many participants at most."""
    closes: Annotated[datetime.datetime, BeforeValidator(_moment), WithJsonSchema(_MOMENT_SCHEMA)] | None = (
        None
    )
    """When the study closes; UTC unless it says otherwise."""
