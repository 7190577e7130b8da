# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.describe_delegation_token_response import (
    DescribedDelegationToken,
    DescribedDelegationTokenRenewer,
    DescribeDelegationTokenResponse,
)
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    DescribeDelegationTokenResponse,
    {
        DescribedDelegationToken: (
            Field("principal_type", "string"),
            Field("principal_name", "string"),
            Field("token_requester_principal_type", "string", since=3),
            Field("token_requester_principal_name", "string", since=3),
            Field("issue_timestamp", "int64"),
            Field("expiry_timestamp", "int64"),
            Field("max_timestamp", "int64"),
            Field("token_id", "string"),
            Field("hmac", "bytes"),
            Field("renewers", "[]DescribedDelegationTokenRenewer"),
        ),
        DescribedDelegationTokenRenewer: (
            Field("principal_type", "string"),
            Field("principal_name", "string"),
        ),
        DescribeDelegationTokenResponse: (
            Field("error_code", "int16"),
            Field("tokens", "[]DescribedDelegationToken"),
            Field("throttle_time_ms", "int32"),
        ),
    },
)
