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


class BrokerRegistrationRequest(Message, gc=False):
    api_key = 62
    versions = (0, 4)
    flexible_from = 0
    codec = Codec("broker_registration_request")
    broker_id: int = 0
    cluster_id: str = ""
    incarnation_id: bytes = ZERO_UUID
    listeners: list[Listener] = msgspec.field(default_factory=list)
    features: list[Feature] = msgspec.field(default_factory=list)
    rack: str | None = ""
    is_migrating_zk_broker: bool = False
    log_dirs: list[bytes] = msgspec.field(default_factory=list)
    previous_broker_epoch: int = -1
