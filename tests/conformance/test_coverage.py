"""Every API that is answered is in the table. Here and not beside the other rules of the house, because the table needs
Kafka's jars, which the quick checks must do without.
"""

from tests.conformance.situations.all import TABLE

import penstock.broker.handlers  # noqa: F401 - fills the registry
from penstock.broker.registry import REGISTRY


def test_every_answered_api_is_compared_with_apache_kafka() -> None:
    compared = {situation.api for situation in TABLE}
    missing = [key.name for key in REGISTRY if key.name.title().replace("_", "") not in compared]
    assert not missing, f"add good and bad requests to tests/conformance/situations for: {', '.join(missing)}"
