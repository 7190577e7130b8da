# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.alter_user_scram_credentials_response import (
    AlterUserScramCredentialsResponse,
    AlterUserScramCredentialsResult,
)
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    AlterUserScramCredentialsResponse,
    {
        AlterUserScramCredentialsResult: (
            Field("user", "string"),
            Field("error_code", "int16"),
            Field("error_message", "string", null_since=0),
        ),
        AlterUserScramCredentialsResponse: (
            Field("throttle_time_ms", "int32"),
            Field("results", "[]AlterUserScramCredentialsResult"),
        ),
    },
)
