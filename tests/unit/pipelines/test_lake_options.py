"""What a user can say to `lake`, and what would go unheeded."""

from typing import Any

import pytest

from penstock.pipelines.jobs.lake import LakeOptions
from penstock.pipelines.problems import PipelineProblem


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"mode": "raw", "schema": "id BIGINT"}, "schema is for mode json or avro, not raw"),
        ({"mode": "json", "framed": True}, "framed is for mode avro or protobuf, not json"),
        ({"mode": "json", "registry": "http://localhost:8081"}, "registry is for mode avro, not json"),
        ({"mode": "avro", "schema": "{}", "message": "shop.Order"}, "message is for mode protobuf, not avro"),
        ({"mode": "avro", "schema": "{}", "framed": True}, "nowhere to find it"),
        ({"mode": "avro"}, "avro needs a schema"),
        ({"mode": "protobuf", "message": "shop.Order"}, "protobuf needs a descriptor set"),
        ({"max_dead_letters": 101.0}, "at most 0 to 100 percent, not 101"),
        ({"batch_bytes_max": 0}, "at least one byte"),
        ({"expire_after_s": 60.0}, "snapshots are expired at compactions, and there would be none"),
    ],
)
def test_what_would_go_unheeded_is_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(PipelineProblem, match=words):
        LakeOptions(bootstrap="h:1", topics=("orders",), table="shop.orders", **given)


@pytest.mark.parametrize("given", [{"compact_every": 5}, {"available_now": True}])
def test_snapshots_are_expired_at_compactions_or_at_the_end_of_a_run(given: dict[str, Any]) -> None:
    LakeOptions(bootstrap="h:1", topics=("orders",), table="shop.orders", expire_after_s=60.0, **given)
