"""How a simulated person watches (events in media time, with the small mishaps of real playback),
follows the signal of a quality test, and plays a round through the page's own connection.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from believable.contracts.agent import ActFunction
from believable.contracts.inputs import Input
from believable.contracts.instrument import Act
from believable.contracts.registries import INSTRUMENTS, WORLDS
from believable.contracts.world import Playable
from believable.instruments.flags import FREEZE, STEP_BACK_MS
from believable.instruments.tracing import samples
from believable.simulate.asgi import Socket
from believable.simulate.behaviour import OPENS_CHANCE, Mind, SeenStimulus
from believable.simulate.client import Participant
from believable.simulate.pace import Pace
from believable.simulate.recognise import Recogniser, ServedCopy, aim_flags, log_in, look_at

#: Watched time is reported in pieces of at most this length (of real time).
INTERVAL_MS = 5_000
STALL_CHANCE = 0.08
LOOK_AWAY_CHANCE = 0.06


async def watch(
    browser: Participant,
    pace: Pace,
    rng: random.Random,
    trial: Mapping[str, Any],
    recogniser: Recogniser | None = None,
    mind: Mind | None = None,
) -> list[SeenStimulus]:
    """Watch every medium of the trial to its end, and annotate if the page asks for it. Who may
    jump may leave out a stretch.
    """
    copies = [await _open_copy(browser, medium) for medium in trial["media"]]
    unrecognised = [replace(copy.shown, log=()) for copy in copies]
    recognised = unrecognised if recogniser is None else recogniser.recognise(copies)
    watched = []
    for number, (shown, known) in enumerate(
        zip((copy.shown for copy in copies), recognised, strict=True)
    ):
        opens = OPENS_CHANCE if mind is None else mind.opens
        opened = frozenset(
            which
            for which, there in (trial.get("overlay") or {}).items()
            if there and rng.random() < opens
        )
        controls = trial.get("controls") or {}
        rate = controls.get("speed") or 1
        seen = replace(
            known,
            opened=opened,
            rate=rate,
            trial=None if browser.page is None else browser.page.trial,
        )
        if mind is not None and controls.get("seek"):
            seen = replace(seen, jump=mind.jump(seen))
        player = {"player": number} if trial.get("several") else {}
        annotate = trial.get("annotate")
        own = (
            mind.acts(annotate["kind"], seen) if mind is not None and annotate is not None else None
        )
        acts = (
            own if own is not None else aim_flags(_acts(trial, rng, seen.length_ms), shown.log, rng)
        )
        acts = [
            act
            for act in acts
            if seen.jump is None or not seen.jump[0] <= act.media_ms < seen.jump[1]
        ]
        await _play(
            browser,
            pace=pace,
            rng=rng,
            until_ms=seen.length_ms,
            rate=rate,
            acts=acts,
            player=player,
            opened=opened,
            jump=seen.jump,
        )
        watched.append(seen)
    return watched


def _acts(trial: Mapping[str, Any], rng: random.Random, duration_ms: int) -> Sequence[Act]:
    """The actions of this person while watching; none if nothing is annotated."""
    annotate = trial.get("annotate")
    if annotate is None:
        return ()
    instrument = INSTRUMENTS[annotate["kind"]]
    return instrument.perform(
        instrument.params.model_validate(annotate["params"]), rng, duration_ms
    )


async def watch_signal(
    browser: Participant,
    pace: Pace,
    rng: random.Random,
    trial: Mapping[str, Any],
    acts: Sequence[Act],
) -> None:
    """Watch the signal of a quality test, doing `acts` on the way."""
    await _play(
        browser,
        pace=pace,
        rng=rng,
        until_ms=trial["signal"]["duration_ms"],
        rate=1,
        acts=acts,
        player={},
    )


async def _open_copy(browser: Participant, medium: Mapping[str, Any]) -> ServedCopy:
    content = await browser.open_medium(medium["url"])
    shown = look_at(content)
    if medium.get("log"):
        shown = replace(shown, log=log_in(await browser.open_medium(medium["log"])))
    played_at = medium.get("round")
    if played_at is not None and browser.pages:
        shown = replace(shown, round_condition=browser.pages[played_at].condition)
    return ServedCopy(medium["player"], content, shown, own_round=played_at is not None)


async def _play(
    browser: Participant,
    pace: Pace,
    rng: random.Random,
    until_ms: int,
    rate: float,
    acts: Sequence[Act],
    player: Mapping[str, int],
    opened: Collection[str] = (),
    jump: tuple[int, int] | None = None,
) -> None:
    """`player` is part of every event of the player if the page has several; `opened` is open next
    to it; `jump` is left out.
    """
    browser.note("media.ready", duration_ms=until_ms, width=640, height=360, **player)
    await pace.sleep(rng.randint(300, 1500))
    for which in sorted(opened):
        browser.note("overlay.open", which=which, media_ms=0)
    browser.note("media.play", media_ms=0, **player)
    at_ms, waiting = 0, deque(acts)
    while at_ms < until_ms:
        piece_ms = min(
            round(INTERVAL_MS * rate), (jump[0] if jump is not None else until_ms) - at_ms
        )
        reached_ms = await _act_until(browser, pace, at_ms, at_ms + piece_ms, rate, waiting)
        if reached_ms > at_ms:
            browser.note("media.interval", from_ms=at_ms, to_ms=reached_ms, rate=rate, **player)
        at_ms = reached_ms
        if waiting and waiting[0].kind == FREEZE and waiting[0].media_ms <= at_ms:
            at_ms = await _answer_press(browser, pace, at_ms, rate, waiting, player)
        if jump is not None and at_ms >= jump[0]:
            browser.note("media.seek", from_ms=at_ms, to_ms=jump[1], **player)
            at_ms, jump = jump[1], None
        if at_ms < until_ms and rng.random() < STALL_CHANCE:
            browser.note("media.stall", media_ms=at_ms, **player)
            await pace.sleep(rng.randint(150, 1200))
            browser.note("media.resume", media_ms=at_ms, **player)
        if rng.random() < LOOK_AWAY_CHANCE:
            browser.note("page.blur")
            browser.note("page.focus")
        await browser.send()
    browser.note("media.ended", media_ms=until_ms, view=1, **player)
    await browser.send()


async def _act_until(
    browser: Participant, pace: Pace, from_ms: int, to_ms: int, rate: float, waiting: deque[Act]
) -> int:
    """Let the medium run, with the actions on the way. Returns how far it ran: a press that freezes
    it ends the piece.
    """
    at_ms = from_ms
    while waiting and waiting[0].media_ms < to_ms:
        await pace.sleep(round(max(0, waiting[0].media_ms - at_ms) / rate))
        at_ms = max(at_ms, waiting[0].media_ms)
        if waiting[0].kind == FREEZE:
            return at_ms
        act = waiting.popleft()
        browser.note(act.kind, **act.data)
    await pace.sleep(round((to_ms - at_ms) / rate))
    return to_ms


async def _answer_press(
    browser: Participant,
    pace: Pace,
    at_ms: int,
    rate: float,
    waiting: deque[Act],
    player: Mapping[str, int],
) -> int:
    """The press freezes the medium and steps back; after the answer it continues from there.
    Returns that moment.
    """
    press = waiting.popleft()
    back_ms = max(0, at_ms - round(STEP_BACK_MS * rate))
    browser.note("media.pause", media_ms=at_ms, reason="flag", **player)
    browser.note("media.seek", from_ms=at_ms, to_ms=back_ms, **player)
    browser.note(press.kind, **press.data)
    while waiting and waiting[0].media_ms <= press.media_ms and waiting[0].kind != FREEZE:
        act = waiting.popleft()
        await pace.sleep(int(act.data.get("choice_ms") or 0))
        browser.note(act.kind, **act.data)
    browser.note("media.play", media_ms=back_ms, **player)
    return back_ms


# ----------------------------------------------------------------------------------- quality tests


#: The delay of a hand behind its target.
LAG_MS = (250, 700)
#: How often the person decides whether to turn further.
LOOK_MS = 125
#: Change of level from one look to the next that is noticed.
NOTICED = 0.004
#: Chance of a needless or a missing notch at one look: for careful people, and for others.
SLIP_CHANCE, CARELESS_SLIP_CHANCE = 0.04, 0.95


def follow_signal(signal: Mapping[str, Any], rng: random.Random, care: float) -> Sequence[Act]:
    """RankTrace of the signal: late, with slips, and by the careless mostly at random."""
    slip = SLIP_CHANCE if rng.random() < care else CARELESS_SLIP_CHANCE
    lag_ms = rng.randint(*LAG_MS)
    duration_ms = signal["duration_ms"]
    times_ms, levels = zip(*signal["corners"], strict=True)
    drawn: list[tuple[int, float]] = []
    value = 0
    for at_ms in range(LOOK_MS, duration_ms, LOOK_MS):
        now, before = np.interp((at_ms - lag_ms, at_ms - lag_ms - LOOK_MS), times_ms, levels)
        change = float(now - before)
        direction = 0 if abs(change) < NOTICED else 1 if change > 0 else -1
        if rng.random() < slip:
            direction = rng.choice((-1, 0, 1))
        if direction:
            value += direction
            drawn.append((at_ms, value))
    return samples(drawn, duration_ms, 0, "wheel")


# ------------------------------------------------------------------------------------------ rounds


#: How long people practise, in seconds.
PRACTICE_S = (8, 25)
#: The interval between decisions; between two decisions keys stay as they are.
DECISIONS_PER_S = 10
#: The number of inputs in one event.
GATHERED = 16


async def play(
    browser: Participant, pace: Pace, rng: random.Random, trial: Mapping[str, Any]
) -> None:
    """Play the round of this page to its end; a practice until one has had enough."""
    round_settings = trial["play"]
    playing = WORLDS[round_settings["world"]].game
    agent = playing.stand_in
    assert agent.draw is not None, "check_world asks for it"
    params, seed = agent.draw(rng), rng.getrandbits(62)
    async with browser.open_round() as socket:
        first = await socket.receive()
        while "wait" in first:
            first = await socket.receive()
        if "over" not in first:
            welcome = first["welcome"]
            until = (
                rng.randint(*PRACTICE_S) * welcome["tick_hz"]
                if round_settings["practice"]
                else None
            )
            act = agent.new(params, seed)
            await _SimulatedRound(browser, pace, socket, playing, welcome).play(act, until)
    await browser.flush()


class _SimulatedRound:
    """One connection to a round."""

    def __init__(
        self,
        browser: Participant,
        pace: Pace,
        socket: Socket,
        playing: Playable[Any, Any],
        welcome: Mapping[str, Any],
    ) -> None:
        self._browser, self._pace, self._socket = browser, pace, socket
        tick_hz: int = welcome["tick_hz"]
        self._held_ticks = max(1, tick_hz // DECISIONS_PER_S)
        self._held_ms = round(1000 * self._held_ticks / tick_hz)
        self._schema = playing.inputs
        self._pressed: Input = self._schema.nothing
        self._welcome = welcome
        self._ticks: int = welcome["ticks"]
        self._attempt = welcome["attempt"]
        self._number = welcome["received"]
        self._tick = 0
        self._inputs: list[list[int]] = []
        self._said: Input | None = None

    async def play(self, act: ActFunction, until: int | None) -> None:
        browser = self._browser
        browser.note("play.connected", attempt=self._attempt, received=self._number)
        while True:
            if self._tick + self._held_ticks >= self._ticks:
                await self._pace.meet()  # the server notes when a round ends
            picture = await self._step()
            self._tick = picture["t"]
            if picture["st"] == "over":
                break
            if until is not None and self._tick >= until:
                await self._socket.send({"stop": True})
                break
            self._pressed = act({**picture, "welcome": self._welcome})
            await self._pace.sleep(self._held_ms)
        self._tell()
        if picture["st"] == "over":
            over = (await self._socket.receive())["over"]
            browser.note("play.over", score=over["score"])

    async def _step(self) -> Mapping[str, Any]:
        if self._pressed != self._said or self._schema.has_text(self._pressed):
            self._said = self._pressed
            self._number += 1
            self._inputs.append([self._number, self._tick, *self._pressed])
            if len(self._inputs) >= GATHERED:
                self._tell()
        await self._socket.send({"step": [self._number, *self._pressed, self._held_ticks]})
        return await self._socket.receive()

    def _tell(self) -> None:
        if self._inputs:
            self._browser.note("play.input", attempt=self._attempt, inputs=self._inputs)
            self._inputs = []
