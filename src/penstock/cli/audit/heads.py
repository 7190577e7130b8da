"""How far audit logs are known to reach: asked of a broker, of etcd, or of the data folder of a stopped broker."""

import asyncio
import json
import ssl
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from penstock.access.audit import Head, KnownHead
from penstock.broker.clock import SystemClock
from penstock.cli.exits import Failure
from penstock.cluster import EntryKind, Keys
from penstock.metastore import MetastoreError, open_metastore
from penstock.settings import Config, data_folders
from penstock.settings.broker import (
    PENSTOCK_CLUSTER_NAME,
    PENSTOCK_ETCD_ENDPOINTS,
    PENSTOCK_HTTP_LISTENER,
    SSL_TRUSTSTORE_LOCATION,
)

PAGE_BYTES_MAX: Final = 16 * 1024 * 1024


def heads_told_by(urls: Iterable[str], *, authority: Path | None, timeout_s: float) -> dict[int, Head]:
    """By brokers' /health pages; of each log the furthest counts."""
    heads: dict[int, Head] = {}
    for url in urls:
        for broker_id, head in _asked(url, authority, timeout_s).items():
            if head.sequence >= heads.get(broker_id, Head()).sequence:
                heads[broker_id] = head
    return heads


def heads_known_to(config: Config, *, authority: Path | None, timeout_s: float) -> dict[int, Head]:
    """By the metadata store of a broker with these settings."""
    if config[PENSTOCK_ETCD_ENDPOINTS]:
        with tempfile.TemporaryDirectory() as folder:
            return _in_store(config, Path(folder))
    problem = None
    if config[PENSTOCK_HTTP_LISTENER]:
        trusted = config[SSL_TRUSTSTORE_LOCATION]
        try:
            return _asked(_url_of(config), authority or (Path(trusted) if trusted else None), timeout_s)
        except Failure as failure:
            problem = failure  # perhaps it does not run: then its folder can be opened
    folders = data_folders(config)
    if not folders or not folders[0].is_dir():
        raise Failure("the broker's data folder is not here", hint="Ask a broker: --health http://HOST:9644")
    try:
        return _in_store(config, folders[0])
    except Failure as failure:
        raise problem or failure from failure


def _url_of(config: Config) -> str:
    scheme, _, address = config[PENSTOCK_HTTP_LISTENER].rpartition("://")
    host, _, port = address.rpartition(":")
    return f"{scheme or 'http'}://{host or '127.0.0.1'}:{port}"


def _asked(url: str, authority: Path | None, timeout_s: float) -> dict[int, Head]:
    try:
        page = _page(f"{url.rstrip('/')}/health", authority, timeout_s)
        return {int(broker): Head(one["sequence"], one["hash"]) for broker, one in page["audit_heads"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise Failure(f"{url} does not tell how far audit logs reach: {error}") from error


def _page(url: str, authority: Path | None, timeout_s: float) -> Mapping[str, Any]:
    """A broker that is not well answers 503, with the same page."""
    if not url.startswith(("http://", "https://")):
        raise ValueError("write http://HOST:PORT or https://HOST:PORT")
    trust = ssl.create_default_context(cafile=authority) if url.startswith("https://") else None
    try:
        with urllib.request.urlopen(url, timeout=timeout_s, context=trust) as answer:
            found: Mapping[str, Any] = json.loads(answer.read(PAGE_BYTES_MAX))
    except urllib.error.HTTPError as unwell:
        found = json.loads(unwell.read(PAGE_BYTES_MAX))
    return found


def _in_store(config: Config, folder: Path) -> dict[int, Head]:
    try:
        return asyncio.run(_listed(config, folder))
    except MetastoreError as error:
        raise Failure(
            f"the metadata store cannot be read: {error}", hint="Ask a broker that runs: --health http://HOST:9644"
        ) from error


async def _listed(config: Config, folder: Path) -> dict[int, Head]:
    store = await open_metastore(config, folder, SystemClock())
    try:
        prefix = Keys(config[PENSTOCK_CLUSTER_NAME]).entry(EntryKind.AUDIT, "")
        listing = await store.range(prefix)
    finally:
        await store.close()
    known = {item.key.removeprefix(prefix): item.value for item in listing.items}
    return {int(name): msgspec.json.decode(value, type=KnownHead).head for name, value in known.items()}
