# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, null_refused
from penstock.wire.messages.alter_user_scram_credentials_request import (
    AlterUserScramCredentialsRequest,
    ScramCredentialDeletion,
    ScramCredentialUpsertion,
)
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint

_read_bB = Struct(">bB").unpack_from
_read_biB = Struct(">biB").unpack_from
_pack_bi = Struct(">bi").pack
_pack_biB = Struct(">biB").pack
_pack_bx = Struct(">bx").pack


def _decode_scram_credential_deletion_v0(data: bytes, pos: int) -> tuple[ScramCredentialDeletion, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("name")
    end = pos + n - 1
    name = data[pos:end].decode()
    pos = end
    mechanism, tags = _read_bB(data, pos)
    pos += 2
    if tags:
        pos = skip_tags(data, pos, tags)
    return ScramCredentialDeletion(name, mechanism), pos


def _decode_scram_credential_upsertion_v0(data: bytes, pos: int) -> tuple[ScramCredentialUpsertion, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("name")
    end = pos + n - 1
    name = data[pos:end].decode()
    pos = end
    mechanism, iterations, n = _read_biB(data, pos)
    pos += 6
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("salt")
    end = pos + n - 1
    salt = data[pos:end]
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("salted_password")
    end = pos + n - 1
    salted_password = data[pos:end]
    pos = end
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return ScramCredentialUpsertion(name, mechanism, iterations, salt, salted_password), pos


def _decode_alter_user_scram_credentials_request_v0(
    data: bytes, pos: int
) -> tuple[AlterUserScramCredentialsRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("deletions")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("deletions", n)
    deletions: list[ScramCredentialDeletion] = []
    for _ in range(n):
        deletions_item, pos = _decode_scram_credential_deletion_v0(data, pos)
        deletions.append(deletions_item)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("upsertions")
    n -= 1
    if n * 9 > len(data) - pos:
        raise absurd_count("upsertions", n)
    upsertions: list[ScramCredentialUpsertion] = []
    for _ in range(n):
        upsertions_item, pos = _decode_scram_credential_upsertion_v0(data, pos)
        upsertions.append(upsertions_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return AlterUserScramCredentialsRequest(deletions, upsertions), pos


def _encode_scram_credential_deletion_v0(push: Push, this: ScramCredentialDeletion) -> None:
    name_sent = this.name.encode()
    n = len(name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(name_sent)
    push(_pack_bx(this.mechanism))


def _encode_scram_credential_upsertion_v0(push: Push, this: ScramCredentialUpsertion) -> None:
    name_sent = this.name.encode()
    n = len(name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(name_sent)
    salt_sent = this.salt
    n = len(salt_sent) + 1
    push(
        _pack_biB(this.mechanism, this.iterations, n)
        if n < 128
        else _pack_bi(this.mechanism, this.iterations) + uvarint(n)
    )
    push(salt_sent)
    salted_password_sent = this.salted_password
    n = len(salted_password_sent) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    push(salted_password_sent)
    push(b"\0")


def _encode_alter_user_scram_credentials_request_v0(push: Push, this: AlterUserScramCredentialsRequest) -> None:
    deletions = this.deletions
    n = len(deletions) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for deletions_item in deletions:
        _encode_scram_credential_deletion_v0(push, deletions_item)
    upsertions = this.upsertions
    n = len(upsertions) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for upsertions_item in upsertions:
        _encode_scram_credential_upsertion_v0(push, upsertions_item)
    push(b"\0")


DECODERS = {
    0: _decode_alter_user_scram_credentials_request_v0,
}
ENCODERS = {
    0: _encode_alter_user_scram_credentials_request_v0,
}
