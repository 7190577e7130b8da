"""A small document fetched over HTTP from somebody who may be slow, or worse.

No redirects, as they lead where nobody checked; TLS unless it is this machine; bounds on size and on the whole time.
"""

import asyncio
import ssl
from typing import Final
from urllib.parse import SplitResult, urlsplit

from penstock.settings.sasl import why_not_fetched

DOCUMENT_BYTES_MAX: Final = 256 * 1024
READ_BYTES: Final = 16 * 1024


class NotFetched(Exception):
    """In words."""


async def fetch(url: str, *, trust: ssl.SSLContext | None, timeout_s: float) -> bytes:
    """NotFetched where that did not go well. `trust`: whose certificates are believed; by default the system's."""
    problem = why_not_fetched(url)
    if problem is not None:
        raise NotFetched(problem)
    try:
        async with asyncio.timeout(timeout_s):
            return await _fetch(urlsplit(url), trust)
    except TimeoutError:
        raise NotFetched(f"{url} did not answer within {timeout_s:g} s") from None
    except (OSError, ValueError, asyncio.IncompleteReadError) as error:
        raise NotFetched(f"{url}: {error or type(error).__name__}") from None


async def _fetch(url: SplitResult, trust: ssl.SSLContext | None) -> bytes:
    import h11  # noqa: PLC0415 - only where tokens are taken

    assert url.hostname is not None
    tls = None
    if url.scheme == "https":
        tls = trust or await asyncio.to_thread(ssl.create_default_context)
    reader, writer = await asyncio.open_connection(url.hostname, url.port or (443 if tls else 80), ssl=tls)
    try:
        connection = h11.Connection(h11.CLIENT, max_incomplete_event_size=READ_BYTES)
        target = (url.path or "/") + (f"?{url.query}" if url.query else "")
        headers = [("Host", url.netloc), ("Accept", "application/json"), ("Connection", "close")]
        request = h11.Request(method="GET", target=target, headers=headers)
        writer.write((connection.send(request) or b"") + (connection.send(h11.EndOfMessage()) or b""))
        document = bytearray()
        while True:
            event = connection.next_event()
            if event is h11.NEED_DATA:
                connection.receive_data(await reader.read(READ_BYTES))
            elif isinstance(event, h11.Response):
                if event.status_code != 200:
                    raise ValueError(f"answered {event.status_code}")
            elif isinstance(event, h11.Data):
                document += event.data
                if len(document) > DOCUMENT_BYTES_MAX:
                    raise ValueError(f"more than {DOCUMENT_BYTES_MAX} bytes")
            elif isinstance(event, h11.EndOfMessage):
                return bytes(document)
            elif isinstance(event, h11.ConnectionClosed):
                raise ValueError("hung up")
    except h11.RemoteProtocolError as error:
        raise ValueError(f"does not speak HTTP: {error}") from None
    finally:
        writer.transport.abort()
