"""The versions of a study in the console: who may state the reason of a change."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from believable.store.study_versions import study_versions

from .conftest import STUDY, World

pytestmark = pytest.mark.usefixtures("forked_children")
PAGE = "/console/studies/study/versions"
OLD, NEW = "Why do you think so?", "What makes you think so?"


def change(world: World, tmp_path: Path) -> str:
    """Somebody takes part, then the study folder changes. The new definition's hash, as the page's
    form has it.
    """
    world.person().run("words", "more words")
    (tmp_path / "study" / "study.yaml").write_text(STUDY.replace(OLD, NEW))
    page = world.log_in("ada").get(PAGE).text
    assert OLD in page
    assert NEW in page
    found = re.search(r'name="definition" value="([0-9a-f]{64})"', page)
    assert found is not None
    return found[1]


def reasons(world: World) -> list[str | None]:
    return [
        version.reason for version in world.store.read(lambda conn: study_versions(conn, "study"))
    ]


@pytest.mark.parametrize(
    ("role", "may"),
    [("owner", True), ("researcher", True), ("coordinator", False), ("coder", False)],
)
def test_owners_and_researchers_may_revise_and_coders_may_not(
    world: World, tmp_path: Path, role: str, may: bool
) -> None:
    definition = change(world, tmp_path)
    browser = world.log_in("rita", role)
    assert browser.get(PAGE).status_code == (200 if may else 403)
    reply = browser.post(PAGE, reason="It was unclear.", definition=definition)
    assert reply.status_code == (303 if may else 403)
    assert reasons(world) == ([None, "It was unclear."] if may else [None])


def test_a_researcher_of_another_study_and_a_stranger_may_not(world: World, tmp_path: Path) -> None:
    definition = change(world, tmp_path)
    assert world.browser().request(
        "POST", PAGE, data={"reason": "x", "definition": definition}
    ).status_code in (303, 401, 403)
    other = world.log_in("olga", "researcher", "another")
    assert other.post(PAGE, reason="x", definition=definition).status_code in (403, 404)
    assert reasons(world) == [None]


def test_a_folder_that_changed_again_must_be_read_again(world: World, tmp_path: Path) -> None:
    definition = change(world, tmp_path)
    (tmp_path / "study" / "study.yaml").write_text(STUDY.replace(OLD, "Why?"))
    reply = world.log_in("rita", "researcher").post(PAGE, reason="x", definition=definition)
    assert "changed after the page was opened" in reply.text
    assert reasons(world) == [None]
