"""What is kept of a relay beside a share partition's state."""

import pytest

from penstock.coordinators.shares.states import newer_relay
from penstock.delivery.dead_letters.refs import decode_refs, decode_relay, encode_refs, encode_relay
from penstock.delivery.relay.entries import Intent, Target
from penstock.delivery.shares.archiving import Reason, archiving
from penstock.model import TopicId

ROWS = [(5, 5, archiving(Reason.REJECTED), 1), (6, 90, archiving(Reason.EXPIRED), 0), (1 << 40, 1 << 40, 3, 25)]
INTENT = Intent(Target("dlq.orders", TopicId(b"d" * 16), 2), 4711, 3, 17, 9, 88, encode_refs(ROWS), 8, 1_234)


def test_refs_name_the_records_with_why_and_how_often() -> None:
    assert decode_refs(encode_refs(ROWS)) == ROWS


def test_a_relay_is_its_open_intents() -> None:
    assert decode_relay(encode_relay(17, [INTENT, INTENT])) == (17, [INTENT, INTENT])
    assert decode_relay(b"") == (0, [])


def test_of_two_states_the_one_with_the_greater_stamp_counts() -> None:
    older, newer = encode_relay(255, [INTENT]), encode_relay(256, [])
    assert newer_relay(older, newer) == newer_relay(newer, older) == newer
    assert newer_relay(b"", older) == older


@pytest.mark.parametrize("data", [b"short", b"\0" * 8 + b"\xc1", encode_relay(1, [])[:8] + b"\x91\xc4\x01\x63"])
def test_what_is_not_understood_is_not_taken_for_nothing(data: bytes) -> None:
    with pytest.raises(ValueError):
        decode_relay(data)
