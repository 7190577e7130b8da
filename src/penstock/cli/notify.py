"""Telling systemd how far the service is (sd_notify): one datagram to the socket that it names."""

import os
import socket


def notify(state: str) -> None:
    """Send a state such as READY=1; does nothing where no service manager listens."""
    address = os.environ.get("NOTIFY_SOCKET")
    if not address:
        return
    if address.startswith("@"):
        address = "\0" + address[1:]  # Linux's abstract namespace
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as datagrams:
        try:
            datagrams.connect(address)
            datagrams.sendall(state.encode())
        except OSError:
            pass  # a manager that went away is no reason to stop serving
