"""`believable user`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import click

from believable.app import users
from believable.app.users import Account, Invitation
from believable.cli.derive import derive


@click.group()
def command() -> None:
    """Add, list and change researcher accounts.

    Passwords are never typed here: a new user gets a one-time link and chooses one in the browser.

    \b
    Example:
      believable user add anna --role researcher --study my-study
      believable user list --data /srv/studies
    """


@derive(
    users.list_users, group=command, name="list", example="believable user list --study my-study"
)
def list_users(result: Sequence[Account]) -> None:
    for user in result:
        click.echo(f"{user.name:<24} {user.state:<30} {user.rights}")
    if not result:
        click.echo(
            "No users yet. The first start of `believable serve` makes the first administrator."
        )


def _echo(result: Invitation | str) -> None:
    if isinstance(result, Invitation):
        click.echo(f"One-time link for {result.name} (24 hours, works once):")
        result = f"  {result.link}"
    click.echo(result)


#: The other commands, which answer with a link or a sentence.
CHANGES: Sequence[tuple[str, Callable[..., Invitation | str], str]] = (
    (
        "add",
        users.add_user,
        """
        believable user add anna --role researcher --study my-study
        believable user add ben --administrator --data /srv/studies
        """,
    ),
    ("disable", users.disable_user, "believable user disable anna --study my-study"),
    ("enable", users.enable_user, "believable user enable anna --study my-study"),
    ("reset", users.reset_user, "believable user reset anna --study my-study"),
    (
        "role",
        users.set_role,
        """
        believable user role anna coordinator --study my-study
        believable user role anna none --study faces --data /srv/studies
        """,
    ),
    (
        "second-factor",
        users.remove_second_factor,
        "believable user second-factor anna --study my-study",
    ),
    ("rules", users.set_rules, "believable user rules --second-factor required --study my-study"),
    (
        "forget-identity",
        users.forget_identity,
        "believable user forget-identity anna@uni.example --study my-study",
    ),
    (
        "administrator",
        users.set_administrator,
        "believable user administrator anna --study my-study",
    ),
)
for _name, _use_case, _example in CHANGES:
    derive(_use_case, group=command, name=_name, example=_example)(_echo)
