"""The registry on its topic. Each request first reads what was written since, so that all processes answer the same.

There is no process that leads: whoever has something to write takes over (penstock.client.records.journal). A decision
is written only if nobody else wrote between the look and the write; otherwise it is taken anew.
"""

import asyncio
from typing import Any, Final

from penstock.client import AsyncClient, ConsumedRecord, NewTopic, place
from penstock.client.clock import SystemDice
from penstock.client.records.journal import Journal
from penstock.errors import (
    InvalidProducerEpoch,
    InvalidProducerIdMapping,
    InvalidTxnState,
    OutOfOrderSequence,
    ProducerFenced,
    TopicAlreadyExists,
    UnknownTopicOrPartition,
)
from penstock.registry.api import Plan, Reads, Writes
from penstock.registry.refusals import RegistryRefusal
from penstock.registry.state import State

TOPIC: Final = "_schemas"
TRANSACTIONAL_ID: Final = "penstock-schema-registry"
REPLICAS_MAX: Final = 3
TURNS_MAX: Final = 50
"""How often a decision is taken anew because another process wrote first. Then the answer is 500."""
PAUSE_S: Final = 0.01
UNTIL_MADE_S: Final = 0.05
MADE_LOOKS_MAX: Final = 200

# Another one writes now, and nothing of ours was written.
_OVERTAKEN: Final = (
    ProducerFenced,
    InvalidProducerEpoch,
    InvalidProducerIdMapping,
    InvalidTxnState,
    OutOfOrderSequence,
)


class Registry:
    """One in a process, for all users: the cluster is asked by each one's own client, so that its rules decide."""

    def __init__(self, *, topic: str = TOPIC) -> None:
        self._topic = topic
        self._state = State()
        self._journal = Journal(
            place(topic, 0), transactional_id=TRANSACTIONAL_ID, tell=self._learn, begin_anew=self._forget
        )
        self._writing = asyncio.Lock()
        self._dice = SystemDice()

    async def carry_out(self, client: AsyncClient, plan: Plan) -> Any:
        """The answer to a request. RegistryRefusal, or a Refusal of the cluster."""
        try:
            await self._read_on(client)
        except UnknownTopicOrPartition:
            self._journal.begin_anew()
            if isinstance(plan, Writes):
                plan.decide(self._state)  # what is refused anyway makes no topic
                await self._make_topic(client)
        if isinstance(plan, Reads):
            return plan.answer(self._state)
        async with self._writing:
            return await self._write(client, plan)

    async def _write(self, client: AsyncClient, plan: Writes) -> Any:
        for turn in range(TURNS_MAX):
            decision = plan.decide(self._state)
            if not decision.records:
                return decision.answer
            if not self._journal.is_writer:
                await client.run(self._journal.take_over(client.core))
                continue  # others may have written: decide on what is there now
            try:
                await client.run(self._journal.write(client.core, decision.records))
            except _OVERTAKEN:
                # Two that take over from each other at the same pace would never end.
                await asyncio.sleep(self._dice.uniform(0.0, PAUSE_S * turn))
                continue
            return decision.answer
        raise RegistryRefusal(50001, "Other processes write all the time: try again")

    async def _read_on(self, client: AsyncClient) -> None:
        await client.run(self._journal.read_on(client.core))

    def _learn(self, found: list[ConsumedRecord]) -> None:
        for each in found:
            if each.key is not None:
                self._state.apply(each.key, each.value)

    def _forget(self) -> None:
        self._state = State()

    async def _make_topic(self, client: AsyncClient) -> None:
        brokers = len((await client.describe_cluster()).brokers)
        wanted = NewTopic(self._topic, 1, min(REPLICAS_MAX, brokers), {"cleanup.policy": "compact"})
        try:
            (await client.create_topics([wanted])).all()
        except TopicAlreadyExists:
            pass
        for _ in range(MADE_LOOKS_MAX):
            try:
                return await self._read_on(client)
            except UnknownTopicOrPartition:
                await asyncio.sleep(UNTIL_MADE_S)
        raise RegistryRefusal(50002, f"The topic {self._topic} was made, but no broker knows it yet: try again")
