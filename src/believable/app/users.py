"""Researcher accounts: one use case for each change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

from believable.app.options import AnyPath, argument, option, options, use_case
from believable.app.settings import Settings, study_id
from believable.app.study_data import (
    BaseUrlOptions,
    DataOptions,
    open_store,
    study_folder,
    write_noted,
)
from believable.core.errors import WrongUsage
from believable.store import Role, accounts, identities, rights, second_factor, studies
from believable.store.audit_log import Change
from believable.store.engine import Connection, Store

T = TypeVar("T")


@options
class AccountsOptions(DataOptions):
    """The accounts of the data folder of a study, or of the one named."""

    study: AnyPath | None = option(
        "The study's folder (default: this folder); with --data, the name of a study there will"
        " do.",
        default=None,
    )

    def place(self, base_url: str | None = None) -> Settings:
        """Return the settings of the data folder that has the accounts."""
        named = self.data_folder is not None and (
            self.study is None or not (Path(self.study) / "study.yaml").is_file()
        )
        return self.settings([] if named else [study_folder(self.study or Path.cwd())], base_url)

    def study_name(self, settings: Settings, store: Store) -> str:
        """Return the study that a role is about: of the folder, or the one of this name in the
        database.
        """
        if settings.study_folders:
            return study_id(settings.study_folders[0])
        if self.study is None:
            raise WrongUsage(
                "--study: a role counts in one study, but none was named. Add --study NAME, or"
                " --administrator."
            )
        name = str(self.study)
        return store.read(lambda conn: studies.get(conn, name)).id

    def write(self, store: Store, change: Change[T], what: str, study: str | None = None) -> T:
        """Write a change of the accounts with its line in the audit log."""
        return write_noted(store, change, what, user=self.actor, study=study, kind="account")


@options
class AccountOptions(AccountsOptions):
    """For use cases of one account."""

    name: str = argument("The account's name.", kw_only=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Invitation:
    """A link that works once, for 24 hours: it sets the account's password."""

    name: str
    link: str


@options
class AddUserOptions(AccountOptions, BaseUrlOptions):
    role: Role | None = option(
        "In the study; default: researcher of it, or none without a study.", default=None
    )
    administrator: bool = option(
        "Every study of the server, and its accounts; instead of a role.", default=False
    )


@use_case(AddUserOptions)
def add_user(options: AddUserOptions) -> Invitation:
    """Add a user and print the link with which they choose a password.

    A role counts in one study: owners do everything in it, researchers all but decide who may do
    what, coordinators lead its coding, coders only code. `believable user role` gives more roles to
    people who have an account.
    """
    administrator, role = options.administrator, options.role
    if administrator and role is not None:
        raise WrongUsage(
            "--administrator and --role: administrators may do everything anyway. Give one of them."
        )
    settings = options.place(options.base_url)
    with open_store(settings) as store:
        name, now_ms = accounts.check_name(options.name), store.clock.now_ms()
        no_role = role is None and options.study is None and options.data_folder is not None
        study = None if administrator or no_role else options.study_name(settings, store)

        def add(conn: Connection) -> str:
            token = accounts.invite(conn, name, now_ms=now_ms, administrator=administrator)
            if study is not None:
                rights.grant(conn, name, study, role or "researcher", now_ms=now_ms)
            return token

        kind = "administrator" if administrator else "user without a role"
        if study is not None:
            kind = f"{role or 'researcher'} of {study}"
        token = options.write(store, add, f"added {name} as {kind}", study)
    return Invitation(name=name, link=f"{settings.base_url}/console/welcome/{token}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """A user. `state`: whether they can log in; `rights` in words."""

    name: str
    state: str
    rights: str


@use_case(AccountsOptions)
def list_users(options: AccountsOptions) -> Sequence[Account]:
    """List users with their rights, and whether they can log in."""

    def read(conn: Connection) -> list[Account]:
        return [
            Account(
                name=user.name,
                state=_state(user),
                rights=rights.rights_of(conn, user.name).in_words,
            )
            for user in accounts.everyone(conn)
        ]

    with open_store(options.place()) as store:
        return store.read(read)


def _state(user: accounts.User) -> str:
    if user.disabled:
        return "disabled"
    return "active" if user.has_password else "has not chosen a password yet"


@use_case(AccountOptions)
def disable_user(options: AccountOptions) -> str:
    """Keep a user out: all their log-ins and links end. Their actions stay on record."""
    name = options.name
    with open_store(options.place()) as store:
        options.write(store, lambda conn: accounts.disable(conn, name), f"disabled user {name}")
    return f"{name} is disabled."


@use_case(AccountOptions)
def enable_user(options: AccountOptions) -> str:
    """Let a disabled user in again, with the password they had."""
    name = options.name
    with open_store(options.place()) as store:
        options.write(store, lambda conn: accounts.enable(conn, name), f"enabled user {name}")
    return f"{name} is enabled."


@options
class ResetOptions(AccountOptions, BaseUrlOptions):
    """For `reset_user`."""


@use_case(ResetOptions)
def reset_user(options: ResetOptions) -> Invitation:
    """Take a user's password away and print a link to choose another."""
    name, settings = options.name, options.place(options.base_url)
    with open_store(settings) as store:
        now_ms, what = store.clock.now_ms(), f"reset the password of user {name}"
        token = options.write(
            store, lambda conn: accounts.reset_by_link(conn, name, now_ms=now_ms), what
        )
    return Invitation(name=name, link=f"{settings.base_url}/console/welcome/{token}")


@options
class RoleOptions(AccountOptions):
    role: Literal["owner", "researcher", "coordinator", "coder", "none"] = argument(
        "The role.", kw_only=False
    )


@use_case(RoleOptions)
def set_role(options: RoleOptions) -> str:
    """Give a user a role in a study, another one, or none any more."""
    role, settings = options.role, options.place()
    with open_store(settings) as store:
        study, now_ms = options.study_name(settings, store), store.clock.now_ms()
        name = store.read(lambda conn: accounts.find(conn, options.name)).name

        def change(conn: Connection) -> None:
            if role == "none":
                rights.revoke(conn, name, study)
            else:
                rights.grant(conn, name, study, role, now_ms=now_ms)

        what = f"took the role of {name}" if role == "none" else f"made {name} {role} of this study"
        options.write(store, change, what, study)
        held = store.read(lambda conn: rights.rights_of(conn, name))
    return f"{name}: {held.in_words}."


@use_case(AccountOptions)
def remove_second_factor(options: AccountOptions) -> str:
    """Take a user's second factor off, when device and recovery codes are lost. They log in with
    the password and set it up again.
    """
    with open_store(options.place()) as store:
        name = store.read(lambda conn: accounts.find(conn, options.name)).name
        what = f"took the second factor of user {name} off"
        options.write(store, lambda conn: second_factor.take_off(conn, name), what)
    return f"{name} logs in with the password alone."


@options
class RulesOptions(AccountsOptions):
    second_factor: Literal["required", "optional"] = option(
        "Whether every account needs a one-time code in addition to its password."
    )


@use_case(RulesOptions)
def set_rules(options: RulesOptions) -> str:
    """Decide whether all users need a second factor."""
    rule = options.second_factor
    with open_store(options.place()) as store:
        options.write(
            store,
            lambda conn: second_factor.require(conn, rule == "required"),
            f"made the second factor {rule}",
        )
    return f"The second factor is {rule}."


@use_case(AccountOptions)
def forget_identity(options: AccountOptions) -> str:
    """Forget who an account is at a provider of log-ins: the next one with its e-mail address may
    take it.
    """
    with open_store(options.place()) as store:
        name = store.read(lambda conn: accounts.find(conn, options.name)).name
        what = f"forgot who {name} is elsewhere"
        options.write(store, lambda conn: identities.forget_identities(conn, name), what)
    return f"{name} may be taken by the person who has the address now."


@options
class AdministratorOptions(AccountOptions):
    off: bool = option("Not any more.", default=False)


@use_case(AdministratorOptions)
def set_administrator(options: AdministratorOptions) -> str:
    """Let a user do everything in every study of the server, and manage its accounts."""
    name, kind = options.name, "no administrator any more" if options.off else "an administrator"
    with open_store(options.place()) as store:
        options.write(
            store,
            lambda conn: accounts.set_administrator(conn, name, not options.off),
            f"made user {name} {kind}",
        )
    return f"{name} is {kind}."
