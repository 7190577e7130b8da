# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.describe_user_scram_credentials_response import (
    CredentialInfo,
    DescribeUserScramCredentialsResponse,
    DescribeUserScramCredentialsResult,
)
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    DescribeUserScramCredentialsResponse,
    {
        DescribeUserScramCredentialsResult: (
            Field("user", "string"),
            Field("error_code", "int16"),
            Field("error_message", "string", null_since=0),
            Field("credential_infos", "[]CredentialInfo"),
            Field("member_of", "[]string", tag=10000),
        ),
        CredentialInfo: (
            Field("mechanism", "int8"),
            Field("iterations", "int32"),
        ),
        DescribeUserScramCredentialsResponse: (
            Field("throttle_time_ms", "int32"),
            Field("error_code", "int16"),
            Field("error_message", "string", null_since=0),
            Field("results", "[]DescribeUserScramCredentialsResult"),
        ),
    },
)
