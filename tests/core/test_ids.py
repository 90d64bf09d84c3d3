from __future__ import annotations

import hashlib
import hmac

import pytest
from hypothesis import given
from hypothesis import strategies as st

from believable.core.ids import (
    ALPHABET,
    base32,
    completion_code,
    keyed_hash,
    new_token,
    normalise_code,
    opaque_name,
    spoken_code,
    token_hash,
)

KEY = b"k" * 32


def test_tokens_carry_128_bits_and_differ() -> None:
    tokens = {new_token() for _ in range(200)}
    assert len(tokens) == 200
    assert all(len(token) == 22 for token in tokens)


def test_a_token_is_never_taken_for_an_option(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = iter(["-first", "-second", "third-"])
    monkeypatch.setattr("secrets.token_urlsafe", lambda size: next(drawn))
    assert new_token() == "third-"


def test_a_completion_code_is_the_declared_one_or_made() -> None:
    assert completion_code("C1AB", KEY, "study", "complete") == "C1AB"
    made = completion_code("auto", KEY, "study", "complete")
    assert made == spoken_code(KEY, "completion", "study", "complete")
    assert made != completion_code("auto", KEY, "study", "screened_out")


def test_token_hash_is_sha256() -> None:
    assert token_hash("abc") == hashlib.sha256(b"abc").hexdigest()


def test_keyed_hash_is_hmac_and_separates_parts() -> None:
    assert keyed_hash(KEY, "a", "b") == hmac.new(KEY, b"a\x1fb", hashlib.sha256).hexdigest()
    assert keyed_hash(KEY, "ab", "c") != keyed_hash(KEY, "a", "bc")
    assert keyed_hash(KEY, "a") != keyed_hash(b"other", "a")


def test_base32_reads_bits_from_the_left() -> None:
    assert base32("f800000000", 8) == "Z0000000"


def test_opaque_names_differ_between_sessions_and_are_stable() -> None:
    assert opaque_name(KEY, "s1", "h01") == opaque_name(KEY, "s1", "h01")
    assert opaque_name(KEY, "s1", "h01") != opaque_name(KEY, "s2", "h01")
    assert "h01" not in opaque_name(KEY, "s1", "h01")


@given(st.text(min_size=1, max_size=20))
def test_a_code_survives_being_typed_badly(session: str) -> None:
    code = spoken_code(KEY, session)
    assert all(character in ALPHABET + "-" for character in code)
    assert (
        normalise_code(code.lower().replace("-", " ").replace("0", "o").replace("1", "l")) == code
    )
