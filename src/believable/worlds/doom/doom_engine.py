"""The engine: a ViZDoom process stepped tic by tic, seen to from its beginning to its end. Nothing
else imports `vizdoom`.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shlex
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from believable.contracts.game import Pixels
from believable.core.errors import InvalidInput, MissingExtra, Unavailable
from believable.core.system import KILL
from believable.worlds.doom.floor_plan import pwad
from believable.worlds.doom.items import HIDDEN_DEG, LYING
from believable.worlds.doom.led_figure import RULES as LED_RULES
from believable.worlds.doom.led_figure import lumps_of_things

#: Tics of game time in a second.
TICS_PER_S = 35
#: A figure appears in a cloud; a round begins when it has gone.
ARRIVAL_TICS = 52
#: A bot that appears on the player's position kills the player. The player respawns until this many
#: arrivals have failed.
MOST_ARRIVALS = 20
#: A watched bot appears somewhat later, and the engine writes its name over the picture at first.
WATCHED_TICS = 175
#: An engine that was asked to end is killed after this.
PATIENCE_S = 3.0
#: One that is not there after this never will be: it takes a third of a second.
START_PATIENCE_S = 60.0
#: The variables read after every tic, in this order.
VARIABLES = (
    "POSITION_X",
    "POSITION_Y",
    "POSITION_Z",
    "ANGLE",
    "PITCH",
    "VELOCITY_X",
    "VELOCITY_Y",
    "VELOCITY_Z",
    "CAMERA_POSITION_X",
    "CAMERA_POSITION_Y",
    "CAMERA_POSITION_Z",
    "CAMERA_ANGLE",
    "CAMERA_PITCH",
    "ON_GROUND",
    "HEALTH",
    "ARMOR",
    "DEAD",
    "SELECTED_WEAPON",
    "SELECTED_WEAPON_AMMO",
    "ATTACK_READY",
    "FRAGCOUNT",
    "DEATHCOUNT",
    "HITCOUNT",
    "HITS_TAKEN",
    "DAMAGECOUNT",
    "DAMAGE_TAKEN",
    "AMMO2",
    "AMMO3",
    "AMMO4",
    "AMMO5",
    "WEAPON1",
    "WEAPON2",
    "WEAPON3",
    "WEAPON4",
    "WEAPON5",
    "WEAPON6",
    "WEAPON7",
)
#: Of these, the ones that count up.
COUNTERS = ("FRAGCOUNT", "DEATHCOUNT", "HITCOUNT", "HITS_TAKEN", "DAMAGECOUNT", "DAMAGE_TAKEN")
FULL_HEALTH = 100
#: What can be pressed, in the order of an action.
BUTTONS = (
    "MOVE_FORWARD_BACKWARD_DELTA",
    "MOVE_LEFT_RIGHT_DELTA",
    "TURN_LEFT_RIGHT_DELTA",
    "LOOK_UP_DOWN_DELTA",
    "ATTACK",
    "JUMP",
    "USE",
    "SELECT_WEAPON1",
    "SELECT_WEAPON2",
    "SELECT_WEAPON3",
    "SELECT_WEAPON4",
    "SELECT_WEAPON5",
    "SELECT_WEAPON6",
    "SELECT_WEAPON7",
)
#: Pictures that the engine can make, width × height.
SIZES_PX = (
    (160, 120),
    (320, 180),
    (320, 240),
    (400, 225),
    (640, 360),
    (640, 480),
    (800, 450),
    (800, 600),
    (1024, 576),
    (1280, 720),
    (1600, 900),
    (1920, 1080),
)
#: A multiplayer game with one person in it: no other joins, and death does not end it. View and
#: weapon do not bob: their motion depends on how often the engine has drawn, and a resumed round
#: must look the same. The engine shows neither its scoreboard nor its kill messages: both name the
#: bots.
RULES = (
    "-host 1 +sv_cheats 1 +sv_chasecam 1 +sv_noautoaim 1 +sv_nocrouch 1 +chase_dist 112"
    " +chase_height 4 +viz_nocheat 0 +movebob 0 +stillbob 0 +sb_deathmatch_enable 0"
    " +sb_cooperative_enable 0 +sb_teamdeathmatch_enable 0 +show_obituaries 0"
)
#: Dead figures respawn by themselves; if a bot is watched, the player is dead and stays so: bots
#: leave the dead alone.
COMING_BACK, WATCHING = "+sv_forcerespawn 1 +viz_respawn_delay 2", "+bot_allowspy 1"
FIGHTING = "-altdeath +sv_itemrespawn 1 +sv_spawnfarthest 1"
CAMERAS = ("first", "third")


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineSettings:
    """The arguments of an engine. `wad` is a map as bytes, `game_data` a file with all of a game,
    instead of Freedoom. `watched`: the player is dead, and sees the first bot's view. `led`: the
    figure is led along a way. `unharmed`: nothing harms the figure.
    """

    seed: int
    map_name: str = "MAP01"
    wad: bytes | None = None
    game_data: Path | None = None
    deathmatch: bool = False
    bots: int = 0
    watched: bool = False
    led: bool = False
    unharmed: bool = False
    size_px: tuple[int, int] = (160, 120)
    camera: str = "first"
    overlay: bool = False
    weapon: bool = True
    crosshair: bool = True
    flashes: bool = True
    depth: bool = False
    objects: bool = True


class SeenObject(NamedTuple):
    """A thing of the engine's: an item, a figure, a lamp. Angles are counterclockwise from the
    east. An item that was taken and will respawn is still a thing to the engine; it is `hidden`.
    """

    number: int
    name: str
    x: float
    y: float
    z: float
    angle_deg: float
    hidden: bool


def need_vizdoom() -> None:
    """Raise an error that names the extra, if it is missing. Nothing is loaded."""
    if importlib.util.find_spec("vizdoom") is None:
        raise MissingExtra(what="the world 'doom'", extra="doom")


@cache
def load_vizdoom() -> Any:
    """The library, or an error that names the extra."""
    if sys.platform == "win32":
        raise Unavailable(
            "the world 'doom' starts its engine by a shell script, which Windows does not have."
            " Run believable in WSL (`wsl --install`), or on Linux or macOS."
        )
    try:
        import vizdoom  # noqa: PLC0415  an optional extra
    except ImportError as error:
        raise MissingExtra(what="the world 'doom'", extra="doom") from error
    return vizdoom


def engine_size(width_px: int, height_px: int) -> tuple[int, int]:
    """The smallest picture of the engine that covers this one; its largest if none does."""
    shape = width_px / height_px
    alike = [size for size in SIZES_PX if abs(size[0] / size[1] - shape) < 0.01] or list(SIZES_PX)
    return next((size for size in alike if size[0] >= width_px and size[1] >= height_px), alike[-1])


class DoomEngine:
    """One engine in a separate process. `advance` moves on by a tic; with `look` everything can be
    read afterwards.
    """

    def __init__(self, settings: EngineSettings) -> None:
        self._doom = load_vizdoom()
        self.settings = settings
        self.tic = 0
        self._game: Any = None
        self._state: Any = None
        self.pid: int | None = None
        self.instance = ""
        folder = Path(tempfile.mkdtemp(prefix="believable-doom-"))
        try:
            self._start(folder)
        except self._doom.ViZDoomErrorException as error:
            self.close()
            raise InvalidInput(
                f"the map {settings.map_name} cannot be played: {_first_line(error)}"
            ) from None
        except self._doom.ViZDoomUnexpectedExitException as error:
            self.close()
            raise InvalidInput(
                f"the engine ended while it read the map {settings.map_name}: {_first_line(error)}"
                " Is it a map for Doom?"
            ) from None
        except self._doom.FileDoesNotExistException as error:
            self.close()
            raise InvalidInput(str(error)) from None
        finally:
            shutil.rmtree(folder, ignore_errors=True)  # the engine has its files open

    def _start(self, folder: Path) -> None:
        doom, settings = self._doom, self.settings
        game = self._game = doom.DoomGame()
        note = folder / "engine"
        game.set_vizdoom_path(str(_starter(folder, note)))
        game.set_doom_config_path(os.devnull)  # it is written at the end, when the folder is gone
        if settings.game_data is not None:
            game.set_doom_game_path(str(settings.game_data.resolve()))
        files = {"map.wad": settings.wad, "items.wad": pwad(lumps_of_things(led=settings.led))}
        for name, content in files.items():
            if content is not None:
                (folder / name).write_bytes(content)
        if settings.wad is not None:
            game.set_doom_scenario_path(str(folder / "map.wad"))
        game.add_game_args(f"-file {folder / 'items.wad'}")
        game.set_doom_map(settings.map_name)
        width_px, height_px = settings.size_px
        game.set_screen_resolution(getattr(doom.ScreenResolution, f"RES_{width_px}X{height_px}"))
        game.set_screen_format(doom.ScreenFormat.RGB24)
        game.set_window_visible(False)
        game.set_mode(doom.Mode.PLAYER)
        game.set_seed(settings.seed % 2**32)
        game.set_episode_timeout(0)
        game.set_render_hud(settings.overlay)
        game.set_render_minimal_hud(False)
        game.set_render_crosshair(
            settings.crosshair and settings.deathmatch and settings.camera == "first"
        )
        game.set_render_weapon(settings.weapon and settings.camera == "first")
        game.set_render_messages(False)
        game.set_render_screen_flashes(settings.flashes)
        game.set_depth_buffer_enabled(settings.depth)
        game.set_objects_info_enabled(settings.objects)
        game.set_available_buttons([getattr(doom.Button, name) for name in BUTTONS])
        game.set_available_game_variables([getattr(doom.GameVariable, name) for name in VARIABLES])
        game.add_game_args(f"{RULES} {WATCHING if settings.watched else COMING_BACK}")
        if settings.watched:
            (folder / "bots.cfg").write_text(_steady_bots(), encoding="utf-8")
            game.add_game_args(f"+viz_bots_path {folder / 'bots.cfg'}")
        if settings.led:
            game.add_game_args(LED_RULES)
        if settings.deathmatch:
            game.add_game_args(FIGHTING)
        with watch_start(note):
            game.init()
        self.pid, self.instance = note_process(note)
        _forget(self.instance)
        for _ in range(settings.bots):
            game.send_game_command("addbot")
        if settings.camera == "third":
            game.send_game_command("chase")
        if settings.unharmed:
            game.send_game_command("god")
        game.make_action([0] * len(BUTTONS), ARRIVAL_TICS)
        if settings.watched:
            self._watch_a_bot(game)
        else:
            self._bring_player_back(game)
        self._state = game.get_state()
        started = zip(VARIABLES, self._read_variables(), strict=True)
        self._counted_before = [value if name in COUNTERS else 0.0 for name, value in started]

    def _bring_player_back(self, game: Any) -> None:
        """Let a round begin with a living player of full health: bots appear at random places, also
        at the player's.
        """
        for _ in range(MOST_ARRIVALS):
            if not game.is_player_dead():
                break
            game.respawn_player()
            game.make_action([0] * len(BUTTONS), 2 * ARRIVAL_TICS)
        else:
            raise InvalidInput(
                f"the map {self.settings.map_name} has no free place for the player beside"
                f" {self.settings.bots} bots: the player died at each of {MOST_ARRIVALS} arrivals."
                " Use a map with more places to start from, or fewer bots."
            )
        if game.get_game_variable(self._doom.GameVariable.HEALTH) < FULL_HEALTH:
            game.send_game_command("give health")
            game.make_action([0] * len(BUTTONS), 1)

    def _watch_a_bot(self, game: Any) -> None:
        for command, tics in (("kill", 4), ("spynext", WATCHED_TICS)):
            game.send_game_command(command)
            game.advance_action(tics, True)

    def advance(self, action: Sequence[float], *, tics: int = 1, look: bool = True) -> None:
        """Go on with this pressed; several tics at once cost one picture."""
        game = self._game
        game.set_action(action)
        game.advance_action(tics, look)
        self.tic += tics
        self._state = game.get_state() if look else None

    def warp(self, x: float, y: float) -> None:
        """Put the figure at another place with the next tic. The engine takes whole units."""
        self._game.send_game_command(f"warp {round(x)} {round(y)}")

    def put(self, x: float, y: float, wait_tics: int) -> None:
        """The living figure at another place, at rest, for training: a new round without a new
        engine. Its speed and the cloud of its arrival need `wait_tics` to fade; it is put back all
        the while, so that it slides nowhere.
        """
        nothing = [0.0] * len(BUTTONS)
        if self._game.is_player_dead():
            self._game.respawn_player()
        for _ in range(wait_tics // 2):
            self.warp(x, y)
            self.advance(nothing, tics=2, look=False)
        self.advance(nothing)

    @property
    def variables(self) -> list[float]:
        """As named in VARIABLES. Counters begin at 0 with the round: nothing that happened before
        it counts.
        """
        return [
            value - before
            for value, before in zip(self._read_variables(), self._counted_before, strict=True)
        ]

    def _read_variables(self) -> list[float]:
        values: list[float] = self._state.game_variables.tolist()
        return values

    @property
    def picture(self) -> Pixels:
        buffer: Pixels = self._state.screen_buffer
        return buffer

    @property
    def depth(self) -> Pixels:
        """The distance of each visible point, height × width, 0 to 255."""
        buffer: Pixels = self._state.depth_buffer
        return buffer

    @property
    def objects(self) -> list[SeenObject]:
        """Everything that is there. The player's own figure is one of them."""
        return [
            SeenObject(
                o.id,
                o.name.removeprefix(LYING),
                o.position_x,
                o.position_y,
                o.position_z,
                o.angle,
                o.pitch > HIDDEN_DEG / 2,
            )
            for o in self._state.objects
        ]

    def close(self) -> None:
        """Ends the engine, whatever state it is in."""
        game, self._game, self._state = self._game, None, None
        if game is None:
            return
        if self.settings.watched and game.is_running():
            # An engine that ends while it looks through another's eyes crashes.
            game.send_game_command("spycancel")
            game.advance_action(1, False)
        game.close()
        if self.pid is not None:
            _end(self.pid)


def _steady_bots() -> str:
    """The engine's list of bots, with views and weapons that bob as little as a player's: through
    whose eyes one looks must not show in that.
    """
    listed = (Path(load_vizdoom().__file__).parent / "bots.cfg").read_text(encoding="utf-8")
    return listed.replace("}", "    movebob 0\n    stillbob 0\n}")


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0]


def _starter(folder: Path, note: Path) -> Path:
    """A file that starts the engine by way of its guard: the library takes one path and no words
    before it.
    """
    engine = Path(load_vizdoom().__file__).parent / "vizdoom"
    guard = Path(__file__).parent / "doom_engine_guard.py"
    words = [sys.executable, "-ISE", str(guard), str(note), str(engine)]
    starter = folder / "start"
    starter.write_text(
        f'#!/bin/sh\nexec {" ".join(map(shlex.quote, words))} "$@"\n', encoding="utf-8"
    )
    starter.chmod(0o700)
    return starter


@contextlib.contextmanager
def watch_start(note: Path) -> Iterator[None]:
    """An engine that does not start, because it cannot read a map, is killed; the library then says
    that it ended.
    """

    def kill() -> None:
        with contextlib.suppress(OSError, ValueError):
            os.kill(note_process(note)[0], KILL)

    timer = threading.Timer(START_PATIENCE_S, kill)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def note_process(note: Path) -> tuple[int, str]:
    """The engine's process id and the name of the memory it shares."""
    pid, *arguments = note.read_text(encoding="utf-8").split("\n")
    return int(pid), arguments[arguments.index("+viz_instance_id") + 1]


def _forget(instance: str) -> None:
    """Take the names of the shared memory away: both sides hold it, and it goes with the last of
    them, however they end.
    """
    memory = Path("/dev/shm")
    for file in memory.glob(f"*{instance}*") if instance and memory.is_dir() else ():
        with contextlib.suppress(OSError):
            file.unlink()


def _end(pid: int) -> None:
    """Wait until a process of ours is gone; kill it if it does not go."""
    until_s = time.monotonic() + PATIENCE_S
    while _alive(pid):
        if time.monotonic() > until_s:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, KILL)
            return
        time.sleep(0.01)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")
    with contextlib.suppress(OSError):
        return status.read_text().rpartition(")")[2].split()[0] != "Z"
    return True


def scale_picture(picture: Pixels, width_px: int, height_px: int) -> Pixels:
    """The picture in another size: its middle part of that shape, larger or smaller."""
    if picture.shape[:2] == (height_px, width_px):
        return picture
    from PIL import Image  # noqa: PLC0415  the extra `video`

    height, width = picture.shape[:2]
    kept = min(width, height * width_px // height_px), min(height, width * height_px // width_px)
    left, top = (width - kept[0]) // 2, (height - kept[1]) // 2
    part = Image.fromarray(picture[top : top + kept[1], left : left + kept[0]])
    return np.asarray(part.resize((width_px, height_px), Image.Resampling.LANCZOS))
