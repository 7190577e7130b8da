"""How a broker that is asked whether it is there is taken, by what comes of it."""

import pytest

from penstock.cluster import BrokerImage, Endpoint, ProbeResult
from penstock.cluster.membership.probe import TcpProbe
from penstock.metastore import Revision
from penstock.model import BrokerId


@pytest.mark.parametrize("host", ["two..dots", f"{'x' * 64}.example", "."])
async def test_a_broker_whose_address_cannot_be_one_does_not_answer(host: str) -> None:
    """Whatever it says of itself must not end those who ask."""
    broker = BrokerImage(BrokerId(2), {"PLAINTEXT": Endpoint(host, 9092)}, "", None, "", "", "", epoch=Revision(1))
    probe = TcpProbe(timeout_s=10)
    assert await probe.ping(broker) is ProbeResult.SILENT
    probe.close()
