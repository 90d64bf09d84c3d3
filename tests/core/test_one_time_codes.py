"""One-time codes against the values published with them."""

from __future__ import annotations

import pytest

from believable.core.one_time_codes import hotp, in_letters, matching_step, otpauth_address, step_of

SECRET = b"12345678901234567890"
#: RFC 4226, appendix D.
HOTP = (
    "755224",
    "287082",
    "359152",
    "969429",
    "338314",
    "254676",
    "287922",
    "162583",
    "399871",
    "520489",
)
#: RFC 6238, appendix B: seconds, code of eight digits, algorithm. The secret is repeated to the
#: length of the hash.
TOTP = [
    (59, "94287082", "sha1"),
    (59, "46119246", "sha256"),
    (59, "90693936", "sha512"),
    (1111111109, "07081804", "sha1"),
    (1111111109, "68084774", "sha256"),
    (1111111109, "25091201", "sha512"),
    (1111111111, "14050471", "sha1"),
    (1111111111, "67062674", "sha256"),
    (1111111111, "99943326", "sha512"),
    (1234567890, "89005924", "sha1"),
    (1234567890, "91819424", "sha256"),
    (1234567890, "93441116", "sha512"),
    (2000000000, "69279037", "sha1"),
    (2000000000, "90698825", "sha256"),
    (2000000000, "38618901", "sha512"),
    (20000000000, "65353130", "sha1"),
    (20000000000, "77737706", "sha256"),
    (20000000000, "47863826", "sha512"),
]
LENGTH = {"sha1": 20, "sha256": 32, "sha512": 64}


def test_codes_by_counter() -> None:
    assert tuple(hotp(SECRET, counter) for counter in range(10)) == HOTP


@pytest.mark.parametrize(("seconds", "code", "algorithm"), TOTP)
def test_codes_by_time(seconds: int, code: str, algorithm: str) -> None:
    secret = (SECRET * 4)[: LENGTH[algorithm]]
    assert hotp(secret, step_of(seconds * 1000), digits=8, algorithm=algorithm) == code


def test_a_clock_may_be_half_a_minute_off_and_no_code_counts_twice() -> None:
    now_ms = 59_000
    assert [matching_step(SECRET, HOTP[step], now_ms=now_ms, after=-1) for step in range(4)] == [
        0,
        1,
        2,
        None,
    ]
    assert matching_step(SECRET, "287 082", now_ms=now_ms, after=0) == 1
    assert matching_step(SECRET, "287082", now_ms=now_ms, after=1) is None


@pytest.mark.parametrize("code", ["", "28708", "2870821", "２８７０８２", "28708x", "-28708"])
def test_what_is_no_code(code: str) -> None:
    assert matching_step(SECRET, code, now_ms=59_000, after=0) is None


def test_apps_get_what_they_read() -> None:
    address = otpauth_address(SECRET, issuer="believable", account="anna@uni.example")
    assert address == (
        "otpauth://totp/believable:anna@uni.example?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=believable&period=30&digits=6"
    )
    assert in_letters(SECRET).startswith("GEZD GNBV")
