"""`believable user`: researcher accounts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from believable.cli.place import (
    ACTOR,
    PATH,
    DataPlace,
    base_url_option,
    data_options,
    open_store,
    study_folder,
)
from believable.core.errors import InvalidInput
from believable.store import ROLES

if TYPE_CHECKING:
    from believable.store.audit_log import Change
    from believable.store.engine import Connection, Store
    from believable.web.settings import Settings

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class AccountPlace:
    """Where the accounts are: the data folder of a study, or the one named."""

    study: Path | None
    where: DataPlace

    def settings(self, base_url: str | None = None) -> Settings:
        named = self.where.data is not None and (
            self.study is None or not (self.study / "study.yaml").is_file()
        )
        return self.where.settings(
            [] if named else [study_folder(self.study or Path.cwd())], base_url
        )

    def open(self) -> Store:
        return open_store(self.settings())


def place_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The command gets where the accounts are as `place`."""

    @wraps(function)
    def placed(*, study: Path | None, where: DataPlace, **values: Any) -> Any:
        return function(place=AccountPlace(study, where), **values)

    study = click.option(
        "--study",
        type=PATH,
        help=(
            "The study's folder (default: this folder); with --data, the name of a study there"
            " will do."
        ),
    )
    return study(data_options(placed))


@click.group()
def command() -> None:
    """Add, list and change researcher accounts.

    Passwords are never typed here: a new user gets a one-time link and chooses one in the browser.

    \b
    Example:
      believable user add anna --role researcher --study my-study
      believable user list --data /srv/studies
    """


def _study_name(settings: Settings, study: Path | None, store: Store) -> str:
    """The study a role is about: of the folder, or the one of this name in the database."""
    from believable.store import studies
    from believable.web.settings import study_id

    if settings.study_folders:
        return study_id(settings.study_folders[0])
    if study is None:
        raise InvalidInput(
            "--study: a role counts in one study, but none was named. Add --study NAME, or"
            " --administrator."
        )
    return store.read(lambda conn: studies.get(conn, str(study))).id


def _do(store: Store, change: Change[T], what: str, study: str | None = None) -> T:
    from believable.store import audit_log

    at_ms = store.clock.now_ms()
    return store.write(
        audit_log.noted(change, user=ACTOR, what=what, at_ms=at_ms, study=study, kind="account")
    )


def _print_link(name: str, base_url: str, token: str) -> None:
    click.echo(f"One-time link for {name} (24 hours, works once):")
    click.echo(f"  {base_url}/console/welcome/{token}")


@command.command("add")
@click.argument("name")
@click.option(
    "--role",
    type=click.Choice(ROLES),
    help="In the study; default: researcher of it, or none without a study.",
)
@click.option(
    "--administrator",
    is_flag=True,
    help="Every study of the server, and its accounts; instead of a role.",
)
@base_url_option
@place_options
def add(
    name: str, role: str | None, administrator: bool, base_url: str | None, place: AccountPlace
) -> None:
    """Add a user and print the link with which they choose a password.

    A role counts in one study: owners do everything in it, researchers all but decide who may do
    what, coordinators lead its coding, coders only code. `believable user role` gives more roles to
    somebody who has an account.

    \b
    Example:
      believable user add anna --role researcher --study my-study
      believable user add ben --administrator --data /srv/studies
    """
    from believable.store import accounts, rights

    if administrator and role is not None:
        raise InvalidInput(
            "--administrator and --role: administrators may do everything anyway. Give one of them."
        )
    settings = place.settings(base_url)
    with open_store(settings) as store:
        stored, now_ms = accounts.check_name(name), store.clock.now_ms()
        without = administrator or (
            role is None and place.study is None and place.where.data is not None
        )
        study = None if without else _study_name(settings, place.study, store)

        def deed(conn: Connection) -> str:
            token = accounts.invite(conn, stored, now_ms=now_ms, administrator=administrator)
            if study is not None:
                rights.grant(conn, stored, study, role or "researcher", now_ms=now_ms)
            return token

        words = "administrator" if administrator else "user without a role"
        if study is not None:
            words = f"{role or 'researcher'} of {study}"
        token = _do(store, deed, f"added {stored} as {words}", study)
    _print_link(stored, settings.base_url, token)


@command.command("list")
@place_options
def list_users(place: AccountPlace) -> None:
    """List users, what they may do and whether they can log in.

    \b
    Example:
      believable user list --study my-study
    """
    from believable.store import accounts, rights

    with place.open() as store:
        users = store.read(
            lambda conn: [
                (user, rights.rights_of(conn, user.name)) for user in accounts.everyone(conn)
            ]
        )
    for user, held in users:
        state = (
            "disabled"
            if user.disabled
            else "active"
            if user.has_password
            else "has not chosen a password yet"
        )
        click.echo(f"{user.name:<24} {state:<30} {held.in_words}")
    if not users:
        click.echo(
            "No users yet. The first start of `believable serve` makes the first administrator."
        )


@command.command("disable")
@click.argument("name")
@place_options
def disable(name: str, place: AccountPlace) -> None:
    """Keep a user out: all their log-ins and links end. What they did stays on record.

    \b
    Example:
      believable user disable anna --study my-study
    """
    from believable.store import accounts

    with place.open() as store:
        user = _do(store, lambda conn: accounts.disable(conn, name), f"disabled user {name}")
    click.echo(f"{user.name} is disabled.")


@command.command("enable")
@click.argument("name")
@place_options
def enable(name: str, place: AccountPlace) -> None:
    """Let a disabled user in again, with the password they had.

    \b
    Example:
      believable user enable anna --study my-study
    """
    from believable.store import accounts

    with place.open() as store:
        user = _do(store, lambda conn: accounts.enable(conn, name), f"enabled user {name}")
    click.echo(f"{user.name} is enabled.")


@command.command("reset")
@click.argument("name")
@base_url_option
@place_options
def reset(name: str, base_url: str | None, place: AccountPlace) -> None:
    """Take a user's password away and print a link to choose another.

    \b
    Example:
      believable user reset anna --study my-study
    """
    from believable.store import accounts

    with place.open() as store:
        now_ms, what = store.clock.now_ms(), f"reset the password of user {name}"
        token = _do(store, lambda conn: accounts.reset_by_link(conn, name, now_ms=now_ms), what)
    _print_link(name, place.settings(base_url).base_url, token)


@command.command("role")
@click.argument("name")
@click.argument("role", type=click.Choice((*ROLES, "none")))
@place_options
def set_role(name: str, role: str, place: AccountPlace) -> None:
    """Give a user a role in a study, another one, or none any more.

    \b
    Example:
      believable user role anna coordinator --study my-study
      believable user role anna none --study faces --data /srv/studies
    """
    from believable.store import accounts, rights

    with place.open() as store:
        study, now_ms = _study_name(place.settings(), place.study, store), store.clock.now_ms()
        user = store.read(lambda conn: accounts.find(conn, name))
        if role == "none":
            _do(
                store,
                lambda conn: rights.revoke(conn, user.name, study),
                f"took the role of {user.name}",
                study,
            )
        else:
            grant = f"made {user.name} {role} of this study"
            _do(
                store,
                lambda conn: rights.grant(conn, user.name, study, role, now_ms=now_ms),
                grant,
                study,
            )
        held = store.read(lambda conn: rights.rights_of(conn, user.name))
    click.echo(f"{user.name}: {held.in_words}.")


@command.command("second-factor")
@click.argument("name")
@place_options
def second_factor_off(name: str, place: AccountPlace) -> None:
    """Take a user's second factor off, when device and recovery codes are lost. They log in with
    the password and set up anew.

    \b
    Example:
      believable user second-factor anna --study my-study
    """
    from believable.store import accounts, second_factor

    with place.open() as store:
        user = store.read(lambda conn: accounts.find(conn, name))
        words = f"took the second factor of user {user.name} off"
        _do(store, lambda conn: second_factor.take_off(conn, user.name), words)
    click.echo(f"{user.name} logs in with the password alone.")


@command.command("rules")
@click.option(
    "--second-factor",
    type=click.Choice(("required", "optional")),
    required=True,
    help="Whether every account needs a one-time code beside its password.",
)
@place_options
def rules(second_factor: str, place: AccountPlace) -> None:
    """Decide whether everybody needs a second factor.

    \b
    Example:
      believable user rules --second-factor required --study my-study
    """
    from believable.store import second_factor as factors

    wanted = second_factor == "required"
    with place.open() as store:
        _do(
            store,
            lambda conn: factors.require(conn, wanted),
            f"made the second factor {second_factor}",
        )
    click.echo(f"The second factor is {second_factor}.")


@command.command("forget-identity")
@click.argument("name")
@place_options
def forget_identity(name: str, place: AccountPlace) -> None:
    """Forget who an account is at a provider of log-ins: the next one with its e-mail address may
    take it.

    \b
    Example:
      believable user forget-identity anna@uni.example --study my-study
    """
    from believable.store import accounts, identities

    with place.open() as store:
        user = store.read(lambda conn: accounts.find(conn, name))
        words = f"forgot who {user.name} is elsewhere"
        _do(store, lambda conn: identities.forget_identities(conn, user.name), words)
    click.echo(f"{user.name} may be taken by whom the address belongs to now.")


@command.command("administrator")
@click.argument("name")
@click.option("--off", is_flag=True, help="Not any more.")
@place_options
def set_administrator(name: str, off: bool, place: AccountPlace) -> None:
    """Let a user do everything in every study of the server, and manage its accounts.

    \b
    Example:
      believable user administrator anna --study my-study
    """
    from believable.store import accounts

    with place.open() as store:
        words = "no administrator any more" if off else "an administrator"
        user = _do(
            store,
            lambda conn: accounts.set_administrator(conn, name, not off),
            f"made user {name} {words}",
        )
    click.echo(
        f"{user.name} is {'no ' if off else 'an '}administrator{' any more' if off else ''}."
    )
