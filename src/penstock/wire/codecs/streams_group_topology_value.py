# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.streams_group_topology_value import (
    CopartitionGroup,
    StreamsGroupTopologyValue,
    Subtopology,
    TopicConfig,
    TopicInfo,
)
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    StreamsGroupTopologyValue,
    {
        TopicConfig: (
            Field("key", "string"),
            Field("value", "string"),
        ),
        TopicInfo: (
            Field("name", "string"),
            Field("partitions", "int32"),
            Field("replication_factor", "int16"),
            Field("topic_configs", "[]TopicConfig"),
        ),
        Subtopology: (
            Field("subtopology_id", "string"),
            Field("source_topics", "[]string"),
            Field("source_topic_regex", "[]string"),
            Field("state_changelog_topics", "[]TopicInfo"),
            Field("repartition_sink_topics", "[]string"),
            Field("repartition_source_topics", "[]TopicInfo"),
            Field("copartition_groups", "[]CopartitionGroup"),
        ),
        CopartitionGroup: (
            Field("source_topics", "[]int16"),
            Field("source_topic_regex", "[]int16"),
            Field("repartition_source_topics", "[]int16"),
        ),
        StreamsGroupTopologyValue: (
            Field("epoch", "int32"),
            Field("subtopologies", "[]Subtopology"),
        ),
    },
)
