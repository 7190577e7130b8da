"""A member's steps towards what it is to own, one heartbeat at a time."""

from typing import Any

from penstock.coordinators.groups.consumer.reconciliation import Wanted, reconciled
from penstock.coordinators.groups.consumer.state import ConsumerMember, MemberState
from penstock.model import TopicId

KEPT, DROPPED = TopicId(b"k" * 16), TopicId(b"d" * 16)
GROUP: Any = None  # only a new target asks for it


def a_member() -> ConsumerMember:
    return ConsumerMember("m", epoch=5, assigned={KEPT: {0: 1}, DROPPED: {0: 1}})


def test_a_member_that_wants_a_topic_no_more_gives_it_up_before_there_is_a_new_target() -> None:
    wanted = Wanted(epoch=5, target={}, topic_ids={KEPT})
    owned = {KEPT: [0], DROPPED: [0]}
    after = reconciled(GROUP, a_member(), wanted, reported=owned, resubscribed=True)
    assert (after.state, set(after.assigned), set(after.revoking)) == (MemberState.UNREVOKED, {KEPT}, {DROPPED})


def test_a_member_that_is_where_it_should_be_and_wants_what_it_wanted_stays_as_it_is() -> None:
    member = a_member()
    wanted = Wanted(epoch=5, target={}, topic_ids={KEPT})
    assert reconciled(GROUP, member, wanted, reported=None, resubscribed=False) is member
