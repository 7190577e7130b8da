"""Builds the C driver of the queue loads: one table of functions a kind of queue, so that all get the same load."""

from pathlib import Path

from benchmarks import loadgen

DRIVER = Path(__file__).parent / "driver"
_SHARED = ("common.c",)
_OF_PEERS = ("amqp.c", "jetstream.c")


def build(into: Path, clients: Path) -> Path:
    """With RabbitMQ's and NATS's clients for C where `clients` has them."""
    linked = clients / "linked"
    has_peers = (linked / "librabbitmq.so").exists()
    sources = [loadgen.SOURCES / name for name in _SHARED]
    sources += [path for path in sorted(DRIVER.glob("*.c")) if has_peers or path.name not in _OF_PEERS]
    flags = [f"-I{loadgen.SOURCES}"]
    if has_peers:
        flags += ["-DWITH_PEERS", f"-I{clients / 'usr/include'}", f"-L{linked}", f"-Wl,-rpath,{linked}"]
        # The old kind of path holds for what these libraries need as well.
        flags += ["-Wl,--disable-new-dtags", "-lrabbitmq", "-lnats", f"-Wl,-rpath-link,{linked}"]
    return loadgen.build(into, sources, name="queuegen", flags=flags)
