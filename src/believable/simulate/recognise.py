"""Simulated participants recognise a stimulus by the SHA-256 of the copy that a browser is served.

Browsers are never sent the names of stimuli. Simulated participants have the study's definition and
compare the served file with the served copy of each stimulus. A participant who cannot recognise a
stimulus ends the simulation: without it the assumed truth cannot be followed, and answers at random
would look like a study without an effect.
"""

from __future__ import annotations

import gzip
import hashlib
import itertools
import json
import random
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from believable.contracts.instrument import Act
from believable.contracts.trial import outline
from believable.core.errors import InvalidInput
from believable.core.object_storage import digest_of, medium_file
from believable.recordings.actions import ActionLog, log_of, read_actions
from believable.recordings.file import read
from believable.simulate.behaviour import SeenAction, SeenStimulus
from believable.simulate.demonstration import violations_of
from believable.stimuli.judging import Variant, served_replay
from believable.study.definition import Definition, Medium
from believable.study.records import Stimulus, Study

#: Used when neither the file nor the study states its length.
UNKNOWN_LENGTH_MS = 6_000
#: An error lists at most this many stimuli.
LISTED = 8
_GZIP = b"\x1f\x8b"


def look_at(content: bytes) -> SeenStimulus:
    """Length and log of a video or of a recording, from its content alone."""
    if not content.startswith(_GZIP):
        return SeenStimulus(stimulus=None, length_ms=length_ms(content) or UNKNOWN_LENGTH_MS)
    tree = json.loads(gzip.decompress(content))["replay"]
    timing = tree["timing"]
    return SeenStimulus(
        stimulus=None,
        length_ms=round(timing["frame_ms"] * timing["frames"]),
        log=_log(tree["actions"]),
    )


def log_in(content: bytes) -> tuple[SeenAction, ...]:
    """The action log of a video, as it is served."""
    return _log(json.loads(gzip.decompress(content))["actions"])


def _log(columns: dict[str, list[object]]) -> tuple[SeenAction, ...]:
    rows = zip(
        columns.get("id", ()), columns.get("t0_ms", ()), columns.get("t1_ms", ()), strict=True
    )
    return tuple(
        SeenAction(str(name), int(str(t0_ms)), int(str(t1_ms))) for name, t0_ms, t1_ms in rows
    )


def length_ms(beginning: bytes) -> int | None:
    """The playing time an MP4 file states in its movie header; None if there is no header."""
    at = beginning.find(b"mvhd") + 4
    if at < 4 or len(beginning) < at + 32:
        return None
    wide = beginning[at] == 1  # 64-bit times
    scale, length = struct.unpack_from(
        ">IQ" if wide else ">II", beginning, at + (20 if wide else 12)
    )
    return round(1000 * length / scale) if scale else None


def aim_flags(acts: Sequence[Act], log: Sequence[SeenAction], rng: random.Random) -> list[Act]:
    """Flags on moments become flags on an action that is in progress then, as the button of its
    line makes them.
    """
    aimed_acts = []
    for act in acts:
        going = [action.id for action in log if action.t0_ms <= act.media_ms < action.t1_ms]
        if act.kind == "flag.add" and going:
            act = replace(act, data={**act.data, "action": rng.choice(going), "how": "line"})
        aimed_acts.append(act)
    return aimed_acts


@dataclass(frozen=True, slots=True)
class ServedCopy:
    """A medium as a browser received it. `own_round`: it is a round that this participant played,
    and no stimulus.
    """

    player: str
    content: bytes
    shown: SeenStimulus
    own_round: bool = False


@dataclass(frozen=True, slots=True)
class KnownStimulus:
    """A stimulus with its length, its action log and the rule violations in it, by the author's ids
    of actions.
    """

    stimulus: Stimulus
    length_ms: int | None
    log: ActionLog | None
    violations: Mapping[str, str]

    def seen_as(self, shown: SeenStimulus) -> SeenStimulus:
        length = shown.length_ms if self.length_ms is None else self.length_ms
        log = tuple(replace(action, violations=self._violations_of(action)) for action in shown.log)
        return replace(shown, stimulus=self.stimulus, length_ms=length, log=log)

    def _violations_of(self, action: SeenAction) -> str:
        return (
            ""
            if self.log is None
            else self.violations.get(self.log.authored_id(action.id) or "", "")
        )


@dataclass(frozen=True, slots=True)
class Recogniser:
    """All stimuli of a study, by the SHA-256 (hex) of each copy that can be served. One file may
    serve several stimuli.

    `study` names the study in errors.
    """

    study: str
    copies: Mapping[str, tuple[KnownStimulus, ...]]

    def recognise(self, page: Sequence[ServedCopy]) -> list[SeenStimulus]:
        """The stimuli of one page, in the order of its players. Raises InvalidInput if one of them
        is unknown or ambiguous.
        """
        candidates = [() if copy.own_round else self._known(copy) for copy in page]
        chosen = iter(self._choose([known for known in candidates if known]))
        return [
            next(chosen).seen_as(copy.shown) if known else copy.shown
            for copy, known in zip(page, candidates, strict=True)
        ]

    def _known(self, copy: ServedCopy) -> tuple[KnownStimulus, ...]:
        digest = hashlib.sha256(copy.content).hexdigest()
        known = self.copies.get(digest, ())
        if not known:
            names = sorted(
                {known.stimulus.id for copies in self.copies.values() for known in copies}
            )
            raise InvalidInput(
                f"{self.study}: simulated participants cannot recognise a stimulus. The server"
                f" showed a medium ({copy.player}, {len(copy.content)} bytes, SHA-256"
                f" {digest[:16]}…) that is no copy of {_list_names(names)}. Without it the assumed"
                " truth cannot be followed. Serve this study folder again, as it is now"
                " (believable serve), or leave out --http."
            )
        return known

    def _choose(self, candidates: Sequence[tuple[KnownStimulus, ...]]) -> tuple[KnownStimulus, ...]:
        """One stimulus for each medium of a page. If a file serves several stimuli, those of one
        scenario belong together.
        """
        ways = list(itertools.product(*candidates))
        if len(ways) > 1:
            paired = [way for way in ways if len({known.stimulus.scenario for known in way}) == 1]
            ways = paired or ways
        roles = {
            tuple((known.stimulus.condition, known.stimulus.scenario) for known in way)
            for way in ways
        }
        if len(roles) > 1:
            same = next(known for known in candidates if len(known) > 1)
            names = _list_names([known.stimulus.id for known in same])
            raise InvalidInput(
                f"{self.study}: the stimuli {names} are the same file, so simulated participants"
                " cannot know which condition they see. Give each stimulus its own file."
            )
        return ways[0]


def _list_names(names: Sequence[str]) -> str:
    quoted = ", ".join(repr(name) for name in names[:LISTED])
    return quoted + (f" and {len(names) - LISTED} more" if len(names) > LISTED else "")


def recogniser_of(definition: Definition, media_dir: Path, *, study: str) -> Recogniser:
    """The index of every served copy. `definition` must have its media, whose prepared copies lie
    in `media_dir`.
    """
    copies: dict[str, list[KnownStimulus]] = {}
    variants = shown_variants(definition.study)
    known_logs: dict[str, ActionLog | None] = {}
    for stimulus in definition.study.stimuli:
        medium = definition.media.get(stimulus.id)
        if medium is None:
            raise InvalidInput(
                f"{study}: there is no served copy of the stimulus {stimulus.id!r}"
                f" ({stimulus.file}). Simulated participants cannot recognise it. Put the file into"
                " the study folder and run `believable check`."
            )
        if medium.digest not in known_logs:
            known_logs[medium.digest] = _log_of(medium, media_dir)
        log = known_logs[medium.digest]
        known = KnownStimulus(
            stimulus, medium.duration_ms, log, {} if log is None else violations_of(log.actions)
        )
        for digest in _served_digests(definition, stimulus.id, media_dir, variants):
            copies.setdefault(digest, []).append(known)
    return Recogniser(study, {digest: tuple(known) for digest, known in copies.items()})


def shown_variants(study: Study) -> frozenset[Variant]:
    """How much of a recording the pages of a study show besides the pictures."""
    opened = (entry.item.player.overlays for entry in outline(study.timeline))
    return frozenset(Variant("plan" in beside, "log" in beside) for beside in opened) | {Variant()}


def _served_digests(
    definition: Definition, stimulus: str, media_dir: Path, variants: frozenset[Variant]
) -> Iterator[str]:
    """The SHA-256 of the file that a browser receives: a video is served as it was prepared, a
    recording in one of its variants.
    """
    medium = definition.media[stimulus]
    if not medium.is_replay:
        yield medium.digest
        return
    yield from sorted(
        {digest_of(served_replay(media_dir, definition, stimulus, variant)) for variant in variants}
    )


def _log_of(medium: Medium, media_dir: Path) -> ActionLog | None:
    if medium.is_replay:
        return log_of(read(medium_file(media_dir, medium.digest)))
    return None if medium.actions is None else read_actions(medium_file(media_dir, medium.actions))
