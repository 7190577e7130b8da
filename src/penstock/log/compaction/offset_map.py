"""The newest offset of each key in the dirty part of a log, in a bounded amount of memory.

A key longer than a digest is held as its digest; shorter ones as they are, so that no key can be taken for another's
digest. The digest is a cryptographic one: whoever can make two keys collide could make compaction lose a record.
"""

from hashlib import blake2b
from typing import Final

DIGEST_SIZE: Final = 32
ENTRY_BYTES: Final = 192
"""What a key costs, measured at the dictionary's worst moment (right after it has grown)."""


class OffsetMap:
    def __init__(self, bytes_max: int, load_factor: float = 1.0) -> None:
        self.keys_max = max(1, int(bytes_max * load_factor) // ENTRY_BYTES)
        self.upto = 0
        """Every keyed record from the dirty part's start up to here is in the map; nothing from here on is."""
        self._offsets: dict[bytes, int] = {}

    def __len__(self) -> int:
        return len(self._offsets)

    def put(self, key: bytes, offset: int) -> bool:
        """False where the map is full and the key is not in it."""
        if len(key) >= DIGEST_SIZE:
            key = blake2b(key, digest_size=DIGEST_SIZE).digest()
        if len(self._offsets) >= self.keys_max and key not in self._offsets:
            return False
        self._offsets[key] = offset
        return True

    def newest(self, key: bytes) -> int:
        """-1 for a key that has no record in the dirty part."""
        if len(key) >= DIGEST_SIZE:
            key = blake2b(key, digest_size=DIGEST_SIZE).digest()
        return self._offsets.get(key, -1)
