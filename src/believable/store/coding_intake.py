"""Collecting the free texts of a study's sessions for coding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import Connection, select

from believable.bundle.marks import Logs
from believable.bundle.rows import SessionRows
from believable.coding.responses import Response, SessionTexts, prompts_of, responses_of
from believable.core.registry import Registry
from believable.instruments.contract import Instrument
from believable.store import coding_texts
from believable.store.coding_projects import Project
from believable.store.coding_texts import Shown
from believable.store.export import collected
from believable.store.tables import definitions
from believable.study.definition import Definition


def collect(conn: Connection, project: Project, *, instruments: Registry[Instrument[Any]], logs: Logs) -> int:
    """Adds the texts of the study that are not there yet; how many. New ones follow the earlier ones, shuffled."""
    if project.study is None:
        return 0
    known: dict[str, Definition] = {}
    found: list[tuple[Response, tuple[Shown, ...]]] = []
    for one in collected(conn, project.study, simulated=project.pool == "simulated"):
        name = one.session.definition
        if name not in known:
            body = conn.execute(select(definitions.c.body).where(definitions.c.hash == name)).scalar_one()
            known[name] = Definition.from_json(body, instruments)
        rows = SessionRows(one, known[name], instruments)
        texts = SessionTexts(rows.answers(), rows.flags(logs), rows.shown(), rows.exclusions())
        prompts = prompts_of(known[name], one.session.language)
        for response in responses_of(texts, prompts, project.sources):
            found.append((response, tuple(_media(known[name], response.stimuli))))
    return coding_texts.put(conn, project, found)


def _media(definition: Definition, stimuli: Sequence[str]) -> Iterator[Shown]:
    for stimulus in stimuli:
        medium = definition.media.get(stimulus)
        if medium is not None:
            yield Shown(medium.digest, medium.is_replay)
