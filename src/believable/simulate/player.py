"""How a simulated person plays a round: by what the page is shown, through the same connection, as fast as both can."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from believable.agents.maze_player import ScriptedPlayer, Skill
from believable.simulate.client import Participant
from believable.simulate.pace import Pace
from believable.simulate.socket import Socket
from believable.worlds.maze.grid import Grid
from believable.worlds.maze.rules import TICKS_PER_S, Body, Event, PlayerInput, Round, Settings

#: How long people practise, in seconds.
PRACTICE_S = (8, 25)
#: For so many ticks keys stay as they are: ten decisions a second.
HELD_TICKS = 3
#: So many inputs go into one event.
GATHERED = 16


async def play(browser: Participant, pace: Pace, rng: random.Random, trial: Mapping[str, Any]) -> None:
    """Play the round of this page to its end; a practice until one has had enough."""
    practice = trial["play"]["practice"]
    until = rng.randint(*PRACTICE_S) * TICKS_PER_S if practice else None
    skill = Skill(
        reaction_ticks=rng.randint(6, 13),
        aim_error_deg=rng.uniform(5, 14),
        bomb_chance=rng.uniform(0.01, 0.06),
        pause_chance=rng.uniform(0.005, 0.02),
    )
    player = ScriptedPlayer(rng.getrandbits(62), skill)
    async with browser.open_round() as socket:
        first = await socket.receive()
        if "over" not in first:
            await _Rounds(browser, pace, socket, first["welcome"]).play(player, until)
    await browser.flush()


class _Rounds:
    """One connection to a round. The person sees what the page draws: a copy of the game, kept up by its pictures."""

    def __init__(self, browser: Participant, pace: Pace, socket: Socket, welcome: Mapping[str, Any]) -> None:
        self._browser, self._pace, self._socket = browser, pace, socket
        grid = Grid(welcome["walls"])
        settings = Settings(size=grid.width, round_ticks=welcome["ticks"])
        self._game = Round(settings, 0, grid, grid.free[0], grid.free[0])
        self._attempt = welcome["attempt"]
        self._number = welcome["received"]
        self._inputs: list[list[int]] = []
        self._said: PlayerInput | None = None

    async def play(self, player: ScriptedPlayer, until: int | None) -> None:
        browser = self._browser
        browser.note("play.connected", attempt=self._attempt, received=self._number)
        events: Sequence[Event] = ()
        keys = PlayerInput()
        while True:
            if self._game.tick + HELD_TICKS >= self._game.settings.round_ticks:
                await self._pace.meet()  # the server notes when a round ends
            picture = await self._step(keys)
            events = self._see(picture)
            if self._game.over:
                break
            if until is not None and self._game.tick >= until:
                await self._socket.send({"stop": True})
                break
            keys = player.decide(self._game, events)
            await self._pace.sleep(round(1000 * HELD_TICKS / TICKS_PER_S))
        self._tell()
        if self._game.over:
            over = (await self._socket.receive())["over"]
            browser.note("play.over", score=over["score"])

    async def _step(self, keys: PlayerInput) -> Mapping[str, Any]:
        pressed = [keys.dx, keys.dy, keys.aim_deg, int(keys.shoot), int(keys.bomb)]
        if keys != self._said:
            self._said = keys
            self._number += 1
            self._inputs.append([self._number, self._game.tick, *pressed])
            if len(self._inputs) >= GATHERED:
                self._tell()
        await self._socket.send({"step": [self._number, *pressed, HELD_TICKS]})
        return await self._socket.receive()

    def _tell(self) -> None:
        if self._inputs:
            self._browser.note("play.input", attempt=self._attempt, inputs=self._inputs)
            self._inputs = []

    def _see(self, picture: Mapping[str, Any]) -> Sequence[Event]:
        game = self._game
        game.tick, game.score = picture["t"], picture["s"]
        game.player, game.opponent = Body(*picture["p"]), Body(*picture["o"])
        game.fires = dict.fromkeys(picture["f"], 0)
        return [Event(game.tick, kind, "", 0, 0) for kind in picture["e"]]
