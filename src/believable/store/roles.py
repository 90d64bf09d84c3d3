"""What a user of the console may be."""

from __future__ import annotations

from typing import Literal, TypeAlias

Role: TypeAlias = Literal["owner", "researcher", "coordinator", "coder"]
ROLES: tuple[Role, ...] = ("owner", "researcher", "coordinator", "coder")
