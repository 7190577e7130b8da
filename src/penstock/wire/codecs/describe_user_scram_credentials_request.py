# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.malformed import absurd_count, null_refused
from penstock.wire.messages.describe_user_scram_credentials_request import DescribeUserScramCredentialsRequest, UserName
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint


def _decode_user_name_v0(data: bytes, pos: int) -> tuple[UserName, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("name")
    end = pos + n - 1
    name = data[pos:end].decode()
    pos = end
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return UserName(name), pos


def _decode_describe_user_scram_credentials_request_v0(
    data: bytes, pos: int
) -> tuple[DescribeUserScramCredentialsRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    users: list[UserName] | None = None
    if n:
        n -= 1
        if n * 2 > len(data) - pos:
            raise absurd_count("users", n)
        users = []
        for _ in range(n):
            users_item, pos = _decode_user_name_v0(data, pos)
            users.append(users_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribeUserScramCredentialsRequest(users), pos


def _encode_user_name_v0(push: Push, this: UserName) -> None:
    name_sent = this.name.encode()
    n = len(name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(name_sent)
    push(b"\0")


def _encode_describe_user_scram_credentials_request_v0(push: Push, this: DescribeUserScramCredentialsRequest) -> None:
    users = this.users
    n = 0 if users is None else len(users) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    if users:
        for users_item in users:
            _encode_user_name_v0(push, users_item)
    push(b"\0")


DECODERS = {
    0: _decode_describe_user_scram_credentials_request_v0,
}
ENCODERS = {
    0: _encode_describe_user_scram_credentials_request_v0,
}
