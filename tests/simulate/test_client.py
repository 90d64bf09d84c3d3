"""The participant protocol against a server that misbehaves in every way it can."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from believable.core.errors import Conflict, Refused, TakenOver
from believable.simulate.client import GaveUp, Gone, Lost, Participant, Patience
from believable.simulate.pace import HastyPace

ORIGIN = hashlib.sha256(b"believable/1 some-session").hexdigest()


class Desk:
    """A tiny server that keeps events in memory. `trouble` may spoil an answer before or after the
    work is done.
    """

    def __init__(self) -> None:
        self.events: dict[int, str] = {}
        self.epoch = 0
        self.trouble: Callable[[httpx.Request, int], httpx.Response | Exception | None] = (
            lambda request, count: None
        )
        self.lost_answers: set[int] = set()
        self.count = 0

    def head(self, seq: int) -> str:
        head = ORIGIN
        for number in range(1, seq + 1):
            head = hashlib.sha256(f"{head}\n{self.events[number]}".encode()).hexdigest()
        return head

    @property
    def ack(self) -> int:
        seq = 0
        while seq + 1 in self.events:
            seq += 1
        return seq

    def answer(self, request: httpx.Request) -> httpx.Response:
        self.count += 1
        spoiled = self.trouble(request, self.count)
        if isinstance(spoiled, Exception):
            raise spoiled
        if spoiled is not None:
            return spoiled
        reply = self._work(request)
        if self.count in self.lost_answers:
            raise httpx.ReadError("the line broke after the work was done")
        return reply

    def _work(self, request: httpx.Request) -> httpx.Response:
        what = request.url.path.rsplit("/", 1)[-1]
        if request.url.path.startswith("/join/"):
            return (
                httpx.Response(303, headers={"location": "/s/tok"})
                if request.method == "POST"
                else httpx.Response(200)
            )
        given = json.loads(request.content or b"{}")
        if what == "claim":
            self.epoch += 1
            return httpx.Response(
                200,
                json={
                    "epoch": self.epoch,
                    "ack": self.ack,
                    "head": self.head(self.ack),
                    "position": 0,
                },
            )
        if what == "events":
            self.store(given["events"])
            return httpx.Response(200, json={"ack": self.ack})
        if what == "advance":
            self.store(given["events"])
            return httpx.Response(200, json={"status": "next", "ack": self.ack})
        assert what == "finish"
        receipt = self.head(given["seq"])
        return httpx.Response(
            200, json={"outcome": "complete", "receipt": receipt, "code": "C", "redirect": None}
        )

    def store(self, events: list[tuple[int, str]]) -> None:
        for seq, body in events:
            assert self.events.setdefault(seq, body) == body


def visit(desk: Desk, act: Callable[[Participant], Any], give_up_ms: int = 200) -> Participant:
    async def main() -> Participant:
        transport = httpx.MockTransport(desk.answer)
        async with httpx.AsyncClient(transport=transport, base_url="http://desk") as http:
            patience = Patience(first_ms=1, longest_ms=5, give_up_ms=give_up_ms)
            person = Participant(http, HastyPace(0), patience)
            await person.join("link")
            await person.claim()
            await act(person)
            return person

    return asyncio.run(main())


async def work(person: Participant) -> None:
    for number in range(250):
        person.note("answer.change", question="q", value=number)
    await person.submit({"q": 1})
    receipt = await person.finish()
    assert (receipt.outcome, receipt.code) == ("complete", "C")


def test_events_are_numbered_chained_and_sent_in_batches() -> None:
    desk = Desk()
    person = visit(desk, work)
    assert [desk.events[number] for number in range(1, 252)] == person.log
    assert person.acked == person.top == 251
    assert json.loads(person.log[-1])["kind"] == "trial.submit"
    assert desk.count == 3 + 3 + 2  # join and claim; three batches; advance and finish


@pytest.mark.parametrize("number", range(1, 9))
def test_a_lost_answer_is_asked_for_again(number: int) -> None:
    desk = Desk()
    desk.lost_answers = {number}
    person = visit(desk, work)
    assert person.resent == 1
    assert [desk.events[seq] for seq in sorted(desk.events)] == person.log


@pytest.mark.parametrize("status", [429, 502, 503, 504, 507])
def test_passing_trouble_is_waited_out(status: int) -> None:
    desk = Desk()
    desk.trouble = lambda request, count: httpx.Response(status) if count in (4, 5, 6) else None
    assert visit(desk, work).resent == 3


def test_patience_ends() -> None:
    desk = Desk()
    desk.trouble = lambda request, count: httpx.ConnectError("nobody there") if count > 3 else None
    with pytest.raises(GaveUp, match="Is the server running"):
        visit(desk, work, give_up_ms=20)
    desk.trouble = lambda request, count: httpx.Response(507)
    with pytest.raises(GaveUp, match=r"\(status 507\)\. Free space on the disk of its database\.$"):
        visit(desk, work, give_up_ms=20)


def test_an_acknowledgement_that_goes_back_is_a_loss() -> None:
    desk = Desk()

    async def act(person: Participant) -> None:
        await work(person)
        desk.events.pop(251)
        await person.claim()

    with pytest.raises(Lost, match="now holds only 250"):
        visit(desk, act)


def test_a_changed_event_breaks_the_chain() -> None:
    desk = Desk()

    async def act(person: Participant) -> None:
        person.note("page.open")
        await person.flush()
        desk.events[1] = desk.events[1].replace("open", "hide")
        await person.claim()

    with pytest.raises(Lost, match="chain"):
        visit(desk, act)


def test_an_acknowledgement_of_what_never_happened_is_refused() -> None:
    desk = Desk()

    async def act(person: Participant) -> None:
        person.note("page.open")
        desk.trouble = lambda request, count: httpx.Response(200, json={"ack": 5})
        await person.flush()

    with pytest.raises(Lost, match="only 1 exist"):
        visit(desk, act)


def test_a_receipt_must_be_the_own_head() -> None:
    desk = Desk()

    async def act(person: Participant) -> None:
        person.note("page.open")
        await person.flush()
        forged = {"outcome": "complete", "receipt": "0" * 64, "code": "C"}
        desk.trouble = lambda request, count: httpx.Response(200, json=forged)
        await person.finish()

    with pytest.raises(Lost, match="receipt"):
        visit(desk, act)


@pytest.mark.parametrize(
    ("status", "code", "error"),
    [
        (409, "taken_over", TakenOver),
        (409, "conflict", Conflict),
        (410, "withdrawn", Gone),
        (422, "malformed", Refused),
        (500, "x", Refused),
    ],
)
def test_answers_that_end_it_are_told_apart(status: int, code: str, error: type[Exception]) -> None:
    desk = Desk()
    reply = {"error": {"code": code, "message": "m", "cure": "c"}}
    desk.trouble = lambda request, count: httpx.Response(status, json=reply) if count > 3 else None
    with pytest.raises(error, match=code):
        visit(desk, work)


def test_a_session_that_was_begun_elsewhere_goes_on_from_there() -> None:
    desk = Desk()
    desk.events = {1: "{}", 2: "{}"}
    person = visit(desk, work)
    assert person.top == 253
    assert desk.ack == 253
