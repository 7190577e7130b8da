# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.push_telemetry_request import PushTelemetryRequest
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    PushTelemetryRequest,
    {
        PushTelemetryRequest: (
            Field("client_instance_id", "uuid"),
            Field("subscription_id", "int32"),
            Field("terminating", "bool"),
            Field("compression_type", "int8"),
            Field("metrics", "bytes"),
        ),
    },
)
