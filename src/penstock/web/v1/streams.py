"""A topic as a stream: server-sent events, which a browser's EventSource resumes by itself, and a WebSocket."""

from typing import Annotated, Any, Final

from litestar import Controller, Request, Response, WebSocket, get, websocket
from litestar.params import HeaderParameter, QueryParameter
from litestar.response.base import ASGIResponse
from litestar.types import Receive, Scope, Send

from penstock.errors import Refusal
from penstock.web import live
from penstock.web.clients import Clients
from penstock.web.guard import deny
from penstock.web.places import CURSOR_MAX, LATEST, begin_of
from penstock.web.problems import Problem, of_problem, of_refusal
from penstock.web.v1.records import Start

Partition = Annotated[int, QueryParameter(ge=0, le=0x7FFFFFFF)]
GOING_AWAY: Final = 1001


class EventStream(ASGIResponse):
    """Sends what `run` does, for as long as it does."""

    def __init__(self, run: Any) -> None:
        super().__init__()
        self._run = run

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._run(receive, send)


class Events(Response[bytes]):
    def __init__(self, run: Any) -> None:
        super().__init__(b"", media_type="text/event-stream")
        self._run = run

    def to_asgi_response(self, *_: Any, **__: Any) -> ASGIResponse:
        return EventStream(self._run)


class Streams(Controller):
    path = "/topics/{topic:str}"

    @get("/events", media_type="text/event-stream")
    async def server_sent_events(
        self, request: Request[Any, Any, Any], clients: Clients, streams: live.Streams, topic: str,
        start: Start = LATEST, partition: Partition | None = None, as_json: bool = False, committed: bool = True,
        last_event_id: Annotated[str | None, HeaderParameter(name="last-event-id", max_length=CURSOR_MAX)] = None,
    ) -> Events:  # fmt: skip
        """Records as they are written. An event's id is a cursor; Last-Event-ID resumes exactly behind that record."""
        sasl = clients.cluster.login(request.headers.get("authorization", ""))
        async with clients.lent(sasl) as login:
            begin = await begin_of(login.client, topic, last_event_id or start, partition)
        streams.take_place()

        async def run(receive: Receive, send: Send) -> None:
            try:
                headers = [(b"content-type", b"text/event-stream"), (b"cache-control", b"no-store")]
                await send({"type": "http.response.start", "status": 200, "headers": headers})

                async def tell(event: live.Event) -> None:
                    await send({"type": "http.response.body", "body": live.as_sse(event), "more_body": True})

                async with clients.lent(sasl) as login:
                    found = live.events(login, begin, as_json=as_json, committed=committed)
                    is_there = await streams.run(found, tell, _gone(receive, "http.disconnect"))
                if is_there:
                    await send({"type": "http.response.body", "body": b"", "more_body": False})
            finally:
                streams.count -= 1

        return Events(run)

    @websocket("/socket")
    async def socket(
        self, socket: WebSocket[Any, Any, Any], clients: Clients, streams: live.Streams, topic: str,
        start: Start = LATEST, partition: Partition | None = None, as_json: bool = False, committed: bool = True,
    ) -> None:  # fmt: skip
        """The same as JSON messages: {"type": "record", "cursor": ..., "record": {...}}. Resume with from=CURSOR."""
        has_place = False
        try:
            sasl = clients.cluster.login(socket.headers.get("authorization", ""))
            async with clients.lent(sasl) as login:
                begin = await begin_of(login.client, topic, start, partition)
                streams.take_place()
                has_place = True
                await socket.accept()

                async def tell(event: live.Event) -> None:
                    await socket.send_data(live.as_message(event).decode())

                found = live.events(login, begin, as_json=as_json, committed=committed)
                if await streams.run(found, tell, _gone(socket.receive, "websocket.disconnect")):
                    await socket.close(GOING_AWAY)
        except Problem as problem:
            await deny(socket.send, of_problem(problem))
        except Refusal as refusal:
            await deny(socket.send, of_refusal(refusal))
        finally:
            streams.count -= has_place


async def _gone(receive: Receive, word: str) -> None:
    while (await receive())["type"] != word:
        pass
