# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.primitives import Codec, Message


class ControlRecordTypeSchema(Message, gc=False):
    versions = (0, 0)
    flexible_from = None
    codec = Codec("control_record_type_schema")
    type: int = 0
