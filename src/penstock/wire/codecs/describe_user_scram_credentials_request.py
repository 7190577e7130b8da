# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.describe_user_scram_credentials_request import DescribeUserScramCredentialsRequest, UserName
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    DescribeUserScramCredentialsRequest,
    {
        UserName: (Field("name", "string"),),
        DescribeUserScramCredentialsRequest: (Field("users", "[]UserName", null_since=0),),
    },
)
