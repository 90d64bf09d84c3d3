"""Putting a study on the server: its definition, and one link of each kind that everybody shares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from believable.collect.context import Context
from believable.core.ids import new_token
from believable.store import links, studies
from believable.store.engine import Connection
from believable.store.links import Link
from believable.study.definition import Definition

SHARED_KINDS = ("open", "preview", "simulated")


@dataclass(frozen=True, slots=True)
class Published:
    """`links` maps the kind of link to its token."""

    study_id: str
    definition: str
    links: Mapping[str, str]


def publish(conn: Connection, context: Context, *, study_id: str, definition: Definition) -> Published:
    """Idempotent: the same study keeps its links and its state; a changed one gives its definition to new sessions only."""
    now_ms = context.clock.now_ms()
    title = definition.study.title.in_language(definition.study.languages[0])
    studies.put(
        conn, study_id, title=title, definition=definition.hash, body=definition.to_json(), at_ms=now_ms
    )
    tokens = {link.kind: link.token for link in reversed(links.of_study(conn, study_id, SHARED_KINDS))}
    for kind in SHARED_KINDS:
        if kind not in tokens:
            tokens[kind] = links.create(
                conn, token=context.new_id(), study=study_id, kind=kind, at_ms=now_ms
            ).token
    return Published(study_id, definition.hash, tokens)


def personal_links(
    conn: Connection, context: Context, *, study_id: str, labels: Sequence[str]
) -> tuple[Link, ...]:
    """One single-use link per label. Always random: whoever guessed one could take a person's place."""
    studies.get(conn, study_id)
    now_ms = context.clock.now_ms()
    return tuple(
        links.create(conn, token=new_token(), study=study_id, kind="personal", at_ms=now_ms, label=label)
        for label in labels
    )
