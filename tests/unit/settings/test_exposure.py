"""Which listeners let anybody do everything."""

import pytest

from penstock.settings import Config
from penstock.settings.exposure import open_listeners

KAFKAS = "org.apache.kafka.metadata.authorizer.StandardAuthorizer"
EVERYWHERE = "PLAINTEXT://0.0.0.0:9092"
TLS = {"ssl.keystore.location": "/b.pem", "ssl.truststore.location": "/ca.pem"}


@pytest.mark.parametrize(
    ("listeners", "more", "are_open"),
    [
        ("PLAINTEXT://127.0.0.1:9092", {}, []),
        ("PLAINTEXT://localhost:9092", {}, []),
        ("PLAINTEXT://[::1]:9092", {}, []),
        ("PLAINTEXT://127.9.9.9:9092", {}, []),
        (EVERYWHERE, {}, [EVERYWHERE]),
        ("PLAINTEXT://:9092", {}, ["PLAINTEXT://:9092"]),
        ("PLAINTEXT://kafka.example.com:9092", {}, ["PLAINTEXT://kafka.example.com:9092"]),
        (EVERYWHERE, {"authorizer.class.name": KAFKAS}, []),
        (EVERYWHERE, {"authorizer.class.name": KAFKAS, "penstock.authorizer.dry.run": "true"}, [EVERYWHERE]),
        ("SASL_PLAINTEXT://0.0.0.0:9092", {}, []),
        ("SASL_SSL://0.0.0.0:9092", TLS, []),
        ("SSL://0.0.0.0:9092", TLS, ["SSL://0.0.0.0:9092"]),
        ("SSL://0.0.0.0:9092", {**TLS, "ssl.client.auth": "requested"}, ["SSL://0.0.0.0:9092"]),
        ("SSL://0.0.0.0:9092", {**TLS, "ssl.client.auth": "required"}, []),
        ("SSL://0.0.0.0:9092", {**TLS, "listener.name.ssl.ssl.client.auth": "required"}, []),
        (
            "SSL://0.0.0.0:9092",
            {**TLS, "ssl.client.auth": "required", "penstock.tls": "optional"},
            ["SSL://0.0.0.0:9092"],
        ),
        (f"SASL_PLAINTEXT://0.0.0.0:9093,{EVERYWHERE}", {}, [EVERYWHERE]),
    ],
)
def test_whoever_reaches_them_may_do_everything(listeners: str, more: dict[str, str], are_open: list[str]) -> None:
    config = Config.for_broker({"listeners": listeners, **more})
    assert [str(each) for each in open_listeners(config)] == are_open
