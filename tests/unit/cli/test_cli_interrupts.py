"""Ctrl-C waits for a moment that does no harm."""

import signal

import pytest

from penstock.cli.interrupts import interrupts_wait


def test_the_first_interrupt_waits_to_be_asked_for() -> None:
    with interrupts_wait() as check:
        check()
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            check()


def test_the_second_interrupt_does_not_wait() -> None:
    with interrupts_wait():
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


def test_afterwards_interrupts_are_what_they_were() -> None:
    before = signal.getsignal(signal.SIGINT)
    with interrupts_wait():
        assert signal.getsignal(signal.SIGINT) is not before
    assert signal.getsignal(signal.SIGINT) is before
