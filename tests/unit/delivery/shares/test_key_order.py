"""Order by key in share groups: K1 to K4."""

from collections.abc import Sequence

from penstock.coordinators.shares.states import ShareState, StateBatch
from penstock.delivery.shares.acquiring import Acquired, BatchSpan, Wanted
from penstock.delivery.shares.archiving import Reason, archived, archiving, kept_batch, waiting
from penstock.delivery.shares.backoff import Backoff
from penstock.delivery.shares.key_order import KeyedBatch
from penstock.delivery.shares.machine import SharePartitionMachine
from penstock.delivery.shares.ranges import ACKNOWLEDGED, ARCHIVED, AVAILABLE, Step
from penstock.delivery.shares.rules import ShareRules
from penstock.delivery.shares.settling import ACCEPT, GAP, REJECT, RELEASE, Said
from penstock.delivery.shares.time_to_live import give_up

RULES = ShareRules(by_key=True, lock_ms=10_000, delivery_limit=3)
Keys = Sequence[bytes | None]


class Reading:
    """A partition whose records have these keys, one batch each; `m` reads it."""

    def __init__(self, *keys: bytes | None, kept: Sequence[StateBatch] = (), rules: ShareRules = RULES) -> None:
        self.keys = dict(enumerate(keys))
        self.rules = rules
        self.now = 100.0
        self.machine = SharePartitionMachine(ShareState(0, 0, kept), start_offset=0, rules=rules, now=self.now)

    def take(self, most: int = 100, member: str = "m") -> list[int]:
        wanted, machine = Wanted(member, most), self.machine
        machine.end_waits(self.now)
        while (asked := machine.keys_wanted(wanted, self.rules)) is not None and asked <= max(self.keys):
            key = [(asked, self.keys[asked])] if asked in self.keys else []
            machine.take_in(KeyedBatch(asked, asked, key), self.rules)
        asked = machine.read_from(self.rules)
        if asked is None or asked >= machine.window.end:
            return []
        read = [BatchSpan(each, each) for each in self.keys if each >= asked]
        found = machine.acquire(wanted, self.rules, now=self.now, asked_from=asked, batches=read)
        return [offset for row in found for offset in range(row.first, row.last + 1)]

    def say(self, offset: int, how: int = ACCEPT) -> Step:
        return self.machine.acknowledge("m", [Said(offset, offset, [how])], self.rules, self.now)

    def settle(self, offset: int, how: int = ACCEPT) -> None:
        self.machine.commit(self.say(offset, how))


def test_k1_one_record_of_a_key_is_open_at_most() -> None:
    reading = Reading(b"a", b"b", b"a", b"b", b"c")
    assert reading.take() == [0, 1, 4]
    assert reading.take(member="other") == []
    assert reading.machine.window.blocked == 2


def test_k1_a_record_that_waits_keeps_the_next_of_its_key_waiting() -> None:
    rules = ShareRules(by_key=True, backoff=Backoff(1_000, jitter=0.0))
    reading = Reading(b"a", b"a", b"b", rules=rules)
    assert reading.take() == [0, 2]
    reading.settle(0, RELEASE)
    assert reading.take() == []
    reading.now += 1.1
    assert reading.take() == [0]


def test_k2_the_next_of_a_key_comes_when_it_is_written_that_the_one_before_is_done() -> None:
    reading = Reading(b"a", b"a", b"a")
    assert reading.take() == [0]
    step = reading.say(0)
    assert reading.take() == [], "said, and not written"
    reading.machine.commit(step)
    assert reading.take() == [1]


def test_k2_a_rejected_record_and_a_gap_are_finished_as_well() -> None:
    reading = Reading(b"a", b"a", b"a")
    for offset, how in ((0, REJECT), (1, GAP)):
        assert reading.take() == [offset]
        reading.settle(offset, how)
    assert reading.take() == [2]


def test_k1_a_record_on_its_way_to_dead_letters_is_open() -> None:
    """Until its letter is written, and that is kept: at a new leader as well."""
    rules = ShareRules(by_key=True, dead_letter_topic="dlq.jobs")
    reading = Reading(b"a", b"a", b"b", rules=rules)
    assert reading.take() == [0, 2]
    step = reading.say(0, REJECT)
    reading.machine.commit(step)
    assert reading.take() == []
    kept = [kept_batch(row) for row in step.rows]
    for each in (reading, Reading(b"a", b"a", kept=kept, rules=rules)):
        assert 1 not in each.take()
        window = each.machine.window
        each.machine.commit(archived(window, waiting(window, 10)))
        assert each.take() == [1]


def test_k1_a_letter_that_is_being_written_when_keys_are_read_is_open() -> None:
    """A new leader may come to that before anybody has fetched."""
    rules = ShareRules(by_key=True, dead_letter_topic="dlq.jobs")
    reading = Reading(b"a", b"a", kept=[kept_batch((0, 0, archiving(Reason.REJECTED), 1, 0.0))], rules=rules)
    window = reading.machine.window
    step = archived(window, waiting(window, 10))
    assert reading.take() == []
    reading.machine.commit(step)
    assert reading.take() == [1]


def test_k2_an_expired_record_is_finished_once_that_is_written() -> None:
    reading = Reading(b"a", b"a")
    assert reading.take() == [0]
    left, step = give_up(reading.machine.window, [Acquired(0, 0, 1)], [0], RULES)
    assert (left, reading.take()) == ([], [])
    reading.machine.commit(step)
    assert reading.take() == [1]


def test_k2_a_released_record_comes_again_before_the_next() -> None:
    reading = Reading(b"a", b"a")
    assert reading.take() == [0]
    reading.settle(0, RELEASE)
    assert reading.take() == [0]


def test_k2_what_was_tried_often_enough_is_finished_once_that_is_written() -> None:
    reading = Reading(b"a", b"a")
    for _ in range(RULES.delivery_limit):
        assert reading.take() == [0]
        reading.now += RULES.lock_s
        step, count = reading.machine.expire(RULES, reading.now)
        assert count == 1
        if step.ranges:
            assert (step.rows, reading.take()) == ([(0, 0, ARCHIVED, 3, 0.0)], [])
            reading.machine.commit(step)
    assert reading.take() == [1]


def test_k2_giving_up_is_tried_again_where_it_could_not_be_written() -> None:
    reading = Reading(b"a", b"a", rules=ShareRules(by_key=True, lock_ms=1_000, delivery_limit=2))
    for _ in range(2):
        reading.take()
        reading.now += 1
        step, _ = reading.machine.expire(reading.rules, reading.now)
    reading.machine.undo(step, reading.rules, reading.now)
    assert reading.take() == [], "it is nobody's, and comes to nobody"
    reading.now += 1
    step, count = reading.machine.expire(reading.rules, reading.now)
    assert (count, step.rows[0][:3]) == (1, (0, 0, ARCHIVED))
    reading.machine.commit(step)
    assert reading.take() == [1]


def test_k2_holds_at_another_leader() -> None:
    """It knows what is done, and no keys: it reads them before it gives anything out."""
    kept = [StateBatch(0, 0, ACKNOWLEDGED, 1), StateBatch(3, 3, AVAILABLE, 1), StateBatch(4, 4, ACKNOWLEDGED, 1)]
    reading = Reading(b"a", b"b", b"b", b"a", b"c", b"a", kept=kept)
    assert reading.take() == [1, 3]
    reading.settle(3)
    assert reading.take() == [5]


def test_a_wait_that_a_former_leader_began_holds_up_its_key() -> None:
    rules = ShareRules(by_key=True, backoff=Backoff(1_000))
    reading = Reading(b"a", b"a", b"b", kept=[StateBatch(0, 0, AVAILABLE, 1, 900)], rules=rules)
    assert reading.take() == [2]
    reading.now += 0.9
    assert reading.take() == [0]


def test_k3_records_without_key_have_no_order() -> None:
    reading = Reading(None, None, b"", None, b"")
    assert reading.take() == [0, 1, 2, 3], "an empty key is one"


def test_k4_a_hot_key_can_fill_the_window() -> None:
    rules = ShareRules(by_key=True, locks_max=5, window_max=100)
    reading = Reading(*[b"hot"] * 150, b"cold", rules=rules)
    assert reading.take() == [0]
    assert (reading.machine.window.span, reading.machine.window.blocked) == (100, 99)
    assert reading.take(member="other") == [] and reading.machine.read_from(rules) is None
    reading.settle(0)
    assert reading.take() == [1]


def test_an_order_spans_more_than_the_locks_and_gives_out_no_more_than_those() -> None:
    rules = ShareRules(by_key=True, locks_max=5, window_max=100)
    reading = Reading(*[b"hot"] * 20, *[b"%d" % each for each in range(20)], rules=rules)
    assert reading.take() == [0, 20, 21, 22, 23]
    assert reading.take(member="other") == []
    reading.settle(0)
    assert reading.take() == [1]


def test_records_that_are_deleted_hold_up_nothing() -> None:
    reading = Reading(b"a", b"b", b"a", b"a", b"b")
    assert reading.take() == [0, 1]
    reading.machine.log_starts_at(2)
    assert reading.take() == [2, 4]


def test_what_compaction_removed_holds_up_nothing() -> None:
    reading = Reading(b"a", b"a", b"b")
    del reading.keys[0]
    assert reading.take() == [1, 2]


def test_what_compaction_removes_after_its_key_was_read_holds_up_nothing() -> None:
    reading = Reading(b"b", b"a", b"a")
    assert reading.take(most=1) == [0]
    assert reading.take(most=2) == [1]
    reading.settle(1, RELEASE)
    found = reading.machine.acquire(Wanted("m", 1), RULES, now=reading.now, asked_from=1, batches=[BatchSpan(2, 2)])
    assert [(row.first, row.last) for row in found] == [(2, 2)]


def test_members_that_leave_give_their_turn_back() -> None:
    reading = Reading(b"a", b"a")
    assert reading.take(member="gone") == [0]
    reading.machine.commit(reading.machine.release("gone", RULES, reading.now))
    assert reading.take() == [0]
