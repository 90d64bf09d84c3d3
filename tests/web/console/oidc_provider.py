"""A small provider of log-ins on the loopback: real signatures, one-time codes, PKCE; and ways to
lie.
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

CLIENT, CLIENT_SECRET = "believable-test", "a secret of the server"


def new_key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


@dataclass
class TestProvider:
    """`claims` and `header` are laid over what is true; `signer` signs instead of the listed
    key.
    """

    __test__ = False

    issuer: str = ""
    key: rsa.RSAPrivateKey = field(default_factory=new_key)
    key_name: str = "first"
    person: dict[str, Any] = field(default_factory=dict)
    claims: dict[str, Any] = field(default_factory=dict)
    algorithm: str = "RS256"
    signer: Any = None
    announced: str = ""
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    now_s: int = 0

    def configuration(self) -> dict[str, Any]:
        return {
            "issuer": self.announced or self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/keys",
        }

    def keys(self) -> dict[str, Any]:
        public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(self.key.public_key()))
        return {"keys": [{**public, "kid": self.key_name, "use": "sig", "alg": "RS256"}]}

    def authorize(self, asked: dict[str, str]) -> str:
        """Logs the person in without a question, and sends the browser back."""
        assert asked["response_type"] == "code"
        assert "openid" in asked["scope"].split()
        assert asked["code_challenge_method"] == "S256"
        code = secrets.token_urlsafe(16)
        self.codes[code] = asked
        return f"{asked['redirect_uri']}?{urlencode({'code': code, 'state': asked['state']})}"

    def token(self, form: dict[str, str], authorization: str) -> dict[str, Any] | None:
        asked = self.codes.pop(form.get("code", ""), None)
        if asked is None or form.get("redirect_uri") != asked["redirect_uri"]:
            return None
        expected = base64.b64encode(f"{CLIENT}:{CLIENT_SECRET}".encode()).decode()
        proof = (
            base64.urlsafe_b64encode(hashlib.sha256(form["code_verifier"].encode()).digest())
            .decode()
            .rstrip("=")
        )
        if authorization != f"Basic {expected}" or proof != asked["code_challenge"]:
            return None
        return {
            "token_type": "Bearer",
            "access_token": "x",
            "id_token": self.signed(asked["nonce"]),
        }

    def signed(self, nonce: str) -> str:
        now_s = int(time.time())
        claims = {
            "iss": self.issuer,
            "aud": CLIENT,
            "sub": "s-1",
            "iat": now_s,
            "exp": now_s + 300,
            "nonce": nonce,
            **self.person,
            **self.claims,
        }
        claims = {name: value for name, value in claims.items() if value is not None}
        key = self.key if self.signer is None else self.signer
        return jwt.encode(
            claims,
            None if self.algorithm == "none" else key,
            self.algorithm,
            headers={"kid": self.key_name},
        )


@contextmanager
def provider_running() -> Iterator[TestProvider]:
    provider = TestProvider()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Quiet."""

        def _answer(self, status: int, body: Any = None, **headers: str) -> None:
            content = json.dumps(body).encode()
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            provider.asked.append(parts.path)
            if parts.path == "/.well-known/openid-configuration":
                self._answer(200, provider.configuration())
            elif parts.path == "/keys":
                self._answer(200, provider.keys())
            elif parts.path == "/authorize":
                asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
                self._answer(303, location=provider.authorize(asked))
            else:
                self._answer(404)

        def do_POST(self) -> None:
            provider.asked.append(self.path)
            form = dict(parse_qsl(self.rfile.read(int(self.headers["content-length"])).decode()))
            said = provider.token(form, self.headers.get("authorization", ""))
            self._answer(400, {"error": "invalid_grant"}) if said is None else self._answer(
                200, said
            )

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    provider.issuer = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
