"""Secrets at rest: AES-256-GCM under the keys of a file that only brokers can read.

The file has one key a line, 32 bytes in base64. What is sealed is sealed under the first; all of them open. A key's id
comes from the key itself, so two brokers cannot mean different keys by one id. What is sealed is bound to what it is
about: a user's keys put under another user's name do not open.
"""

import hashlib
import os
import stat
from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from pathlib import Path
from typing import Final

from penstock.errors import Fatal

KEY_BYTES: Final = 32
NONCE_BYTES: Final = 12
FILE_NAME: Final = "penstock-secrets.key"
"""Of the one that a broker without the setting makes in its first data folder."""


class NotSealedByUs(ValueError):
    """It was sealed under a key that is not in the file, or was changed."""


class SealingKeys:
    def __init__(self, *keys: bytes) -> None:
        if not keys or any(len(key) != KEY_BYTES for key in keys):
            raise ValueError(f"a key has {KEY_BYTES} bytes")
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415 - most starts have no secrets

        self._ciphers = {key_id(key): AESGCM(key) for key in reversed(keys)}
        self.current_id = key_id(keys[0])
        self.derived = hashlib.sha256(b"made-up salts\0" + keys[-1]).digest()
        """For what must be the same on all brokers and known to nobody else. Of the last key, which is the oldest."""

    def seal(self, secret: bytes, *, about: str) -> str:
        nonce = unguessable(NONCE_BYTES)
        sealed = self._ciphers[self.current_id].encrypt(nonce, secret, about.encode())
        return f"{self.current_id}:{b64encode(nonce + sealed).decode()}"

    def open(self, text: str, *, about: str) -> bytes:
        id_, _, sealed = text.partition(":")
        from cryptography.exceptions import InvalidTag  # noqa: PLC0415

        cipher = self._ciphers.get(id_)
        if cipher is None:
            raise NotSealedByUs(f"sealed under the key {id_}, and there are {', '.join(self._ciphers)}")
        try:
            data = b64decode(sealed, validate=True)
            return cipher.decrypt(data[:NONCE_BYTES], data[NONCE_BYTES:], about.encode())
        except (InvalidTag, NotBase64, ValueError):
            raise NotSealedByUs(f"does not open under the key {id_}: it was changed") from None


def key_id(key: bytes) -> str:
    return hashlib.sha256(b"key id\0" + key).hexdigest()[:8]


def new_key() -> str:
    """A line for the file."""
    return b64encode(unguessable(KEY_BYTES)).decode()


def unguessable(count: int) -> bytes:
    """Never simulated: two nonces that are equal would give the secrets away."""
    return os.urandom(count)


def write_new_key(path: Path) -> None:
    """FileExistsError where there is one already: what was sealed under that would be lost."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(new_key() + "\n")
        file.flush()
        os.fsync(file.fileno())


def read_keys(path: Path) -> SealingKeys:
    """Fatal, in words, where it cannot be used."""
    text = read_private(path, "penstock.secrets.key.file")
    keys = []
    for line in filter(None, (line.partition("#")[0].strip() for line in text.splitlines())):
        try:
            keys.append(b64decode(line, validate=True))
        except (NotBase64, ValueError):
            raise Fatal(f"penstock.secrets.key.file: {path} has a line that is not base64") from None
    try:
        return SealingKeys(*keys)
    except ValueError:
        raise Fatal(
            f"penstock.secrets.key.file: {path} must have one key a line, each of {KEY_BYTES} bytes in base64, such as "
            "`openssl rand -base64 32` makes"
        ) from None


def read_private(path: Path, setting: str) -> str:
    """A file with secrets. Who else could read it is told to whoever starts the broker."""
    try:
        with path.open(encoding="utf-8") as file:
            found = os.fstat(file.fileno())
            # As with PostgreSQL's keys: one that belongs to root may be readable by a group, as Kubernetes mounts them.
            too_open = stat.S_IRWXO | (stat.S_IWGRP | stat.S_IXGRP if found.st_uid == 0 else stat.S_IRWXG)
            if found.st_mode & too_open:
                raise Fatal(
                    f"{setting}: others can read {path} (mode {stat.S_IMODE(found.st_mode):04o}): chmod 600 {path}"
                )
            return file.read()
    except (OSError, UnicodeDecodeError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else "it is not text"
        raise Fatal(f"{setting}: {path} cannot be read: {reason}") from None
