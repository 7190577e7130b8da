"""Whether the clock tells who has an account: guesses at passwords of users that are there, and of others."""

import socket
import ssl
import time
from dataclasses import dataclass
from statistics import median

from benchmarks.figures import Better, Figure, Pick
from benchmarks.secure import TlsDriver
from benchmarks.workloads import Side, Values
from penstock.client.sasl import Sasl, scram
from penstock.processes.raw_requests import ask_over
from penstock.wire.messages.sasl_authenticate_request import SaslAuthenticateRequest
from penstock.wire.messages.sasl_authenticate_response import SaslAuthenticateResponse
from penstock.wire.messages.sasl_handshake_request import SaslHandshakeRequest
from penstock.wire.messages.sasl_handshake_response import SaslHandshakeResponse

MECHANISM = "SCRAM-SHA-256"
USERS = 10
"""Each is guessed at a few times only: whoever fails often is locked out, from there."""
WITHIN = 1.05


def known(number: int) -> str:
    return f"guessed-{number}"


def unknown(number: int) -> str:
    return f"nobody--{number}"


@dataclass(frozen=True, slots=True)
class Guesses:
    each: int
    key: str = "rights.guesses"

    def figures(self) -> list[Figure]:
        def times(what: str, title: str) -> Figure:
            title = f"guessing at a password, {title}: users that are none against others, medians"
            return Figure(f"{self.key}.{what}", title, "times", Better.LOWER, Pick.MEDIAN, limit=WITHIN)

        return [times("challenge", "until the challenge"), times("refusal", "until the refusal")]

    def run(self, side: Side) -> Values:
        assert isinstance(side.driver, TlsDriver)
        context = ssl.create_default_context(cafile=str(side.driver.of_client["b:ssl.ca.location"]))
        host, _, port = side.subject.bootstrap.rpartition(":")
        took: dict[bool, list[tuple[float, float]]] = {True: [], False: []}
        for _ in range(self.each):
            for number in range(USERS):
                for is_known, name in ((True, known(number)), (False, unknown(number))):
                    took[is_known].append(_guess(context, (host, int(port)), name))
        values = {}
        for at, what in enumerate(("challenge", "refusal")):
            medians = [median(each[at] for each in took[is_known]) for is_known in (True, False)]
            values[f"{self.key}.{what}"] = max(medians) / min(medians)
        return values


def _guess(context: ssl.SSLContext, address: tuple[str, int], user: str) -> tuple[float, float]:
    """Seconds until the challenge, and until the refusal after what was said to it. Kafka refuses a user that is none
    instead of the challenge.
    """
    with socket.create_connection(address, timeout=60) as plain:
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with context.wrap_socket(plain, server_hostname=address[0]) as encrypted:
            ask_over(encrypted, SaslHandshakeRequest(MECHANISM), SaslHandshakeResponse, version=1)
            talk = scram(Sasl(user, "a guess", MECHANISM), b"benchmark")
            seconds, said = [], next(talk)
            while True:
                began_s = time.perf_counter()
                answer = ask_over(encrypted, SaslAuthenticateRequest(said), SaslAuthenticateResponse, version=2)
                seconds.append(time.perf_counter() - began_s)
                if answer.error_code:
                    return seconds[0], seconds[-1]
                said = talk.send(bytes(answer.auth_bytes))
