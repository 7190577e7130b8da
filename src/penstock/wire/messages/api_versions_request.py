# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.primitives import Codec, Message


class ApiVersionsRequest(Message, gc=False):
    api_key = 18
    versions = (0, 4)
    flexible_from = 3
    codec = Codec("api_versions_request")
    client_software_name: str = ""
    client_software_version: str = ""
