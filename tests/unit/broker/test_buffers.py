"""Request memory: bounded for the whole broker, reused, and grown only with what has arrived."""

from penstock.broker.buffers import FIRST_SIZE, STRANGERS_FIRST_SIZE, WHOLE_AT_ONCE, RequestMemory

MIB = 1024 * 1024


def test_a_buffer_that_was_given_back_is_handed_out_again() -> None:
    memory = RequestMemory(bytes_max=16 * MIB)
    first = memory.take(100_000)
    assert first is not None
    memory.give_back(first)
    assert memory.take(120_000) is first


def test_a_large_frame_begins_small_and_grows_with_what_arrives() -> None:
    memory = RequestMemory(bytes_max=512 * MIB)
    buffer = memory.take(100 * MIB)
    assert buffer is not None and len(buffer) == FIRST_SIZE
    buffer[:3] = b"abc"
    larger = memory.grow(buffer, 3, 100 * MIB)
    assert larger is not None and len(larger) == 2 * FIRST_SIZE and larger[:3] == b"abc"
    assert memory.bytes_held == 2 * FIRST_SIZE


def test_at_the_bound_a_taker_waits_until_another_gives_back() -> None:
    memory = RequestMemory(bytes_max=WHOLE_AT_ONCE)
    held = memory.take(WHOLE_AT_ONCE)
    assert held is not None and memory.take(FIRST_SIZE) is None
    woken: list[str] = []
    memory.wait(lambda: woken.append("first"), holds_buffer=False)
    memory.wait(lambda: woken.append("second"), holds_buffer=False)
    memory.give_back(held)
    assert woken == ["first"]
    assert memory.take(FIRST_SIZE) is not None


def test_an_empty_broker_grants_a_frame_larger_than_the_bound() -> None:
    memory = RequestMemory(bytes_max=1024)
    assert memory.take(MIB) is not None


def test_an_empty_broker_lets_a_frame_larger_than_the_bound_grow_to_its_end() -> None:
    memory = RequestMemory(bytes_max=MIB)
    buffer = memory.take(5 * MIB)
    while buffer is not None and len(buffer) < 5 * MIB:
        buffer = memory.grow(buffer, len(buffer), 5 * MIB)
    assert buffer is not None and memory.bytes_held == 8 * MIB
    memory.give_back(buffer)
    assert memory.bytes_held == 0


def test_of_growing_frames_that_all_wait_for_each_other_one_goes_on() -> None:
    memory = RequestMemory(bytes_max=3 * FIRST_SIZE)
    first, second = memory.take(10 * MIB), memory.take(10 * MIB)
    assert first is not None and second is not None
    assert memory.grow(first, FIRST_SIZE, 10 * MIB) is None
    memory.wait(lambda: None, holds_buffer=True)
    larger = memory.grow(second, FIRST_SIZE, 10 * MIB)
    assert larger is not None and len(larger) == 2 * FIRST_SIZE


def test_a_waiter_that_went_away_is_not_woken() -> None:
    memory = RequestMemory(bytes_max=FIRST_SIZE)
    held = memory.take(1)
    assert held is not None
    woken: list[str] = []

    def wake() -> None:
        woken.append("gone")

    memory.wait(wake, holds_buffer=False)
    memory.forget(wake)
    memory.give_back(held)
    assert woken == []


def test_a_stranger_is_given_memory_for_what_it_has_sent_and_not_for_what_it_announces() -> None:
    memory = RequestMemory(bytes_max=512 * 1024)
    strangers = [memory.take(512 * 1024, 4, for_stranger=True) for _ in range(100)]
    assert all(strangers) and memory.bytes_held == 100 * STRANGERS_FIRST_SIZE
    assert memory.take(FIRST_SIZE) is not None, "and a client that has logged in is given its own"
    assert strangers[0] is not None
    larger = memory.grow(strangers[0], STRANGERS_FIRST_SIZE, 512 * 1024)
    assert larger is not None and len(larger) == 2 * STRANGERS_FIRST_SIZE
    sent_some = memory.take(100_000, 5_000, for_stranger=True)
    assert sent_some is not None and len(sent_some) == 16 * 1024
