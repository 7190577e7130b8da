"""How far a stream has come, as Spark keeps it in a checkpoint.

    {"orders": {"0": 120, "1": 95}, "@ids": {"orders": "pVxk…"}, "@began": {"orders": {"0": 100, "1": 90}}}

The offsets have the form of Spark's kafka source; what is beside them begins with @, which no topic's name does. A
topic's id tells one that was deleted and made anew from its predecessor, whose offsets mean nothing any more. Where the
stream began is only in the first position: Spark keeps the end of a batch but not its start, and asks anew where to
begin when the first batch has to be repeated; "latest" would be another place by then, and what lies between, lost.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from penstock.model import PartitionIndex, TopicPartition

Offsets = Mapping[TopicPartition, int]


@dataclass(frozen=True)
class Position:
    offsets: Offsets
    ids: Mapping[str, str] = field(default_factory=dict)
    began: Offsets | None = None

    def to_json(self) -> dict[str, Any]:
        """Spark compares positions by their text: equal ones must come out equal, hence sorted."""
        plain: dict[str, Any] = dict(_nested(self.offsets))
        if self.ids:
            plain["@ids"] = dict(sorted(self.ids.items()))
        if self.began is not None:
            plain["@began"] = _nested(self.began)
        return plain

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> Position:
        began = plain.get("@began")
        return cls(
            _flat({topic: offsets for topic, offsets in plain.items() if not topic.startswith("@")}),
            dict(plain.get("@ids", {})),
            None if began is None else _flat(began),
        )


def _nested(offsets: Offsets) -> dict[str, dict[str, int]]:
    nested: dict[str, dict[str, int]] = {}
    for each, offset in sorted(offsets.items()):
        nested.setdefault(each.topic, {})[str(each.partition)] = offset
    return nested


def _flat(nested: Mapping[str, Mapping[str, int]]) -> dict[TopicPartition, int]:
    return {
        TopicPartition(topic, PartitionIndex(int(index))): int(offset)
        for topic, by_index in nested.items()
        for index, offset in by_index.items()
    }
