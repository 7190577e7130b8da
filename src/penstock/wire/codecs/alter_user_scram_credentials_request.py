# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.alter_user_scram_credentials_request import (
    AlterUserScramCredentialsRequest,
    GroupsOfUser,
    ScramCredentialDeletion,
    ScramCredentialUpsertion,
)
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    AlterUserScramCredentialsRequest,
    {
        ScramCredentialDeletion: (
            Field("name", "string"),
            Field("mechanism", "int8"),
        ),
        ScramCredentialUpsertion: (
            Field("name", "string"),
            Field("mechanism", "int8"),
            Field("iterations", "int32"),
            Field("salt", "bytes"),
            Field("salted_password", "bytes"),
        ),
        GroupsOfUser: (
            Field("user", "string"),
            Field("groups", "[]string"),
        ),
        AlterUserScramCredentialsRequest: (
            Field("deletions", "[]ScramCredentialDeletion"),
            Field("upsertions", "[]ScramCredentialUpsertion"),
            Field("groups_of_users", "[]GroupsOfUser", tag=10000),
        ),
    },
)
