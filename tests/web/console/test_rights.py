"""Who may do what: every route, for everybody, in their own study and in another's."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from believable.store import accounts, coding_projects, overview, rights, studies
from believable.store.coding_projects import CodingProject
from believable.store.rights import Rights
from believable.study.codebook import ready
from believable.web.app import Settings
from believable.web.console import ROUTES
from believable.web.console.console_page import Route
from believable.web.console.guard import COOKIE, PATH

from .conftest import BASE, STUDY, Browser, Person, World, living

pytestmark = pytest.mark.usefixtures("forked_children")
ROLES = ("owner", "researcher", "coordinator", "coder")
#: What must not be told to people without a role in the other study: its words, its title, its name
#: in lists.
SECRETS = ("words of the other study", "Another study")


@pytest.fixture
def two(
    tmp_path: Path, loop: asyncio.AbstractEventLoop, with_tables: Callable[[Path], Path]
) -> Iterator[World]:
    """Two studies, each with a session and a coding project."""
    folders = (tmp_path / "study", tmp_path / "other")
    with_tables(tmp_path / "data")
    for folder, title in zip(folders, ("Who plays <like> a human?", "Another study"), strict=True):
        folder.mkdir()
        (folder / "study.yaml").write_text(STUDY.replace("Who plays <like> a human?", title))
    with living(
        Settings(data_dir=tmp_path / "data", study_folders=folders, base_url=BASE), loop
    ) as world:
        for name in ("study", "other"):
            link = world.store.read(
                lambda conn, name=name: studies.links_of(conn, name, ("open",))
            )[0]
            person = Person(
                world.collect,
                world.clock,
                world.collect.join(link.token, {}, "en", True).now().token,
            )
            person.run(f"words of the {name} study", "more words")
            project = CodingProject(
                id=f"{name}-why",
                study=name,
                pool="real",
                title=f"Why of {name}",
                sources=(),
                seed=1,
                suggestions=False,
                rule="none",
                created_ms=0,
            )
            world.store.write(
                lambda conn, project=project: coding_projects.create_project(
                    conn, project, ready("hntt"), user="x"
                )
            )
        yield world


def address(route: Route, study: str) -> str:
    values = {
        "study": study,
        "project": f"{study}-why",
        "pool": "real",
        "number": "1",
        "name": "zoe",
        "round": "1",
    }
    return PATH + re.sub(r"\{(\w+)\}", lambda match: values.get(match[1], "x"), route.path)


def ask(browser: Browser, route: Route, study: str, token: str) -> httpx.Response:
    if route.method == "GET":
        return browser.get(address(route, study))
    fields = {
        "csrf": token,
        "study": study,
    }  # too few to change anything but a password that is wrong
    return browser.request("POST", address(route, study), data=fields, headers={"origin": BASE})


def expected(route: Route, role: str | None, own: bool) -> bool:
    """Whether the door opens, worked out from the declaration in another way than the guard
    does.
    """
    if role == "administrator" or route.access in ("anybody", "users"):
        return role is not None or route.access == "anybody"
    if role is None or route.access == "administrators":
        return False
    names_a_study = "{study}" in route.path or "{project}" in route.path
    return role in route.access and (own or not names_a_study)


def test_every_route_for_everybody_in_their_own_study_and_in_another(two: World) -> None:
    """Nobody, a cookie that is over, each role here, an administrator; each at addresses of both
    studies.
    """
    two.account("zoe", "administrator")  # whom the addresses of users name
    visitors: dict[str, tuple[Browser, str | None]] = {"nobody": (two.browser(), None)}
    stale = two.log_in("stella", "researcher")
    old = stale.client.cookies.get(COOKIE)
    stale.post("/console/logout")
    stale.client.cookies.set(COOKIE, str(old), path=PATH)
    visitors["stale cookie"] = (stale, None)
    for role in (*ROLES, "administrator"):
        visitors[role] = (two.log_in(f"{role}-here", role), role)
    leaving = [
        route for route in ROUTES if "logout" in route.path or route.path in ("/account/password",)
    ]
    asked = 0
    for name, (browser, role) in visitors.items():
        token = "none" if role is None else browser.csrf("/console/account")
        for route in ROUTES:
            for study in ("study", "other"):
                if role is not None and route in leaving:
                    continue
                reply = ask(browser, route, study, token)
                asked += 1
                opened = expected(route, role, own=study == "study")
                closed = reply.status_code in (401, 403) or "/console/login" in reply.headers.get(
                    "location", ""
                )
                refused = "This page is for" in reply.text or (closed and role is None)
                if route.access == "anybody":
                    continue
                assert refused is not opened, (
                    name,
                    route.method,
                    route.path,
                    study,
                    reply.status_code,
                )
                assert reply.status_code < 500, (name, route.path)
                assert reply.headers["cache-control"].startswith(("no-store", "private")), (
                    route.path
                )
                if role in ROLES:
                    leak = [secret for secret in SECRETS if secret in reply.text]
                    assert not leak, (name, route.method, route.path, study, leak)
    assert asked > 7 * 2 * 60, "the walk has lost its way"
    untouched = two.store.read(lambda conn: overview.session_by_number(conn, "other", "real", 1))
    assert not untouched.rejected


def test_what_forms_name_is_looked_at_too(two: World) -> None:
    """Routes without a study in the address: it stands in the form."""
    lead = two.log_in("cora", "coordinator")
    for path, more in (
        ("/console/coding", {"codebook": "hntt"}),
        ("/console/coding/import", {"title": "x", "texts": "text\nabc"}),
    ):
        reply = lead.post(path, page="/console/coding", study="other", **more)
        assert reply.status_code == 403
        assert "You do not lead the coding" in reply.text
    assert (
        "expected one, got none"
        in lead.post("/console/coding/import", page="/console/coding", title="x").text
    )
    own = lead.post(
        "/console/coding/import",
        page="/console/coding",
        study="study",
        title="x",
        codebook="hntt",
        texts="text\nabc",
    )
    assert own.status_code == 303
    strange = lead.post(
        "/console/coding/study-why/rounds",
        page="/console/coding",
        kind="joint",
        n="1",
        **{"coder:zed": "yes"},
    )
    assert "has no role in this study" in strange.text


def test_an_answer_of_another_study_is_not_found_by_its_number(two: World) -> None:
    """Numbers of answers begin at 1 in each study: the same name must not lead into another one's
    queue.
    """
    mine = two.log_in("rita", "researcher", "other")
    page = mine.get("/console/studies/other/review?show=all&at=1-3-1").text
    assert "words of the other study" in page
    decided = mine.post(
        "/console/studies/other/review", show="all", item="1-3-1", preset="nonsense"
    )
    assert decided.status_code == 303
    decisions = two.store.read(
        lambda conn: conn.exec_driver_sql("SELECT session FROM decisions").all()
    )
    own = two.store.read(lambda conn: overview.session_by_number(conn, "other", "real", 1))
    assert [row[0] for row in decisions] == [own.id]


def test_lists_show_ones_own_studies_only(two: World) -> None:
    rita = two.log_in("rita", "researcher")
    assert "Another study" not in rita.get("/console/studies").text
    assert "Why of other" not in rita.get("/console/coding").text
    boss = two.log_in()
    assert "Another study" in boss.get("/console/studies").text
    kim = two.log_in("kim", "coder")
    two.store.write(lambda conn: rights.grant(conn, "kim", "other", "coordinator", now_ms=0))
    page = kim.get("/console/coding").text
    assert "Why of other" in page
    assert "Why of study" not in page


def test_an_unknown_study_and_anothers_get_the_same_words(two: World) -> None:
    rita = two.log_in("rita", "researcher")
    other, unknown = (rita.get(f"/console/studies/{name}").text for name in ("other", "no-such"))
    assert other == unknown


def test_an_owner_of_a_study_gives_and_takes_roles(two: World) -> None:
    olga, kim = two.log_in("olga", "owner"), two.log_in("kim", "coder", "other")
    assert kim.get("/console/studies/study").status_code == 403
    assert (
        olga.post("/console/studies/study/people", name="Kim", role="researcher").status_code == 303
    )
    assert kim.get("/console/studies/study").status_code == 200
    assert kim.post("/console/studies/study/people", name="kim", role="owner").status_code == 403
    assert "kim" in olga.get("/console/studies/study/people").text
    assert olga.post("/console/studies/study/people/revoke", name="kim").status_code == 303
    assert kim.get("/console/studies/study").status_code == 403
    assert (
        "has no role in this study any more"
        in olga.post("/console/studies/study/people/revoke", name="kim").text
    )
    assert "There is no account" not in olga.get("/console/studies/study/people").text
    assert (
        "there is no account &#39;nobody&#39;"
        in olga.post("/console/studies/study/people", name="nobody", role="coder").text
    )
    assert olga.post("/console/studies/other/people", name="kim", role="owner").status_code == 403
    log = olga.get("/console/studies/study/audit").text
    assert "made kim researcher of this study" in log
    assert "took the role of kim in this study" in log


def test_texts_of_no_study_belong_to_whoever_imported_them(two: World) -> None:
    project = CodingProject(
        id="loose",
        study=None,
        pool="imported",
        title="Loose",
        sources=(),
        seed=1,
        suggestions=False,
        rule="none",
        created_ms=0,
    )

    def put(conn: object) -> None:
        accounts.add(conn, "mia", now_ms=0)
        coding_projects.create_project(conn, project, ready("hntt"), user="mia")

    two.store.write(put)
    rita = two.log_in("rita", "researcher")
    assert rita.get("/console/coding/loose").status_code == 403
    nobody = Rights(False, {})
    assert (
        two.store.read(lambda conn: rights.role_in_project(conn, nobody, "mia", project))
        == "coordinator"
    )
    assert (
        two.store.read(lambda conn: rights.role_in_project(conn, nobody, "rita", project)) is None
    )
