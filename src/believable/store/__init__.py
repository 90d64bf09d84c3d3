"""The database: events, sessions, studies, accounts, coding. Only this package speaks SQL."""

from __future__ import annotations

from typing import Literal, TypeAlias

#: What a user of the console may be in a study. It stands here so that the command line can offer
#: roles without a database.
Role: TypeAlias = Literal["owner", "researcher", "coordinator", "coder"]
ROLES: tuple[Role, ...] = ("owner", "researcher", "coordinator", "coder")
