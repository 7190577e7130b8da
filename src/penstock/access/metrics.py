"""What the authorizer counts."""

from penstock.metrics import Metrics, counter, reading


class AuthorizerMetrics(Metrics, prefix="penstock_authorizer"):
    decided = counter("Questions about rights that were worked out; those that a login remembers are not among them.")
    denied = counter("Questions about rights that were answered with no.")
    would_be_denied = counter("Those that were let through because of penstock.authorizer.dry.run.")


ACLS = reading("kafka_server_standardauthorizer_acls_total_count", "Access rules in force.")
UNREADABLE_ACLS = reading(
    "penstock_authorizer_unreadable_acls", "Access rules that cannot be read: what they may deny is denied to all."
)
