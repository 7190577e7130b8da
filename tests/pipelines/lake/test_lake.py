"""Topics into real Iceberg tables: every record once, whatever it holds and however the runs end."""

from __future__ import annotations

import io
import json
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import structlog
from fastavro import parse_schema, schemaless_writer
from google.protobuf import descriptor_pool, message_factory
from google.protobuf.descriptor_pb2 import DescriptorProto, FileDescriptorProto, FileDescriptorSet
from tests.pipelines.decode.orders import AT, DESCRIPTORS, FDP, FRAME, an_order, field
from tests.pipelines.jobs.topics import committed
from tests.pipelines.lake.conftest import Lake, Topic
from tests.support.topics import add_partitions, delete, until_known, write_in_transaction

from penstock.pipelines.jobs.copying.offset_ranges import OffsetRange
from penstock.pipelines.jobs.copying.sources import TableSource
from penstock.pipelines.jobs.lake import plan, run, worker
from penstock.pipelines.jobs.lake.commits import CommittedByAnother, LakeTable
from penstock.pipelines.jobs.ranges import read_ranges
from penstock.pipelines.problems import PipelineProblem
from penstock.pipelines.running import Plan

DAY_MS = 24 * 3600 * 1000


def orders(count: int, **more: Any) -> list[Any]:
    return [{"id": n, "amount": n / 2, **more} for n in range(count)]


def progress(lake: Lake, topic: Topic) -> list[int]:
    return committed(topic.bootstrap, f"spark.lake.{lake.catalog}.shop.orders", topic.name, topic.partitions)


@pytest.mark.parametrize("source", ["kafka", "penstock"])
def test_rows_in_are_rows_out_once_and_a_second_run_adds_only_what_is_new(
    lake: Lake, queue: Any, topic: Topic, source: str
) -> None:
    topic.write([*orders(8), b"{not json", None])
    first = lake.fill(topic, reader=source, batch_records_max=6)
    assert (first.rows_in, first.rows_out, first.bad_rows) == (10, 9, 1)
    topic.write(orders(4))
    second = lake.fill(topic, reader=source)
    assert (second.rows_out, second.bad_rows) == (4, 0)
    everything = [(partition, offset) for partition in (0, 1) for offset in range(7)]
    dead = lake.places("orders_dead_letters")
    assert dead == [(0, 4)]
    assert sorted([*lake.places(), *dead]) == everything
    assert lake.dead().first().record_error == "not JSON"  # type: ignore[union-attr]
    assert {row.id for row in lake.table().where("id IS NOT NULL").collect()} == set(range(8))


def test_columns_are_added_and_a_field_of_another_type_is_a_dead_letter(lake: Lake, topic: Topic) -> None:
    topic.write(orders(4))
    lake.fill(topic)
    topic.write([*orders(2, note="new", where={"city": "Bern"}), {"id": "four"}, {"ID": 90}])
    summary = lake.fill(topic)
    assert (summary.rows_out, summary.bad_rows, summary.respelled_rows) == (3, 1, 1)
    assert lake.table().where("where.city = 'Bern'").count() == 2 and lake.table().where("id = 90").count() == 1
    # A record that does not fit takes nothing of the others with it.
    topic.write([{"where": 5}, {"where": {"zip": 3000}}, {"where": {"City": "Thun"}}, {"id": 1, "ID": 2}])
    summary = lake.fill(topic)
    assert (summary.rows_out, summary.bad_rows, summary.respelled_rows) == (2, 2, 1)
    assert lake.table().where("where.zip = 3000 OR where.city = 'Thun'").count() == 2
    assert {row.record_error for row in lake.dead().collect()} == {
        "does not fit the schema: id is no BIGINT",
        "does not fit the schema: where is no STRUCT<CITY:STRING,ZIP:BIGINT>",
        "id is there in two spellings",
    }


def test_one_stray_record_in_the_first_batch_diverts_no_other(lake: Lake, topic: Topic) -> None:
    topic.write([*({"id": n, "": n} for n in range(1_000)), {"ID": 1_000}, {"id": "text"}])
    summary = lake.fill(topic)
    assert (summary.rows_out, summary.bad_rows, summary.respelled_rows) == (1_001, 1, 1)
    assert {row.id for row in lake.table().collect()} == set(range(1_001))
    assert lake.table().where("data_ IS NOT NULL").count() == 1_000, "the field without a name"
    assert lake.dead().first().record_error == "does not fit the schema: id is no BIGINT"  # type: ignore[union-attr]


def test_a_batch_of_too_many_dead_letters_ends_the_run_and_leaves_no_trace(lake: Lake, topic: Topic) -> None:
    topic.write([{"id": str(n) if n % 50 == 0 else n} for n in range(1_000)])
    with pytest.raises(PipelineProblem, match=r"20 of 1,000 rows .* 2\.0%; 1 % are allowed\n.*id is no BIGINT \(20\)"):
        lake.fill(topic)
    for name in ("orders", "orders_dead_letters"):
        assert not lake.spark.catalog.tableExists(f"{lake.catalog}.shop.{name}"), "else --schema would not fit it"
    lake.fill(topic, max_dead_letters=2)
    assert (lake.table().count(), lake.dead().count()) == (980, 20)
    # In a table that is there: nothing of the batch is seen, and the next run reads it again.
    topic.write([{"id": str(n)} for n in range(1_000)])
    for evolving in ({"evolve": False}, {}):
        with pytest.raises(PipelineProblem, match="1,000 of 1,000 rows"):
            lake.fill(topic, **evolving)
    assert (lake.table().count(), lake.dead().count()) == (980, 20) and sum(progress(lake, topic)) == 1_000
    assert lake.fill(topic, max_dead_letters=100).bad_rows == 1_000
    assert lake.dead().count() == 1_020


def test_batches_are_cut_by_bytes_and_large_records_make_more_of_them(lake: Lake, topic: Topic) -> None:
    topic.write([{"id": n, "text": "x" * 1_000} for n in range(400)])
    summary = lake.fill(topic, batch_bytes_max=210_000, schema="id BIGINT")
    assert (summary.rows_out, summary.batches) == (400, 2)


def test_a_given_schema_widens_the_table_and_one_that_cannot_is_refused(lake: Lake, topic: Topic) -> None:
    def dry(schema: str) -> Plan:
        return plan(lake.options(topic, schema=schema), lake.spark)

    topic.write([{"id": 1}])
    lake.fill(topic, schema="id INT")
    topic.write([{"id": 2**40, "who": "Ada"}])
    lake.fill(topic, schema="id BIGINT, who STRING")
    assert {(row.id, row.who) for row in lake.table().collect()} == {(1, None), (2**40, "Ada")}
    # Also where nothing waits to be read.
    for schema, words in {
        "id WRONG": r"Spark does not understand the schema: .*WRONG",
        "id STRING": "id is BIGINT there and STRING here",
        "id BIGINT, Who STRING": "Who is a column but for its case",
        "id BIGINT, who STRING, WHO STRING": "cannot be used: WHO is a column but for its case",
    }.items():
        for asked in (lambda schema: lake.fill(topic, schema=schema), dry):
            with pytest.raises(PipelineProblem, match=words):
                asked(schema)
    with pytest.raises(PipelineProblem, match="the schema has no field at"):
        plan(lake.options(topic, table="shop.new", schema="id BIGINT", event_time="at"), lake.spark)
    assert lake.table().count() == 2


def test_late_data_lands_in_the_day_of_its_event(lake: Lake, topic: Topic) -> None:
    topic.write([{"id": 1, "at": 10 * DAY_MS}, {"id": 2, "at": "1970-01-03T05:00:00Z"}], timestamp_ms=20 * DAY_MS)
    lake.fill(topic, schema="id INT, at STRING", event_time="at")
    topic.write([{"id": 3, "at": "1970-01-03T23:59:59Z"}, {"id": 4}], timestamp_ms=21 * DAY_MS)
    lake.fill(topic, schema="id INT, at STRING", event_time="at")
    days = {row.id: str(row.day) for row in lake.table().selectExpr("id", "date(record_event_time) day").collect()}
    assert days == {2: "1970-01-03", 3: "1970-01-03", 4: "1970-01-22"}
    assert lake.dead().first().record_error == "event time: at is no time: 864000000"  # type: ignore[union-attr]
    partitions = lake.table("orders.partitions").collect()
    assert sorted(row.record_count for row in partitions) == [1, 2]


def test_raw_keeps_keys_values_headers_and_tombstones(lake: Lake, topic: Topic) -> None:
    topic.write([b"\x00\xff", None])
    lake.fill(topic, mode="raw", partition_by="none")
    rows = {row.record_partition: row.value for row in lake.table().collect()}
    assert rows == {0: bytearray(b"\x00\xff"), 1: None}
    replayed = TableSource(lake.spark, f"{lake.catalog}.shop.orders")
    assert replayed.begins() == {0: 0, 1: 0} and replayed.ends() == {0: 1, 1: 1}
    (record,) = replayed.read((OffsetRange(0, 0, 1),)).collect()
    assert (record.key, record.value, record.from_topic) == (b"0", b"\x00\xff", topic.name)


def order(**fields: Any) -> dict[str, Any]:
    """A schema of Avro."""
    kinds = [{"name": name, "type": kind} for name, kind in fields.items()]
    return {"type": "record", "name": "Order", "fields": kinds}


def avro(schema: dict[str, Any], value: dict[str, Any]) -> bytes:
    out = io.BytesIO()
    schemaless_writer(out, parse_schema(schema), value)
    return out.getvalue()


def test_bare_avro_lands_by_the_schema_given_and_a_wider_one_adds_to_the_table(lake: Lake, topic: Topic) -> None:
    before, later = order(id="int", note=["null", "string"]), order(id="long", note=["null", "string"], paid="boolean")
    topic.write([avro(before, {"id": 1, "note": "n"}), avro(before, {"id": 2, "note": None}), b"\xff", None])
    first = lake.fill(topic, mode="avro", schema=json.dumps(before))
    assert (first.rows_in, first.rows_out, first.bad_rows) == (4, 3, 1)
    topic.write([avro(later, {"id": 2**40, "note": None, "paid": True})])
    assert lake.fill(topic, mode="avro", schema=json.dumps(later)).rows_out == 1
    assert {(row.id, row.note, row.paid) for row in lake.table().collect()} == {
        (1, "n", None), (2, None, None), (None, None, None), (2**40, None, True),
    }  # fmt: skip
    (letter,) = lake.dead().collect()
    assert letter.record_value == b"\xff" and letter.record_error.startswith("not Avro of its schema")


@pytest.mark.parametrize("prefix", [b"", FRAME])
def test_protobuf_lands_by_its_descriptors_in_the_day_of_its_event(lake: Lake, topic: Topic, prefix: bytes) -> None:
    topic.write([prefix + an_order().SerializeToString(), b"\xff\xff\xff", None])
    summary = lake.fill(
        topic, mode="protobuf", descriptors=DESCRIPTORS, message="shop.Order", framed=bool(prefix), event_time="at"
    )
    assert (summary.rows_in, summary.rows_out, summary.bad_rows) == (3, 2, 1)
    (row,) = lake.table().where("id IS NOT NULL").collect()
    assert (row.id, row.big, row.kind, row.raw, row.note) == (7, 2**64 - 1, "OLD", b"\x00\xff", None)
    assert ([line.asDict() for line in row.lines], row.counts) == ([{"sku": "x", "n": 3}], {"y": 4})
    assert {str(each.partition.record_event_time_day) for each in lake.table("orders.partitions").collect()} == {
        str(AT.date()), "2025-06-15",
    }  # fmt: skip
    assert [letter.record_value for letter in lake.dead().collect()] == [b"\xff\xff\xff"]


def with_empties() -> tuple[bytes, Any]:
    """Descriptors of an event with messages that have no fields, and one of it."""
    event = DescriptorProto(name="Event", field=[
        field(1, "id", FDP.TYPE_INT64),
        field(2, "done", FDP.TYPE_MESSAGE, of=".shop.Nothing"),
        field(3, "all", FDP.TYPE_MESSAGE, of=".shop.Nothing", repeated=True),
        field(4, "place", FDP.TYPE_MESSAGE, of=".shop.Place"),
        field(5, "within", FDP.TYPE_MESSAGE, of=".shop.Within"),
    ])  # fmt: skip
    place = DescriptorProto(
        name="Place", field=[field(1, "city", FDP.TYPE_STRING), field(2, "known", FDP.TYPE_MESSAGE, of=".shop.Nothing")]
    )
    within = DescriptorProto(name="Within", field=[field(1, "nothing", FDP.TYPE_MESSAGE, of=".shop.Nothing")])
    kinds = [event, place, within, DescriptorProto(name="Nothing")]
    file = FileDescriptorProto(name="events.proto", package="shop", syntax="proto3", message_type=kinds)
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(file.SerializeToString())
    made: Any = message_factory.GetMessageClass(pool.FindMessageTypeByName("shop.Event"))()
    made.id, made.place.city = 7, "Bern"
    made.done.SetInParent()
    made.place.known.SetInParent()
    made.within.nothing.SetInParent()
    made.all.add()
    return FileDescriptorSet(file=[file]).SerializeToString(), made


def test_fields_of_types_without_fields_are_left_out_and_named(lake: Lake, topic: Topic) -> None:
    descriptors, event = with_empties()
    topic.write([event.SerializeToString(), None])
    options = {"mode": "protobuf", "descriptors": descriptors, "message": "shop.Event"}
    left_out = "leave out done, all, place.known, within: a type without fields has no column"
    assert left_out in plan(lake.options(topic, **options), lake.spark).steps
    with structlog.testing.capture_logs() as logs:
        summary = lake.fill(topic, **options, batch_records_max=1)
    assert (summary.rows_out, summary.bad_rows) == (2, 0)
    assert [each["fields"] for each in logs if each["event"] == "fields left out"] == [
        ["done", "all", "place.known", "within"]
    ]
    assert sorted(lake.table().columns)[:2] == ["id", "place"]
    (row,) = lake.table().where("id IS NOT NULL").collect()
    assert (row.id, row.place.asDict()) == (7, {"city": "Bern"})
    # A message that has nothing else, and other modes.
    bare = order(id="long", mark={"type": "record", "name": "Mark", "fields": []})
    others: dict[str, dict[str, Any]] = {
        "nothing": {**options, "message": "shop.Nothing"},
        "marks": {"mode": "avro", "schema": json.dumps(bare)},
        "objects": {"schema": "id BIGINT, mark STRUCT<>"},
    }
    for name, given in others.items():
        assert lake.fill(topic, table=f"shop.{name}", **given).rows_in == 2


def test_framed_avro_takes_its_columns_from_the_schemas_that_records_name(
    lake: Lake, topic: Topic, tmp_path: Path
) -> None:
    schemas: dict[int, Any] = {
        7: order(id="int"),
        8: order(id="long", note=["null", "string"], at={**order(city="string"), "name": "At"}),
        10: order(ID="long"),
        11: order(id="long", at={**order(City="string"), "name": "At"}),
    }
    for number, schema in schemas.items():
        (tmp_path / f"{number}.avsc").write_text(json.dumps(schema))

    def framed(number: int, value: dict[str, Any]) -> bytes:
        return b"\x00" + number.to_bytes(4, "big") + avro(schemas[number], value)

    topic.write([framed(7, {"id": 1}), b"\x00\x00\x00\x00\x09x"])
    lake.fill(topic, mode="avro", framed=True, registry=str(tmp_path))
    new = framed(8, {"id": 2**40, "note": "n", "at": {"city": "Bern"}})
    topic.write([new, framed(10, {"ID": 2}), framed(11, {"id": 3, "at": {"City": "Thun"}})])
    summary = lake.fill(topic, mode="avro", framed=True, registry=str(tmp_path))
    assert summary.respelled_rows == 2
    found = {(row.id, row.note, row.at and row.at.city) for row in lake.table().collect()}
    assert found == {(1, None, None), (2**40, "n", "Bern"), (2, None, None), (3, None, "Thun")}
    assert {row.record_error for row in lake.dead().collect()} == {"schema 9 is not in the schema folder"}


@pytest.mark.parametrize("source", ["kafka", "penstock"])
def test_records_of_aborted_transactions_do_not_land_and_markers_hold_nothing_up(
    lake: Lake, queue: Any, topic: Topic, source: str
) -> None:
    for commit in (True, False):
        values = [json.dumps({"id": n, "kept": commit}).encode() for n in range(3)]
        write_in_transaction(
            topic.bootstrap, topic.name, values, transactional_id=queue.fresh("t"), commit=commit, partition=1
        )
    assert lake.fill(topic, reader=source).rows_in == 3
    assert {(row.id, row.kept) for row in lake.table().collect()} == {(n, True) for n in range(3)}
    assert lake.fill(topic, reader=source).batches == 0


def test_of_two_runs_that_began_at_the_same_place_one_commits(lake: Lake, topic: Topic) -> None:
    topic.write(orders(2))
    lake.fill(topic)
    table = LakeTable(lake.spark, f"{lake.catalog}.shop.orders", "lake")
    rows, following = lake.table().limit(1), table.progress().advanced({})
    table.append(rows, following)
    with pytest.raises(CommittedByAnother):
        table.append(rows, following)
    # Between staging and publishing somebody else may write: the progress must be found all the same.
    lake.table().limit(1).writeTo(f"{lake.catalog}.shop.orders").append()
    assert table.progress() == following
    table.append(rows, following.advanced({}))
    assert table.progress() == following.advanced({})
    assert lake.table().count() == 5


def test_bad_rows_are_buried_once_when_a_run_dies_before_the_good_ones(lake: Lake, topic: Topic) -> None:
    topic.write([*orders(3), b"bad"])
    lake.dies_before_the_good_ones(topic, schema="id BIGINT")
    assert lake.places("orders_dead_letters") == [(1, 1)]
    # Even under another schema, by which other rows are bad: each record is in one of the tables.
    lake.fill(topic, schema="id BIGINT, amount BIGINT")
    assert lake.places() == []
    assert lake.places("orders_dead_letters") == [(0, 0), (0, 1), (1, 0), (1, 1)]


def test_upkeep_leaves_the_rows_and_the_progress(lake: Lake, topic: Topic) -> None:
    for _ in range(3):
        topic.write(orders(2))
        lake.fill(topic)
    topic.write(orders(2))
    lake.fill(topic, compact_every=1, expire_after_s=0.0, snapshots_min=1)
    assert lake.table("orders.snapshots").count() == 1
    assert lake.table("orders.files").count() == 1
    assert lake.fill(topic).rows_in == 0
    assert lake.table().count() == 8


def test_a_table_that_is_rolled_back_gets_its_rows_again(lake: Lake, topic: Topic) -> None:
    topic.write(orders(2))
    lake.fill(topic)
    table = LakeTable(lake.spark, f"{lake.catalog}.shop.orders", "lake")
    before = table.java().currentSnapshot().snapshotId()
    topic.write(orders(2))
    lake.fill(topic)
    table.java().manageSnapshots().rollbackTo(before).commit()
    assert lake.fill(topic).rows_in == 2
    assert lake.places() == [(0, 0), (0, 1), (1, 0), (1, 1)]


def test_partitions_that_are_added_are_read_and_a_topic_made_anew_is_refused(lake: Lake, topic: Topic) -> None:
    topic.write(orders(2))
    lake.fill(topic)
    add_partitions(topic.bootstrap, topic.name, 3)
    topic.partitions = 3
    topic.write(orders(3))
    assert lake.fill(topic).rows_in == 3
    delete(topic.bootstrap, topic.name)
    until_known(topic.admin, topic.name, 0)
    with pytest.raises(PipelineProblem, match="no topic"):
        lake.fill(topic)
    topic.create()
    topic.write(orders(9))
    with pytest.raises(PipelineProblem, match="created anew"):
        lake.fill(topic)
    assert lake.table().count() == 5
    assert lake.fill(topic, accept_new_topic=True).rows_in == 9


@pytest.mark.parametrize("options", [{"mode": "raw"}, {"schema": "id BIGINT"}])
def test_records_of_a_topic_made_anew_in_the_middle_of_a_batch_do_not_pass_for_the_formers(
    lake: Lake, penstock_queue: Any, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any]
) -> None:
    topic = Topic(penstock_queue.bootstrap, penstock_queue.fresh("orders"), partitions=1)
    topic.write([{"id": 1}, {"id": 2}])
    lake.fill(topic, **options)
    topic.write([{"id": 3}, b"bad"])

    def read_late(*arguments: Any, **more: Any) -> Any:
        monkeypatch.undo()
        delete(topic.bootstrap, topic.name)
        topic.create()
        topic.write([*orders(3), b"bad", {"id": 4}])
        return read_ranges(*arguments, **more)

    monkeypatch.setattr(worker, "read_ranges", read_late)
    with pytest.raises(PipelineProblem, match="deleted and created anew"):
        lake.fill(topic, **options)
    assert lake.table().count() == 2
    again = lake.fill(topic, accept_new_topic=True, **options)
    assert again.rows_in == 5 == lake.table().count() - 2 + again.bad_rows


def test_a_stop_is_after_the_batch_under_way_and_the_next_run_lands_the_rest(lake: Lake, topic: Topic) -> None:
    topic.write(orders(9))
    stopping = threading.Event()
    watcher = SimpleNamespace(batch=lambda _: stopping.set())
    options = lake.options(topic, mode="raw", batch_records_max=4)
    first = run(options, spark=lake.spark, watcher=watcher, stopping=stopping)
    assert (first.stopped, first.batches) == (True, 1) and 0 < first.rows_out < 9
    assert sum(progress(lake, topic)) == first.rows_out, "what lag tools see"
    second = run(options, spark=lake.spark)
    assert not second.stopped and first.rows_out + second.rows_out == len(set(lake.places())) == len(lake.places()) == 9


@pytest.mark.parametrize("mode", ["json", "raw"])
def test_a_job_that_begins_at_the_end_lands_what_comes_after_its_first_run(lake: Lake, topic: Topic, mode: str) -> None:
    topic.write(orders(3))
    options = {"mode": mode, "start": "latest", "evolve": False}
    assert lake.fill(topic, **options).rows_in == 0
    topic.write(orders(4))
    assert lake.fill(topic, **options).rows_out == 4
    assert sum(progress(lake, topic)) == 7
    assert lake.places() == [(0, 2), (0, 3), (1, 1), (1, 2)]
    assert mode == "raw" or {row.id for row in lake.table().collect()} == set(range(4))


def test_a_plan_says_what_would_be_read_and_writes_nothing(lake: Lake, topic: Topic) -> None:
    topic.write(orders(5))
    steps = "\n".join(plan(lake.options(topic, batch_records_max=2), lake.spark).steps)
    assert "create" in steps and "5 offsets to read in 3 batches" in steps
    assert not lake.spark.catalog.tableExists(f"{lake.catalog}.shop.orders")
