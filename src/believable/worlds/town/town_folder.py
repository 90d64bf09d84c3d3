"""A run in its folder: what it was made with, what minds said, where it stands; cut at any moment
and resumed to the same bytes.

`settings.json` what it was made with · `trace.jsonl` a line for each note of a mind ·
`checkpoint.json.gz` all that is needed to go on · `town.replay.json.gz` the recording, once it is
over · `answers.jsonl` and `usage.json` what the language model answered and what that took.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from believable.core.errors import InvalidInput, NotFound, parsing
from believable.core.shell import quote_command
from believable.core.whole_files import whole_file, write_whole
from believable.recordings import file
from believable.recordings.recording import Recording
from believable.worlds.town.language.language_model import LanguageModel
from believable.worlds.town.mind import STEPS_PER_MINUTE
from believable.worlds.town.minds import mind_kind
from believable.worlds.town.town_recording import recorded
from believable.worlds.town.town_run import TownRun, TownSettings

SETTINGS_FILE, TRACE_FILE, CHECKPOINT_FILE = "settings.json", "trace.jsonl", "checkpoint.json.gz"
_RUN_AGAIN = "Delete the folder and run it again."
RECORDING_FILE = "town.replay.json.gz"
#: So often a run is kept, in steps: two simulated hours.
KEPT_EVERY = 120 * STEPS_PER_MINUTE


def keep_settings(folder: Path, settings: TownSettings) -> None:
    """Write down what a run is made with; a folder that holds another run is refused."""
    if not holds(folder, settings):
        write_whole(folder / SETTINGS_FILE, json.dumps(asdict(settings), indent=2) + "\n")


def holds(folder: Path, settings: TownSettings) -> bool:
    """Whether this run is in the folder already. Another one is refused; nothing is written."""
    path, tree = folder / SETTINGS_FILE, json.loads(json.dumps(asdict(settings)))
    if not path.is_file():
        return False
    with parsing(path, _RUN_AGAIN):
        before = dict(json.loads(path.read_text("utf-8")))
    if before != tree:
        other = ", ".join(
            f"{name} {before.get(name)!r}" for name in tree if before.get(name) != tree[name]
        )
        raise InvalidInput(
            f"{folder}: holds another run ({other}). Choose another folder, or the same options."
        )
    return True


def read_settings(folder: Path) -> TownSettings:
    path = folder / SETTINGS_FILE
    if not path.is_file():
        raise NotFound(
            f"{folder}: there is no run here. Make one with:"
            f" {quote_command('believable town run', folder)}"
        )
    with parsing(path, _RUN_AGAIN):
        return TownSettings(**json.loads(path.read_text("utf-8")))


def simulate(
    folder: Path,
    settings: TownSettings,
    model: LanguageModel | None,
    *,
    on_step: Callable[[TownRun], None] = lambda run: None,
) -> TownRun:
    """Run to the end, from the last kept state if there is one. Everything minds say is in the
    trace.
    """
    keep_settings(folder, settings)
    run = TownRun(settings, mind_kind(settings.mind).create, model)
    length = _take_up(run, folder)
    with (folder / TRACE_FILE).open("r+b" if (folder / TRACE_FILE).exists() else "w+b") as trace:
        trace.seek(length)
        trace.truncate()
        while not run.over:
            run.advance()
            for note in run.notes:
                trace.write(json.dumps(note, ensure_ascii=False).encode() + b"\n")
            run.notes.clear()
            if run.state.step % KEPT_EVERY == 0 or run.over:
                trace.flush()
                _keep(run, folder, trace.tell())
            on_step(run)
    file.write(recorded(run), folder / RECORDING_FILE)
    return run


def read_town(path: Path) -> Recording:
    """The recording of a run's folder, or a recording itself."""
    target = path / RECORDING_FILE if path.is_dir() else path
    if not target.is_file():
        begun = (path / SETTINGS_FILE).is_file()
        cure = (
            "Let the run finish: believable town run"
            if begun
            else "Name a run's folder or a recording"
        )
        raise NotFound(f"{path}: there is no {target.name}. {cure}.")
    return file.read(target)


def _take_up(run: TownRun, folder: Path) -> int:
    """Go on from the kept state; how long the trace was then."""
    path = folder / CHECKPOINT_FILE
    if not path.is_file():
        return 0
    with parsing(path, "Delete it: the run then begins anew."):
        tree: Mapping[str, Any] = json.loads(gzip.decompress(path.read_bytes()))
        run.restore(tree["run"])
        return int(tree["trace_bytes"])


def _keep(run: TownRun, folder: Path, trace_bytes: int) -> None:
    tree = {"trace_bytes": trace_bytes, "run": run.stored()}
    with whole_file(folder / CHECKPOINT_FILE) as draft:
        draft.write_bytes(gzip.compress(json.dumps(tree).encode(), 6, mtime=0))
