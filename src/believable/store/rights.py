"""The rights of users: administer the server, or have a role in single studies. An administrator is
an owner everywhere.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, delete, insert, select

from believable.core.errors import InvalidInput, NotFound
from believable.core.registry import did_you_mean
from believable.store import ROLES, Role
from believable.store.coding_projects import CodingProject
from believable.store.tables.accounts import study_roles, users
from believable.store.tables.coding import coding_books, coding_tasks


@dataclass(frozen=True, slots=True)
class Rights:
    """`roles` by study. Administrators need none."""

    administrator: bool
    roles: Mapping[str, Role]

    def role_in(self, study: str) -> Role | None:
        return "owner" if self.administrator else self.roles.get(study)

    def somewhere(self, roles: Collection[Role]) -> bool:
        """Whether there is a study, or could be one, in which they have one of these roles."""
        return self.administrator or any(role in roles for role in self.roles.values())

    def may(self, study: str, roles: Collection[Role]) -> bool:
        return self.role_in(study) in roles

    @property
    def in_words(self) -> str:
        """`administrator`, or `coder of faces, researcher of maze`."""
        if self.administrator:
            return "administrator"
        return (
            ", ".join(f"{role} of {study}" for study, role in sorted(self.roles.items()))
            or "no role yet"
        )


@dataclass(frozen=True, slots=True)
class StudyMember:
    """A user with a role in a study."""

    user: str
    role: Role
    disabled: bool
    at_ms: int


def check_role(role: str) -> Role:
    for known in ROLES:
        if role == known:
            return known
    raise InvalidInput(f"role: unknown role {role!r}. {did_you_mean(role, ROLES)}")


def rights_of(conn: Connection, user: str) -> Rights:
    administrator = conn.execute(select(users.c.administrator).where(users.c.name == user)).scalar()
    rows = conn.execute(
        select(study_roles.c.study, study_roles.c.role).where(study_roles.c.user == user)
    )
    return Rights(bool(administrator), {row.study: check_role(row.role) for row in rows})


def grant(conn: Connection, user: str, study: str, role: str, *, now_ms: int) -> None:
    """The role replaces the one that the user had in this study."""
    checked = check_role(role)
    if conn.execute(select(users.c.name).where(users.c.name == user)).one_or_none() is None:
        known = conn.execute(select(users.c.name)).scalars()
        raise NotFound(f"unknown user {user!r}. {did_you_mean(user, known)}")
    revoke(conn, user, study)
    conn.execute(insert(study_roles).values(user=user, study=study, role=checked, at_ms=now_ms))


def revoke(conn: Connection, user: str, study: str) -> bool:
    """Whether there was a role to take."""
    mine = (study_roles.c.user == user) & (study_roles.c.study == study)
    return conn.execute(delete(study_roles).where(mine)).rowcount > 0


def members_of(conn: Connection, study: str) -> tuple[StudyMember, ...]:
    """In the order of their names. Administrators are not listed: they may do everything anyway."""
    query = (
        select(study_roles.c.user, study_roles.c.role, users.c.disabled, study_roles.c.at_ms)
        .join(users, users.c.name == study_roles.c.user)
        .where(study_roles.c.study == study)
        .order_by(study_roles.c.user)
    )
    return tuple(
        StudyMember(row.user, check_role(row.role), bool(row.disabled), row.at_ms)
        for row in conn.execute(query)
    )


# ----------------------------------------------------------------------------------------------
# coding projects


def role_in_project(
    conn: Connection, rights: Rights, user: str, project: CodingProject
) -> Role | None:
    """The role in its study. Texts that belong to no study are led by the user who imported them,
    and coded by the users they asked.
    """
    if project.study is not None or rights.administrator:
        return rights.role_in(project.study or "")
    maker = select(coding_books.c.user).where(
        coding_books.c.project == project.id, coding_books.c.version == 1
    )
    if conn.execute(maker).scalar() == user:
        return "coordinator"
    asked = select(coding_tasks.c.coder).where(
        coding_tasks.c.project == project.id, coding_tasks.c.coder == user
    )
    return "coder" if conn.execute(asked.limit(1)).first() is not None else None


def coders_for(conn: Connection, project: CodingProject) -> tuple[str, ...]:
    """The users who may be asked to code: all with a role in its study, administrators too; for
    texts of no study any user.
    """
    enabled = (
        select(users.c.name)
        .where(users.c.disabled.is_(False))
        .order_by(users.c.created_ms, users.c.name)
    )
    if project.study is not None:
        members = select(study_roles.c.user).where(study_roles.c.study == project.study)
        enabled = enabled.where(users.c.administrator.is_(True) | users.c.name.in_(members))
    return tuple(conn.execute(enabled).scalars())
