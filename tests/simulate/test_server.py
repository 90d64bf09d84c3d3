from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from believable.simulate.server import Server, ServerFailed

STUDY = (
    "believable: 1\ntitle: T\nseed: 1\ntimeline:\n  - text: {id: hello, text: Hello}\n  - finish:"
    " {}\n"
)


def test_a_server_is_started_killed_and_started_again_at_the_same_place(tmp_path: Path) -> None:
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "study.yaml").write_text(STUDY)
    server = Server([tmp_path / "s"], data_dir=tmp_path / "data")
    server.start()
    first = server.pid
    assert httpx.get(f"{server.url}/health").status_code == 200
    server.kill()
    with pytest.raises(httpx.TransportError):
        httpx.get(f"{server.url}/health", timeout=2)
    with server:
        assert server.pid != first
        assert httpx.get(f"{server.url}/health").status_code == 200


def test_a_server_that_cannot_start_says_why(tmp_path: Path) -> None:
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "study.yaml").write_text(STUDY.replace("hello, text", "hello, txet"))
    with pytest.raises(ServerFailed, match="Did you mean 'text'"):
        Server([tmp_path / "s"], data_dir=tmp_path / "data").start()
