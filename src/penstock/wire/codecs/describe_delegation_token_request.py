# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.describe_delegation_token_request import (
    DescribeDelegationTokenOwner,
    DescribeDelegationTokenRequest,
)
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    DescribeDelegationTokenRequest,
    {
        DescribeDelegationTokenOwner: (
            Field("principal_type", "string"),
            Field("principal_name", "string"),
        ),
        DescribeDelegationTokenRequest: (Field("owners", "[]DescribeDelegationTokenOwner", null_since=0),),
    },
)
