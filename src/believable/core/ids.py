"""Tokens, codes and names that give nothing away."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets

#: Crockford's base 32: no I, L, O, U, so a code survives being read aloud.
ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def new_token() -> str:
    """128 random bits for a URL. Never begins with `-`: on a command line that would be an
    option.
    """
    while (token := secrets.token_urlsafe(16)).startswith("-"):
        pass
    return token


def token_hash(token: str) -> str:
    """How a token is stored: its hash, so that the database does not open sessions."""
    return hashlib.sha256(token.encode()).hexdigest()


def policy_source(text: str) -> str:
    """The name of an inline script or style, by which its content security policy allows it and no
    other.
    """
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def keyed_hash(key: bytes, *parts: str) -> str:
    """HMAC-SHA-256 over the parts. Equal parts give equal hashes; without the key nothing can be
    tried.
    """
    message = "\x1f".join(parts).encode()
    return hmac.new(key, message, hashlib.sha256).hexdigest()


def base32(digest_hex: str, length: int) -> str:
    """The first `length` characters of a hex digest in Crockford's base 32."""
    number = int(digest_hex, 16)
    bits = 4 * len(digest_hex)
    return "".join(ALPHABET[(number >> (bits - 5 * (i + 1))) & 31] for i in range(length))


def opaque_name(key: bytes, *parts: str) -> str:
    """A media name for one session: stable inside it, unrelated to the file and to other
    sessions.
    """
    return base32(keyed_hash(key, "media", *parts), 26).lower()


def spoken_code(key: bytes, *parts: str) -> str:
    """A short code such as `7QF2-K9MX-3D`, 50 bits, derived, so that it can be shown again at any
    time.
    """
    raw = base32(keyed_hash(key, "code", *parts), 10)
    return f"{raw[:4]}-{raw[4:8]}-{raw[8:]}"


def completion_code(declared: str, key: bytes, study_id: str, outcome: str) -> str:
    """One per study and outcome, the same for all participants, as platforms expect it: the
    declared one, or ours for `auto`.
    """
    return spoken_code(key, "completion", study_id, outcome) if declared == "auto" else declared


def normalise_code(text: str) -> str:
    """A typed code in the form of `spoken_code`: case, spaces, hyphens and look-alikes are
    forgiven.
    """
    raw = text.upper().translate(str.maketrans("ILOU", "110V"))
    kept = "".join(character for character in raw if character in ALPHABET)
    return f"{kept[:4]}-{kept[4:8]}-{kept[8:]}"
