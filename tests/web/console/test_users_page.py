"""User management and the audit log."""

from __future__ import annotations

import html
import re

from .conftest import PASSWORD, Browser, World


def test_a_researcher_from_invitation_to_first_page(world: World, owner: Browser) -> None:
    page = owner.post("/console/users", name="Bob", role="researcher", study="study").text
    link = html.unescape(re.search(r'value="(http[^"]+/welcome/[^"]+)"', page)[1])  # type: ignore[index]
    path = link.partition("8000")[2]
    bob = world.browser()
    assert bob.post(path, page=path, password=PASSWORD, again=PASSWORD).status_code == 303
    assert bob.get("/console/studies").status_code == 200
    assert bob.get("/console/users").status_code == 403
    assert link not in owner.get("/console/users").text


def test_roles_change_at_once(world: World, owner: Browser) -> None:
    bob = world.log_in("bob", "researcher")
    owner.post("/console/studies/study/people", name="bob", role="coder")
    assert bob.get("/console/studies").status_code == 403
    owner.post("/console/users/bob/disable")
    assert bob.get("/console/coding").status_code == 303
    owner.post("/console/users/bob/enable")
    assert "active" in owner.get("/console/users").text


def test_a_reset_ends_the_password(world: World, owner: Browser) -> None:
    bob = world.log_in("bob", "researcher")
    assert "/console/welcome/" in owner.post("/console/users/bob/reset").text
    assert bob.get("/console/studies").status_code == 303
    assert (
        world.browser()
        .post("/console/login", page="/console/login", name="bob", password=PASSWORD)
        .status_code
        == 401
    )


def test_mistakes_are_explained(world: World, owner: Browser) -> None:
    assert "last administrator" in owner.post("/console/users/ada/disable").text
    assert "last administrator" in owner.post("/console/users/ada/demote").text
    assert "Did you mean &#39;disable&#39;" in owner.post("/console/users/ada/disabl").text
    assert "unknown role" in owner.post("/console/users", name="x", role="king", study="study").text
    assert (
        "here is no study"
        in owner.post("/console/users", name="x", role="coder", study="stud").text
    )
    assert "User name: expected" in owner.post("/console/users", name="<b>", role="coder").text
    assert owner.post("/console/users/nobody/disable").status_code == 404


def test_the_audit_log_tells_who_did_what(world: World, owner: Browser) -> None:
    owner.post("/console/users", name="bob", role="administrator")
    owner.post("/console/studies/study/state", state="paused")
    page = owner.get("/console/audit").text
    assert "added bob as administrator" in page
    assert "paused the study" in page
    only = owner.get("/console/studies/study/audit").text
    assert "paused the study" in only
    assert "added bob" not in only
