"""A real HTTP server on this machine that answers as told: a list of replies, then the last one for
ever, or by a function.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
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
        return json.dumps(
            {**message, "usage": {"prompt_tokens": 100, "completion_tokens": 10}}
        ).encode()


@dataclass
class EndpointServer:
    url: str = ""
    replies: list[Reply] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)


@contextmanager
def served(
    replies: Sequence[Reply] = (),
    *,
    port: int = 0,
    answer: Callable[[int, dict[str, Any]], Reply] | None = None,
) -> Iterator[EndpointServer]:
    state = EndpointServer(replies=list(replies))

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            state.requests.append({"path": self.path, **json.loads(body)})
            state.keys.append(self.headers.get("authorization"))
            if answer is not None:
                reply = answer(len(state.requests), state.requests[-1])
            else:
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


def model_reply(request: dict[str, Any]) -> Reply:
    """What a well-behaved model would answer, told from the prompt's words alone; vectors count
    words.
    """
    if request["path"].endswith("/embeddings"):
        rows = [
            {"index": index, "embedding": _vector(text)}
            for index, text in enumerate(request["input"])
        ]
        return Reply(body=json.dumps({"data": rows}).encode())
    return Reply(text=text_reply(request["messages"][1]["content"]))


def text_reply(prompt: str) -> str:
    chance = int.from_bytes(hashlib.sha256(prompt.encode()).digest()[:4], "big")
    lines = prompt.splitlines()
    if "whole number only" in prompt:
        count = sum(bool(re.match(r"\d+\. ", line)) for line in lines) - 1
        return "\n".join(f"{n}. {2 + (chance + n) % 5}" for n in range(1, count + 1))
    if "ends with a question mark" in prompt:
        return "1. What do they bake?\n2. Whom do they meet?\n3. Where do they go?"
    if "in this form: insight" in prompt:
        return "1. They like bread (because of 1, 2)"
    if "in blocks of about an hour, from" in prompt:
        hours = ("bake", "read a book", "take a walk", "drink coffee", "tidy up")
        return "\n".join(f"{hour:02d}:00: {hours[(chance + hour) % 5]}" for hour in range(7, 22))
    if "one thing from the list" in prompt:
        return _tasks(prompt, chance)
    names = re.findall(r"^(\w+): what \1 says$", prompt, re.M)
    if names and chance % 3 == 0 and "carry on" in prompt:
        return "carry on"
    if len(names) == 1:
        names += re.findall(r" and (\w+) \w+ meet at ", prompt)
    if names:
        return "\n".join(f"{name}: Good bread, is it not?" for name in (*names, *names))
    return f"I baked {chance % 97} loaves today."


def _tasks(prompt: str, chance: int) -> str:
    """Something from the list every 20 minutes of the time that is asked for."""
    uses = [
        f"{use.partition(' (')[0]} @ {place}"
        for place, listed in re.findall(r"^@ (.+?) \([^)]*\): (.*)$", prompt, re.M)
        for use in listed.split("; ")
    ]
    stated = re.search(
        r"(?:does from|today between) (\d\d):(\d\d) (?:to|and) (\d\d):(\d\d)[,?]", prompt
    )
    assert stated is not None
    hours = [int(part) for part in stated.groups()]
    starts = range(hours[0] * 60 + hours[1], hours[2] * 60 + hours[3], 20)
    return "\n".join(
        f"{at // 60:02d}:{at % 60:02d}: as planned | {uses[(chance + at) % len(uses)]}"
        for at in starts
    )


def _vector(text: str) -> list[int]:
    counts = [0] * 64
    for word in text.lower().split():
        counts[hashlib.sha256(word.encode()).digest()[0] % 64] += 1
    return counts
