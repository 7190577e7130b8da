"""A broker's services as one record, and the order in which they start and stop."""

from typing import get_type_hints

from penstock.broker import handlers  # noqa: F401 - importing them fills the registry
from penstock.broker.lifecycle import START, STOP, Lifecycle
from penstock.broker.registry import REGISTRY
from penstock.broker.services import Services


def test_each_service_has_a_type_of_its_own_by_which_handlers_ask_for_it() -> None:
    types = list(get_type_hints(Services).values())
    assert len(set(types)) == len(types)


def test_every_service_that_a_handler_asks_for_is_built() -> None:
    asked = {kind for answer in REGISTRY.values() for kind in answer.services.values()}
    assert asked and asked <= set(get_type_hints(Services).values())


def test_logs_are_there_before_a_broker_registers_and_all_else_before_it_accepts_connections() -> None:
    order = [START.index(step) for step in (Lifecycle.open_logs, Lifecycle.make_missing_logs, Lifecycle.register)]
    assert order == sorted(order)
    assert START.index(Lifecycle.bind_listeners) < START.index(Lifecycle.register)
    assert START[-1] is Lifecycle.accept_connections
    assert STOP[0] is Lifecycle.hand_over


def test_every_step_is_taken_once() -> None:
    named = [name for name in vars(Lifecycle) if not name.startswith("_") and name not in ("start", "stop")]
    assert sorted(step.__name__ for step in (*START, *STOP)) == sorted(named)
