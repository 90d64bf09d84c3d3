"""An exhibit on stage: a study of one page around it, and a session of it, exactly as a participant would get it."""

from __future__ import annotations

import json
import random
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from believable.collect.desk import Collect
from believable.core.errors import InvalidInput, Problem, StudyError
from believable.instruments import INSTRUMENTS
from believable.instruments.contract import InvalidAnswer
from believable.stimuli.prepare import prepare
from believable.study.catalogue import CATALOGUE
from believable.study.check import check
from believable.study.definition import Definition
from believable.study.nodes import Node, from_plain, parse
from believable.study.read import read_study
from believable.study.records import Record
from believable.web.gallery.exhibits import FREE, Exhibit
from believable.web.gallery.stimulus import SECONDS, Shelf
from believable.web.participant.trial import trial_json

#: What problems call the text of the parameters.
FILE = "parameters"
QUESTION = "question"
_PROMPT = "What do you think?"


@dataclass(frozen=True, slots=True)
class Wish:
    """How an exhibit is to be shown: its parameters as YAML, with which player, in which language, its practice page instead."""

    params: str
    player: str = "replay"
    language: str = "en"
    practice: bool = False


class Stage:
    """Publishes, joins, and forgets: the database and the media are in `folder`, which goes when the gallery closes."""

    def __init__(self, collect: Collect, folder: Path, media_dir: Path) -> None:
        self.collect = collect
        self.shelf = Shelf(folder)
        self.media_dir = media_dir

    def mount(self, exhibit: Exhibit, wish: Wish, events: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """The trial of a fresh session that has recorded these events already. Raises StudyError for wrong parameters."""
        definition = self.definition(exhibit, wish)
        published = self.collect.publish(f"gallery-{secrets.token_hex(6)}", definition)
        token = self.collect.join(published.links["preview"], {}, wish.language, True).token
        epoch = self.collect.claim(token).epoch
        if events:
            self.collect.append(token, epoch, [(seq, _body(one)) for seq, one in enumerate(events, 1)])
        view = self.collect.view(token)
        return trial_json(view, base=f"/s/{token}", now_ms=self.collect.context.clock.now_ms())

    def definition(self, exhibit: Exhibit, wish: Wish) -> Definition:
        """The study around the exhibit, with its medium."""
        files = self.shelf.files(self._player(exhibit, wish), exhibit.n_stimuli) if exhibit.n_stimuli else ()
        root = study_tree(exhibit, wish, files)
        reading = read_study(root, INSTRUMENTS, file=FILE)
        check(reading, INSTRUMENTS, now_ms=self.collect.context.clock.now_ms())
        errors = [problem for problem in reading.problems if problem.severity == "error"]
        if errors:
            raise StudyError(errors)
        definition = Definition(reading.study, root.plain())
        return definition.with_media(prepare(definition, self.shelf.folder, self.media_dir))

    def params(self, exhibit: Exhibit, wish: Wish) -> Record:
        """The parameters of an instrument as a record."""
        trial: Any = self.definition(exhibit, wish).study.timeline[0]
        questions = trial.ask if exhibit.n_stimuli else trial.questions
        params: Record = trial.annotate.params if exhibit.annotates else questions[0].params
        return params

    def read(self, exhibit: Exhibit, wish: Wish, value: Any) -> dict[str, Any]:
        """What is kept of an answer, and its rows of the answers table; or the words the participant reads instead."""
        instrument, params = INSTRUMENTS[exhibit.name], self.params(exhibit, wish)
        texts = CATALOGUE[wish.language]
        if value is None:
            return {"error": texts["error.required"]}
        try:
            answer = instrument.read(params, value)
        except InvalidAnswer as error:
            return {"error": texts[error.key].format(**error.values)}
        cells = [{"item": cell.item, "value": cell.value} for cell in instrument.cells(params, answer)]
        return {"kept": answer, "cells": cells}

    def simulate(self, exhibit: Exhibit, wish: Wish, seed: int) -> dict[str, Any]:
        """What a simulated person does with it: a raw answer, or events while watching."""
        instrument, params = INSTRUMENTS[exhibit.name], self.params(exhibit, wish)
        rng = random.Random(seed)
        if not exhibit.annotates:
            return {"value": instrument.simulate(params, rng)}
        acts = instrument.perform(params, rng, SECONDS * 1000)
        return {"events": [{"kind": act.kind, "data": dict(act.data)} for act in acts]}

    def _player(self, exhibit: Exhibit, wish: Wish) -> str:
        player = exhibit.name if exhibit.group == "players" else wish.player
        if player not in ("replay", "video"):
            raise InvalidInput(f"the gallery has nothing to show with the player {player!r}.")
        return player


def study_tree(exhibit: Exhibit, wish: Wish, files: Sequence[str]) -> Node:
    """A study with one page. The parameters keep the lines of their text, so problems point there."""
    tree = from_plain(
        {
            "believable": 1,
            "title": "Gallery",
            "seed": 1,
            "languages": [wish.language],
            **({"conditions": ["shown"], "stimuli": _stimuli(files)} if files else {}),
            "timeline": [_page(exhibit, wish), {"finish": {}}],
        }
    )
    page = next(iter(tree.value["timeline"].value[0].value.values()))
    params = parsed(wish.params)
    if exhibit.group == "pages":
        tree.value["timeline"].value[0].value[exhibit.name] = params
    elif exhibit.group == "players":
        page.value["controls"] = params
    elif exhibit.annotates:
        page.value["annotate"].value[exhibit.name] = params
    else:
        page.value["ask" if exhibit.n_stimuli else "questions"].value[0].value[exhibit.name] = params
    return tree


def _stimuli(files: Sequence[str]) -> list[dict[str, str]]:
    """One is `shown`; two stand side by side."""
    names = ("shown",) if len(files) == 1 else ("left", "right")
    return [{"id": name, "file": file, "condition": "shown"} for name, file in zip(names, files, strict=True)]


def parsed(text: str) -> Node:
    """The parameters as a tree; raises StudyError where they are no YAML. Nothing at all is no parameters."""
    if not text.strip():
        return from_plain({}, FILE)
    tree, problems = parse(text.encode(), FILE)
    if tree is None or problems:
        raise StudyError(problems)
    if not tree.is_mapping:
        raise StudyError(
            [Problem(FILE, tree.line, "", "expected a mapping of parameters.", "Write `name: value`.")]
        )
    return tree


def _page(exhibit: Exhibit, wish: Wish) -> dict[str, Any]:
    if exhibit.group == "pages":
        return {exhibit.name: {}}
    if exhibit.group == "players":
        return {"watch": {"stimulus": "shown", "controls": {}}}
    if not exhibit.annotates:
        question = {"id": QUESTION, "prompt": _PROMPT, "required": False, exhibit.name: {}}
        if not exhibit.n_stimuli:
            return {"form": {"id": "form", "questions": [question]}}
        controls = {"must_finish": False, "replay": True}
        return {
            "compare": {"of": ["left", "right"], "match": "none", "controls": controls, "ask": [question]}
        }
    controls = json.loads(FREE.model_dump_json(exclude_defaults=True))
    log = {"overlay": {"plan": True, "log": True}} if wish.player == "replay" else {}
    return {
        "watch": {
            "stimulus": "shown",
            "controls": controls,
            "annotate": {exhibit.name: {}, "prompt": _PROMPT},
            "practice": wish.practice,
            **log,
        }
    }


def _body(event: Mapping[str, Any]) -> str:
    kept = {"kind": event["kind"], "trial": 0, "at_ms": 0, "mono_ms": 0, "data": event["data"]}
    return json.dumps(kept, ensure_ascii=False)
