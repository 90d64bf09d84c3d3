"""The browser's side of the zero-loss contract, in Python.

A participant numbers its events from 1, chains their hashes, keeps everything until it is
acknowledged, resends it until it is stored, and claims the session again after a break in the line.
It never believes the server: an acknowledgement that falls or a chain that differs from its copy is
an error, not a warning. `log` records its actions.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

import httpx

from believable.core.errors import BelievableError, Conflict, Refused, TakenOver
from believable.simulate.asgi import AppClient, Socket, open_socket
from believable.simulate.pace import Pace

#: Events per batch.
BATCH = 100
#: Temporary problems. A 500 is not among them: it is a fault of the server that must be reported.
RETRY_STATUSES = frozenset({429, 502, 503, 504, 507})


class Lost(BelievableError):
    """The server has forgotten or changed something it had acknowledged."""


class GaveUp(BelievableError):
    """The server did not answer for longer than this participant's patience."""


class TurnedAway(Refused):
    """The study has enough participants."""


class Gone(Refused):
    """The session was withdrawn."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait before trying again (doubling from `first_ms` to `longest_ms`), and when to
    give up.
    """

    first_ms: int = 50
    longest_ms: int = 1000
    give_up_ms: int = 120_000


PATIENT = Patience()


@dataclass(frozen=True, slots=True)
class SubmitReply:
    status: str
    errors: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Receipt:
    """The final record of a participant."""

    outcome: str
    receipt: str
    code: str | None
    redirect: str | None


@dataclass(frozen=True, slots=True)
class PageAssignment:
    """A page of a simulated session: its trial in the study, and its condition."""

    trial: str
    condition: str | None


def network(base_url: str) -> httpx.AsyncClient:
    """A client for a server behind `base_url`."""
    return httpx.AsyncClient(base_url=base_url, timeout=60)


class Participant:
    """One participant's browser. `http` talks to the server (over a network or in-process); `pace`
    is its time.
    """

    def __init__(self, http: httpx.AsyncClient, pace: Pace, patience: Patience = PATIENT) -> None:
        self._http = http
        self._pace = pace
        self._patience = patience
        self.token = ""
        self.epoch = 0
        self.position = 0
        self.acked = 0
        self.resent = 0
        self.log: list[str] = []
        self.arms: Mapping[str, str] = {}
        self.pages: Sequence[PageAssignment] = ()
        self._following: dict[str, Any] | None = None
        self._before = 0  # events that were in the session when this browser came to it
        self._heads: list[str] = []
        self._opened_ms = pace.now_ms()

    @property
    def page(self) -> PageAssignment | None:
        """The current page; None if the session is not a simulated one."""
        return self.pages[self.position] if self.position < len(self.pages) else None

    # ------------------------------------------------------------------------------------------
    # coming and going

    async def join(self, link: str, query: Mapping[str, str] | None = None, **form: str) -> None:
        """Open the link, press the button."""
        address = f"/join/{link}"
        await self._ask("GET", address, params=query)
        reply = await self._ask("POST", address, params=query, data=form)
        self.enter(urlsplit(reply.headers["location"]).path.rsplit("/", 1)[-1])

    def enter(self, token: str) -> None:
        """Go on with a session whose token is known."""
        self.token = token
        self._opened_ms = self._pace.now_ms()

    async def claim(self) -> None:
        """Become the one who writes, and compare notes with the server."""
        reply = (await self._ask("POST", f"/s/{self.token}/claim", json={})).json()
        self.epoch, self.position = reply["epoch"], reply["position"]
        if (assigned := reply.get("simulated")) is not None:
            self.arms = assigned["arms"]
            self.pages = [
                PageAssignment(page["trial"], page["condition"]) for page in assigned["pages"]
            ]
        self._following = None
        ack, head = reply["ack"], reply["head"]
        if not self._heads:
            self._before = self.acked = ack
            self._heads.append(head)
        if ack < self.acked:
            raise Lost(f"the server acknowledged event {self.acked} and now holds only {ack}")
        if head != self.head_at(ack):
            raise Lost(f"the server's chain at event {ack} differs from the participant's")
        self.acked = ack

    async def withdraw(self) -> None:
        await self._ask("POST", f"/s/{self.token}/withdraw", json={})

    # ------------------------------------------------------------------------------------------
    # events

    @property
    def top(self) -> int:
        """The number of the last event."""
        return self._before + len(self.log)

    def head_at(self, seq: int) -> str:
        index = seq - self._before
        if not 0 <= index < len(self._heads):
            raise Lost(
                f"the server speaks of event {seq}; this participant has {self._before} to"
                f" {self.top}"
            )
        return self._heads[index]

    def note(self, kind: str, **data: Any) -> int:
        """Something happened: number it, chain it, keep it."""
        now_ms = self._pace.now_ms()
        event = {
            "kind": kind,
            "trial": self.position,
            "at_ms": now_ms,
            "mono_ms": now_ms - self._opened_ms,
            "data": data,
        }
        body = json.dumps(event, ensure_ascii=False, separators=(",", ":"))
        self.log.append(body)
        self._heads.append(hashlib.sha256(f"{self._heads[-1]}\n{body}".encode()).hexdigest())
        return self.top

    def batch_after(self, seq: int, limit: int = BATCH) -> list[tuple[int, str]]:
        start = seq - self._before
        return [(seq + 1 + i, body) for i, body in enumerate(self.log[start : start + limit])]

    async def send(self) -> None:
        """Send as a browser does all the time. On a virtual clock, only in full batches: smaller
        ones would change nothing.
        """
        if self._pace.eager or self.top - self.acked >= BATCH:
            await self.flush()

    async def flush(self) -> None:
        """Send until everything is acknowledged."""
        while self.acked < self.top:
            batch = self.batch_after(self.acked)
            reply = await self._ask(
                "POST", f"/s/{self.token}/events", json={"epoch": self.epoch, "events": batch}
            )
            self._acknowledge(reply.json()["ack"])

    def _acknowledge(self, ack: int) -> None:
        if ack < self.acked:
            raise Lost(f"the server acknowledged event {self.acked} and now says {ack}")
        if ack > self.top:
            raise Lost(f"the server acknowledged event {ack}; only {self.top} exist")
        self.acked = ack

    # ------------------------------------------------------------------------------------------
    # trials

    async def trial(self) -> dict[str, Any]:
        """The current trial of the server; it arrives with the answer to the last submission."""
        reply, self._following = self._following, None
        if reply is None:
            reply = (await self._ask("GET", f"/s/{self.token}/trial")).json()
        self.position = reply.get("position", self.position)
        return reply

    async def open_medium(self, address: str) -> bytes:
        """A whole medium, as a browser loads it."""
        return (await self._ask("GET", address)).content

    @asynccontextmanager
    async def open_round(self) -> AsyncIterator[Socket]:
        """A connection to the round of the current trial, played tick by tick."""
        await self._pace.meet()
        async with open_socket(self._http, f"/s/{self.token}/play") as socket:
            hello = {"epoch": self.epoch, "position": self.position, "stepped": True}
            await socket.send({"hello": hello})
            yield socket

    async def submit(self, answers: Mapping[str, Any]) -> SubmitReply:
        """Press the button: the answers are an event like any other; the trial closes once they are
        safe.
        """
        seq = self.note("trial.submit", answers=answers)
        if self.top - self.acked > BATCH:
            await self.flush()
        body = {
            "epoch": self.epoch,
            "position": self.position,
            "seq": seq,
            "events": self.batch_after(self.acked),
        }
        reply = (await self._ask("POST", f"/s/{self.token}/advance", json=body)).json()
        self._acknowledge(reply["ack"])
        self._following = reply.get("trial")
        return SubmitReply(reply["status"], reply.get("errors") or {})

    async def finish(self) -> Receipt:
        await self.flush()
        body = {"epoch": self.epoch, "seq": self.top, "head": self.head_at(self.top)}
        reply = (await self._ask("POST", f"/s/{self.token}/finish", json=body)).json()
        if reply["receipt"] != self.head_at(self.top):
            raise Lost("the receipt is not the head of this participant's chain")
        return Receipt(reply["outcome"], reply["receipt"], reply.get("code"), reply.get("redirect"))

    # ------------------------------------------------------------------------------------------ the
    # line

    async def _ask(self, method: str, address: str, **options: Any) -> httpx.Response:
        """Ask until there is an answer. What breaks on the way is asked again, to the letter."""
        await self._pace.meet()
        pause_ms, waited_ms = self._patience.first_ms, 0
        while True:
            cure = "Is the server running?"
            try:
                reply = await self._request(method, address, **options)
            except httpx.TransportError as error:
                problem = f"{type(error).__name__}: {error}"
            else:
                if reply.status_code not in RETRY_STATUSES:
                    return self._understood(reply, f"{method} {address}")
                problem = f"status {reply.status_code}"
                if reply.status_code == HTTPStatus.INSUFFICIENT_STORAGE:
                    cure = "Free space on the disk of its database."
            if waited_ms >= self._patience.give_up_ms:
                raise GaveUp(
                    f"{method} {address}: no answer for {waited_ms} ms ({problem}). {cure}"
                )
            await asyncio.sleep(
                pause_ms / 1000
            )  # a server's silence lasts in real time, whatever the participant's pace
            self.resent += 1
            waited_ms += pause_ms
            pause_ms = min(2 * pause_ms, self._patience.longest_ms)

    async def _request(self, method: str, address: str, **options: Any) -> httpx.Response:
        if isinstance(self._http, AppClient):
            return await self._http.ask(method, address, **options)
        return await self._http.request(method, address, follow_redirects=False, **options)

    def _understood(self, reply: httpx.Response, asked: str) -> httpx.Response:
        if reply.status_code < 400:
            return reply
        try:
            error = reply.json()["error"]
        except (ValueError, KeyError, TypeError):
            error = {"code": str(reply.status_code), "message": reply.text[:500]}
        message = f"{asked}: {reply.status_code} {error.get('code')}: {error.get('message')}"
        if reply.headers.get("believable-refused") == "full":
            raise TurnedAway(message)
        if error.get("code") == "taken_over":
            raise TakenOver(message)
        if reply.status_code == 409:
            raise Conflict(message)
        if reply.status_code == 410:
            raise Gone(message)
        raise Refused(message)
