"""Damaged files are told, never a traceback: thousands of mutated inputs of every kind that is read
from outside.

    python -m validation.damaged_inputs --count 10000 --seed 1

Prints how many of each kind were still read, refused with an error that names the file, or ended in
a traceback, and exits with 1 if there was one. What did is kept under `tests/data/damaged/`, which
the tests read again for ever.
"""

from __future__ import annotations

import argparse
import contextlib
import copy
import gzip
import hashlib
import json
import lzma
import random
import shutil
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from believable.bundle import read as bundle_file
from believable.bundle.imports import read_prepared
from believable.bundle.signals import read_signal
from believable.bundle.two_choices import read_choices
from believable.coding.label_files import read_texts, text_file
from believable.collect.desk import Collect
from believable.collect.match import read_platform
from believable.core.clock import VirtualClock
from believable.core.errors import BelievableError, InvalidInput
from believable.recordings import actions, file
from believable.recordings.film_file import load_av
from believable.recordings.importers.concordia import import_memories
from believable.recordings.importers.generative_agents import import_run
from believable.recordings.importers.pagan import read_pagan
from believable.recordings.importers.quake2 import import_demo
from believable.recordings.recording import (
    Action,
    Actor,
    Place,
    PlanStep,
    RecordedWorld,
    Recording,
    State,
    Timing,
    Track,
)
from believable.stimuli import probe
from believable.store.backups import verify_file
from believable.store.bundle_export import export
from believable.store.engine import Store
from believable.study import codebook
from believable.study.load import load
from believable.worlds.town.run import TownSettings
from believable.worlds.town.run_folder import keep_settings, read_settings

DATA = Path(__file__).parent.parent / "tests" / "data"
CORPUS = DATA / "damaged"

#: What stands where something else should: of every type, at every edge.
ODD: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    1,
    2**31,
    2**63,
    10**400,
    -(2**64),
    0.5,
    -1e308,
    float("nan"),
    float("inf"),
    "",
    " ",
    "x",
    "é\u0000",
    "\ud800",
    "-1",
    "9" * 50,
    [],
    [[]],
    [None],
    [0, "x"],
    {},
    {"x": {}},
    {"id": 5},
)

ODD_BYTES = (b"\r", b'"', b"\x00", b"\xff\xfe", b"'", b",", b"\n", b"{", b"- ", b": ")

_STUDY = """\
believable: 1
title: Damaged on purpose
seed: 1
timeline:
  - consent: {id: consent, text: Please agree.}
  - form: {id: about, questions: [{id: age, prompt: Age, number: {min: 18}}, {id: why, prompt: Why, text: {}}]}
  - finish: {id: finish}
"""
_PAGAN = (
    "OriginalName,DatabaseName,Participant,SessionID,Timestamp,VideoTime,Value\n"
    "clip,clip.mp4,p1,s1,1000,0,0\nclip,clip.mp4,p1,s1,1500,480,1\nclip,clip.mp4,p2,s2,900,0,0\n"
    '"a ""b""",clip.mp4,p2,s2,1900,990,-1\n'
)


@dataclass(frozen=True, slots=True)
class InputKind:
    """Something that is read from outside: a sound example, made in a folder, and who reads it.
    `path` is the file in the folder that is damaged.
    """

    name: str
    path: str
    make: Callable[[Path], None]
    read: Callable[[Path], object]
    #: Parts of all inputs.
    share: float


def small_recording(path: Path) -> None:
    """With everything in it that a recording can have."""
    place = Place(id="hall", name="Hall", parent=None, rects=((0, 0, 2, 2), (2, 0, 1, 1)))
    states = (State(0, "health", 3), State(2, "speech", "hello"))
    file.write(
        Recording(
            world=RecordedWorld(
                kind="maze",
                width=4,
                height=3,
                walls=("####", "#..#", "####"),
                places=(
                    place,
                    Place(id="corner", name="Corner", parent="hall", rects=((1, 1, 1, 1),)),
                ),
            ),
            actors=(Actor("a", "Anna", "player"), Actor("b", "Ben", "opponent")),
            timing=Timing(
                frame_ms=100,
                frames=4,
                simulated_start="2026-02-13T08:00:00",
                simulated_ms_per_frame=60_000,
            ),
            tracks=(
                Track(
                    actor="a",
                    x=(1000, 1500, 1500, 1400),
                    y=(1000,) * 4,
                    heading=(0, 90, 90, 180),
                    first_frame=0,
                    states=states,
                ),
                Track(actor="b", x=(2000, 2000), y=(1500, 1500)),
            ),
            actions=(
                Action(
                    id="a1",
                    actor="a",
                    t0_ms=0,
                    t1_ms=200,
                    verb="open",
                    object="door",
                    place="hall",
                    text="opens the door",
                ),
                Action(id="a2", actor="b", t0_ms=100, t1_ms=300, verb="wait"),
            ),
            plans=(
                PlanStep(
                    id="p1", actor="a", parent=None, level=0, t0_ms=0, t1_ms=400, text="a day"
                ),
                PlanStep(
                    id="p2", actor="a", parent="p1", level=1, t0_ms=0, t1_ms=100, text="an hour"
                ),
            ),
            telemetry={"score": (0, 1, 2, 3), "word": ("x", None, True, 0.5)},
            hidden_states=("health",),
            seed=7,
            agent="scripted",
            provenance={"made": "by hand"},
        ),
        path,
    )


def _recording(folder: Path) -> None:
    small_recording(folder / "round.replay.json.gz")


def _actions(folder: Path) -> None:
    log = actions.ActionLog(
        (Actor("a", "Anna", ""),),
        (Action(id="a1", actor="a", t0_ms=0, t1_ms=200, verb="open", text="opens"),),
        (PlanStep(id="p1", actor="a", parent=None, level=0, t0_ms=0, t1_ms=9, text="day"),),
    )
    (folder / "clip.actions.json").write_text(json.dumps(actions.to_tree(log)), encoding="utf-8")


def _collected(folder: Path) -> Store:
    """A database in which two people have taken part."""
    study = folder / "study"
    study.mkdir()
    (study / "study.yaml").write_text(_STUDY, encoding="utf-8")
    clock = VirtualClock()
    store = Store.open(f"sqlite:///{folder / 'b.db'}", clock=clock)
    collect = Collect(store, clock=clock, key=b"k" * 32, media_dir=folder / "media")
    link = collect.publish("damaged", load(study)).links["open"]
    for age in (20, 30):
        token = collect.join(link, {}, "en", True).now().token
        epoch = collect.claim(token).now().epoch
        answers: tuple[Mapping[str, Any], ...] = ({"agree": True}, {"age": age, "why": "=because"})
        for position, answer in enumerate(answers):
            event = {
                "kind": "trial.submit",
                "trial": position,
                "at_ms": 1,
                "mono_ms": 1,
                "data": {"answers": answer},
            }
            collect.append(token, epoch, [(position + 1, json.dumps(event))]).now()
            collect.advance(token, epoch, position, position + 1).now()
        session = collect.view(token).now().session
        collect.finish(token, epoch, session.head_seq, session.head_hash).now()
    return store


def _bundle(folder: Path) -> None:
    with tempfile.TemporaryDirectory() as beside, _collected(Path(beside)) as store:
        export(store, "damaged", folder / "bundle")


def _database(folder: Path) -> None:
    with tempfile.TemporaryDirectory() as beside:
        _collected(Path(beside)).close()
        (Path(beside) / "b.db").rename(folder / "b.db")


def _film(folder: Path) -> None:
    import av  # noqa: PLC0415 - an extra
    import numpy as np  # noqa: PLC0415

    with av.open(str(folder / "clip.mp4"), "w") as film:
        stream = film.add_stream("h264", rate=10)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        for shade in range(0, 200, 20):
            picture = av.VideoFrame.from_ndarray(
                np.full((48, 64, 3), shade, np.uint8), format="rgb24"
            )
            film.mux(stream.encode(picture))
        film.mux(stream.encode())


def _opened(path: Path) -> None:
    """As a server does it, and as a backup is checked."""
    with contextlib.suppress(BelievableError):
        verify_file(path)
    with Store.open(f"sqlite:///{path}") as store:
        store.examine()


def _filmed(path: Path) -> None:
    """As `believable check` looks at it: what it names as a problem of the file is a refusal."""
    try:
        probe.facts(path)
    except load_av("Checking media").FFmpegError as error:
        raise InvalidInput(f"{path}: {error}") from error
    if fault := probe.decode(path).fault:
        raise InvalidInput(f"{path}: {fault}")


def _whole_bundle(path: Path) -> None:
    bundle = bundle_file.read(next(parent for parent in path.parents if parent.name == "bundle"))
    for table in bundle.tables.values():
        list(table.rows())


def _text(path: Path, content: str) -> None:
    path.write_text(content, encoding="utf-8")


def _codebook(folder: Path) -> None:
    ready = sorted(
        (Path(codebook.__file__).parent.parent / "protocols").glob("*/codebooks/*.yaml")
    )[0]
    (folder / "codes.yaml").write_bytes(ready.read_bytes())


def _read_codebook(path: Path) -> None:
    codebook.resolve_codebook(codebook.from_yaml(path.read_bytes(), path.name))


def _demo(folder: Path) -> None:
    """The beginning of a real demo, as far as it is whole."""
    content = lzma.decompress((DATA / "quake2" / "testduel.dm2.xz").read_bytes())
    end = 0
    while end < 15_000:
        end += 4 + int.from_bytes(content[end : end + 4], "little")
    (folder / "demo.dm2").write_bytes(content[:end] + b"\xff" * 4)


def _movements(folder: Path) -> None:
    for name in ("master_movement.json", "meta.json"):
        shutil.copy(DATA / "agent_runs" / "late" / name, folder)


def _load_study(path: Path) -> None:
    load(path.parent)


def _prepared(folder: Path) -> None:
    _text(
        folder / "traces.csv",
        "participant,group,bin_250ms,value\np1,a,0,0.5\np1,a,1,0.75\np2,b,0,-1\n",
    )


def _signal(folder: Path) -> None:
    _text(folder / "signal.csv", "t_ms,value\n0,0.1\n500,0.4\n1000,0.2\n")


def _submissions(folder: Path) -> None:
    lines = (
        "Submission id,Participant id,Status,Completion code",
        "s1,p1,AWAITING REVIEW,ABC",
        's2,"p2",RETURNED,',
        "s3,p3,APPROVED,ABC",
    )
    _text(folder / "prolific.csv", "\n".join(lines) + "\n")


_CHOICES = (
    'judge,pair,chosen,human,certainty,why\nj1,p1,left,left,2,"stops,'
    ' turns"\nj1,p2,A,B,4,\nj2,p1,right,left,1,smooth\n'
)
_MEMORIES = {
    "agent": "Ada Brandt",
    "memories": [
        "[observation] // house 1 [Thursday, January 1st, 7:00 AM]: Ada Brandt wakes up.",
        (
            "[observation] // bakery [Friday, January 2nd, 1:00 PM]: [01 Jan 2026 [13:15 - 14:00]]"
            " Ada Brandt kneaded dough."
        ),
        "Ada likes bread.",
    ],
}


def _memories(folder: Path) -> None:
    _text(folder / "ada_memories.json", json.dumps(_MEMORIES))


def _town(folder: Path) -> None:
    keep_settings(
        folder,
        TownSettings(seed=3, people=2, days=1, mind="generative", options={"variant": "paper"}),
    )


def _labels(folder: Path) -> None:
    _text(
        folder / "texts.csv",
        'text,condition\n"It stopped, then turned",human\nIt flickers,agent\n"\'-0x",human\n',
    )


KINDS_OF_INPUT: tuple[InputKind, ...] = (
    InputKind(
        "study", "study.yaml", lambda folder: _text(folder / "study.yaml", _STUDY), _load_study, 0.1
    ),
    InputKind("recording", "round.replay.json.gz", _recording, file.read, 0.2),
    InputKind("action log", "clip.actions.json", _actions, actions.read_actions, 0.1),
    InputKind("bundle", "bundle", _bundle, _whole_bundle, 0.1),
    InputKind("codebook", "codes.yaml", _codebook, _read_codebook, 0.05),
    InputKind(
        "pagan", "export.csv", lambda folder: _text(folder / "export.csv", _PAGAN), read_pagan, 0.1
    ),
    InputKind(
        "prepared traces",
        "traces.csv",
        _prepared,
        lambda path: read_prepared(path, stimulus="clip"),
        0.03,
    ),
    InputKind(
        "choices",
        "choices.csv",
        lambda folder: _text(folder / "choices.csv", _CHOICES),
        read_choices,
        0.03,
    ),
    InputKind("signal", "signal.csv", _signal, lambda path: read_signal(path, test="visual"), 0.03),
    InputKind(
        "texts", "texts.csv", _labels, lambda path: read_texts(text_file(path), path.name), 0.03
    ),
    InputKind("platform export", "prolific.csv", _submissions, read_platform, 0.03),
    InputKind("quake2", "demo.dm2", _demo, import_demo, 0.02),
    InputKind(
        "agent movements",
        "master_movement.json",
        _movements,
        lambda path: import_run(path.parent),
        0.03,
    ),
    InputKind(
        "memories", "ada_memories.json", _memories, lambda path: import_memories(path.parent), 0.03
    ),
    InputKind(
        "town settings", "settings.json", _town, lambda path: read_settings(path.parent), 0.02
    ),
    InputKind("film", "clip.mp4", _film, _filmed, 0.05),
    InputKind("database", "b.db", _database, _opened, 0.05),
)


# ----------------------------------------------------------------------------------------------
# mutations


def damaged_bytes(content: bytes, rng: random.Random) -> bytes:
    """Some bytes changed, cut out, doubled or put in."""
    data = bytearray(content)
    for _ in range(rng.choice((1, 1, 2, 5, 20))):
        at = rng.randrange(len(data) + 1)
        length = rng.choice((1, 1, 4, 50, len(data) // 3 + 1))
        match rng.randrange(5):
            case 0:
                data[at : at + 1] = bytes([rng.randrange(256)])
            case 1:
                del data[at : at + length]
            case 2:
                data[at:at] = data[at : at + length]
            case 3:
                data[at:at] = rng.choice((*ODD_BYTES, rng.randbytes(length)))
            case _:
                data[at : at + length] = bytes(length)
    return bytes(data)


def damaged_tree(tree: Any, rng: random.Random) -> Any:
    """Some values of a JSON tree replaced, left out, doubled or nested."""
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        parents: list[Any] = []
        waiting = [tree]
        while waiting:
            node = waiting.pop()
            if isinstance(node, dict | list) and node:
                parents.append(node)
                waiting.extend(node.values() if isinstance(node, dict) else node)
        if not parents:
            return copy.deepcopy(rng.choice(ODD))
        parent = rng.choice(parents)
        key = rng.choice(list(parent)) if isinstance(parent, dict) else rng.randrange(len(parent))
        match rng.randrange(4):
            case 0:
                del parent[key]
            case 1 if isinstance(parent, list):
                parent.insert(key, copy.deepcopy(rng.choice(ODD)))
            case 1:
                parent[rng.choice(("x", "id", ""))] = parent[key]
            case 2:
                parent[key] = [parent[key]]
            case _:
                parent[key] = copy.deepcopy(rng.choice(ODD))
    return tree


def _mutated(kind: InputKind, target: Path, rng: random.Random) -> None:
    content = target.read_bytes()
    packed = target.suffix == ".gz"
    if packed and rng.random() < 0.9:
        content = gzip.decompress(content)
    lines = target.name.endswith(".jsonl.gz")
    if target.suffix in (".json", ".gz") and not lines and rng.random() < 0.85:
        plain = gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content
        content = json.dumps(damaged_tree(json.loads(plain), rng)).encode()
    else:
        content = damaged_bytes(content, rng)
    target.write_bytes(gzip.compress(content, 1) if packed and rng.random() < 0.9 else content)


def _renewed_sums(bundle: Path) -> None:
    """Checksums that fit, so that what they guard is read at all."""
    sums = bundle / "SHA256SUMS"
    names = [path for path in sorted(bundle.rglob("*")) if path.is_file() and path != sums]
    sums.write_text(
        "".join(
            f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(bundle)}\n"
            for path in names
        ),
        "utf-8",
    )


# ----------------------------------------------------------------------------------------------
# running


def outcome_of(kind: InputKind, target: Path) -> str:
    """`read`, `refused`, or the traceback."""
    try:
        kind.read(target)
    except BelievableError:
        return "refused"
    except Exception:  # noqa: BLE001 - what is looked for
        return traceback.format_exc()
    return "read"


def tried(
    kind: InputKind, count: int, seed: int, folder: Path, keep: Path | None = None
) -> Counter[str]:
    """`count` mutated inputs of a kind: how many were read, refused, or ended in a traceback (the
    last line of each).
    """
    outcomes: Counter[str] = Counter()
    sound = folder / "sound"
    sound.mkdir(parents=True)
    kind.make(sound)
    contents = {
        path.relative_to(sound): path.read_bytes()
        for path in sorted(sound.rglob("*"))
        if path.is_file()
    }
    assert outcome_of(kind, _target(kind, sound, None)) == "read", (
        f"the sound {kind.name} must be read"
    )
    work = folder / "work"
    for number in range(count):
        rng = random.Random(f"{seed} {kind.name} {number}")
        for name, content in contents.items():
            path = work / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.exists() or path.read_bytes() != content:
                path.write_bytes(content)
        for log in work.glob("*-*"):
            log.unlink()
        target = _target(kind, work, rng)
        _mutated(kind, target, rng)
        if kind.path == "bundle" and rng.random() < 0.7:
            _renewed_sums(work / "bundle")
        outcome = outcome_of(kind, target)
        words = outcome.strip().splitlines()[-1] if outcome not in ("read", "refused") else outcome
        outcomes[words] += 1
        if words == outcome:
            continue
        sys.stderr.write(f"{kind.name} {number}:\n{outcome}\n")
        if keep is not None and kind.path != "bundle":
            place = keep / kind.name.replace(" ", "_")
            place.mkdir(parents=True, exist_ok=True)
            digest = hashlib.sha256(target.read_bytes()).hexdigest()[:12]
            (place / f"{digest}.{kind.path.partition('.')[2]}").write_bytes(target.read_bytes())
    return outcomes


def _target(kind: InputKind, folder: Path, rng: random.Random | None) -> Path:
    if kind.path != "bundle":
        return folder / kind.path
    files = sorted(path for path in (folder / "bundle").rglob("*") if path.is_file())
    return rng.choice(files) if rng is not None else folder / "bundle" / "datapackage.json"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    wished = parser.parse_args()
    failures = total = 0
    for kind in KINDS_OF_INPUT:
        with tempfile.TemporaryDirectory(prefix="believable-damaged-") as folder:
            outcomes = tried(
                kind, round(wished.count * kind.share), wished.seed, Path(folder), CORPUS
            )
        failed = {words: n for words, n in outcomes.items() if words not in ("read", "refused")}
        total, failures = total + outcomes.total(), failures + sum(failed.values())
        sys.stdout.write(
            f"{kind.name:<12} {outcomes.total():>6} inputs: {outcomes['read']:>6} read,"
            f" {outcomes['refused']:>6} refused, {sum(failed.values())} tracebacks {failed or ''}\n"
        )
        sys.stdout.flush()
    sys.stdout.write(f"{total} inputs, {failures} tracebacks\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
