"""Levels of single loggers, and that they act on what is printed."""

import io

import pytest
import structlog

import penstock.cluster.image.feed  # noqa: F401 - so that its logger is known
from penstock.broker.loggers import LoggerLevels, named_loggers
from penstock.errors import InvalidConfig, InvalidRequest


def test_a_logger_has_its_own_level_or_its_nearest_parents() -> None:
    levels = LoggerLevels("WARN")
    assert levels.level("penstock.cluster.image.feed") == "WARN"
    levels.set("penstock.cluster.image.feed", "DEBUG")
    assert levels.level("penstock.cluster.image.feed") == "DEBUG"
    levels.set("penstock.cluster.image.feed", None)
    assert levels.level("penstock.cluster.image.feed") == "WARN"
    levels.begin_at("ERROR")
    assert levels.level("penstock.cluster.image.feed") == "ERROR"


@pytest.mark.parametrize(
    ("name", "level", "refusal"),
    [("no.such", "INFO", InvalidConfig), ("root", "LOUD", InvalidConfig), ("root", None, InvalidRequest)],
)
def test_what_cannot_be_is_refused(name: str, level: str | None, refusal: type[Exception]) -> None:
    with pytest.raises(refusal):
        LoggerLevels().set(name, level)


def test_a_quieter_logger_prints_less_and_a_louder_one_more() -> None:
    printed = io.StringIO()
    levels = LoggerLevels("INFO")
    chain: list[structlog.typing.Processor] = [
        levels.drop_quiet,
        structlog.processors.KeyValueRenderer(key_order=["event"]),
    ]

    def logger(name: str) -> structlog.typing.FilteringBoundLogger:
        wrapper = structlog.make_filtering_bound_logger(10)
        return structlog.wrap_logger(named_loggers(printed)(name), processors=chain, wrapper_class=wrapper)  # type: ignore[no-any-return]

    feed, other = logger("penstock.cluster.image.feed"), logger("penstock.cluster.controller")
    feed.debug("unheard")
    levels.set("penstock.cluster.image.feed", "TRACE")
    feed.debug("heard")
    other.debug("unheard too")
    levels.set("penstock.cluster.image.feed", "ERROR")
    feed.warning("quiet now")
    feed.error("still heard")
    assert printed.getvalue() == "event='heard'\nevent='still heard'\n"
