"""An example running: a study of one page around it, and a session of it, exactly as a participant
would get it.
"""

from __future__ import annotations

import json
import random
import secrets
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from believable.collect.desk import Collect
from believable.contracts.instrument import InvalidAnswer
from believable.contracts.record import Record
from believable.contracts.registries import INSTRUMENTS
from believable.contracts.texts import LANGUAGES, built_in, choose_texts
from believable.core.errors import InvalidInput, MissingExtra, Problem, StudyError
from believable.core.nodes import Node, from_plain, parse
from believable.recordings import file
from believable.recordings.recording import (
    UNITS_PER_TILE,
    Action,
    Actor,
    PlanStep,
    RecordedWorld,
    Recording,
    Timing,
    Track,
)
from believable.stimuli.prepare import prepare
from believable.stimuli.probe import have_av
from believable.stimuli.render import Look, render_file
from believable.study.definition import Definition
from believable.study.load import check
from believable.study.reading import read_study
from believable.web.gallery.examples import FREE, Example
from believable.web.participant.trial import trial_message

SECONDS = 12
_FRAME_MS = 100
_WIDTH, _HEIGHT = 16, 9
#: Corners of the route, in tiles, and the activity on the way to the next.
_ROUND = ((2.5, 2.5), (13.5, 2.5), (13.5, 6.5), (2.5, 6.5))
_DOES = ("walk east", "walk south", "walk west", "walk north")
_DOES_BACK = ("walk east", "walk north", "walk west", "walk south")


class SampleFiles:
    """The files, made when they are first wanted. Several requests may want them at once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock = threading.Lock()

    def names(self) -> tuple[str, ...]:
        """The players that there is something for."""
        return ("replay", "video") if have_av() else ("replay",)

    def files(self, player: str, count: int) -> tuple[str, ...]:
        """The paths, below the folder, of one or two things that this player shows."""
        with self._lock:
            return self._replays(count) if player == "replay" else self._videos(count)

    def _replays(self, count: int) -> tuple[str, ...]:
        paths = [self.folder / f"{name}.replay.json.gz" for name in ("shown", "other")[:count]]
        for path, back in zip(paths, (False, True), strict=False):
            if not path.is_file():
                file.write(walk(back=back), path)
        return tuple(path.name for path in paths)

    def _videos(self, count: int) -> tuple[str, ...]:
        if not have_av():
            raise MissingExtra(what="showing a video in the gallery", extra="video")
        recordings = [self.folder / name for name in self._replays(count)]
        videos = [
            recording.with_name(f"{recording.name.partition('.')[0]}.mp4")
            for recording in recordings
        ]
        for recording, video in zip(recordings, videos, strict=True):
            if not video.is_file():
                render_file(recording, video, Look(width_px=640, height_px=360))
        return tuple(video.name for video in videos)


def walk(*, back: bool = False) -> Recording:
    """A figure that walks around once, next to a plan and a log of it; `back` reverses the
    route.
    """
    frames = SECONDS * 1000 // _FRAME_MS
    corners, does, turn = (_ROUND[::-1], _DOES_BACK, -90) if back else (_ROUND, _DOES, 90)
    leg = frames // len(_ROUND)
    xs, ys, headings = [], [], []
    for frame in range(frames):
        at, part = divmod(frame, leg)
        (x0, y0), (x1, y1) = corners[at % len(corners)], corners[(at + 1) % len(corners)]
        share = part / leg
        xs.append(round(UNITS_PER_TILE * (x0 + (x1 - x0) * share)))
        ys.append(round(UNITS_PER_TILE * (y0 + (y1 - y0) * share)))
        headings.append(turn * at % 360)
    leg_ms = leg * _FRAME_MS
    actions = tuple(
        Action(
            id=f"a{n}",
            actor="walker",
            t0_ms=n * leg_ms,
            t1_ms=(n + 1) * leg_ms,
            verb="walk",
            object=None,
            place=None,
            text=words,
        )
        for n, words in enumerate(does)
    )
    plans = (
        PlanStep(
            id="round",
            actor="walker",
            parent=None,
            level=0,
            t0_ms=0,
            t1_ms=SECONDS * 1000,
            text="go around once",
        ),
        PlanStep(
            id="there",
            actor="walker",
            parent="round",
            level=1,
            t0_ms=0,
            t1_ms=2 * leg_ms,
            text="to the far corner",
        ),
        PlanStep(
            id="back",
            actor="walker",
            parent="round",
            level=1,
            t0_ms=2 * leg_ms,
            t1_ms=SECONDS * 1000,
            text="and back",
        ),
    )
    inside = "#" + "." * (_WIDTH - 2) + "#"
    walls = ("#" * _WIDTH, *(inside for _ in range(_HEIGHT - 2)), "#" * _WIDTH)
    return Recording(
        world=RecordedWorld(kind="arena", width=_WIDTH, height=_HEIGHT, walls=walls),
        actors=(Actor("walker", "Walker", "mover"),),
        timing=Timing(frame_ms=_FRAME_MS, frames=frames),
        tracks=(
            Track(
                actor="walker",
                x=tuple(xs),
                y=tuple(ys),
                heading=tuple(headings),
                first_frame=0,
                states=(),
            ),
        ),
        actions=actions,
        plans=plans,
    )


# ---------------------------------------------------------------------------------------------- the
# study and its session


#: What problems call the text of the parameters.
FILE = "parameters"
QUESTION = "question"
_PROMPT = "What do you think?"


class ExampleRequest(BaseModel):
    """How an example is to be shown: its parameters as YAML, with which player, in which language,
    its practice page instead.
    """

    model_config = ConfigDict(extra="forbid", strict=True)

    params: Annotated[str, Field(max_length=50_000)]
    player: str = "replay"
    language: Annotated[str, AfterValidator(lambda name: name if name in LANGUAGES else "en")] = (
        "en"
    )
    practice: bool = False


class ExampleStudies:
    """Publishes, joins, and forgets: the database and the media are in `folder`, which goes when
    the gallery closes.
    """

    def __init__(self, collect: Collect, folder: Path, media_dir: Path) -> None:
        self.collect = collect
        self.samples = SampleFiles(folder)
        self.media_dir = media_dir

    def mount(
        self, example: Example, request: ExampleRequest, events: Sequence[Mapping[str, Any]]
    ) -> dict[str, Any]:
        """The trial of a fresh session that has recorded these events already. Raises StudyError
        for wrong parameters.
        """
        definition = self.definition(example, request)
        published = self.collect.publish(f"gallery-{secrets.token_hex(6)}", definition)
        token = (
            self.collect.join(published.links["preview"], {}, request.language, True).now().token
        )
        epoch = self.collect.claim(token).now().epoch
        if events:
            self.collect.append(
                token, epoch, [(seq, _body(event)) for seq, event in enumerate(events, 1)]
            ).now()
        view, now_ms = self.collect.view(token).now(), self.collect.context.clock.now_ms()
        return trial_message(view, base=f"/s/{token}", now_ms=now_ms).model_dump(mode="json")

    def definition(self, example: Example, request: ExampleRequest) -> Definition:
        """The study around the example, with its medium."""
        files = (
            self.samples.files(self._player(example, request), example.n_stimuli)
            if example.n_stimuli
            else ()
        )
        root = study_tree(example, request, files)
        reading = read_study(root, file=FILE)
        check(reading, now_ms=self.collect.context.clock.now_ms())
        errors = [problem for problem in reading.problems if problem.severity == "error"]
        if errors:
            raise StudyError(errors)
        definition = Definition(study=reading.study, tree=root.plain())
        return definition.with_media(prepare(definition, self.samples.folder, self.media_dir))

    def params(self, example: Example, request: ExampleRequest) -> Record:
        """The parameters of an instrument as a record."""
        trial: Any = self.definition(example, request).study.timeline[0]
        questions = trial.ask if example.n_stimuli else trial.questions
        params: Record = trial.annotate.params if example.annotates else questions[0].params
        return params

    def read(self, example: Example, request: ExampleRequest, value: Any) -> dict[str, Any]:
        """The stored form of an answer, and its rows of the answers table; or the message for the
        participant.
        """
        instrument, params = INSTRUMENTS[example.name], self.params(example, request)
        texts = {**choose_texts(instrument, request.language), **built_in(request.language)}
        if value is None:
            return {"error": texts["error.required"]}
        try:
            answer = instrument.read(params, value)
        except InvalidAnswer as error:
            return {"error": texts[error.key].format(**error.values)}
        cells = [
            {"item": cell.item, "value": cell.value} for cell in instrument.cells(params, answer)
        ]
        return {"kept": answer, "cells": cells}

    def simulate(self, example: Example, request: ExampleRequest, seed: int) -> dict[str, Any]:
        """The action of a simulated person: a raw answer, or events while watching."""
        instrument, params = INSTRUMENTS[example.name], self.params(example, request)
        rng = random.Random(seed)
        if not example.annotates:
            return {"value": instrument.simulate(params, rng)}
        acts = instrument.perform(params, rng, SECONDS * 1000)
        return {"events": [{"kind": act.kind, "data": dict(act.data)} for act in acts]}

    def _player(self, example: Example, request: ExampleRequest) -> str:
        player = example.name if example.group == "players" else request.player
        if player not in ("replay", "video"):
            raise InvalidInput(f"the gallery has nothing to show with the player {player!r}.")
        return player


def study_tree(example: Example, request: ExampleRequest, files: Sequence[str]) -> Node:
    """A study with one page. The parameters keep the lines of their text, so problems point
    there.
    """
    tree = from_plain(
        {
            "believable": 1,
            "title": "Gallery",
            "seed": 1,
            "languages": [request.language],
            **({"conditions": ["shown"], "stimuli": _stimuli(files)} if files else {}),
            "timeline": [_page(example, request), {"finish": {}}],
        }
    )
    page = next(iter(tree.value["timeline"].value[0].value.values()))
    params = parse_parameters(request.params)
    if example.group == "pages":
        tree.value["timeline"].value[0].value[example.name] = params
    elif example.group == "players":
        page.value["controls"] = params
    elif example.annotates:
        page.value["annotate"].value[example.name] = params
    else:
        page.value["ask" if example.n_stimuli else "questions"].value[0].value[example.name] = (
            params
        )
    return tree


def _stimuli(files: Sequence[str]) -> list[dict[str, str]]:
    """One is `shown`; two are side by side."""
    names = ("shown",) if len(files) == 1 else ("left", "right")
    return [
        {"id": name, "file": file, "condition": "shown"}
        for name, file in zip(names, files, strict=True)
    ]


def parse_parameters(text: str) -> Node:
    """Return the parameters as a tree; raises StudyError if they are not YAML. Empty text means no
    parameters.
    """
    if not text.strip():
        return from_plain({}, FILE)
    tree, problems = parse(text.encode(), FILE)
    if tree is None or problems:
        raise StudyError(problems)
    if not tree.is_mapping:
        raise StudyError(
            [
                Problem(
                    file=FILE,
                    line=tree.line,
                    path="",
                    message="expected a mapping of parameters.",
                    cure="Write `name: value`.",
                )
            ]
        )
    return tree


def _page(example: Example, request: ExampleRequest) -> dict[str, Any]:
    if example.group == "pages":
        return {example.name: {}}
    if example.group == "players":
        return {"watch": {"stimulus": "shown", "controls": {}}}
    if not example.annotates:
        question = {"id": QUESTION, "prompt": _PROMPT, "required": False, example.name: {}}
        if not example.n_stimuli:
            return {"form": {"id": "form", "questions": [question]}}
        controls = {"must_finish": False, "replay": True}
        return {
            "compare": {
                "of": ["left", "right"],
                "match": "none",
                "controls": controls,
                "ask": [question],
            }
        }
    controls = json.loads(FREE.model_dump_json(exclude_defaults=True))
    log = {"overlay": {"plan": True, "log": True}} if request.player == "replay" else {}
    return {
        "watch": {
            "stimulus": "shown",
            "controls": controls,
            "annotate": {example.name: {}, "prompt": _PROMPT},
            "practice": request.practice,
            **log,
        }
    }


def _body(event: Mapping[str, Any]) -> str:
    kept = {"kind": event["kind"], "trial": 0, "at_ms": 0, "mono_ms": 0, "data": event["data"]}
    return json.dumps(kept, ensure_ascii=False)
