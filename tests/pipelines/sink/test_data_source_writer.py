"""What the driver does with rows that tasks have handed to it: format("penstock") without Spark around it."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from tests.pipelines.jobs.topics import create, order_of, read
from tests.support.topics import delete

from penstock.pipelines.problems import PipelineProblem
from penstock.pipelines.sink import data_source_writer
from penstock.pipelines.sink.data_source_writer import Carried, options_of, write_carried
from penstock.pipelines.sink.murmur2 import partition_of
from penstock.pipelines.sink.options import SinkOptions
from penstock.pipelines.sink.tasks import write_sorted
from penstock.pipelines.sink.work import Outcome

if TYPE_CHECKING:
    from tests.pipelines.conftest import Queue

T0 = datetime(2026, 1, 1, tzinfo=UTC)


def carried(task: int, numbers: range) -> Carried:
    rows = pa.table(
        {
            "key": pa.array([str(each % 5) for each in numbers]),
            "value": pa.array([str(each) for each in numbers]),
            "timestamp": pa.array([T0 + timedelta(milliseconds=each, microseconds=7) for each in numbers]),
        }
    )
    out = pa.BufferOutputStream()
    with pa.ipc.new_stream(out, rows.schema) as stream:
        stream.write_table(rows)
    return Carried(task, "q", out.getvalue().to_pybytes())


def test_rows_are_there_once_however_they_were_cut(queue: Queue) -> None:
    topic = create(queue.bootstrap, queue.fresh("carried"), 3)
    options, query = SinkOptions(queue.bootstrap, (topic,)), uuid.uuid4().hex
    # Tasks end in any order; what one was given first comes first.
    write_carried(options, query, 0, [carried(1, range(25, 50)), carried(0, range(25))], unknown=False)
    write_carried(
        options, query, 0, [carried(task, range(task * 10, task * 10 + 10)) for task in range(5)], unknown=False
    )
    write_carried(options, query, 1, [Carried(0, "q", b"")], unknown=False)
    write_carried(options, query, 2, [carried(0, range(50, 60))], unknown=False)
    found = read(queue.bootstrap, topic)
    assert order_of(found) == {str(key).encode(): list(range(key, 60, 5)) for key in range(5)}
    assert all(each.partition == partition_of(each.key, 3) for each in found)
    assert {each.timestamp_ms - int(each.value) for each in found} == {int(T0.timestamp() * 1000)}


def test_a_topic_made_anew_while_a_batch_is_written_is_told_and_gets_all_of_it(
    penstock_queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue = penstock_queue
    topic = create(queue.bootstrap, queue.fresh("carried"), 1)
    options, query = SinkOptions(queue.bootstrap, (topic,)), uuid.uuid4().hex

    def written(*arguments: Any, **more: Any) -> Iterator[Outcome]:
        yield from write_sorted(*arguments, **more)
        delete(queue.bootstrap, topic)
        create(queue.bootstrap, topic, 1)

    monkeypatch.setattr(data_source_writer, "write_sorted", written)
    with pytest.raises(PipelineProblem, match=f"{topic} was deleted and made anew while a batch was written"):
        write_carried(options, query, 0, [carried(0, range(10))], unknown=False)
    monkeypatch.undo()
    write_carried(options, query, 0, [carried(0, range(10))], unknown=False)
    assert [int(each.value) for each in read(queue.bootstrap, topic)] == list(range(10))


def test_options_are_those_of_spark() -> None:
    options = options_of({"bootstrap": "h:1", "topics": "a, b", "kafka.client.id": "x"})
    assert (options.bootstrap, options.topics, options.kafka) == ("h:1", ("a", "b"), {"client.id": "x"})
    with pytest.raises(PipelineProblem, match="the sink needs a topic"):
        options_of({"bootstrap": "h:1"})
