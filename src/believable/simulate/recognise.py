"""What a simulated person makes of a medium: which stimulus of the study it is, and what stands out in it.

Browsers are never told. Simulated people on the researcher's own machine have the study folder, and compare what they are
shown with what they would be shown of each stimulus.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import random
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from believable.instruments.contract import Act
from believable.recordings.actions import ActionLog, log_of
from believable.recordings.file import read
from believable.simulate.behaviour import SeenAction, SeenStimulus
from believable.simulate.demonstration import violations_of
from believable.stimuli.judging import Variant, judging_tree
from believable.study.records import Stimulus, Study

#: Used when a file does not state its length.
UNKNOWN_LENGTH_MS = 6_000
_GZIP = b"\x1f\x8b"


def look_at(content: bytes) -> SeenStimulus:
    """A video (its beginning is enough) or a whole recording. Which stimulus it is, is not known yet."""
    if not content.startswith(_GZIP):
        return SeenStimulus(None, length_ms(content) or UNKNOWN_LENGTH_MS)
    tree = json.loads(gzip.decompress(content))["replay"]
    timing = tree["timing"]
    return SeenStimulus(None, round(timing["frame_ms"] * timing["frames"]), _log(tree["actions"]))


def log_in(content: bytes) -> tuple[SeenAction, ...]:
    """The action log of a video, as it is served."""
    return _log(json.loads(gzip.decompress(content))["actions"])


def _log(columns: dict[str, list[object]]) -> tuple[SeenAction, ...]:
    rows = zip(columns.get("id", ()), columns.get("t0_ms", ()), columns.get("t1_ms", ()), strict=True)
    return tuple(SeenAction(str(name), int(str(t0_ms)), int(str(t1_ms))) for name, t0_ms, t1_ms in rows)


def length_ms(beginning: bytes) -> int | None:
    """The playing time an MP4 file states in its movie header; None where there is none to be found."""
    at = beginning.find(b"mvhd") + 4
    if at < 4 or len(beginning) < at + 32:
        return None
    wide = beginning[at] == 1  # 64-bit times
    scale, length = struct.unpack_from(">IQ" if wide else ">II", beginning, at + (20 if wide else 12))
    return round(1000 * length / scale) if scale else None


def aimed(acts: Sequence[Act], log: Sequence[SeenAction], rng: random.Random) -> list[Act]:
    """Flags on moments become flags on an action that is going on then, as the button of its line makes them."""
    aimed_acts = []
    for act in acts:
        going = [action.id for action in log if action.t0_ms <= act.media_ms < action.t1_ms]
        if act.kind == "flag.add" and going:
            act = replace(act, data={**act.data, "action": rng.choice(going), "how": "line"})
        aimed_acts.append(act)
    return aimed_acts


#: The name of the figure that is judged in a recording of the game.
OPPONENT = "Opponent"


@dataclass(frozen=True, slots=True)
class KnownStimulus:
    stimulus: Stimulus
    log: ActionLog
    violations: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Recogniser:
    """Recordings of a study by what their figures do; videos are not recognised."""

    known: Mapping[str, KnownStimulus] = field(default_factory=dict)
    _looked: dict[bytes, tuple[KnownStimulus | None, tuple[float, ...]]] = field(default_factory=dict)

    def seen(self, content: bytes, shown: SeenStimulus) -> SeenStimulus:
        """What somebody who watches this medium has seen."""
        known, turns = self._look(content)
        if known is None:
            return replace(shown, turning=turns)
        wrong = {action.id: known.violations.get(known.log.authored_id(action.id) or "", "") for action in shown.log}
        log = tuple(replace(action, violations=wrong[action.id]) for action in shown.log)
        return replace(shown, stimulus=known.stimulus, log=log, turning=turns)

    def _look(self, content: bytes) -> tuple[KnownStimulus | None, tuple[float, ...]]:
        """Everybody is shown the same copies: each is looked at once."""
        if not content.startswith(_GZIP):
            return None, ()
        digest = hashlib.sha256(content).digest()
        if digest not in self._looked:
            tree = json.loads(gzip.decompress(content))["replay"]
            self._looked[digest] = self.known.get(fingerprint(tree["tracks"])), turning(tree)
        return self._looked[digest]


def recogniser_of(study: Study, folder: Path) -> Recogniser:
    """For the stimuli of a study folder."""
    known: dict[str, KnownStimulus] = {}
    for stimulus in study.stimuli:
        path = folder / stimulus.file
        if stimulus.player == "replay" and path.is_file():
            replay = read(path)
            tracks = judging_tree(replay, Variant())["replay"]["tracks"]
            known[fingerprint(tracks)] = KnownStimulus(stimulus, log_of(replay), violations_of(replay.actions))
    return Recogniser(known)


def fingerprint(tracks: Any) -> str:
    return hashlib.sha256(json.dumps(tracks, sort_keys=True).encode()).hexdigest()


def turning(tree: Mapping[str, Any]) -> tuple[float, ...]:
    """How much the opponent turned in each second of a recording, in degrees; empty where there is none."""
    names = {actor["id"] for actor in tree["actors"] if actor["name"] == OPPONENT}
    track = next((track for track in tree["tracks"] if track["actor"] in names), None)
    if track is None:
        return ()
    per_second = max(1, round(1000 / tree["timing"]["frame_ms"]))
    changes = [abs((step + 180) % 360 - 180) for step in track["heading"][1:]]
    return tuple(float(sum(changes[start : start + per_second])) for start in range(0, len(changes), per_second))
