"""Somebody who signs tokens, and a server on this machine that tells its keys, or misbehaves.

with Issuer() as issuer:
    issuer.token(sub="alice")                 # good
    issuer.rotate()                           # another key from now on
    issuer.misbehave(redirect_to="/elsewhere")
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

AUDIENCE = "queue"
Answer = Callable[[BaseHTTPRequestHandler], None]


class Issuer:
    """Its tokens are signed by ES256, which is quick to make keys for."""

    def __init__(self) -> None:
        self.keys: list[tuple[str, Any]] = []
        self.asked: list[str] = []
        self._answer: Answer | None = None
        self.is_over = threading.Event()
        self.rotate()

        issuer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                issuer.asked.append(self.path)
                if issuer._answer is not None:
                    issuer._answer(self)
                elif self.path.endswith("/.well-known/openid-configuration"):
                    tell(self, {"issuer": issuer.url, "jwks_uri": issuer.jwks_url})
                else:
                    tell(self, issuer.jwks())

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/realm"

    @property
    def jwks_url(self) -> str:
        return f"{self.url}/keys"

    def __enter__(self) -> Issuer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.is_over.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def rotate(self) -> None:
        """A new key; the one before is no longer told."""
        self.keys = [(f"key-{time.monotonic_ns()}", ec.generate_private_key(ec.SECP256R1()))]

    def jwks(self) -> dict[str, Any]:
        return {"keys": [jwk(kid, key) for kid, key in self.keys]}

    def misbehave(self, answer: Answer | None) -> None:
        self._answer = answer

    def claims(self, **more: Any) -> dict[str, Any]:
        now = int(time.time())
        return {"iss": self.url, "aud": AUDIENCE, "sub": "alice", "iat": now, "exp": now + 600} | more

    def token(self, *, head: dict[str, Any] | None = None, **claims: Any) -> str:
        kid, key = self.keys[-1]
        made = {name: value for name, value in self.claims(**claims).items() if value is not None}
        return jwt.encode(made, key, algorithm="ES256", headers={"kid": kid} | (head or {}))


def jwk(kid: str | None, key: Any, **more: Any) -> dict[str, Any]:
    algorithm = RSAAlgorithm if isinstance(key, rsa.RSAPrivateKey) else ECAlgorithm
    made: dict[str, Any] = algorithm.to_jwk(key.public_key(), as_dict=True)
    return made | {"use": "sig"} | ({} if kid is None else {"kid": kid}) | more


def tell(handler: BaseHTTPRequestHandler, document: Any) -> None:
    body = json.dumps(document).encode()
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)
