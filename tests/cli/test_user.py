"""`believable user` on a real database."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from believable.app.study_data import DataOptions, remember_address
from believable.cli.user import command
from believable.core.clock import WallClock
from believable.core.errors import BelievableError, Conflict, InvalidInput, NotFound, Refused
from believable.store import accounts, audit_log, rights, studies
from believable.store.engine import Store


@pytest.fixture
def data(tmp_path: Path) -> Path:
    with Store.open(f"sqlite:///{tmp_path / 'believable.db'}", clock=WallClock()) as store:
        store.write(
            lambda conn: studies.put(
                conn, "faces", title="Faces", definition="d", body="{}", at_ms=0
            )
        )
    return tmp_path


def run(data: Path, *words: str) -> Result:
    result = CliRunner().invoke(command, [*words, "--data", str(data)])
    if isinstance(result.exception, BelievableError):
        raise result.exception
    return result


def test_a_user_from_link_to_disabled(data: Path) -> None:
    run(data, "add", "boss", "--administrator")
    said = run(
        data, "add", "Anna", "--study", "faces", "--base-url", "https://study.example.org/"
    ).output
    token = said.strip().rpartition("/")[2]
    assert f"https://study.example.org/console/welcome/{token}" in said
    with Store.open(f"sqlite:///{data / 'believable.db'}", clock=WallClock()) as store:
        now_ms = WallClock().now_ms()
        assert (
            store.read(lambda conn: accounts.open_link(conn, token, now_ms=now_ms)).name == "anna"
        )
        assert (
            store.read(lambda conn: rights.rights_of(conn, "anna")).in_words
            == "researcher of faces"
        )
    assert "has not chosen a password yet" in run(data, "list").output
    assert (
        run(data, "role", "anna", "coder", "--study", "faces").output == "anna: coder of faces.\n"
    )
    assert "coder of faces" in run(data, "list").output
    assert run(data, "role", "anna", "none", "--study", "faces").output == "anna: no role yet.\n"
    assert run(data, "disable", "anna").output == "anna is disabled.\n"
    assert "disabled" in run(data, "list").output
    with pytest.raises(Refused, match="is disabled"):
        run(data, "reset", "anna")
    run(data, "enable", "anna")
    assert "/console/welcome/" in run(data, "reset", "anna").output
    with Store.open(f"sqlite:///{data / 'believable.db'}", clock=WallClock()) as store:
        lines = store.read(audit_log.recent_audit)
    assert {line.user for line in lines} == {"command line"}
    assert [line.what for line in reversed(lines)] == [
        "added boss as administrator",
        "added anna as researcher of faces",
        "made anna coder of this study",
        "took the role of anna",
        "disabled user anna",
        "enabled user anna",
        "reset the password of user anna",
    ]


def test_errors_help(data: Path) -> None:
    run(data, "add", "boss", "--administrator")
    with pytest.raises(Conflict, match="exists already"):
        run(data, "add", "boss")
    with pytest.raises(NotFound, match="Did you mean 'boss'"):
        run(data, "disable", "bos")
    with pytest.raises(Refused, match="last administrator"):
        run(data, "disable", "boss")
    with pytest.raises(NotFound, match="Did you mean 'faces'"):
        run(data, "add", "anna", "--role", "coder", "--study", "face")
    with pytest.raises(InvalidInput, match="none was named"):
        run(data, "add", "anna", "--role", "coder")
    with pytest.raises(InvalidInput, match="Give one of them"):
        run(data, "add", "anna", "--role", "coder", "--administrator")
    with pytest.raises(InvalidInput, match="user name"):
        run(data, "add", "two words")


def test_without_a_database_it_says_how_to_get_one(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="believable serve"):
        run(tmp_path / "nowhere", "list")


def test_an_empty_list_says_where_users_come_from(data: Path) -> None:
    assert "No users yet" in run(data, "list").output


def test_links_carry_the_address_that_was_served_last(data: Path) -> None:
    assert "http://127.0.0.1:8000/console/welcome/" in run(data, "add", "anna").output, (
        "nothing was served yet"
    )
    remember_address(data, "http://10.0.0.7:8123")
    assert "http://10.0.0.7:8123/console/welcome/" in run(data, "add", "bea").output
    assert "http://10.0.0.7:8123/console/welcome/" in run(data, "reset", "bea").output
    assert DataOptions(data=data).settings([]).base_url == "http://10.0.0.7:8123"
    assert (
        "https://x.example/console"
        in run(data, "add", "cleo", "--base-url", "https://x.example/").output
    )
