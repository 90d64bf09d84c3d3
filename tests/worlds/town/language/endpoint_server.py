"""A real HTTP server on this machine that answers as told: a list of replies, then the last one for ever."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Reply:
    status: int = 200
    text: str = "fine"
    body: bytes | None = None
    headers: tuple[tuple[str, str], ...] = ()
    delay_s: float = 0.0
    hang_up: bool = False

    def content(self) -> bytes:
        if self.body is not None:
            return self.body
        message = {"choices": [{"message": {"content": self.text}}]}
        return json.dumps({**message, "usage": {"prompt_tokens": 100, "completion_tokens": 10}}).encode()


@dataclass
class EndpointServer:
    url: str = ""
    replies: list[Reply] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)


@contextmanager
def served(replies: Sequence[Reply], *, port: int = 0) -> Iterator[EndpointServer]:
    state = EndpointServer(replies=list(replies))

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            state.requests.append({"path": self.path, **json.loads(body)})
            state.keys.append(self.headers.get("authorization"))
            reply = state.replies.pop(0) if len(state.replies) > 1 else state.replies[0]
            if reply.hang_up:
                self.close_connection = True
                return
            time.sleep(reply.delay_s)
            content = reply.content()
            self.send_response(reply.status)
            for name, value in (*reply.headers, ("content-length", str(len(content)))):
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

        def handle(self) -> None:
            with suppress(ConnectionError):  # the client did not wait
                super().handle()

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    state.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
