"""A real server in a separate process, to be started, killed and restarted: for fault tests and
load measurements.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType

import httpx

from believable.core.child_python import python_command
from believable.core.errors import BelievableError
from believable.core.system import KILL, signal_group

#: Long enough for a machine on which everything else happens, too.
START_LIMIT_S = 240.0
#: The option by which `serve` ends when its standard input closes.
END_WITH_INPUT = "--end-with-input"


class ServerFailed(BelievableError):
    """The server process ended, or did not answer in time."""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Server:
    """`believable serve` as a child process on a separate port. Killing and restarting keeps port
    and data.

    The server ends with this process, however that ends: it reads its standard input, which closes
    then.
    """

    def __init__(
        self,
        studies: Sequence[Path],
        *,
        data_dir: Path,
        database: str | None = None,
        workers: int = 1,
        environment: Mapping[str, str] | None = None,
        host: str = "127.0.0.1",
        port: int | None = None,
        base_url: str | None = None,
        options: Sequence[str] = (),
    ) -> None:
        self.data_dir = data_dir
        self.port = free_port() if port is None else port
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = data_dir.with_name(data_dir.name + ".log")
        self._command = [
            *python_command("-m", "believable", "serve"),
            *map(str, studies),
            "--data",
            str(data_dir),
            "--host",
            host,
            "--port",
            str(self.port),
            "--workers",
            str(workers),
            END_WITH_INPUT,
            *options,
        ]
        if base_url is not None:
            self._command += ["--base-url", base_url]
        if database is not None:
            self._command += ["--database", database]
        self.environment = dict(environment or {})
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self.log.parent.mkdir(parents=True, exist_ok=True)
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command,
                stdout=log,
                stderr=subprocess.STDOUT,
                stdin=subprocess.PIPE,
                env={**os.environ, **self.environment},
                start_new_session=True,  # so that its workers can be ended with it
            )
        try:
            self._wait_until_it_answers()
        except BaseException:  # a `with` block that is never entered is never left either
            self.kill()
            raise

    def _wait_until_it_answers(self) -> None:
        deadline_s = time.monotonic() + START_LIMIT_S
        while time.monotonic() < deadline_s:
            if self._process is None or self._process.poll() is not None:
                raise ServerFailed(
                    f"the server ended at once; its last words:\n{self.last_words()}"
                )
            try:
                httpx.get(
                    f"{self.url}/health", timeout=2
                )  # any answer will do: it listens only once it is ready
                return
            except httpx.TransportError:
                pass
            time.sleep(0.05)
        raise ServerFailed(
            f"the server did not answer within {START_LIMIT_S:g} s; its last"
            f" words:\n{self.last_words()}"
        )

    def last_words(self, characters: int = 4000) -> str:
        return (
            self.log.read_text(encoding="utf-8", errors="replace")[-characters:]
            if self.log.exists()
            else ""
        )

    def kill(self) -> None:
        """SIGKILL to the server and its workers: no goodbye, no flushing."""
        self._end(KILL)

    def stop(self) -> None:
        self._end(signal.SIGTERM)

    def _end(self, number: signal.Signals) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        if process.poll() is None:
            signal_group(process, number)
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            signal_group(process, KILL)
            process.wait()
        finally:
            if process.stdin is not None:
                process.stdin.close()

    @property
    def pid(self) -> int:
        if self._process is None:
            raise ServerFailed("the server is not running")
        return self._process.pid

    def __enter__(self) -> Server:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()
