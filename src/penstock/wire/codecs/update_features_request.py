# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.update_features_request import FeatureUpdateKey, UpdateFeaturesRequest
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    UpdateFeaturesRequest,
    {
        FeatureUpdateKey: (
            Field("feature", "string"),
            Field("max_version_level", "int16"),
            Field("allow_downgrade", "bool", until=0),
            Field("upgrade_type", "int8", since=1),
        ),
        UpdateFeaturesRequest: (
            Field("timeout_ms", "int32"),
            Field("feature_updates", "[]FeatureUpdateKey"),
            Field("validate_only", "bool", since=1),
        ),
    },
)
