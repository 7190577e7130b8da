"""Leases over HTTP: lend me some records of a share group; these are done, these are to be tried again."""

import asyncio
from enum import Enum
from typing import Annotated, Any, Final

import httpx
import msgspec
from litestar import Controller, Request, Response, post
from litestar.openapi import ResponseSpec
from msgspec import UNSET, Meta, UnsetType

from penstock.client import Ack
from penstock.errors import Refusal
from penstock.web.clients import Clients
from penstock.web.leases import Leases, Said, token_of
from penstock.web.options import WebOptions
from penstock.web.problems import Problem, of_problem, of_refusal, of_several
from penstock.web.record_json import ReadRecord, as_read

PASSED_ON: Final = "penstock-passed-on"
PEER_TIMEOUT_S: Final = 30.0


class Wanted(msgspec.Struct, forbid_unknown_fields=True):
    topics: Annotated[list[str], Meta(min_length=1, max_length=100)]
    max: Annotated[int, Meta(ge=1, le=1000)] = 10
    wait_ms: Annotated[int, Meta(ge=0, le=30_000)] = 0
    """How long to wait for a first record; half a second at least."""
    as_json: bool = False


class LentRecord(ReadRecord, kw_only=True):
    topic: str
    lease: str
    """To be given back with what became of the record."""
    delivery_count: int
    """How often it was lent, this time included."""


class LentRecords(msgspec.Struct):
    records: list[LentRecord]
    lock_ms: int
    """How long they are lent. After that others get them."""


class How(Enum):
    ACCEPT = "accept"
    RELEASE = "release"
    REJECT = "reject"
    RENEW = "renew"


class NewAck(msgspec.Struct, forbid_unknown_fields=True):
    lease: str
    how: How = How.ACCEPT
    """accept: done. release: lend it again. reject: never again. renew: still at work, its time begins anew."""


class NewAcks(msgspec.Struct, forbid_unknown_fields=True):
    acks: Annotated[list[NewAck], Meta(min_length=1, max_length=1000)]


class AckOutcome(msgspec.Struct):
    lease: str
    problem: dict[str, Any] | UnsetType = UNSET


class AckOutcomes(msgspec.Struct):
    acks: list[AckOutcome]
    """In the order of the request."""


AnyRequest = Request[Any, Any, Any]


class LeaseRoutes(Controller):
    path = "/groups/{group:str}"

    @post("/leases", status_code=200)
    async def lease(
        self,
        request: AnyRequest,
        clients: Clients,
        leases: Leases,
        options: WebOptions,
        group: str,
        data: Wanted,
    ) -> LentRecords:
        """Lend records of a share group. Each goes to nobody else until its lease ends or is given back."""
        sasl = clients.cluster.login(request.headers.get("authorization", ""))
        wait_s = min(data.wait_ms, options.wait_ms_max) / 1000
        records, lock_s = await leases.lend(sasl, group, data.topics, at_most=data.max, wait_s=wait_s)
        lent = [
            LentRecord(
                **msgspec.structs.asdict(as_read(each, as_json=data.as_json)), topic=each.topic, lease=lease,
                delivery_count=each.delivery_count,
            )
            for each, lease in records
        ]  # fmt: skip
        return LentRecords(lent, int(lock_s * 1000))

    @post("/acks", status_code=200, responses={207: ResponseSpec(AckOutcomes, description="Some leases are over")})
    async def acknowledge(
        self,
        request: AnyRequest,
        clients: Clients,
        leases: Leases,
        options: WebOptions,
        group: str,
        data: NewAcks,
    ) -> Response[AckOutcomes]:
        """Say what became of leased records. 409: the lease is over; 207: some of them are."""
        sasl = clients.cluster.login(request.headers.get("authorization", ""))
        tokens = [token_of(each.lease) for each in data.acks]
        outcomes: list[Any] = [UNSET] * len(tokens)
        ours: list[int] = []
        elsewhere: dict[str, list[int]] = {}
        for index, token in enumerate(tokens):
            is_passed_on = PASSED_ON in request.headers
            if token.process == options.advertised or is_passed_on or token.process not in options.peers:
                ours.append(index)
            else:
                elsewhere.setdefault(token.process, []).append(index)
        said = [Said(tokens[index], Ack[data.acks[index].how.name]) for index in ours]
        for index, outcome in zip(ours, await leases.settle(sasl, group, said), strict=True):
            if outcome is not None:
                outcomes[index] = of_refusal(outcome) if isinstance(outcome, Refusal) else of_problem(outcome)
        passed = [
            _pass_on(request, peer, [data.acks[index] for index in indexes]) for peer, indexes in elsewhere.items()
        ]
        for indexes, found in zip(elsewhere.values(), await asyncio.gather(*passed), strict=True):
            for index, problem in zip(indexes, found, strict=True):
                outcomes[index] = problem
        answer = AckOutcomes([AckOutcome(each.lease, outcomes[i]) for i, each in enumerate(data.acks)])
        problems = [each for each in outcomes if each is not UNSET]
        if len(problems) == len(outcomes):
            raise of_several(problems, acks=answer.acks)
        return Response(answer, status_code=207 if problems else 200)


async def _pass_on(request: AnyRequest, peer: str, acks: list[NewAck]) -> list[Any]:
    """What became of each at the web process that lent them. One that is not there has given them back."""
    headers = {"content-type": "application/json", PASSED_ON: "1"}
    if authorization := request.headers.get("authorization"):
        headers["authorization"] = authorization
    try:
        async with httpx.AsyncClient(trust_env=False, timeout=PEER_TIMEOUT_S) as http:
            answer = await http.post(
                f"{peer.rstrip('/')}{request.url.path}", content=msgspec.json.encode(NewAcks(acks)), headers=headers
            )
        found = msgspec.json.decode(answer.content, type=AckOutcomes)
        return [each.problem for each in found.acks]
    except httpx.ConnectError:
        problem = Problem(409, "lease-gone", "The web process that lent the record is gone: it is lent to others")
    except (httpx.HTTPError, msgspec.MsgspecError) as error:
        problem = Problem(502, "peer-silent", f"The web process that lent the record does not answer: {error}")
    return [of_problem(problem)] * len(acks)
