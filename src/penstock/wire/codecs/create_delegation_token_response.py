# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.create_delegation_token_response import CreateDelegationTokenResponse
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    CreateDelegationTokenResponse,
    {
        CreateDelegationTokenResponse: (
            Field("error_code", "int16"),
            Field("principal_type", "string"),
            Field("principal_name", "string"),
            Field("token_requester_principal_type", "string", since=3),
            Field("token_requester_principal_name", "string", since=3),
            Field("issue_timestamp_ms", "int64"),
            Field("expiry_timestamp_ms", "int64"),
            Field("max_timestamp_ms", "int64"),
            Field("token_id", "string"),
            Field("hmac", "bytes"),
            Field("throttle_time_ms", "int32"),
        ),
    },
)
