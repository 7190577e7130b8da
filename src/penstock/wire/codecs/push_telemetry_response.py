# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.push_telemetry_response import PushTelemetryResponse
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    PushTelemetryResponse,
    {
        PushTelemetryResponse: (
            Field("throttle_time_ms", "int32"),
            Field("error_code", "int16"),
        ),
    },
)
