"""Three servers behind nginx on one PostgreSQL database, without sticky sessions; one of them dies."""

from __future__ import annotations

import asyncio
import re
import secrets
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from believable.simulate.server import Server, free_port

pytestmark = [
    pytest.mark.faults,
    pytest.mark.postgres,
    pytest.mark.timeout(900),
    pytest.mark.skipif(shutil.which("nginx") is None, reason="nginx is not installed: apt install nginx-light"),
]
SITE = Path(__file__).resolve().parents[2] / "deploy" / "nginx.conf"


@contextmanager
def balanced(ports: list[int], folder: Path) -> Iterator[str]:
    """nginx with the site of deploy/ in front of these ports: its address."""
    port = free_port()
    servers = "\n".join(f"    server 127.0.0.1:{number} max_fails=1 fail_timeout=5s;" for number in ports)
    site = re.sub(r"^    server 127\.0\.0\.1:8000.*$", servers, SITE.read_text(encoding="utf-8"), flags=re.M)
    site = site.replace("listen 80;", f"listen 127.0.0.1:{port};").replace("/srv/believable/data", str(folder))
    folder.mkdir(exist_ok=True)
    places = "".join(
        f"{kind}_temp_path {folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    file = folder / "nginx.conf"
    file.write_text(
        f"daemon off;\npid {folder}/pid;\nerror_log {folder}/error.log;\nevents {{}}\nhttp {{\n{places}{site}\n}}\n"
    )
    process = subprocess.Popen(["nginx", "-c", str(file)], stderr=subprocess.DEVNULL)
    try:
        _wait_for(f"http://127.0.0.1:{port}/health")
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(timeout=20)


def _wait_for(address: str) -> None:
    deadline_s = time.monotonic() + 120
    while time.monotonic() < deadline_s:
        try:
            if httpx.get(address, timeout=10).status_code == 200:
                return
        except httpx.TransportError:
            time.sleep(0.1)
    raise TimeoutError(f"{address} does not answer")


def test_a_server_of_three_dies_and_nobody_loses_anything(
    study: Path, tmp_path: Path, drill: type[Any], link_in: Callable[[str, Path], str], postgres: Any
) -> None:
    url = postgres.new_database()
    key = tmp_path / "secret.key"
    key.write_text(secrets.token_hex(32) + "\n", encoding="ascii")
    media = tmp_path / "media"
    media.mkdir()
    with ExitStack() as stack:
        servers = []
        for number in range(3):
            data = tmp_path / f"host-{number}"
            data.mkdir()
            (data / "media").symlink_to(media)  # as a network file system would be mounted
            server = Server([study], data_dir=data, database=url, environment={"BELIEVABLE_KEY_FILE": str(key)})
            servers.append(stack.enter_context(server))
        address = stack.enter_context(balanced([server.port for server in servers], tmp_path / "nginx"))
        people = drill(study, people=18, seed=31, longest_pause_s=0.4, late_s=1.0)

        async def one_dies() -> None:
            while sum(browser.acked for browser in people.browsers) < 60:
                await asyncio.sleep(0.05)
            servers[1].kill()

        async def main() -> list[Any]:
            visits: list[Any] = await people.run(address, link_in(url, study), asyncio.ensure_future(one_dies()))
            return visits

        visits = asyncio.run(main())
        people.check(url, visits)
        with pytest.raises(httpx.TransportError):
            httpx.get(servers[1].url, timeout=2)
