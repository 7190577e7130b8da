# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.primitives import Codec, Message


class DefaultPrincipalData(Message, gc=False):
    versions = (0, 0)
    flexible_from = 0
    codec = Codec("default_principal_data")
    type: str = ""
    name: str = ""
    token_authenticated: bool = False
