# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.primitives import Codec, Message


class StreamsGroupTopologyKey(Message, gc=False):
    api_key = 23
    versions = (0, 0)
    flexible_from = None
    codec = Codec("streams_group_topology_key")
    group_id: str = ""
