"""Small recordings and studies around them, for the tests of the replay player."""

from __future__ import annotations

import json
from pathlib import Path

from believable.recordings.actions import FORMAT
from believable.recordings.file import write
from believable.recordings.recording import (
    Action,
    Actor,
    PlanStep,
    RecordedWorld,
    Recording,
    State,
    Timing,
    Track,
)

SECONDS = 120
OPEN = "#..............#"
WALLS = ("#" * 16, OPEN, OPEN, OPEN, "#....##..##....#", OPEN, OPEN, OPEN, "#" * 16)


def walk(kind: str = "arena", *, frames: int = SECONDS * 10, **more: object) -> Recording:
    """Two minutes of somebody who walks up and down and does something else every ten seconds;
    `frames` makes it shorter.
    """
    there = [abs((frame % 200) - 100) for frame in range(frames)]
    role = {"maze": "player", "town": "person"}.get(kind, "mover")
    given: dict[str, object] = {
        "world": RecordedWorld(kind=kind, width=16, height=9, walls=WALLS),
        "actors": (Actor("ada", "Ada", role),),
        "timing": Timing(frame_ms=100, frames=frames),
        "tracks": (
            Track(
                actor="ada",
                x=tuple(2500 + 110 * x for x in there),
                y=tuple(2500 + 20 * x for x in there),
                heading=tuple(3 * x % 360 for x in there),
                first_frame=0,
                states=(State(0, "health", 70), State(0, "secret_mood", "canarymood")),
            ),
        ),
        "actions": tuple(
            Action(
                id=f"ada-{n}",
                actor="ada",
                t0_ms=n * 10_000,
                t1_ms=(n + 1) * 10_000,
                verb="walk",
                object="ball",
                place="yard",
                text=f"step number {n}",
            )
            for n in range(SECONDS // 10)
            if (n + 1) * 10_000 <= frames * 100
        ),
        "plans": (
            PlanStep(
                id="day",
                actor="ada",
                parent=None,
                level=0,
                t0_ms=0,
                t1_ms=frames * 100,
                text="walk all day",
            ),
            PlanStep(
                id="first",
                actor="ada",
                parent="day",
                level=1,
                t0_ms=0,
                t1_ms=frames * 50,
                text="first half",
            ),
            PlanStep(
                id="second",
                actor="ada",
                parent="day",
                level=1,
                t0_ms=frames * 50,
                t1_ms=frames * 100,
                text="second half",
            ),
        ),
        "hidden_states": ("secret_mood",),
    }
    return Recording(**{**given, **more})  # type: ignore[arg-type]


def study(
    folder: Path,
    watch: str,
    *,
    file: str = "stimuli/walk.replay.json.gz",
    replay: Recording | None = None,
) -> Path:
    """A study with one recording (or the file that is there already) and one watch trial."""
    (folder / "stimuli").mkdir(parents=True, exist_ok=True)
    if file.endswith(".replay.json.gz"):
        write(replay or walk(), folder / file)
    (folder / "study.yaml").write_text(
        "believable: 1\ntitle: A walk\nseed: 4\nconditions: [made]\n"
        f"stimuli:\n  - {{id: walk, file: {file}, condition: made, scenario: yard}}\n"
        f"timeline:\n  - watch: {{stimulus: any, {watch}}}\n  - finish: {{}}\n"
    )
    return folder


def action_log(path: Path, *, seconds: int) -> None:
    """The log of a video: another action every two seconds."""
    count = seconds // 2
    columns = {
        "id": [f"v-{n}" for n in range(count)],
        "actor": ["square"] * count,
        "t0_ms": [2000 * n for n in range(count)],
        "t1_ms": [2000 * (n + 1) for n in range(count)],
        "verb": ["move"] * count,
        "object": [None] * count,
        "place": [None] * count,
        "text": [f"moves {n}" for n in range(count)],
    }
    tree = {
        "format": FORMAT,
        "actors": [{"id": "square", "name": "Square"}],
        "actions": columns,
        "plans": {},
    }
    path.write_text(json.dumps(tree))
