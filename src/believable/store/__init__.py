"""The database: events, sessions, studies, accounts, coding. Only this package speaks SQL."""

from __future__ import annotations

from typing import Literal, TypeAlias

#: The roles of a user of the console in a study. They are here so that the command line can offer
#: them without a database.
Role: TypeAlias = Literal["owner", "researcher", "coordinator", "coder"]
ROLES: tuple[Role, ...] = ("owner", "researcher", "coordinator", "coder")
