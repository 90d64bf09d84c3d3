"""What a server in trouble tells and leaves behind, and requests that cannot be meant."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from believable.core.draft_folders import draft_folder, make_draft, sweep_drafts
from believable.core.errors import StorageFull, Unavailable
from believable.store.engine import Store
from believable.web.console import codebook_page, export_page
from tests.red_team.conftest import STUDY

BELIEVABLE = Path(sys.executable).with_name("believable")
CONSOLE = "/console/studies/study"

# ----------------------------------------------------------------------------------------------
# drafts


def test_a_dataset_is_drafted_in_the_data_folder_and_gone_afterwards(
    serve: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = serve(STUDY)
    owner = target.log_in("ada")
    seen = []

    def drafted(function: object, wish: Any) -> Path:
        seen.append(wish.folder)
        file: Path = wish.folder / "study.zip"
        file.write_bytes(b"tables")
        assert wish.folder.stat().st_mode & 0o077 == 0, "for this account alone"
        return file

    monkeypatch.setattr(export_page, "in_child", drafted)
    assert (
        owner.fill_in(f"{CONSOLE}/export", page="/console/account", pool="real").content
        == b"tables"
    )
    assert seen[0].is_relative_to(tmp_path / "data")
    assert list(seen[0].parent.iterdir()) == []


KILLED = """
import os, signal, sys
from pathlib import Path
from believable.core.draft_folders import make_draft
draft = make_draft(Path(sys.argv[1]))
(draft.path / "answers.csv").write_text("secret")
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_killed_process_left_is_deleted_at_the_next_start(
    serve: Callable[..., Any], tmp_path: Path
) -> None:
    drafts = tmp_path / "data" / "drafts"
    assert (
        subprocess.run([sys.executable, "-c", KILLED, str(drafts)], check=False).returncode
        == -signal.SIGKILL
    )
    assert list(drafts.glob("*/answers.csv"))
    alive = make_draft(drafts)
    (drafts / "from-elsewhere").mkdir()
    serve(STUDY)
    assert {path.name for path in drafts.iterdir()} == {
        alive.path.name,
        f"{alive.path.name}.lock",
    }, "what is in use stays"
    alive.remove()
    alive.remove()
    assert list(drafts.iterdir()) == []


def test_a_draft_goes_when_its_work_fails(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), draft_folder(tmp_path) as room:
        (room / "x").write_text(str(1 / 0))
    assert list(tmp_path.iterdir()) == []
    assert sweep_drafts(tmp_path / "nothing") == 0


# ----------------------------------------------------------------------------------------------
# trouble


@pytest.mark.parametrize(("kind", "status"), [(Unavailable, 503), (StorageFull, 507)])
def test_strangers_learn_nothing_about_machines(
    serve: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    kind: type[Exception],
    status: int,
) -> None:
    target = serve(STUDY)
    browser = target.browser()
    session = browser.join(target.link())
    session.claim()

    def away(*arguments: object, **named: object) -> None:
        raise kind("connection to server at 10.1.2.3, port 5432 failed; /srv/believable.db")

    monkeypatch.setattr(Store, "read", away)
    monkeypatch.setattr(Store, "aappend", away)
    addresses = (f"{session.address}/trial", "/console/login/code", f"{CONSOLE}/monitor.json")
    with caplog.at_level(logging.WARNING):
        replies = [
            browser.get(address, headers={"cookie": "believable_console=x"})
            for address in addresses
        ]
        replies.append(session.send(0, "answer.change", {}))
    assert status in {reply.status_code for reply in replies}
    for reply in replies:
        assert not any(detail in reply.text for detail in ("10.1.2.3", "5432", "/srv"))
    assert "10.1.2.3" in caplog.text, "who runs the server finds it in the log"


def test_ready_says_no_within_two_seconds_while_the_database_stands_still(
    serve: Callable[..., Any],
) -> None:
    target = serve(STUDY)
    over, held = threading.Event(), threading.Event()

    def hold(conn: Any) -> None:
        held.set()
        over.wait(30)

    blocked = threading.Thread(target=target.app.state.store.write, args=(hold,))
    blocked.start()
    assert held.wait(30)
    try:
        began_s = time.monotonic()
        reply = target.browser().get("/ready")
        took_s = time.monotonic() - began_s
    finally:
        over.set()
        blocked.join()
    assert (reply.status_code, "no answer" in reply.text) == (503, True)
    assert took_s < 5, "1.5 s and what a busy machine adds; without a limit it takes 20"


def test_serving_is_said_when_the_first_process_answers(tmp_path: Path, free_port: int) -> None:
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "study.yaml").write_text(STUDY, encoding="utf-8")
    command = [str(BELIEVABLE), "serve", "study", "--port", str(free_port), "--workers", "2"]
    with subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, text=True, env=os.environ
    ) as server:
        try:
            assert server.stdout is not None
            assert any("Serving." in line for line in server.stdout)
            with urllib.request.urlopen(
                f"http://127.0.0.1:{free_port}/health", timeout=60
            ) as reply:
                assert json.load(reply) == {"status": "ok"}
        finally:
            server.send_signal(signal.SIGTERM)
            server.communicate(timeout=30)


# ----------------------------------------------------------------------------------------------
# requests


@pytest.mark.parametrize(
    ("address", "to"),
    [("/console/", "/console"), ("/console/login/?next=/console", "/console/login?next=/console")],
)
def test_redirects_do_not_follow_the_host_header(
    serve: Callable[..., Any], address: str, to: str
) -> None:
    reply = serve(STUDY).browser().get(address, headers={"host": "evil.example"})
    assert (reply.status_code, reply.headers["location"]) == (307, to)


@pytest.mark.parametrize(
    "address",
    ["//evil.example/", "//evil.example/console/", "/\\evil.example/", "/nothing/", "/static/"],
)
def test_nothing_redirects_to_another_place(serve: Callable[..., Any], address: str) -> None:
    reply = serve(STUDY).browser().get(f"http://study.example{address}")
    assert (reply.status_code, reply.headers.get("location")) == (404, None)


LONG = "9" * 5000


@pytest.mark.parametrize(
    "address",
    [
        f"{CONSOLE}/sessions?page=1{'0' * 5000}",
        f"{CONSOLE}/sessions?page={LONG}",
        f"{CONSOLE}/sessions?q={LONG}",
        f"{CONSOLE}/sessions/real/{LONG}",
        f"{CONSOLE}/sessions/real/1?trial={LONG}",
        f"{CONSOLE}/review?at={LONG}-1-1",
        f"{CONSOLE}/audit?before={LONG}",
        f"/console/audit?before={LONG}",
        f"/console/coding/none/rounds/{LONG}",
        "/console/oidc?next=/console/%E2%98%83",
        "/console/login?next=/console/%E2%98%83",
        "/console/studies/%00",
        f"{CONSOLE}/sessions?q=%00",
        f"{CONSOLE}/review?at=%00",
        f"{CONSOLE}/definitions/%00",
        "/console/coding/%00/desk",
        "/console/users/%00",
    ],
)
def test_no_address_of_the_console_is_an_internal_error(
    serve: Callable[..., Any], address: str
) -> None:
    target = serve(STUDY)
    reply = target.log_in("ada").get(address)
    assert reply.status_code < 500, reply.text
    assert "Traceback" not in reply.text


@pytest.mark.parametrize(
    "number", [LONG, "-1", "1.5", "\N{SUPERSCRIPT TWO}", "\N{ARABIC-INDIC DIGIT ONE}", ""]
)
def test_numbers_in_forms_are_bounded(serve: Callable[..., Any], number: str) -> None:
    owner = serve(STUDY).log_in("ada")
    for path, fields in (("links", {"number": number}), ("alarms", {"alarm": number})):
        assert (
            owner.fill_in(f"{CONSOLE}/{path}", page="/console/account", **fields).status_code == 422
        )


def test_the_log_names_the_place_of_an_internal_error(
    serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    target = serve(STUDY)
    owner = target.log_in("ada")

    def broken(*arguments: object, **named: object) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr("believable.store.overview.session_lines", broken)
    with caplog.at_level(logging.ERROR):
        reply = owner.get(f"{CONSOLE}/sessions")
    assert (reply.status_code, "secret detail" in reply.text) == (500, False)
    assert "unexpected error at GET /console/studies/{study}/sessions" in caplog.text


def test_a_codebook_is_read_beside_the_requests(
    serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """And one that is nested deeply is refused before the parser takes seconds for it."""
    target = serve(STUDY)
    owner = target.log_in("ada")
    page = owner.fill_in(
        "/console/coding", page="/console/coding", study="study", codebook="hntt", pool="real"
    ).headers["location"]
    on_loop = []
    read = codebook_page.read

    def noted(text: str, before: Any) -> Any:
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            on_loop.append(False)
        else:
            on_loop.append(True)
        return read(text, before)

    monkeypatch.setattr(codebook_page, "read", noted)
    began_s = time.process_time()
    for text in ("[" * 20_000, "{a: " * 20_000, "[ \n" * 20_000):
        reply = owner.fill_in(f"{page}/codebook", page=f"{page}/codebook", text=text)
        assert reply.status_code == 422
        assert "nested too deeply" in reply.text
    assert on_loop == [False] * 3
    assert time.process_time() - began_s < 1.5, "more than 2 s each where the parser looks at it"
