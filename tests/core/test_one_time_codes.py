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


def test_codes_by_counter() -> None:
    assert tuple(hotp(SECRET, counter) for counter in range(10)) == HOTP


def test_codes_by_time() -> None:
    """RFC 6238, appendix B: the last six of eight digits, SHA-1."""
    for seconds, code in ((59, "287082"), (1111111109, "081804"), (20000000000, "353130")):
        assert hotp(SECRET, step_of(seconds * 1000)) == code


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
        "otpauth://totp/believable:anna%40uni.example?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=believable"
    )
    assert in_letters(SECRET).startswith("GEZD GNBV")
