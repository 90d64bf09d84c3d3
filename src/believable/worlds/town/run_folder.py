"""A run on disk. It can be interrupted at any moment and resumed to the same bytes.

settings.json           the settings
trace.jsonl             a line for each note of a mind
checkpoint.json.gz      the state of the run
town.replay.json.gz     the recording, after the end
answers.jsonl           the answers of the language model
usage.json              their cost
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from believable.core.errors import InvalidInput, NotFound, parsing
from believable.core.shell import quote_command
from believable.core.whole_files import whole_file, write_whole
from believable.recordings import file
from believable.recordings.recording import Recording, Scalar
from believable.worlds.town.clock import STEPS_PER_MINUTE
from believable.worlds.town.language.answer_queue import QueueModel
from believable.worlds.town.language.model import LanguageModel, describe_model
from believable.worlds.town.language.recorded_answers import RememberingModel
from believable.worlds.town.minds import mind_kind
from believable.worlds.town.recording import record_run
from believable.worlds.town.run import TownRun, TownSettings

SETTINGS_FILE, TRACE_FILE, CHECKPOINT_FILE = "settings.json", "trace.jsonl", "checkpoint.json.gz"
_RUN_AGAIN = "Delete the folder and run it again."
RECORDING_FILE = "town.replay.json.gz"
#: A checkpoint is written every two simulated hours.
KEPT_EVERY = 120 * STEPS_PER_MINUTE


def keep_settings(folder: Path, settings: TownSettings) -> None:
    """Write the settings. A folder with another run is refused."""
    if not holds(folder, settings):
        write_whole(folder / SETTINGS_FILE, json.dumps(asdict(settings), indent=2) + "\n")


def holds(folder: Path, settings: TownSettings) -> bool:
    """Return whether the folder already contains this run. Another run is refused."""
    path, tree = folder / SETTINGS_FILE, json.loads(json.dumps(asdict(settings)))
    if not path.is_file():
        return False
    with parsing(path, _RUN_AGAIN):
        before = {"town": "market", **json.loads(path.read_text("utf-8"))}
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
    queue: QueueModel | None = None,
    look_ahead_steps: int = 0,
) -> TownRun:
    """Run to the end, from the checkpoint if there is one. If prompts of the `queue` have no
    answer, the run stops; what happened in a look-ahead is not stored.
    """
    keep_settings(folder, settings)
    mind = mind_kind(settings.mind)
    run = TownRun(settings, mind.create, model)
    length = _resume(run, folder)
    with (folder / TRACE_FILE).open("r+b" if (folder / TRACE_FILE).exists() else "w+b") as trace:
        trace.seek(length)
        trace.truncate()
        while not run.over:
            run.advance()
            if queue is not None and queue.pending:
                _look_ahead(run, look_ahead_steps)
                queue.write_batch()
            for note in run.notes:
                trace.write(json.dumps(note, ensure_ascii=False).encode() + b"\n")
            run.notes.clear()
            if run.state.step % KEPT_EVERY == 0 or run.over:
                trace.flush()
                _keep(run, folder, trace.tell())
            on_step(run)
    recording = record_run(run)
    provenance = {**recording.provenance, **mind.identity, **provenance_of(model)}
    file.write(replace(recording, provenance=provenance), folder / RECORDING_FILE)
    return run


def provenance_of(model: LanguageModel | None) -> Mapping[str, Scalar]:
    """Return whose answers the minds were given, as recordings say it."""
    if model is None:
        return {}
    answered = {"answered": model.answer_date} if isinstance(model, RememberingModel) else {}
    return {
        "language model": describe_model(model.name),
        **{name: date for name, date in answered.items() if date},
    }


def _look_ahead(run: TownRun, steps: int) -> None:
    """Let the people who are not stuck act, so that their prompts join the batch."""
    for _ in range(steps):
        if run.over or len(run.stuck) == len(run.people):
            return
        run.advance()


def read_town(path: Path) -> Recording:
    """Read the recording of a run's folder, or a recording file."""
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


def _resume(run: TownRun, folder: Path) -> int:
    """Resume from the checkpoint, and return the length of the trace at that time."""
    path = folder / CHECKPOINT_FILE
    if not path.is_file():
        return 0
    with parsing(path, "Delete it: the run then starts over."):
        tree: Mapping[str, Any] = json.loads(gzip.decompress(path.read_bytes()))
        run.restore(tree["run"])
        return int(tree["trace_bytes"])


def _keep(run: TownRun, folder: Path, trace_bytes: int) -> None:
    tree = {"trace_bytes": trace_bytes, "run": run.save()}
    with whole_file(folder / CHECKPOINT_FILE) as draft:
        draft.write_bytes(gzip.compress(json.dumps(tree).encode(), 6, mtime=0))
