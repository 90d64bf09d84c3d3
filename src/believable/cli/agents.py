"""`believable agents`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click

from believable.app.agents import list_agents
from believable.cli.derive import derive


@derive(
    list_agents,
    name="agents",
    example="""
      believable agents
      believable agents maze/scripted
      believable agents maze/scripted --check
      believable agents --world doom --json
    """,
)
def command(result: Sequence[Mapping[str, Any]] | Mapping[str, Any]) -> None:
    lines = show_agent(result) if isinstance(result, Mapping) else show_list(result)
    click.echo("\n".join(lines))


def show_list(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    width = max((len(row["name"]) for row in rows), default=0)
    world = ""
    for row in sorted(rows, key=lambda row: str(row["world"])):
        if row["world"] != world:
            world = row["world"]
            yield world
        yield f"  {row['name']:<{width}}  {row['about']}"
        if needs := _needs(row):
            yield f"  {'':<{width}}  needs {needs}"


def _needs(row: Mapping[str, Any]) -> str:
    parts = [f"{need} (not installed)" if need in row["missing"] else need for need in row["needs"]]
    if row["files"]:
        parts.append(f"a file {' or '.join(row['files'])}")
    return ", ".join(parts)


def show_agent(row: Mapping[str, Any]) -> Iterator[str]:
    yield f"{row['name']}: {row['about']}"
    yield f"  world: {row['world']}" + (f", seat: {row['seat']}" if row["seat"] else "")
    if needs := _needs(row):
        yield f"  needs: {needs}"
    yield from (f"  {line}" for line in row["install"])
    for name, entry in row["params"].items():
        default = f", default {entry['default']}" if "default" in entry else ", required"
        about = f": {entry['description']}" if "description" in entry else ""
        yield f"  --option {name}=VALUE ({entry.get('type', 'any')}{default}){about}"
    if "check" in row:
        check = row["check"]
        yield (
            f"  checked: {check['decisions']} decisions, median {check['median_ms']:.2f} ms, 95 of"
            f" 100 under {check['p95_ms']:.2f} ms, slowest {check['slowest_ms']:.2f} ms"
        )
