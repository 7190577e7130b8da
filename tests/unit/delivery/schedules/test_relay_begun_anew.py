"""Intents of a leader whose relay began anew: it knew of none that was open, and counts from 0 again."""

from tests.support.scheduling import ORDERS

from penstock.delivery.relay.entries import Done, Intent
from penstock.delivery.relay.machine import RelayMachine


def an_intent(number: int, producer_id: int, refs: bytes) -> Intent:
    return Intent(
        target=ORDERS,
        producer_id=producer_id,
        epoch=0,
        sequence=number,
        number=number,
        count=1,
        refs=refs,
        done_through=number - 1,
        from_offset=0,
    )


def test_an_intent_of_a_relay_that_began_anew_is_not_taken_for_one_that_is_done() -> None:
    """A later leader may know how far the former numbers came: by a snapshot, or since its log has them."""
    machine = RelayMachine()
    for number in range(4):
        machine.apply(an_intent(number, 7, b"%d" % number), number + 1)
    machine.apply(Done(ORDERS, 3, 4), 5)
    assert machine.apply(an_intent(0, 8, b"new"), 6).finished == ()
    assert (len(machine), list(machine.open_refs())) == (1, [b"new"])
    assert machine.intent(ORDERS, b"next", 1).number == 1
