"""Where a share group's dead letters go at this moment, or why nowhere."""

from collections.abc import Callable, Coroutine
from typing import Any, Final

import msgspec
import structlog

from penstock.cluster import ClusterImage, Controller
from penstock.cluster.dead_letter_topics import to_create, why_not_now
from penstock.delivery.dead_letters.letters import Origin
from penstock.delivery.relay.entries import Target
from penstock.delivery.shares.rules import ShareRules
from penstock.errors import Refusal, TopicAlreadyExists
from penstock.model import Clock
from penstock.settings import Config
from penstock.settings.broker import (
    ERRORS_DEADLETTERQUEUE_AUTO_CREATE_TOPICS_ENABLE,
    ERRORS_DEADLETTERQUEUE_TOPIC_NAME_PREFIX,
)
from penstock.settings.topic import MAX_MESSAGE_BYTES

CREATION_TIMEOUT_MS: Final = 30_000
CREATED_AGAIN_MS: Final = 5_000

_log = structlog.get_logger(__name__)


class Place(msgspec.Struct, frozen=True):
    target: Target
    batch_bytes_max: int
    copies: bool


class Problem(msgspec.Struct, frozen=True):
    reason: str
    topic: str = ""
    is_final: bool = False
    """It will not pass: nothing is to be waited for."""


class DeadLetterTopics:
    def __init__(
        self,
        image: ClusterImage,
        controller: Controller,
        config: Config,
        clock: Clock,
        spawn: Callable[[Coroutine[Any, Any, None]], object],
    ) -> None:
        self._image = image
        self._controller = controller
        self._config = config
        self._clock = clock
        self._spawn = spawn
        self._asked_for: dict[str, int] = {}

    def find(self, rules: ShareRules, origin: Origin) -> Place | Problem:
        name = rules.dead_letter_topic
        if not name:
            return Problem("the group has no dead-letter topic any more", is_final=True)
        if name == origin.topic:
            return Problem(f"{name} is where they come from: there are no dead letters of dead letters", is_final=True)
        reason = why_not_now(name, self._image, self._config)
        if reason is not None:
            return Problem(reason, name)
        topic = self._image.topics[name]
        target = Target(topic.name, topic.topic_id, origin.partition % len(topic.partitions))
        return Place(target, self.batch_bytes_max(target), rules.copies_dead_letters)

    def batch_bytes_max(self, target: Target) -> int:
        topic = self._image.topics_by_id.get(target.topic_id)
        overrides = {} if topic is None else topic.overrides
        return self._config.for_topic(overrides)[MAX_MESSAGE_BYTES]

    def create_soon(self, problem: Problem) -> None:
        """Where brokers make such topics, and this one is missing."""
        name = problem.topic
        if name in self._image.topics or not self._config[ERRORS_DEADLETTERQUEUE_AUTO_CREATE_TOPICS_ENABLE]:
            return
        prefix, now = self._config[ERRORS_DEADLETTERQUEUE_TOPIC_NAME_PREFIX], self._clock.now()
        if name.startswith(prefix) and now - self._asked_for.get(name, 0) >= CREATED_AGAIN_MS:
            self._asked_for = {each: at for each, at in self._asked_for.items() if now - at < CREATED_AGAIN_MS}
            self._asked_for[name] = now
            self._spawn(self._create(name))

    async def _create(self, name: str) -> None:
        (outcome,) = await self._controller.create_topics([to_create(name)], timeout_ms=CREATION_TIMEOUT_MS)
        if not isinstance(outcome, Refusal):
            _log.info("dead-letter topic created", topic=name)
        elif not isinstance(outcome, TopicAlreadyExists):
            _log.warning("dead-letter topic not created", topic=name, reason=outcome.message)
