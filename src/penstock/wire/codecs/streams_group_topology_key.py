# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.streams_group_topology_key import StreamsGroupTopologyKey
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    StreamsGroupTopologyKey,
    {
        StreamsGroupTopologyKey: (Field("group_id", "string"),),
    },
)
