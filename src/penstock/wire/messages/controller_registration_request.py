# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import ZERO_UUID, Codec, Message


class Listener(msgspec.Struct, gc=False):
    name: str = ""
    host: str = ""
    port: int = 0
    security_protocol: int = 0


class Feature(msgspec.Struct, gc=False):
    name: str = ""
    min_supported_version: int = 0
    max_supported_version: int = 0


class ControllerRegistrationRequest(Message, gc=False):
    api_key = 70
    versions = (0, 0)
    flexible_from = 0
    codec = Codec("controller_registration_request")
    controller_id: int = 0
    incarnation_id: bytes = ZERO_UUID
    zk_migration_ready: bool = False
    listeners: list[Listener] = msgspec.field(default_factory=list)
    features: list[Feature] = msgspec.field(default_factory=list)
