"""`believable user`: researcher accounts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from believable.cli.place import base_url_option, data_options, open_store, settings_for, study_folder
from believable.store import ROLES

if TYPE_CHECKING:
    from believable.store.accounts import Change
    from believable.store.engine import Store
    from believable.web.settings import Settings

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])

#: Who the audit log names for what is done here.
ACTOR = "command line"

role_option = click.option(
    "--role",
    type=click.Choice(ROLES),
    default="researcher",
    show_default=True,
    help="Owners do everything; researchers all but manage users; coordinators lead the coding; coders only code.",
)


def place_options(function: F) -> F:
    """Where the accounts are: the data folder of a study, or the one named."""
    study = click.option("--study", type=click.Path(path_type=Path), help="The study's folder; default: this folder.")
    return study(data_options(function))


@click.group()
def command() -> None:
    """Add, list and change researcher accounts.

    Passwords are never typed here: a new user gets a one-time link and chooses one in the browser.

    \b
    Example:
      believable user add anna --role researcher --study my-study
      believable user list --data /srv/studies
    """


def _settings(study: Path | None, data: Path | None, database: str | None, base_url: str | None = None) -> Settings:
    folders = [] if study is None and data is not None else [study_folder(study or Path.cwd())]
    return settings_for(folders, data, database, base_url)


def _opened(study: Path | None, data: Path | None, database: str | None) -> Store:
    return open_store(_settings(study, data, database))


def _do(store: Store, change: Change[T], what: str) -> T:
    from believable.store import accounts

    return store.write(accounts.noted(change, user=ACTOR, what=what, at_ms=store.clock.now_ms()))


def _print_link(name: str, base_url: str, token: str) -> None:
    click.echo(f"One-time link for {name} (24 hours, works once):")
    click.echo(f"  {base_url}/console/welcome/{token}")


@command.command("add")
@click.argument("name")
@role_option
@base_url_option
@place_options
def add(
    name: str, role: str, base_url: str | None, study: Path | None, data: Path | None, database: str | None
) -> None:
    """Add a user and print the link with which they choose a password.

    \b
    Example:
      believable user add anna --role researcher --study my-study
    """
    from believable.store import accounts

    with _opened(study, data, database) as store:
        stored, now_ms = accounts.check_name(name), store.clock.now_ms()
        token = _do(
            store, lambda conn: accounts.invite(conn, stored, role, now_ms=now_ms), f"added user {stored} as {role}"
        )
    _print_link(stored, _settings(study, data, database, base_url).base_url, token)


@command.command("list")
@place_options
def list_users(study: Path | None, data: Path | None, database: str | None) -> None:
    """List users, their roles and whether they can log in.

    \b
    Example:
      believable user list --study my-study
    """
    from believable.store import accounts

    with _opened(study, data, database) as store:
        users = store.read(accounts.everyone)
    for user in users:
        state = "disabled" if user.disabled else "active" if user.has_password else "has not chosen a password yet"
        click.echo(f"{user.name:<24} {user.role:<12} {state}")
    if not users:
        click.echo("No users yet. The first start of `believable serve` makes the first owner.")


@command.command("disable")
@click.argument("name")
@place_options
def disable(name: str, study: Path | None, data: Path | None, database: str | None) -> None:
    """Keep a user out: all their log-ins and links end. What they did stays on record.

    \b
    Example:
      believable user disable anna --study my-study
    """
    from believable.store import accounts

    with _opened(study, data, database) as store:
        user = _do(store, lambda conn: accounts.disable(conn, name), f"disabled user {name}")
    click.echo(f"{user.name} is disabled.")


@command.command("enable")
@click.argument("name")
@place_options
def enable(name: str, study: Path | None, data: Path | None, database: str | None) -> None:
    """Let a disabled user in again, with the password they had.

    \b
    Example:
      believable user enable anna --study my-study
    """
    from believable.store import accounts

    with _opened(study, data, database) as store:
        user = _do(store, lambda conn: accounts.enable(conn, name), f"enabled user {name}")
    click.echo(f"{user.name} is enabled.")


@command.command("reset")
@click.argument("name")
@base_url_option
@place_options
def reset(name: str, base_url: str | None, study: Path | None, data: Path | None, database: str | None) -> None:
    """Take a user's password away and print a link to choose another.

    \b
    Example:
      believable user reset anna --study my-study
    """
    from believable.store import accounts

    with _opened(study, data, database) as store:
        now_ms = store.clock.now_ms()
        token = _do(
            store, lambda conn: accounts.reset_by_link(conn, name, now_ms=now_ms), f"reset the password of user {name}"
        )
    _print_link(name, _settings(study, data, database, base_url).base_url, token)


@command.command("role")
@click.argument("name")
@click.argument("role", type=click.Choice(ROLES))
@place_options
def set_role(name: str, role: str, study: Path | None, data: Path | None, database: str | None) -> None:
    """Give a user another role.

    \b
    Example:
      believable user role anna owner --study my-study
    """
    from believable.store import accounts

    with _opened(study, data, database) as store:
        user = _do(store, lambda conn: accounts.set_role(conn, name, role), f"made user {name} {role}")
    click.echo(f"{user.name} is {user.role}.")
