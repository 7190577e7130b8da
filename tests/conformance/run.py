"""Run situations against one broker, and write down what it answered."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tests.conformance.compare import Fault
from tests.conformance.normalise import Normaliser
from tests.conformance.stagehand import Stagehand
from tests.conformance.table import (
    Ask,
    At,
    Body,
    Given,
    Id,
    Made,
    Raw,
    Reconnect,
    Records,
    Saved,
    Situation,
    Step,
    Topic,
    Until,
)
from tests.support.raw import ConnectionEnded, RawClient, TlsAlert, decode_response

Transcript = list[Any]
_CLOSED = {"connection": Fault("closed")}
_SILENT = {"answer": Fault("none")}
_SIDE_BY_SIDE = 4


class Stage:
    """The topics of one situation, for one version or for all of them."""

    def __init__(self, situation: Situation, versions: Sequence[int], stagehand: Stagehand) -> None:
        self.situation = situation
        self.versions = versions
        # The same on both brokers, so that what depends on a name (order, length) is the same too.
        title = f"{situation.api}/{situation.name}".encode()
        self.prefix = f"cf-{hashlib.sha1(title, usedforsecurity=False).hexdigest()[:8]}-{versions[0]}-"
        self.ids: dict[str, bytes] = {}
        self.broker = stagehand.broker
        self._stagehand = stagehand

    def topics(self) -> list[Topic]:
        return [each for each in self.situation.given if isinstance(each, Topic)]

    def play(self) -> dict[int, Transcript]:
        """The topics are there; the rest of what is given comes first, then each version's requests."""
        prepare = Run(self, self.versions[0], self._stagehand)
        prepare.go([each for each in self.situation.given if not isinstance(each, Topic)])
        asked = self.situation.asked
        return {version: Run(self, version, self._stagehand).go(asked) for version in self.versions}


class Run:
    """One version's requests, over one connection."""

    def __init__(self, stage: Stage, version: int, stagehand: Stagehand) -> None:
        self._stage = stage
        self._situation = stage.situation
        self._version = version
        self._stagehand = stagehand
        self._saved: dict[str, Any] = {}
        self._port = stagehand.port
        self._client = self._connect()
        self._normaliser = Normaliser(stage.prefix, stage.ids, self._saved)

    def go(self, steps: Sequence[Step]) -> Transcript:
        transcript: Transcript = []
        try:
            for step in steps:
                match step:
                    case Topic():
                        self._stage.ids |= self._stagehand.create(self._stage.prefix, [step])
                    case Records():
                        self._append(step)
                    case Given():
                        self._client.request(step.api, step.version, self._resolve(step.body))
                        self._stagehand.settle(step.api)
                    case Ask():
                        transcript.append(self._ask(step))
                        self._stagehand.settle(step.api or self._situation.api)
                    case Until():
                        self._wait(step)
                    case Raw():
                        transcript.append(self._raw(step))
                    case Reconnect():
                        self._reconnect()
                    case At(broker=broker):
                        self._port = self._stagehand.ports[broker]
                        self._reconnect()
        finally:
            self._client.close()
        return transcript

    def _connect(self) -> RawClient:
        return RawClient(self._port, timeout_s=self._patience_s)

    @property
    def _patience_s(self) -> float:
        """Where Kafka never answers, it is not waited for long; whoever answers may take long on a busy machine."""
        return self._situation.patience_s if self._stagehand.settles_later else max(self._situation.patience_s, 120.0)

    def _reconnect(self) -> None:
        self._client.close()
        self._client = self._connect()

    def _resolve(self, value: Any) -> Any:
        match value:
            case str() if value.startswith("$"):
                return self._stage.prefix + value[1:]
            case Id(topic=name):
                return self._stage.ids.setdefault(name, os.urandom(16))
            case Saved(name=name):
                return self._saved[name]
            case Made(make=make):
                return make(self._saved)
            case dict():
                return {key: self._resolve(each) for key, each in value.items()}
            case list():
                return [self._resolve(each) for each in value]
        return value

    def _append(self, given: Records) -> None:
        for batch in given.batches:
            partition = {"index": given.partition, "records": batch}
            body: Body = {"acks": -1, "timeout_ms": 10_000}
            body["topic_data"] = [{"name": self._stage.prefix + given.topic, "partition_data": [partition]}]
            answer = self._client.request("Produce", 12, body)["responses"][0]["partition_responses"][0]
            assert answer["error_code"] == 0, f"the table gives records that are refused: {answer}"

    def _ask(self, ask: Ask) -> Any:
        api = ask.api or self._situation.api
        version = self._version if ask.version is None else ask.version
        try:
            if not ask.answered:
                return self._ask_unanswered(api, version, ask)
            answer = self._client.request(api, version, self._resolve(ask.body))
        except ConnectionEnded:
            self._reconnect()
            return _CLOSED
        except TimeoutError:
            self._reconnect()
            return _SILENT
        for name, field in ask.save.items():
            self._saved[name] = answer[field]
        return self._normaliser.response(api, answer, literals=_strings(ask.body))

    def _wait(self, until: Until) -> None:
        deadline = time.monotonic() + self._patience_s
        while not until.holds(self._client.request(until.api, until.version, self._resolve(until.body))):
            assert time.monotonic() < deadline, f"{until.api} does not come to what it should"
            time.sleep(0.01)

    def _ask_unanswered(self, api: str, version: int, ask: Ask) -> Any:
        sent = self._client.send(api, version, self._resolve(ask.body))
        probe = self._client.send("ApiVersions", 0, {})
        frame = self._client.receive_frame()
        answered = int.from_bytes(frame[:4], "big")
        assert answered in (sent, probe), f"an answer to {answered}, which nobody asked"
        if answered == probe:
            decode_response("ApiVersions", 0, frame)
        return {"answered": answered == sent}

    def _raw(self, raw: Raw) -> Any:
        try:
            self._client.send_bytes(raw.make(self._version))
            frame = self._client.receive_frame()
        except ConnectionEnded:
            self._reconnect()
            return _CLOSED
        except TlsAlert:
            self._reconnect()
            return {"connection": "a TLS alert"}
        except TimeoutError:
            self._reconnect()
            return _SILENT
        if raw.answer is not None:
            return self._normaliser.response(raw.answer[0], decode_response(*raw.answer, frame)[1], literals=set())
        return {"frame": frame[4:].hex()}


def play(situations: Sequence[Situation], stagehand: Stagehand) -> dict[Situation, dict[int, Transcript]]:
    """All transcripts of all situations. Topics are made in few large requests: many small ones are slow in Kafka."""
    stages: list[Stage] = []
    for each in situations:
        groups = [list(each.runs())] if each.is_shared else [[version] for version in each.runs()]
        stages += [Stage(each, versions, stagehand) for versions in groups]
    stagehand.create_all([(stage.prefix, stage.topics(), stage.ids) for stage in stages])
    played: dict[Situation, dict[int, Transcript]] = {each: {} for each in situations}
    together = [stage for stage in stages if not stage.situation.alone]
    with ThreadPoolExecutor(_SIDE_BY_SIDE) as pool:
        for stage, transcripts in zip(together, pool.map(_play, together), strict=True):
            played[stage.situation] |= transcripts
    for stage in stages:
        if stage.situation.alone:
            played[stage.situation] |= _play(stage)
    return played


def _play(stage: Stage) -> dict[int, Transcript]:
    """A situation that cannot be played is a finding like any other: the broker's name makes it differ."""
    try:
        return stage.play()
    except Exception as fault:
        said = f"{stage.broker}: {type(fault).__name__}: {fault}"
        return {version: [{"fault": Fault(said)}] for version in stage.versions}


def _strings(value: Any) -> set[str]:
    match value:
        case str():
            return {value}
        case dict():
            return set().union(*(_strings(each) for each in value.values()))
        case list():
            return set().union(*(_strings(each) for each in value))
    return set()
