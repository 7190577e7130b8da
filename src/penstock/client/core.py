"""The client without its sockets: asks the right brokers, and asks again where that helps.

Every public operation is an `async def` that is given a Core and goes through `scatter` (many things, each with its own
place and its own outcome) or `routed` (one question). Drivers run it: see penstock.client.blocking and .aio.
"""

from collections.abc import Callable, Coroutine, Hashable, Iterable, Mapping
from typing import Any, TypeVar

from penstock.client.metadata import Metadata
from penstock.client.network import Connector, Network, Node, NotConnected, Request
from penstock.client.outcomes import Outcomes, one, refusal, require_ok
from penstock.client.routing import COORDINATOR_KINDS, ROUTES, Route, Where, may_ask_again
from penstock.client.settings import ClientSettings
from penstock.client.tasks import Scheduler
from penstock.errors import Refusal, UnknownServerError
from penstock.model import Clock, TopicPartition
from penstock.wire.api import ApiKey
from penstock.wire.messages.find_coordinator_request import FindCoordinatorRequest
from penstock.wire.messages.find_coordinator_response import FindCoordinatorResponse
from penstock.wire.messages.metadata_request import MetadataRequest, MetadataRequestTopic
from penstock.wire.messages.metadata_response import MetadataResponse

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")

Place = str | int | TopicPartition | None
"""What an API's row in the routing table wants to know: a group or transactional id, a broker's id, a partition."""


class Core:
    def __init__(self, settings: ClientSettings, clock: Clock, connector: Connector) -> None:
        self.settings = settings
        self.clock = clock
        self.scheduler = Scheduler(clock)
        self.network = Network(self.scheduler, connector, settings)
        self.metadata = Metadata()
        self._bootstrap = [Node(-1 - index, host, port) for index, (host, port) in enumerate(settings.bootstrap)]
        self._not_found: dict[tuple[int, str], Refusal] = {}
        """Why the coordinator of an id was not to be had when last asked for."""

    @property
    def timeout_ms(self) -> int:
        """How long a broker may take with what it has to do for others first."""
        return int(self.settings.timeout_s * 1000)

    # One broker -----------------------------------------------------------------------------------------------------

    async def ask(self, node: Node | None, request: Request, *, checked: bool = True, **how: Any) -> Any:
        """The answer of this broker, or of any. `checked`: what the answer as a whole was refused with is raised.

        A write is waited for as long as the operation may last: who gives up on one never learns what became of it.
        """
        key: Any = how.get("api_key", getattr(request, "api_key", None))
        if key in ROUTES and not ROUTES[key].reads:
            how.setdefault("timeout_s", self.settings.timeout_s)
        answer = await (self._ask_any(request, **how) if node is None else self.network.ask(node, request, **how))
        if checked:
            require_ok(answer)
        return answer

    async def _ask_any(self, request: Request, **how: Any) -> Any:
        reasons = []
        for node in self._candidates():
            try:
                return await self.network.ask(node, request, **how)
            except NotConnected as error:
                reasons.append(str(error))
        raise NotConnected("; ".join(dict.fromkeys(reasons)))

    def _candidates(self) -> list[Node]:
        """Those that are connected first; the bootstrap addresses last, for when all that was known is gone."""
        known = sorted(self.metadata.brokers.values(), key=lambda node: not self.network.is_connected(node))
        return list({(node.host, node.port): node for node in reversed([*known, *self._bootstrap])}.values())[::-1]

    async def routed(self, request: Any, at: Place = None, *, api: ApiKey | None = None, **how: Any) -> Any:
        """The answer of whoever the API's row says, asked again for as long as that makes sense."""

        async def ask(node: Node | None, _: list[Place]) -> Mapping[Place, Any]:
            return {at: await self.ask(node, request, **how)}

        return one(await self.scatter(ApiKey(request.api_key) if api is None else api, [at], ask))

    # Many things ----------------------------------------------------------------------------------------------------

    async def scatter(
        self,
        api: ApiKey,
        keys: Iterable[K],
        ask: Callable[[Node | None, list[K]], Coroutine[Any, Any, Mapping[K, T | Refusal]]],
        *,
        place: Callable[[K], Any] = lambda key: key,
        patiently: bool = True,
    ) -> Outcomes[K, T]:
        """An outcome for each key: each broker is asked once for all of its keys, all brokers at the same time.

        What is refused for a while (a leader moved, a coordinator loads) is placed anew and asked again until the
        operation's time is over, unless `patiently` is off. What `ask` raises is the outcome of all keys it was given.
        """
        route = ROUTES[api]
        deadline_s = self.clock.monotonic() + self.settings.timeout_s
        pause_s, attempt = self.settings.retry_pause_s, 1
        outcomes: dict[K, T | Refusal] = {}
        left = wanted = list(dict.fromkeys(keys))
        while left:
            outcomes |= await self._round(route, left, ask, place, deadline_s)
            left = [key for key in left if self._is_worth_another(route, outcomes[key], attempt)]
            if not left or not patiently or self.clock.monotonic() + pause_s >= deadline_s:
                break
            for key in left:
                self._doubt(route, place(key))
            await self.scheduler.pause(pause_s)
            pause_s = min(2 * pause_s, self.settings.retry_pause_s_max)
            attempt += 1
        return Outcomes({key: outcomes[key] for key in wanted})

    async def _round(
        self,
        route: Route,
        keys: list[K],
        ask: Callable[[Node | None, list[K]], Coroutine[Any, Any, Mapping[K, T | Refusal]]],
        place: Callable[[K], Any],
        deadline_s: float,
    ) -> dict[K, T | Refusal]:
        nodes = await self._placed(route, [place(key) for key in keys], deadline_s)
        outcomes: dict[K, T | Refusal] = {}
        parts: dict[Node | None, list[K]] = {}
        for key, node in zip(keys, nodes, strict=True):
            if isinstance(node, Refusal):
                outcomes[key] = node
            else:
                parts.setdefault(node, []).append(key)
        answers = await self.scheduler.together(
            self._before(deadline_s, ask(node, some)) for node, some in parts.items()
        )
        for some, answer in zip(parts.values(), answers, strict=True):
            for key in some:
                if isinstance(answer, Refusal):
                    outcomes[key] = answer
                else:
                    outcomes[key] = answer[key] if key in answer else UnknownServerError(f"nothing was said of {key}")
        return outcomes

    async def _before(self, deadline_s: float, coroutine: Coroutine[Any, Any, T]) -> T:
        task = self.scheduler.start(coroutine)
        left_s = max(deadline_s - self.clock.monotonic(), 0.0)
        try:
            return await self.scheduler.within(left_s, task, doing="the cluster")
        except BaseException:
            task.cancel()
            raise

    def _is_worth_another(self, route: Route, outcome: object, attempt: int) -> bool:
        return isinstance(outcome, Refusal) and may_ask_again(route, outcome, attempt)

    # Places ---------------------------------------------------------------------------------------------------------

    async def _placed(self, route: Route, places: list[Any], deadline_s: float) -> list[Node | Refusal | None]:
        try:
            await self._before(deadline_s, self._learn(route.where, places))
        except Refusal as error:
            return [error] * len(places)
        found: list[Node | Refusal | None] = []
        for place in places:
            try:
                found.append(self._node(route.where, place))
            except Refusal as error:
                found.append(error)
        return found

    async def _learn(self, where: Where, places: list[Any]) -> None:
        if where is Where.LEADER:
            await self.need_topics({place.topic for place in places})
        elif where in COORDINATOR_KINDS:
            await self._find_coordinators(COORDINATOR_KINDS[where], {place for place in places if place is not None})
        elif where is Where.BROKER:
            if any(place is not None and place not in self.metadata.brokers for place in places):
                await self.refresh([])
        elif where is Where.CONTROLLER and self.metadata.controller_id not in self.metadata.brokers:
            await self.refresh([])

    def _node(self, where: Where, place: Any) -> Node | None:
        if where is Where.LEADER:
            return self.metadata.leader_of(place)
        if where is Where.ANY or (place is None and where is not Where.CONTROLLER):
            return None
        if where is Where.CONTROLLER:
            return self.metadata.brokers.get(self.metadata.controller_id)
        if where is Where.BROKER:
            return self.node(place)
        node = self.metadata.coordinator_of(COORDINATOR_KINDS[where], place)
        if node is None:
            raise self._not_found.pop((COORDINATOR_KINDS[where], place), UnknownServerError("no coordinator"))
        return node

    def _doubt(self, route: Route, place: Any) -> None:
        if route.where is Where.LEADER:
            self.metadata.doubt(place.topic)
        elif route.where is Where.CONTROLLER:
            self.metadata.controller_id = -1
        elif place is not None and route.where in COORDINATOR_KINDS:
            self.metadata.doubt_coordinator(COORDINATOR_KINDS[route.where], place)

    # Metadata -------------------------------------------------------------------------------------------------------

    async def need_topics(self, topics: Iterable[str]) -> None:
        """Know of these topics what may be believed, asking only for those that are unknown, old or doubted."""
        now_s, age_s_max = self.clock.monotonic(), self.settings.metadata_age_s_max
        missing = [name for name in topics if not self.metadata.is_fresh(name, now_s=now_s, age_s_max=age_s_max)]
        if missing:
            await self.refresh(missing)

    async def refresh(self, topics: Iterable[str] | None, *, create: bool = False) -> MetadataResponse:
        """Ask for the brokers and these topics; None for all topics."""
        wanted = None if topics is None else [MetadataRequestTopic(name=name) for name in sorted(topics)]
        request = MetadataRequest(topics=wanted, allow_auto_topic_creation=create)
        answer: MetadataResponse = await self.ask(None, request, at_least=4)
        self.metadata.learn(answer, self.clock.monotonic())
        return answer

    def node(self, broker_id: int) -> Node:
        if broker_id not in self.metadata.brokers:
            raise NotConnected(f"broker {broker_id} is not there at the moment")
        return self.metadata.brokers[broker_id]

    async def broker_ids(self) -> list[int]:
        await self.refresh([])
        return sorted(self.metadata.brokers)

    async def _find_coordinators(self, kind: int, keys: set[str]) -> None:
        unknown = sorted(key for key in keys if self.metadata.coordinator_of(kind, key) is None)
        if not unknown:
            return
        answer: FindCoordinatorResponse = await self.ask(
            None, FindCoordinatorRequest(key_type=kind, coordinator_keys=unknown), at_least=4, checked=False
        )
        for each in answer.coordinators:
            if each.error_code:
                self._not_found[kind, each.key] = refusal(each.error_code, each.error_message)
            else:
                self.metadata.learn_coordinator(kind, each.key, Node(each.node_id, each.host, each.port))
