"""The plans of the figures in recordings, as rows: what they meant to do, beside what they did."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from believable.bundle.marks import Logs
from believable.bundle.tables import Cell, Field, Table
from believable.study.definition import Definition

PLANS = Table(
    "plans",
    "Plans of the figures in recordings. Only bundles of studies whose recordings hold plans have it.",
    (
        Field("stimulus", "string", "Id of the stimulus.", required=True),
        Field("log", "string", "SHA-256 of the file that holds them.", required=True),
        Field("step", "string", "Id of the step in it.", required=True),
        Field("actor", "string", "Whose plan it is.", required=True),
        Field("parent", "string", "The step it serves; empty at the top."),
        Field("level", "integer", "0 for the whole, more for parts of parts.", required=True),
        Field("from_ms", "number", "Begin, in the medium.", required=True),
        Field("to_ms", "number", "End, in the medium.", required=True),
        Field("text", "string", "What is meant to be done."),
    ),
    key=("stimulus", "log", "step"),
    refers=False,
)


def plan_rows(definitions: Sequence[Definition], logs: Logs) -> Iterator[Mapping[str, Cell]]:
    """Every step of every plan of every stimulus, once per version of its file."""
    for stimulus, digest, log in logs.each(definitions):
        for step in log.plans:
            yield {
                "stimulus": stimulus,
                "log": digest,
                "step": step.id,
                "actor": step.actor,
                "parent": step.parent,
                "level": step.level,
                "from_ms": step.t0_ms,
                "to_ms": step.t1_ms,
                "text": step.text,
            }
