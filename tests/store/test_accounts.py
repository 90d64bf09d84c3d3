"""Users, one-time links, log-ins and the brake on guessing, on a real database."""

from __future__ import annotations

import pytest
from argon2 import Parameters, PasswordHasher, extract_parameters
from argon2.exceptions import VerifyMismatchError
from sqlalchemy import Connection, select

from believable.core.errors import Conflict, InvalidInput, NotFound, Refused, TooManyTries
from believable.store import accounts, audit_log, log_ins, rights
from believable.store.tables import accounts as accounts_tables

NOW = 1_750_000_000_000
KEY = b"k" * 32


@pytest.fixture
def conn(scratch: Connection) -> Connection:
    return scratch


@pytest.fixture(scope="module")
def passwords() -> accounts.Passwords:
    return accounts.Passwords(PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))


def test_a_password_is_verified_and_is_not_kept_readable(passwords: accounts.Passwords) -> None:
    stored = passwords.hash("correct horse battery")
    assert stored.startswith("$argon2id$")
    assert "horse" not in stored
    assert passwords.verify(stored, "correct horse battery")
    assert not passwords.verify(stored, "correct horse batter")


def test_nobody_has_a_password_that_works(passwords: accounts.Passwords) -> None:
    assert not passwords.verify(None, "")
    assert not passwords.verify(None, "anything at all")


def test_an_unknown_user_costs_a_real_verification() -> None:
    """A hash that cannot be read would be refused at once, and its answer would tell that nobody
    has this name.
    """
    costs: list[Parameters] = []

    class Counting(PasswordHasher):
        def verify(self, hash: str | bytes, password: str | bytes) -> bool:  # type: ignore[override]
            costs.append(extract_parameters(str(hash)))
            with pytest.raises(VerifyMismatchError):
                super().verify(hash, password)
            raise VerifyMismatchError

    passwords = accounts.Passwords(Counting())
    assert not passwords.verify(None, "guess")
    assert not passwords.verify(passwords.hash("correct horse battery"), "guess")
    assert len(costs) == 2
    assert costs[0] == costs[1]


@pytest.mark.parametrize(
    ("password", "words"), [("short", "at least 10"), ("x" * 1025, "at most 1024")]
)
def test_passwords_have_a_length(passwords: accounts.Passwords, password: str, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        passwords.hash(password)


def test_names_are_lower_case_and_unique(conn: Connection) -> None:
    assert accounts.add(conn, " Ada ", now_ms=NOW, administrator=True).name == "ada"
    with pytest.raises(Conflict, match="'ada' exists already"):
        accounts.add(conn, "ADA", now_ms=NOW)
    assert accounts.find(conn, "Ada").administrator


@pytest.mark.parametrize("name", ["", "  ", "<b>", "a b", "x" * 65, "-dash", "a\nb"])
def test_strange_names_are_refused(conn: Connection, name: str) -> None:
    with pytest.raises(InvalidInput, match="user name: expected"):
        accounts.add(conn, name, now_ms=NOW, administrator=True)


def test_a_wrong_role_or_name_gets_a_hint(conn: Connection) -> None:
    accounts.add(conn, "ada", now_ms=NOW, administrator=True)
    with pytest.raises(InvalidInput, match="Did you mean 'researcher'"):
        rights.grant(conn, "ada", "study", "reseacher", now_ms=NOW)
    with pytest.raises(NotFound, match="Did you mean 'ada'"):
        rights.grant(conn, "adda", "study", "researcher", now_ms=NOW)
    with pytest.raises(NotFound, match="Did you mean 'ada'"):
        accounts.find(conn, "adda")


def test_the_last_administrator_stays(conn: Connection) -> None:
    accounts.add(conn, "ada", now_ms=NOW, administrator=True)
    accounts.add(conn, "bob", now_ms=NOW)
    with pytest.raises(Refused, match="last administrator"):
        accounts.disable(conn, "ada")
    with pytest.raises(Refused, match="last administrator"):
        accounts.set_administrator(conn, "ada", False)
    accounts.set_administrator(conn, "bob", True)
    assert accounts.disable(conn, "ada").disabled
    with pytest.raises(Refused, match="last administrator"):
        accounts.set_administrator(conn, "bob", False)
    assert not accounts.enable(conn, "ada").disabled


def test_the_first_owner_is_asked_until_there_is_a_password(conn: Connection) -> None:
    first = accounts.first_owner(conn, now_ms=NOW)
    assert first is not None
    assert first.name == "owner"
    assert accounts.first_owner(conn, now_ms=NOW + 1) == first
    accounts.set_password(conn, "owner", "$argon2id$x")
    assert accounts.first_owner(conn, now_ms=NOW + 2) is None


def test_a_link_works_once_and_not_for_ever(conn: Connection) -> None:
    accounts.add(conn, "ada", now_ms=NOW, administrator=True)
    token = accounts.new_link(conn, "ada", now_ms=NOW)
    assert accounts.open_link(conn, token, now_ms=NOW).name == "ada"
    with pytest.raises(Refused, match="too old"):
        accounts.open_link(conn, token, now_ms=NOW + accounts.LINK_LIFE_MS)
    assert accounts.use_link(conn, token, "$argon2id$new", now_ms=NOW + 5).has_password
    with pytest.raises(Refused, match="used already"):
        accounts.use_link(conn, token, "$argon2id$other", now_ms=NOW + 6)
    stored = conn.execute(select(accounts_tables.users.c.password_hash)).scalar_one()
    assert stored == "$argon2id$new"
    assert token not in str(conn.execute(select(accounts_tables.one_time_links)).all())


def test_a_new_link_replaces_the_old_one(conn: Connection) -> None:
    accounts.add(conn, "ada", now_ms=NOW, administrator=True)
    old = accounts.new_link(conn, "ada", now_ms=NOW)
    new = accounts.new_link(conn, "ada", now_ms=NOW + 1)
    with pytest.raises(Refused):
        accounts.open_link(conn, old, now_ms=NOW + 2)
    assert accounts.open_link(conn, new, now_ms=NOW + 2)


def test_a_disabled_user_has_no_links_and_no_logins(conn: Connection) -> None:
    accounts.add(conn, "ada", now_ms=NOW, administrator=True)
    accounts.add(conn, "bob", now_ms=NOW)
    link = accounts.new_link(conn, "bob", now_ms=NOW)
    token, _ = log_ins.log_in(conn, "bob", now_ms=NOW)
    accounts.disable(conn, "bob")
    assert log_ins.who(conn, token, now_ms=NOW) is None
    with pytest.raises(Refused):
        accounts.open_link(conn, link, now_ms=NOW)
    with pytest.raises(Refused, match="is disabled"):
        accounts.new_link(conn, "bob", now_ms=NOW)
    assert log_ins.begin_try(conn, KEY, "bob", "peer", now_ms=NOW).stored is None


def test_a_login_slides_up_to_a_limit(conn: Connection) -> None:
    accounts.add(conn, "ada", now_ms=NOW, administrator=True)
    token, login = log_ins.log_in(conn, "ada", now_ms=NOW)
    assert log_ins.prolonged_until(login, now_ms=NOW + 10 * accounts.MINUTE_MS) is None
    until = log_ins.prolonged_until(login, now_ms=NOW + 2 * accounts.HOUR_MS)
    assert until == NOW + 2 * accounts.HOUR_MS + log_ins.LOGIN_IDLE_MS
    log_ins.prolong(conn, login, until)
    still = log_ins.who(conn, token, now_ms=NOW + 13 * accounts.HOUR_MS)
    assert still is not None
    assert still.user.name == "ada"
    late = NOW + log_ins.LOGIN_LIFE_MS - accounts.HOUR_MS
    assert log_ins.prolonged_until(still, now_ms=late) == NOW + log_ins.LOGIN_LIFE_MS
    assert log_ins.who(conn, token, now_ms=until) is None


def test_the_token_itself_is_not_stored(conn: Connection) -> None:
    accounts.add(conn, "ada", now_ms=NOW, administrator=True)
    token, login = log_ins.log_in(conn, "ada", now_ms=NOW)
    assert token not in str(conn.execute(select(accounts_tables.logins)).all())
    assert login.csrf != token


def test_log_out_here_and_everywhere(conn: Connection) -> None:
    accounts.add(conn, "ada", now_ms=NOW, administrator=True)
    one, login = log_ins.log_in(conn, "ada", now_ms=NOW)
    two, _ = log_ins.log_in(conn, "ada", now_ms=NOW)
    three, _ = log_ins.log_in(conn, "ada", now_ms=NOW)
    log_ins.log_out(conn, login)
    assert log_ins.who(conn, one, now_ms=NOW) is None
    assert log_ins.who(conn, two, now_ms=NOW) is not None
    assert accounts.log_out_everywhere(conn, "ada") == 2
    assert log_ins.who(conn, three, now_ms=NOW) is None


def test_a_new_password_ends_old_logins(conn: Connection) -> None:
    accounts.add(conn, "ada", now_ms=NOW, administrator=True)
    token, _ = log_ins.log_in(conn, "ada", now_ms=NOW)
    accounts.set_password(conn, "ada", "$argon2id$new")
    assert log_ins.who(conn, token, now_ms=NOW) is None


def test_a_reset_takes_the_password_and_the_logins_away(conn: Connection) -> None:
    accounts.add(conn, "ada", now_ms=NOW, administrator=True)
    accounts.set_password(conn, "ada", "$argon2id$old")
    token, _ = log_ins.log_in(conn, "ada", now_ms=NOW)
    assert not accounts.reset(conn, "ada").has_password
    assert log_ins.who(conn, token, now_ms=NOW) is None


def test_one_name_is_braked_at_one_peer_and_not_elsewhere(conn: Connection) -> None:
    accounts.add(conn, "ada", now_ms=NOW, administrator=True)
    for i in range(log_ins.LIMITS["name at peer"]):
        log_ins.begin_try(conn, KEY, "ada", "peer", now_ms=NOW + i)
    with pytest.raises(TooManyTries, match="Too many failed log-ins"):
        log_ins.begin_try(conn, KEY, "Ada", "peer", now_ms=NOW + 60)
    assert log_ins.begin_try(conn, KEY, "ada", "home", now_ms=NOW + 60).user is not None
    later = NOW + log_ins.LIMIT_WINDOW_MS + 60
    assert log_ins.begin_try(conn, KEY, "ada", "peer", now_ms=later).user is not None


def test_one_name_is_braked_over_many_peers(conn: Connection) -> None:
    for i in range(log_ins.LIMITS["name"]):
        log_ins.begin_try(conn, KEY, "ada", f"peer {i}", now_ms=NOW)
    with pytest.raises(TooManyTries):
        log_ins.begin_try(conn, KEY, "ada", "another peer", now_ms=NOW)


def test_one_peer_is_braked_over_many_names(conn: Connection) -> None:
    for i in range(log_ins.LIMITS["peer"]):
        log_ins.begin_try(conn, KEY, f"user{i}", "peer", now_ms=NOW)
    with pytest.raises(TooManyTries):
        log_ins.begin_try(conn, KEY, "fresh", "peer", now_ms=NOW)
    assert log_ins.begin_try(conn, KEY, "fresh", "other peer", now_ms=NOW).user is None


def test_a_success_releases_the_name_but_not_the_guesser(conn: Connection) -> None:
    for _ in range(log_ins.LIMITS["name at peer"]):
        log_ins.begin_try(conn, KEY, "ada", "peer", now_ms=NOW)
    log_ins.forget_tries(conn, KEY, "ada", "peer")
    log_ins.begin_try(conn, KEY, "ada", "peer", now_ms=NOW)
    log_ins.forget_tries(conn, KEY, "ada", "peer")
    still = log_ins.LIMITS["peer"] - log_ins.LIMITS["name at peer"] + 1
    for guess in range(still):
        log_ins.begin_try(conn, KEY, f"user{guess}", "peer", now_ms=NOW)
        if guess < still - 1:
            log_ins.begin_try(conn, KEY, "mine", "peer", now_ms=NOW)
            log_ins.forget_tries(conn, KEY, "mine", "peer")
    with pytest.raises(TooManyTries):
        log_ins.begin_try(conn, KEY, "one more", "peer", now_ms=NOW)


def test_strangers_cannot_lock_a_person_out_of_their_own_browser(conn: Connection) -> None:
    mark = log_ins.device_mark(KEY, "ada")
    for stranger in range(log_ins.LIMITS["name"]):
        log_ins.begin_try(conn, KEY, "ada", f"peer {stranger}", now_ms=NOW)
    for foreign in (
        "",
        "x.y",
        log_ins.device_mark(KEY, "bob"),
        log_ins.device_mark(b"other", "ada"),
        mark + "0",
    ):
        with pytest.raises(TooManyTries):
            log_ins.begin_try(conn, KEY, "ada", "home", now_ms=NOW, device=foreign)
    for _ in range(log_ins.LIMITS["device"]):
        log_ins.begin_try(conn, KEY, "ada", "home", now_ms=NOW, device=mark)
    with pytest.raises(TooManyTries):
        log_ins.begin_try(conn, KEY, "ada", "home", now_ms=NOW, device=mark)
    log_ins.forget_tries(conn, KEY, "ada", "home", mark)
    log_ins.begin_try(conn, KEY, "ada", "home", now_ms=NOW, device=mark)


def test_tries_hold_neither_names_nor_peers_and_are_gone_after_an_hour(conn: Connection) -> None:
    log_ins.begin_try(conn, KEY, "ada", "192.0.2.7", now_ms=NOW)
    rows = str(conn.execute(select(accounts_tables.attempts)).all())
    assert "ada" not in rows
    assert "192.0.2.7" not in rows
    log_ins.begin_try(conn, KEY, "bob", "x", now_ms=NOW + accounts.TRY_LIFE_MS + 1)
    assert len(conn.execute(select(accounts_tables.attempts)).all()) == len(log_ins.LIMITS) - 1


def test_inviting_and_resetting_give_a_link(conn: Connection) -> None:
    accounts.add(conn, "ada", now_ms=NOW, administrator=True)
    token = accounts.invite(conn, "Bob", now_ms=NOW)
    assert accounts.open_link(conn, token, now_ms=NOW).name == "bob"
    rights.grant(conn, "bob", "study", "coder", now_ms=NOW)
    accounts.use_link(conn, token, "$argon2id$x", now_ms=NOW)
    entered, login = log_ins.log_in(conn, "bob", now_ms=NOW)
    assert login.rights.roles == {"study": "coder"}
    again = accounts.reset_by_link(conn, "bob", now_ms=NOW)
    assert log_ins.who(conn, entered, now_ms=NOW) is None
    assert accounts.open_link(conn, again, now_ms=NOW).has_password is False


def test_the_first_link_ends_with_the_first_password(conn: Connection) -> None:
    first = accounts.first_link(conn, now_ms=NOW)
    second = accounts.first_link(conn, now_ms=NOW)
    assert first is not None
    assert second is not None
    with pytest.raises(Refused):
        accounts.open_link(conn, first, now_ms=NOW)
    accounts.use_link(conn, second, "$argon2id$x", now_ms=NOW)
    assert accounts.first_link(conn, now_ms=NOW) is None


def test_a_new_password_keeps_this_browser_in_and_others_out(conn: Connection) -> None:
    accounts.add(conn, "ada", now_ms=NOW, administrator=True)
    other, _ = log_ins.log_in(conn, "ada", now_ms=NOW)
    here, _ = log_ins.change_password(conn, KEY, "ada", "peer", "$argon2id$new", now_ms=NOW)
    assert log_ins.who(conn, other, now_ms=NOW) is None
    assert log_ins.who(conn, here, now_ms=NOW) is not None


def test_a_deed_and_its_note_are_one(conn: Connection) -> None:
    accounts.add(conn, "ada", now_ms=NOW, administrator=True)
    deed = audit_log.with_note(
        lambda c: accounts.set_administrator(c, "ada", False), user="ada", what="changed", at_ms=NOW
    )
    with pytest.raises(Refused):
        deed(conn)
    assert conn.execute(select(accounts_tables.audit)).all() == []
    accounts.add(conn, "bob", now_ms=NOW, administrator=True)
    assert not deed(conn).administrator
    assert conn.execute(select(accounts_tables.audit.c.what)).scalars().all() == ["changed"]
