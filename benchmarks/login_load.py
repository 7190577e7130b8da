"""`python -m benchmarks.login_load HOST:PORT CA USER PASSWORD SECONDS RATE`: clients that shake hands, log in by
SCRAM-SHA-256, and go. One after the other, so many a second, or (0) as fast as it goes; it prints how many did.

What a password costs to salt is the client's alone, and would be most of what is measured: it is salted once.
"""

import functools
import hashlib
import socket
import ssl
import sys
import time

from penstock.client.sasl import Sasl, scram
from penstock.processes.raw_requests import ask_over
from penstock.wire.messages.sasl_authenticate_request import SaslAuthenticateRequest
from penstock.wire.messages.sasl_authenticate_response import SaslAuthenticateResponse
from penstock.wire.messages.sasl_handshake_request import SaslHandshakeRequest
from penstock.wire.messages.sasl_handshake_response import SaslHandshakeResponse

MECHANISM = "SCRAM-SHA-256"
NONCE = b"benchmark"


def log_in(context: ssl.SSLContext, address: tuple[str, int], sasl: Sasl) -> None:
    with socket.create_connection(address, timeout=60) as plain:
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with context.wrap_socket(plain, server_hostname=address[0]) as encrypted:
            ask_over(encrypted, SaslHandshakeRequest(MECHANISM), SaslHandshakeResponse, version=1)
            talk = scram(sasl, NONCE)
            said = next(talk)
            while True:
                answer = ask_over(encrypted, SaslAuthenticateRequest(said), SaslAuthenticateResponse, version=2)
                if answer.error_code:
                    raise RuntimeError(f"not logged in: {answer.error_message}")
                try:
                    said = talk.send(bytes(answer.auth_bytes))
                except StopIteration:
                    return


def main(bootstrap: str, authority: str, user: str, password: str, seconds: float, rate: float) -> int:
    setattr(hashlib, "pbkdf2_hmac", functools.cache(hashlib.pbkdf2_hmac))  # noqa: B010 - mypy knows its signature
    host, _, port = bootstrap.rpartition(":")
    context, sasl = ssl.create_default_context(cafile=authority), Sasl(user, password, MECHANISM)
    made, began_s = 0, time.monotonic()
    while (passed_s := time.monotonic() - began_s) < seconds:
        if rate and passed_s < made / rate:
            time.sleep(made / rate - passed_s)
        log_in(context, (host, int(port)), sasl)
        made += 1
    return made


if __name__ == "__main__":
    bootstrap, authority, user, password, seconds, rate = sys.argv[1:]
    print(main(bootstrap, authority, user, password, float(seconds), float(rate)))
