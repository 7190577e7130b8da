"""Whose rights a request has: its own login's, at a cluster that asks who is there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from tests.support.faults import eventually
from tests.support.kafka import free_ports
from tests.support.mock_oauth2 import SCOPE, MockOAuth2Server
from tests.support.secured import secured_broker
from tests.support.web import web

import penstock.testing
from penstock.cli.profiles import read
from penstock.client import Client, Sasl
from penstock.processes.secured import SecureFolder
from penstock.wire.messages.alter_user_scram_credentials_request import ScramCredentialUpsertion
from penstock.wire.messages.create_acls_request import AclCreation

PATIENCE_S = 120.0
TOPIC, LITERAL, READ, DESCRIBE, ALLOW = 2, 3, 3, 8, 3
PASSWORD = "a password of alice"


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecureFolder]:
    with secured_broker(tmp_path_factory.mktemp("secured") / "made") as made:
        yield made


@pytest.fixture(scope="module")
def admin(secured: SecureFolder) -> tuple[str, str]:
    properties = read(secured.path / "admin.properties")
    return properties["sasl.username"], properties["sasl.password"]


@pytest.fixture(scope="module")
def url(secured: SecureFolder) -> Iterator[str]:
    profile = str(secured.path / "admin.properties")
    bootstrap = read(Path(profile))["bootstrap.servers"]
    with web(bootstrap, "--profile", profile) as running:
        yield running.url


def test_the_clusters_rules_decide_for_each_user(url: str, admin: tuple[str, str], secured: SecureFolder) -> None:
    with httpx.Client(base_url=url, timeout=PATIENCE_S) as ask:
        _judge(ask, admin, secured)


def _judge(ask: httpx.Client, admin: tuple[str, str], secured: SecureFolder) -> None:
    nobody = ask.get("/v1/topics")
    assert nobody.status_code == 401 and nobody.headers["www-authenticate"].startswith("Basic")
    for wrong in ((admin[0], "wrong"), ("nobody", "wrong")):
        answer = ask.get("/v1/topics", auth=wrong)
        assert (answer.status_code, answer.json()["kafka_error"]) == (401, "SASL_AUTHENTICATION_FAILED")
    for header in ("Basic x", "Basic eA==", "Digest x", "Bearer", "Bearer not-a-token"):
        assert ask.get("/v1/topics", headers={"authorization": header}).status_code == 401, header
    assert ask.post("/v1/topics", json={"name": "orders"}, auth=admin).status_code == 201
    eventually(lambda: ask.get("/v1/topics/orders", auth=admin).status_code == 200, "it is known")

    properties = read(secured.path / "admin.properties")
    _make_alice(properties)
    alice = ("alice", PASSWORD)
    eventually(lambda: ask.get("/v1/topics/orders", auth=alice).status_code == 200, "alice may look")
    body = {"records": [{"value": "v"}]}
    refused = ask.post("/v1/topics/orders/records", json=body, auth=alice)
    assert (
        refused.status_code == 403 and "AUTHORIZATION_FAILED" in refused.json()["records"][0]["problem"]["kafka_error"]
    )
    assert ask.post("/v1/topics/orders/records", json=body, auth=admin).status_code == 200
    assert len(ask.get("/v1/topics/orders/records", auth=alice).json()["records"]) == 1
    for method, path in (
        ("POST", "/v1/topics"), ("DELETE", "/v1/topics/orders"), ("POST", "/v1/groups/g/offsets"),
        ("POST", "/v1/groups/g/leases"),
    ):  # fmt: skip
        bodies = {
            "/v1/topics": {"name": "hers"}, "/v1/groups/g/leases": {"topics": ["orders"]},
            "/v1/groups/g/offsets": {"offsets": [{"topic": "orders", "partition": 0, "offset": 0}]},
        }  # fmt: skip
        answer = ask.request(method, path, json=bodies.get(path), auth=alice)
        assert answer.status_code == 403, (path, answer.text)
    # A lease is its user's: another one cannot acknowledge it.
    cluster = ask.get("/v3/clusters", auth=admin).json()["data"][0]["metadata"]["self"]
    rules = ask.get(f"{cluster}/acls", params={"principal": "User:alice"}, auth=admin).json()["data"]
    assert {each["operation"] for each in rules} == {"READ"} and rules[0]["resource_name"] == "orders"
    where = {"resource_type": "TOPIC", "operation": "READ", "permission": "ALLOW", "principal": "User:alice"}
    assert ask.delete(f"{cluster}/acls", params=where, auth=alice).status_code == 403
    assert len(ask.delete(f"{cluster}/acls", params=where, auth=admin).json()["data"]) == 1
    eventually(lambda: ask.get("/v1/topics/orders", auth=alice).status_code == 403, "alice may no more")
    rule = rules[0] | {"operation": "DESCRIBE"}
    new = {
        name: rule[name]
        for name in ("resource_type", "resource_name", "pattern_type", "principal", "host", "operation", "permission")
    }
    assert ask.post(f"{cluster}/acls", json=new, auth=admin).status_code == 201
    eventually(lambda: ask.get("/v1/topics/orders", auth=alice).status_code == 200, "alice may look again")


def _make_alice(properties: dict[str, str]) -> None:
    import hashlib

    from penstock.cli.security import security

    salt = b"salt of the test"
    salted = hashlib.pbkdf2_hmac("sha512", PASSWORD.encode(), salt, 8192)
    with Client(properties["bootstrap.servers"], timeout_s=PATIENCE_S, **security(properties)) as client:
        client.alter_scram(put=[ScramCredentialUpsertion("alice", 2, 8192, salt, salted)]).all()
        client.create_acls([AclCreation(TOPIC, "orders", LITERAL, "User:alice", "*", READ, ALLOW)]).all()


def test_a_shared_login_is_for_who_brings_none(secured: SecureFolder, admin: tuple[str, str]) -> None:
    profile = str(secured.path / "admin.properties")
    bootstrap = read(Path(profile))["bootstrap.servers"]
    with web(bootstrap, "--profile", profile, "--shared-login", "--read-only") as running:
        assert httpx.get(f"{running.url}/v1/topics", timeout=PATIENCE_S).status_code == 200
        wrong = httpx.get(f"{running.url}/v1/topics", timeout=PATIENCE_S, auth=(admin[0], "wrong"))
        assert wrong.status_code == 401


def test_logins_at_once_are_bounded(secured: SecureFolder, admin: tuple[str, str]) -> None:
    profile = str(secured.path / "admin.properties")
    bootstrap = read(Path(profile))["bootstrap.servers"]
    with (
        web(bootstrap, "--profile", profile, "--limit", "logins-max=1") as running,
        httpx.Client(base_url=running.url, timeout=PATIENCE_S) as ask,
    ):
        assert ask.post("/v1/topics", json={"name": "held"}, auth=admin).status_code in (201, 409)
        eventually(lambda: ask.get("/v1/topics/held", auth=admin).status_code == 200, "it is known")
        with ask.stream("GET", "/v1/topics/held/events", auth=admin) as stream:
            lines = stream.iter_lines()
            next(lines)
            full = ask.get("/v1/topics", auth=("another", "x"))
            assert (full.status_code, full.json()["type"]) == (503, "urn:penstock:problem:too-many-logins")
        eventually(lambda: ask.get("/v1/topics", auth=("another", "x")).status_code == 401, "there is room again")


def test_a_bearer_token_is_who_it_names(tmp_path: Path) -> None:
    (port,) = free_ports(1)
    with MockOAuth2Server(tmp_path) as issuer:
        settings = {
            "listeners": f"SASL_PLAINTEXT://127.0.0.1:{port}", "sasl.enabled.mechanisms": "OAUTHBEARER",
            "penstock.oidc.issuer": issuer.issuer, "sasl.oauthbearer.expected.audience": SCOPE,
            "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
            "super.users": "User:alice",
        }  # fmt: skip
        with (
            penstock.testing.broker(settings, mode="process"),
            web(f"127.0.0.1:{port}", "-X", "security.protocol=SASL_PLAINTEXT") as running,
        ):

            def made_by(client_id: str) -> httpx.Response:
                token = httpx.post(
                    issuer.token_url, auth=(client_id, "any"), timeout=PATIENCE_S,
                    data={"grant_type": "client_credentials", "scope": SCOPE},
                ).json()["access_token"]  # fmt: skip
                headers = {"authorization": f"Bearer {token}"}
                return httpx.post(
                    f"{running.url}/v1/topics", json={"name": client_id}, headers=headers, timeout=PATIENCE_S
                )

            assert made_by("alice").status_code == 201
            refused = made_by("bob")
            assert (refused.status_code, refused.json()["kafka_error"]) == (403, "TOPIC_AUTHORIZATION_FAILED")
            unknown = httpx.get(
                f"{running.url}/v1/topics", headers={"authorization": "Bearer e30.e30.x"}, timeout=PATIENCE_S
            )
            assert unknown.status_code == 401, unknown.text
            assert Sasl("", "secret", "OAUTHBEARER").__repr__().find("secret") < 0
