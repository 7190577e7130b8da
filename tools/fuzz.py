"""Feeds decoders what a stranger could send, guided by coverage (atheris): whatever comes, they answer or refuse.

python -m tools.fuzz --seconds 60                  each target for a minute, one after the other
python -m tools.fuzz --target login --seconds 600
python -m tools.fuzz --target login --input FILE   once more with what a run found

What was found useful is kept in .cache/fuzz/<target>, and a run begins with it. atheris has wheels for Linux on x86_64.
"""

import argparse
import random
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

ROOT: Final = Path(__file__).parents[1]
KEPT: Final = ROOT / ".cache" / "fuzz"
INPUT_BYTES_MAX: Final = 4_096
INPUT_SECONDS_MAX: Final = 5
"""One input may take so long: a decoder that takes longer for 4 KiB stands the broker still."""
MEMORY_MB_MAX: Final = 2_048


class Target(NamedTuple):
    feed: Callable[[bytes], None]
    """Raises, where the input broke something."""
    seeds: Callable[[], Iterable[bytes]]
    """Inputs to begin with."""


def main() -> int:
    parser = argparse.ArgumentParser(description="Fuzz decoders.")
    parser.add_argument("--target", choices=NAMES, help="only this one")
    parser.add_argument("--seconds", type=int, default=60, help="for each target")
    parser.add_argument("--input", type=Path, help="feed this file to the target, and nothing else")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.input is not None:
        targets()[options.target or parser.error("--input takes --target")].feed(options.input.read_bytes())
        return 0
    if options.inside:
        _fuzz(options.target, options.seconds)  # does not come back
    names = [options.target] if options.target else NAMES
    broken = [name for name in names if not _in_child(name, options.seconds)]
    if broken:
        print(f"broken: {', '.join(broken)}; the input is in {KEPT}/<target>.found-*", file=sys.stderr)
    return 1 if broken else 0


def _in_child(name: str, seconds: int) -> bool:
    """libFuzzer ends its process."""
    command = [sys.executable, "-m", "tools.fuzz", "--target", name, "--seconds", str(seconds), "--inside"]
    print(f"{name}: {seconds} s", flush=True)
    return subprocess.run(command, cwd=ROOT, check=False).returncode == 0


def _fuzz(name: str, seconds: int) -> None:
    import atheris  # noqa: PLC0415 - see the module's docstring

    with atheris.instrument_imports(include=["penstock"]):
        target = targets()[name]
    corpus = KEPT / name
    corpus.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(target.seeds()):
        (corpus / f"seed-{number}").write_bytes(seed)
    arguments = [
        f"-max_total_time={seconds}",
        f"-max_len={INPUT_BYTES_MAX}",
        f"-timeout={INPUT_SECONDS_MAX}",
        f"-rss_limit_mb={MEMORY_MB_MAX}",
        f"-artifact_prefix={KEPT}/{name}.found-",
        "-verbosity=0",
        "-print_final_stats=1",
    ]
    atheris.Setup([sys.argv[0], *arguments, str(corpus)], target.feed)
    atheris.Fuzz()


# Targets -------------------------------------------------------------------------------------------------------------

NAMES: Final = ("request", "produce", "fetch", "batch", "login", "audit-line")


def targets() -> dict[str, Target]:
    """Imported only now, so that what they import is watched."""
    made = {
        "request": _request(),
        "produce": _raw("penstock.wire.produce", versions=range(3, 14)),
        "fetch": _raw("penstock.wire.fetch", versions=range(4, 19)),
        "batch": _batch(),
        "login": _login(),
        "audit-line": _audit_line(),
    }
    assert tuple(made) == NAMES
    return made


def _request() -> Target:
    """Two bytes choose API and version, the rest is the body."""
    from penstock.broker import handlers as _handlers  # noqa: F401, PLC0415 - importing them fills the registry
    from penstock.broker.registry import REGISTRY  # noqa: PLC0415
    from penstock.wire.malformed import Malformed  # noqa: PLC0415

    decoded = [answer for _, answer in sorted(REGISTRY.items()) if answer.request is not None]

    def feed(data: bytes) -> None:
        if len(data) < 2:
            return
        answer = decoded[data[0] % len(decoded)]
        oldest, newest = answer.versions
        assert answer.request is not None
        with suppress(Malformed, IndexError):  # what the dispatcher takes for a bad frame
            answer.request.decode(memoryview(data), oldest + data[1] % (newest - oldest + 1), 2)

    def seeds() -> Iterator[bytes]:
        for number, answer in enumerate(decoded):
            assert answer.request is not None
            oldest, newest = answer.versions
            for version in range(oldest, newest + 1):
                with suppress(Exception):  # what the empty request of a version cannot say
                    yield bytes((number, version - oldest)) + answer.request().encode(version)

    return Target(feed, seeds)


def _raw(module: str, *, versions: range) -> Target:
    """A byte chooses the version."""
    from importlib import import_module  # noqa: PLC0415

    from penstock.wire.malformed import Malformed  # noqa: PLC0415

    decode: Any = import_module(module).decode_request

    def feed(data: bytes) -> None:
        if data:
            with suppress(Malformed):
                decode(memoryview(bytearray(data)), 1, versions[data[0] % len(versions)])

    return Target(feed, lambda: (bytes((number,)) + bytes(40) for number in range(len(versions))))


def _batch() -> Target:
    from penstock.wire.batch import CRC, CRC_AT  # noqa: PLC0415
    from penstock.wire.malformed import Malformed  # noqa: PLC0415
    from penstock.wire.records import Record, build_batch, check, crc_of  # noqa: PLC0415

    def feed(data: bytes) -> None:
        batch = bytearray(data)
        if len(batch) > CRC_AT + CRC.size:
            CRC.pack_into(batch, CRC_AT, crc_of(batch))  # else nothing came further than this
        with suppress(Malformed):
            check(batch, at_most=1 << 20)

    def seeds() -> Iterator[bytes]:
        records = [Record(place, 1_000 + place, b"key", b"value", (("name", b"text"),)) for place in range(3)]
        for compression in range(5):
            yield bytes(build_batch(records, compression=compression))

    return Target(feed, seeds)


def _login() -> Target:
    """Frames of a connection, each after its length in two bytes. Nobody comes in without the password."""
    from penstock.access.sasl.keys import ScramKeys  # noqa: PLC0415
    from penstock.access.sasl.machine import LoggedIn, LoginMachine, State, Wait  # noqa: PLC0415
    from penstock.access.sasl.plain import PlainExchange  # noqa: PLC0415
    from penstock.access.sasl.scram import Account, ScramExchange  # noqa: PLC0415

    mechanism = "SCRAM-SHA-256"
    keys = ScramKeys.of_password(mechanism, random.Random(1).randbytes(16).hex().encode(), salt=b"salt", iterations=1)
    account = Account(keys, "alice", is_known=True)

    def feed(data: bytes) -> None:
        machine = LoginMachine(
            {
                "PLAIN": lambda: PlainExchange(lambda _name: account),
                mechanism: lambda: ScramExchange(
                    mechanism, account=lambda _name, _is_token: account, nonce=lambda: "n"
                ),
            },
            lifetime_ms=lambda _proved: 0,
        )
        while len(data) >= 2 and machine.state is not State.OVER:
            size = int.from_bytes(data[:2], "big")
            frame, data = data[2 : 2 + size], data[2 + size :]
            move = machine.receive(frame)
            if isinstance(move, Wait):
                move = machine.checked("wrong")
            assert not isinstance(move, LoggedIn), "in without the password"

    def seeds() -> Iterator[bytes]:
        from penstock.wire.framing import RequestHeader  # noqa: PLC0415
        from penstock.wire.messages.sasl_authenticate_request import SaslAuthenticateRequest  # noqa: PLC0415
        from penstock.wire.messages.sasl_handshake_request import SaslHandshakeRequest  # noqa: PLC0415

        tokens = {
            "PLAIN": [b"\0alice\0guess"],
            mechanism: [b"n,,n=alice,r=abc", b"c=biws,r=abcn,p=" + b"A" * 43 + b"="],
        }
        for name, said in tokens.items():
            for version in (0, 1):
                asked: list[Any] = [SaslHandshakeRequest(name), *map(SaslAuthenticateRequest, said)]
                frames = [
                    each
                    if version == 0 and place
                    else RequestHeader(request.api_key, version, 1, "me").encode() + request.encode(version)
                    for place, (request, each) in enumerate(zip(asked, [b"", *said], strict=True))
                ]
                yield b"".join(len(frame).to_bytes(2, "big") + frame for frame in frames)

    return Target(feed, seeds)


def _audit_line() -> Target:
    """A line that is believed is one that a chain can have made."""
    from penstock.access.audit import Chain, Damaged, Head, LogActivity, Severity, read_line  # noqa: PLC0415
    from penstock.access.audit.events import about_log  # noqa: PLC0415
    from penstock.access.audit.reading import event_of  # noqa: PLC0415

    def feed(data: bytes) -> None:
        with suppress(Damaged):
            read = read_line(data)
            assert read.hash.encode() in data
        event_of(data)

    event = about_log(LogActivity.ROTATE, "new", time_ms=1, severity=Severity.INFORMATIONAL, deleted_through=3)
    return Target(feed, lambda: [Chain("audit-1", Head()).link(event)])


if __name__ == "__main__":
    sys.exit(main())
