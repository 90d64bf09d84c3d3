"""`--agent` and `--option`: the same in every command that takes an agent."""

from __future__ import annotations

import click

METAVAR = "NAME|MODULE:FUNCTION|FILE"


def agent_option(world: str, *, required: bool = False, default: str | None = None) -> click.Option:
    """`--agent` for one world; its help lists the registered agents."""
    return click.Option(
        ["--agent"],
        default=default,
        required=required,
        metavar=METAVAR,
        show_default=default is not None,
        help=agent_help(world),
    )


def agent_help(world: str) -> str:
    from believable.agents import names_in

    names = ", ".join(name.partition("/")[2] for name in names_in(world))
    return (
        f"Played by an agent: {names}; MODULE:FUNCTION of your own; or a file, such as weights."
        " `believable agents` describes them."
    )


def agent_values_option() -> click.Option:
    return click.Option(
        ["--option", "agent_values"],
        multiple=True,
        metavar="NAME=VALUE",
        help="An option of the agent. Repeatable.",
    )
