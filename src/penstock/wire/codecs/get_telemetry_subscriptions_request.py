# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.get_telemetry_subscriptions_request import GetTelemetrySubscriptionsRequest
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    GetTelemetrySubscriptionsRequest,
    {
        GetTelemetrySubscriptionsRequest: (Field("client_instance_id", "uuid"),),
    },
)
