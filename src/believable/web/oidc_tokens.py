"""A provider of log-ins (OpenID Connect): its addresses, the way there and back, and whether a
token is genuine.

Authorization code with PKCE. A token is believed when a key of the provider signed it, by an
algorithm with two keys, for this server, in time, and with the nonce of this very browser.

Authlib checks the claims and joserfc the signatures. Requests are ours: Authlib's client reads
answers of any size.
"""

from __future__ import annotations

import asyncio
import base64
import ipaddress
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.client import HTTPException
from typing import Any, cast
from urllib.error import HTTPError
from urllib.parse import urlencode, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from believable.core.errors import InvalidInput, MissingExtra, Refused, Unavailable

#: Signatures that only the provider can make. Neither `none` nor those with a shared secret.
ALGORITHMS = ("RS256", "PS256", "ES256", "EdDSA")
#: Clocks differ by some seconds.
LEEWAY_S = 60
PATIENCE_S = 10.0
#: Keys change seldom; an unknown one is looked for again, but not more often than this.
KEYS_AGAIN_S = 30.0
LARGEST_ANSWER = 256 * 1024
#: Claims that say whom a token is from and for.
_WRONG_CLAIMS = {
    "nonce": "it was made for another log-in",
    "aud": "it was made for another server",
    "azp": "it was made for another server",
    "iss": "it is from another issuer",
}


@dataclass(frozen=True, slots=True)
class OidcProvider:
    """`issuer` is its address, `client` the name it knows this server by, `secret` the password of
    that name, if it has one.
    """

    issuer: str
    client: str
    secret: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        parts = urlsplit(self.issuer)
        if parts.scheme != "https" and not (
            parts.scheme == "http" and _loopback(parts.hostname or "")
        ):
            raise InvalidInput(
                f"--oidc-issuer: expected an https address, got {self.issuer[:100]!r}."
            )
        if not self.client:
            raise InvalidInput(
                "--oidc-client: expected the name that the provider knows this server by, got none."
            )

    @property
    def host(self) -> str:
        return urlsplit(self.issuer).hostname or self.issuer


def _loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@dataclass(frozen=True, slots=True)
class SignedIdentity:
    """Who the provider says it is. `email` is empty where the provider has not verified it."""

    issuer: str
    subject: str
    email: str


@dataclass(frozen=True, slots=True)
class Endpoints:
    authorization: str
    token: str
    keys: str


@dataclass(kw_only=True)
class OidcClient:
    """Requests to the provider. Its configuration is read once; its keys again if one is
    unknown.
    """

    provider: OidcProvider
    _endpoints: Endpoints | None = None
    _keys: Mapping[str, Any] | None = None
    _asked_s: float = float("-inf")
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    def __post_init__(self) -> None:
        try:
            import authlib  # noqa: F401, PLC0415
        except ImportError:
            raise MissingExtra(
                what="log-in with an OpenID Connect provider", extra="oidc"
            ) from None

    async def address(self, back: str, *, state: str, nonce: str, verifier: str) -> str:
        """Where the browser goes to log in."""
        from authlib.oauth2.rfc6749.parameters import prepare_grant_uri  # noqa: PLC0415
        from authlib.oauth2.rfc7636 import create_s256_code_challenge  # noqa: PLC0415

        endpoints = await self.endpoints()
        address: str = prepare_grant_uri(
            endpoints.authorization,
            self.provider.client,
            "code",
            redirect_uri=back,
            scope="openid email",
            state=state,
            nonce=nonce,
            code_challenge=create_s256_code_challenge(verifier),
            code_challenge_method="S256",
        )
        return address

    async def identity(self, code: str, back: str, *, nonce: str, verifier: str) -> SignedIdentity:
        """The code for a token, and the token for a person."""
        endpoints = await self.endpoints()
        fields = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": back,
            "client_id": self.provider.client,
            "code_verifier": verifier,
        }
        secret = self.provider.secret
        answer = await self._ask(
            "POST",
            endpoints.token,
            data=fields,
            auth=(self.provider.client, secret) if secret else None,
        )
        token = answer.get("id_token")
        if not isinstance(token, str):
            raise _untrue("it gave no token")
        return await self.verify(token, nonce=nonce)

    async def verify(self, token: str, *, nonce: str) -> SignedIdentity:
        from authlib.oidc.core import CodeIDToken  # noqa: PLC0415
        from joserfc import jws, jwt  # noqa: PLC0415
        from joserfc.errors import JoseError  # noqa: PLC0415

        client = self.provider.client
        try:
            header = jws.extract_compact(token.encode()).headers()
            if header.get("alg") not in ALGORITHMS:
                raise _untrue(f"it is signed by {str(header.get('alg'))[:20]!r}")
            key = await self._key(str(header.get("kid", "")), str(header["alg"]))
            claims = CodeIDToken(
                jwt.decode(token, key, algorithms=[header["alg"]]).claims,
                header,
                options={
                    "iss": {"essential": True, "value": self.provider.issuer},
                    "aud": {"essential": True, "value": client},
                },
                params={"client_id": client, "nonce": nonce},
            )
            claims.validate(leeway=LEEWAY_S)
        except (JoseError, ValueError) as error:
            claim = getattr(error, "claim", None)
            raise _untrue(_WRONG_CLAIMS.get(str(claim), str(error))) from None
        return _identity(claims, self.provider)

    async def endpoints(self) -> Endpoints:
        if self._endpoints is None:
            issuer = self.provider.issuer
            said = await self._ask("GET", f"{issuer.rstrip('/')}/.well-known/openid-configuration")
            if said.get("issuer") != issuer:
                raise _untrue(f"{issuer} calls itself {str(said.get('issuer'))[:100]!r}")
            names = ("authorization_endpoint", "token_endpoint", "jwks_uri")
            values = [str(said.get(name, "")) for name in names]
            strange = next(
                (value for value in values if urlsplit(value).scheme != urlsplit(issuer).scheme),
                None,
            )
            if strange is not None:
                raise _untrue(f"one of its addresses is {strange[:100]!r}")
            self._endpoints = Endpoints(*values)
        return self._endpoints

    async def _key(self, name: str, algorithm: str) -> Any:
        """The provider's key of this name. An unknown name may be a new key, so that the list is
        fetched again.
        """
        from joserfc.jwk import KeySet  # noqa: PLC0415

        async with self._lock:
            known = self._keys is not None and name in self._keys
            if not known and time.monotonic() - self._asked_s > KEYS_AGAIN_S:
                said = await self._ask("GET", (await self.endpoints()).keys)
                self._asked_s = time.monotonic()
                self._keys = {
                    key.kid or "": key for key in KeySet.import_key_set(cast(Any, said)).keys
                }
        key = (self._keys or {}).get(name)
        if key is None:
            raise _untrue("it is signed by a key that the provider does not list")
        if key.alg not in (None, algorithm):
            raise _untrue("its key is for another algorithm")
        return key

    async def _ask(
        self,
        method: str,
        address: str,
        *,
        data: Mapping[str, str] | None = None,
        auth: tuple[str, str] | None = None,
    ) -> Mapping[str, Any]:
        try:
            status, content = await asyncio.to_thread(_fetch, method, address, data, auth)
            said = json.loads(content) if len(content) <= LARGEST_ANSWER else None
        except (OSError, HTTPException, ValueError) as error:
            raise Unavailable(
                f"{self.provider.host} does not answer as it should ({type(error).__name__})."
            ) from None
        if status != 200 or not isinstance(said, Mapping):
            raise Unavailable(f"{self.provider.host} answered {status} to what this server asked.")
        return said


class _NoRedirects(HTTPRedirectHandler):
    """A provider that sends this server elsewhere is not followed there."""

    def redirect_request(self, *_: object) -> None:
        return None


def _fetch(
    method: str, address: str, data: Mapping[str, str] | None, auth: tuple[str, str] | None
) -> tuple[int, bytes]:
    """Status and content. Addresses were checked to be of http or https."""
    headers = {"accept": "application/json"}
    if auth is not None:
        headers["authorization"] = f"Basic {base64.b64encode(':'.join(auth).encode()).decode()}"
    body = None if data is None else urlencode(data).encode()
    request = Request(address, data=body, headers=headers, method=method)
    try:
        with build_opener(_NoRedirects).open(request, timeout=PATIENCE_S) as reply:
            return int(reply.status), reply.read(LARGEST_ANSWER + 1)
    except HTTPError as error:
        with error:
            return error.code, b"null"


def _identity(claims: Mapping[str, Any], provider: OidcProvider) -> SignedIdentity:
    subject, email = str(claims["sub"]), claims.get("email")
    if not subject or len(subject) > 255:
        raise _untrue("it names nobody")
    verified = claims.get("email_verified") is True and isinstance(email, str)
    return SignedIdentity(provider.issuer, subject, mail_address(str(email)) if verified else "")


def mail_address(text: str) -> str:
    """The address in small letters; empty if it is none by which an account may be found. Other
    letters than ASCII become ASCII letters when they are made small (the Kelvin sign becomes a k),
    and an account without an @ belongs to this server alone.

    >>> [mail_address(text) for text in (" Mark@Example.org", "owner", "mar\u212a@example.org")]
    ['mark@example.org', '', '']
    """
    address = text.strip()
    name, _, host = address.partition("@")
    plain = address.isascii() and address.isprintable() and " " not in address
    return address.lower() if plain and name and host and "@" not in host else ""


def _untrue(why: str) -> Refused:
    return Refused(
        f"The log-in elsewhere is not believed: {why}. Try again, or log in with a password."
    )
