"""Who may do what with coded texts, and how pages find their project."""

from __future__ import annotations

from believable.core.errors import InvalidInput
from believable.store import coding_projects
from believable.store.coding_projects import BookVersion, Project
from believable.web.console.desk import Access, Visit

COORDINATORS: Access = frozenset({"owner", "researcher", "coordinator"})


async def the_project(visit: Visit) -> Project:
    name = visit.path("project")
    return await visit.read(lambda conn: coding_projects.get(conn, name))


async def the_book(visit: Visit, project: Project) -> BookVersion:
    return await visit.read(lambda conn: coding_projects.book(conn, project.id))


def whole(text: str, name: str, *, least: int = 1, most: int = 1_000_000) -> int:
    """A whole number from a form or an address."""
    if not text.isascii() or not text.isdigit() or not least <= int(text) <= most:
        raise InvalidInput(f"{name}: expected a whole number from {least} to {most}, got {text[:20]!r}.")
    return int(text)


def optional_whole(text: str, name: str) -> int | None:
    return None if not text.strip() else whole(text.strip(), name)
