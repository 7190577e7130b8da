"""Kafka's hash of keys: which partition a keyed record goes to, as Java's producer and murmur2_random decide.

A sink that hashed otherwise would split a key's records between two partitions as soon as another producer writes to
the topic too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

_SEED = 0x9747B28C
_M = 0x5BD1E995
_MASK = 0xFFFFFFFF

UInt32s = npt.NDArray[np.uint32]


def murmur2(key: bytes) -> int:
    """The hash of one key, unsigned; `murmur2_of` is for columns of them."""
    whole = len(key) & ~3
    h = _SEED ^ len(key)
    for at in range(0, whole, 4):
        k = int.from_bytes(key[at : at + 4], "little") * _M & _MASK
        k = (k ^ k >> 24) * _M & _MASK
        h = (h * _M & _MASK) ^ k
    if whole < len(key):
        h = (h ^ int.from_bytes(key[whole:], "little")) * _M & _MASK
    h = (h ^ h >> 13) * _M & _MASK
    return h ^ h >> 15


def partition_of(key: bytes, partitions: int) -> int:
    return (murmur2(key) & 0x7FFFFFFF) % partitions


def murmur2_of(keys: pa.Array) -> UInt32s:
    """The hash of every key of an Arrow array of binary; of a null, that of an empty key.

    Keys are gone through in step, the first word of all, then the second of those that have one: as many steps as
    the longest key has words, each over whole columns.
    """
    starts, lengths, data = _pieces(keys)
    # Longest first: those that still have a word are then always the first so many.
    order = np.argsort(-lengths, kind="stable")
    starts, lengths = starts[order], lengths[order]
    words = lengths // 4
    h: UInt32s = (np.uint32(_SEED) ^ lengths.astype(np.uint32)).astype(np.uint32)
    m = np.uint32(_M)
    with np.errstate(over="ignore"):
        for step in range(int(words.max(initial=0))):
            live = int(np.searchsorted(-words, -step, side="left"))
            k = _words_at(data, starts[:live] + 4 * step) * m
            k = (k ^ (k >> np.uint32(24))) * m
            h[:live] = h[:live] * m ^ k
        h = _with_tails(h, data, starts + 4 * words, lengths & 3)
        h = (h ^ (h >> np.uint32(13))) * m
        h ^= h >> np.uint32(15)
    hashes = np.empty_like(h)
    hashes[order] = h
    return hashes


def _pieces(keys: pa.Array) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.uint8]]:
    """Where each key begins, how long it is, and the bytes of all with three zeros after them."""
    plain: Any = keys.fill_null(b"").cast(pa.large_binary())
    _, offsets, data = plain.buffers()
    ends = np.frombuffer(offsets, np.int64)[plain.offset : plain.offset + len(plain) + 1]
    raw = np.frombuffer(data, np.uint8) if data is not None else np.empty(0, np.uint8)
    return ends[:-1].copy(), np.diff(ends), np.concatenate([raw, np.zeros(4, np.uint8)])


def _words_at(data: npt.NDArray[np.uint8], at: npt.NDArray[np.int64]) -> UInt32s:
    word = data[at].astype(np.uint32)
    for place in (1, 2, 3):
        word |= data[at + place].astype(np.uint32) << np.uint32(8 * place)
    return word


def _with_tails(
    h: UInt32s, data: npt.NDArray[np.uint8], at: npt.NDArray[np.int64], left: npt.NDArray[np.int64]
) -> UInt32s:
    some = np.flatnonzero(left)
    # The bytes behind a tail belong to the next key: all that is not the key's own is masked out.
    own = (np.uint32(1) << (8 * left[some]).astype(np.uint32)) - np.uint32(1)
    tails = _words_at(data, at[some]) & own
    h[some] = (h[some] ^ tails) * np.uint32(_M)
    return h
