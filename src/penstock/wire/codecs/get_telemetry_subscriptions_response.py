# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.get_telemetry_subscriptions_response import GetTelemetrySubscriptionsResponse
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    GetTelemetrySubscriptionsResponse,
    {
        GetTelemetrySubscriptionsResponse: (
            Field("throttle_time_ms", "int32"),
            Field("error_code", "int16"),
            Field("client_instance_id", "uuid"),
            Field("subscription_id", "int32"),
            Field("accepted_compression_types", "[]int8"),
            Field("push_interval_ms", "int32"),
            Field("telemetry_max_bytes", "int32"),
            Field("delta_temporality", "bool"),
            Field("requested_metrics", "[]string"),
        ),
    },
)
