"""Six-digit codes that change with time (TOTP, RFC 6238, on HOTP, RFC 4226)."""

from __future__ import annotations

import base64
import hmac

from pyotp.hotp import HOTP
from pyotp.totp import TOTP

STEP_S = 30
DIGITS = 6
#: Phones' clocks are off by some seconds: the code before and the one after count as well.
STEPS_OFF = 1
SECRET_BYTES = 20


def hotp(secret: bytes, counter: int) -> str:
    return HOTP(base64.b32encode(secret).decode()).at(counter)


def step_of(now_ms: int) -> int:
    return now_ms // 1000 // STEP_S


def matching_step(secret: bytes, code: str, *, now_ms: int, after: int) -> int | None:
    """The time step whose code this is. Steps up to `after` were used already, so that a code that
    was overheard is no use.
    """
    typed = "".join(code.split())
    if len(typed) != DIGITS or not typed.isascii() or not typed.isdigit():
        return None
    now = step_of(now_ms)
    matches = [
        step
        for step in range(now - STEPS_OFF, now + STEPS_OFF + 1)
        if hmac.compare_digest(hotp(secret, step), typed) and step > after
    ]
    return matches[0] if matches else None


def in_letters(secret: bytes) -> str:
    """As people type it into an app: base 32, in groups of four.

    >>> in_letters(b"12345678901234567890")
    'GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ'
    """
    letters = base64.b32encode(secret).decode().rstrip("=")
    return " ".join(letters[start : start + 4] for start in range(0, len(letters), 4))


def otpauth_address(secret: bytes, *, issuer: str, account: str) -> str:
    """What authenticator apps read from a QR code or a link."""
    return TOTP(in_letters(secret).replace(" ", "")).provisioning_uri(
        name=account, issuer_name=issuer
    )
