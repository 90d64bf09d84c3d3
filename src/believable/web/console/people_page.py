"""Who may do what in a study: granting roles, and taking them back."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.responses import RedirectResponse, Response

from believable.core.errors import InvalidInput, NotFound
from believable.core.shell import quote_command
from believable.store import ROLES, accounts, rights
from believable.store.engine import Connection
from believable.web.console.console_page import RESEARCHERS, STUDY_OWNERS, ConsoleVisit, Route
from believable.web.console.guard import PATH
from believable.web.console.studies_page import the_study

#: What each role may do in the study, as the page says it.
ROLE_WORDS: Mapping[str, str] = {
    "owner": "everything in this study, and decides who may do what",
    "researcher": "everything in this study but that",
    "coordinator": "leads the coding of free texts, and sees nothing else",
    "coder": "codes what is given to them, and sees nothing else",
}


async def page(visit: ConsoleVisit) -> Response:
    study = await the_study(visit)
    members = await visit.read(lambda conn: rights.members_of(conn, study.id))
    everyone = await visit.read(accounts.everyone)
    return visit.render(
        "people.html",
        study=study,
        members=members,
        administrators=[user.name for user in everyone if user.administrator and not user.disabled],
        roles=ROLES,
        words=ROLE_WORDS,
        may_change=visit.rights.may(study.id, STUDY_OWNERS),
    )


async def grant(visit: ConsoleVisit) -> Response:
    """Names of accounts are not listed for owners of a study: they know whom they want."""
    study, now_ms = await the_study(visit), visit.now_ms
    name, role = (
        accounts.check_name(visit.form.get("name", "")),
        rights.check_role(visit.form.get("role", "")),
    )

    def apply(conn: Connection) -> None:
        if name not in {user.name for user in accounts.everyone(conn)}:
            raise InvalidInput(
                f"user name: there is no account {name!r}. An administrator adds accounts, under"
                f" Users or with `{quote_command('believable user add', name)}`."
            )
        rights.grant(conn, name, study.id, role, now_ms=now_ms)

    await visit.change(apply, f"made {name} {role} of this study", study=study.id, kind="account")
    return RedirectResponse(f"{PATH}/studies/{study.id}/people", 303)


async def revoke(visit: ConsoleVisit) -> Response:
    study, name = await the_study(visit), visit.form.get("name", "")

    def apply(conn: Connection) -> None:
        if not rights.revoke(conn, name, study.id):
            raise NotFound(f"{name[:64]!r} has no role in this study any more. Reload the page.")

    await visit.change(
        apply, f"took the role of {name[:64]} in this study", study=study.id, kind="account"
    )
    return RedirectResponse(f"{PATH}/studies/{study.id}/people", 303)


ROUTES = (
    Route(
        method="GET", path="/studies/{study}/people", access=RESEARCHERS, answer=page, tab="People"
    ),
    Route(method="POST", path="/studies/{study}/people", access=STUDY_OWNERS, answer=grant),
    Route(method="POST", path="/studies/{study}/people/revoke", access=STUDY_OWNERS, answer=revoke),
)
