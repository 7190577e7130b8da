"""Membership in a share group (KIP-932): members may read one partition together, so nobody has to give it up first."""

from typing import Final

from penstock.client.core import Core
from penstock.client.records.heartbeats import Heartbeats, named
from penstock.client.records.member import LEAVING, MEMBER_ID_BYTES
from penstock.client.records.settings import ShareConsumerSettings
from penstock.errors import Refusal
from penstock.model import Dice, TopicId, TopicPartition, topic_id_text
from penstock.wire.messages.share_group_heartbeat_request import ShareGroupHeartbeatRequest
from penstock.wire.messages.share_group_heartbeat_response import ShareGroupHeartbeatResponse

JOINING: Final = 0


class ShareMember:
    def __init__(self, core: Core, settings: ShareConsumerSettings, dice: Dice) -> None:
        self.group = settings.group
        self.id = topic_id_text(TopicId(dice.random_bytes(MEMBER_ID_BYTES)))
        self.epoch = JOINING
        self.target: set[TopicPartition] = set()
        """What it shall read."""
        self._core = core
        self._settings = settings
        self.heartbeats = Heartbeats(core, self._beat, self._fenced)

    async def leave(self) -> None:
        self.heartbeats.stop()
        if self.epoch > 0:
            self.epoch = LEAVING
            try:
                await self._core.routed(self._heartbeat(), self.group)
            except Refusal:
                pass  # its session ends by itself

    def _fenced(self) -> None:
        self.epoch, self.target = JOINING, set()

    async def _beat(self) -> None:
        await self._core.need_topics(self._settings.topics)
        answer: ShareGroupHeartbeatResponse = await self._core.routed(self._heartbeat(), self.group)
        self.epoch, self.heartbeats.interval_s = answer.member_epoch, answer.heartbeat_interval_ms / 1000
        if answer.assignment is not None:
            target = await named(self._core, answer.assignment, self._settings.topics)
            if target != self.target:
                self.target = target
                self.heartbeats.tell()

    def _heartbeat(self) -> ShareGroupHeartbeatRequest:
        settings = self._settings
        topics = sorted(settings.topics) if self.epoch >= JOINING else None
        return ShareGroupHeartbeatRequest(self.group, self.id, self.epoch, settings.rack, topics)
