"""Records lent to whoever asks by HTTP: leases, out of share groups.

A member of the share group stands here for a user's requests and holds what it lent. If this process dies, its sessions
die with it and the brokers lend those records to others. So a lease lives in one process, and names it: any other web
process passes what is said of it on.
"""

import asyncio
import base64
import binascii
from collections.abc import Iterable
from contextlib import AsyncExitStack
from typing import Final

import msgspec
import structlog

from penstock.client import Ack, AsyncClient, AsyncShareConsumer, Sasl, SharedRecord, place
from penstock.errors import Refusal
from penstock.model import TopicPartition
from penstock.web.clients import Clients, Login
from penstock.web.options import WebOptions
from penstock.web.problems import Problem

FETCH_WAIT_S: Final = 0.2
"""What is said of records waits for as long behind a fetch."""
POLL_S_MIN: Final = 0.5
JOIN_S: Final = 10.0
LOOK_EVERY_S: Final = 5.0

_log = structlog.get_logger(__name__)

Key = tuple[Sasl | None, str, tuple[str, ...]]


class Token(msgspec.Struct, array_like=True, frozen=True):
    """What a lease says of itself. The member's id cannot be guessed."""

    process: str
    member: str
    topic: str
    partition: int
    offset: int
    count: int


class Said(msgspec.Struct, frozen=True):
    token: Token
    how: Ack


class Lent(msgspec.Struct):
    count: int
    until_s: float


class Member:
    def __init__(self, key: Key, client: AsyncClient, consumer: AsyncShareConsumer, holding: AsyncExitStack) -> None:
        self.key = key
        self.client = client
        self.consumer = consumer
        self.holding = holding
        """The login that it uses."""
        self.lent: dict[tuple[str, int, int], Lent] = {}
        self.is_polling = False
        self.used_at_s = 0.0
        self.acking = asyncio.Lock()
        """What a commit is told is told to it alone."""


class Leases:
    def __init__(self, clients: Clients, options: WebOptions) -> None:
        self._clients = clients
        self._options = options
        self._members: dict[str, Member] = {}
        self._freed = asyncio.Condition()

    @property
    def lent_count(self) -> int:
        return sum(len(each.lent) for each in self._members.values())

    # Lending --------------------------------------------------------------------------------------------------------

    async def lend(
        self, sasl: Sasl | None, group: str, topics: Iterable[str], *, at_most: int, wait_s: float
    ) -> tuple[list[tuple[SharedRecord, str]], float]:
        """Records with their leases, as soon as some are lent, and how long they are lent."""
        self._forget_what_is_over()
        if self.lent_count + at_most > self._options.leases_max:
            raise Problem(
                429, "too-many-leases", f"{self.lent_count} records are lent here (leases_max): acknowledge some first",
                headers={"retry-after": "5"},
            )  # fmt: skip
        now_s = asyncio.get_running_loop().time
        end_s = now_s() + max(wait_s, POLL_S_MIN)
        member = await self._free_member((sasl, group, tuple(sorted(set(topics)))), end_s)
        if member is None:
            return [], 0.0
        consumer = member.consumer
        try:
            if not consumer.assignment():
                (await member.client.describe_topics(member.key[2])).all()  # it would wait for its topics to be made
                end_s = max(end_s, now_s() + JOIN_S)
            records: list[SharedRecord] = []
            while not records and now_s() < end_s:
                wait_s = end_s - now_s() if consumer.assignment() else FETCH_WAIT_S
                records = await consumer.poll(wait_s, at_most=at_most)
        except Refusal:
            if not member.lent:
                await self._close(member)
            raise
        finally:
            member.is_polling = False
            member.used_at_s = now_s()
            async with self._freed:
                self._freed.notify_all()
        until_s = now_s() + consumer.lock_s
        for each in records:
            member.lent[each.topic, each.partition, each.offset] = Lent(each.delivery_count, until_s)
        return [(each, self._token(member, each)) for each in records], consumer.lock_s

    async def _free_member(self, key: Key, end_s: float) -> Member | None:
        while True:
            mine = [each for each in self._members.values() if each.key == key]
            free = [each for each in mine if not each.is_polling]
            if free:
                member = max(free, key=lambda each: each.used_at_s)
            elif len(mine) < self._options.lease_members_max:
                member = await self._new_member(key)
            else:
                try:
                    async with asyncio.timeout_at(end_s), self._freed:
                        await self._freed.wait()
                except TimeoutError:
                    return None
                continue
            member.is_polling = True
            return member

    async def _new_member(self, key: Key) -> Member:
        sasl, group, topics = key
        holding = AsyncExitStack()
        login: Login = await holding.enter_async_context(self._clients.lent(sasl))
        consumer = login.client.share_consumer(
            group=group, topics=topics, auto_accept=False, fetch_wait_s=FETCH_WAIT_S, is_strict=True
        )
        member = Member(key, login.client, consumer, holding)
        self._members[consumer.member_id] = member
        return member

    # Acknowledging --------------------------------------------------------------------------------------------------

    async def settle(self, sasl: Sasl | None, group: str, said: list[Said]) -> list[Refusal | Problem | None]:
        """What became of each. A lease that is over, or was never, is Problem 409: its record is lent to others."""
        self._forget_what_is_over()
        outcomes: list[Refusal | Problem | None] = [None] * len(said)
        by_member: dict[Member, list[int]] = {}
        for index, each in enumerate(said):
            member = self._members.get(each.token.member)
            if member is None or member.key[:2] != (sasl, group):
                outcomes[index] = _gone()
            else:
                by_member.setdefault(member, []).append(index)
        for member, indexes in by_member.items():
            async with member.acking:
                for index, outcome in (await self._told(member, said, indexes)).items():
                    outcomes[index] = outcome
            member.used_at_s = asyncio.get_running_loop().time()
        return outcomes

    async def _told(self, member: Member, said: list[Said], indexes: list[int]) -> dict[int, Refusal | Problem | None]:
        outcomes: dict[int, Refusal | Problem | None] = {}
        places: dict[int, TopicPartition] = {}
        for index in indexes:
            token, how = said[index].token, said[index].how
            at = (token.topic, token.partition, token.offset)
            lent = member.lent.get(at)
            record = SharedRecord(*at, 0, None, None)
            try:
                if lent is None or lent.count != token.count:
                    raise _gone()
                member.consumer.acknowledge(record, how)
            except (Refusal, Problem):
                outcomes[index] = _gone()
                continue
            places[index] = place(token.topic, token.partition)
            if how is Ack.RENEW:
                lent.until_s = asyncio.get_running_loop().time() + member.consumer.lock_s
            else:
                del member.lent[at]
        if places:
            told = await member.consumer.commit()
            for index, where in places.items():
                outcome = told.get(where)
                outcomes[index] = outcome if isinstance(outcome, Refusal) else None
        return outcomes

    # Upkeep ---------------------------------------------------------------------------------------------------------

    async def keep(self) -> None:
        """End members that nobody needs. Never returns."""
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            self._forget_what_is_over()
            before_s = asyncio.get_running_loop().time() - self._options.lease_idle_s
            for member in list(self._members.values()):
                is_needed = member.is_polling or member.lent or member.acking.locked()
                if not is_needed and member.used_at_s < before_s:
                    await self._close(member)

    async def close(self) -> None:
        """Give back all that is lent."""
        await asyncio.gather(*(self._close(each) for each in list(self._members.values())))

    def _forget_what_is_over(self) -> None:
        now_s = asyncio.get_running_loop().time()
        for member in self._members.values():
            for at in [at for at, lent in member.lent.items() if lent.until_s < now_s]:
                del member.lent[at]

    async def _close(self, member: Member) -> None:
        self._members.pop(member.consumer.member_id, None)
        try:
            await member.consumer.close(give_back=True)
        except Refusal as refusal:
            _log.info("a share group was left without a word", group=member.key[1], reason=refusal.message)
        finally:
            await member.holding.aclose()

    # Tokens ---------------------------------------------------------------------------------------------------------

    def _token(self, member: Member, record: SharedRecord) -> str:
        token = Token(
            self._options.advertised, member.consumer.member_id, record.topic, record.partition, record.offset,
            record.delivery_count,
        )  # fmt: skip
        return base64.urlsafe_b64encode(msgspec.json.encode(token)).rstrip(b"=").decode()


def token_of(text: str) -> Token:
    """Problem 400: it is no lease of anybody's."""
    try:
        raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        return msgspec.json.decode(raw, type=Token)
    except (binascii.Error, ValueError, msgspec.MsgspecError):
        raise Problem(400, "no-lease", "That is no lease: give one back as it was given") from None


def _gone() -> Problem:
    return Problem(409, "lease-gone", "The record is not lent by this lease any more: it goes, or went, to others")
