"""The follower's decisions: where to cut, and how far its high watermark may go."""

from penstock.log.epochs import LeaderEpochs
from penstock.model import BrokerId, LeaderEpoch
from penstock.replication.following import Follower


class SomeLog:
    def __init__(self, end_offset: int, *epochs: tuple[int, int]) -> None:
        self.end_offset = end_offset
        self.epochs = LeaderEpochs("", self)
        for epoch, start in epochs:
            self.epochs.assign(epoch, start)


def a_follower() -> Follower:
    return Follower(leader=BrokerId(1), epoch=LeaderEpoch(9))


def test_a_tail_of_the_same_epoch_that_the_leader_never_had_is_cut_to_the_leaders_end() -> None:
    log = SomeLog(100, (1, 0), (4, 50))
    assert a_follower().cut_to(log, diverging_epoch=4, end_offset=70) == 70


def test_an_epoch_that_the_leader_does_not_know_is_cut_whole() -> None:
    log = SomeLog(100, (1, 0), (4, 50), (6, 80))
    assert a_follower().cut_to(log, diverging_epoch=4, end_offset=95) == 80


def test_where_the_leader_names_an_epoch_that_we_do_not_have_we_go_back_to_the_one_before() -> None:
    log = SomeLog(100, (1, 0), (6, 80))
    assert a_follower().cut_to(log, diverging_epoch=4, end_offset=95) == 80


def test_a_log_that_shares_nothing_is_cut_to_where_the_leader_says() -> None:
    log = SomeLog(100, (6, 80))
    assert a_follower().cut_to(log, diverging_epoch=4, end_offset=30) == 30


def test_the_high_watermark_is_the_leaders_as_far_as_the_records_are_here() -> None:
    follower = a_follower()
    assert follower.high_watermark(own_end=40, known=10, leaders=30) == 30
    assert follower.high_watermark(own_end=40, known=10, leaders=60) == 40
    assert follower.high_watermark(own_end=40, known=35, leaders=30) == 35
