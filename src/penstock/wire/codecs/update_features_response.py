# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.update_features_response import UpdatableFeatureResult, UpdateFeaturesResponse
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    UpdateFeaturesResponse,
    {
        UpdatableFeatureResult: (
            Field("feature", "string"),
            Field("error_code", "int16"),
            Field("error_message", "string", null_since=0),
        ),
        UpdateFeaturesResponse: (
            Field("throttle_time_ms", "int32"),
            Field("error_code", "int16"),
            Field("error_message", "string", null_since=0),
            Field("results", "[]UpdatableFeatureResult", until=1, ignorable=True),
        ),
    },
)
