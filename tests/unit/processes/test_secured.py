"""The folder of a secured broker: made whole, readable for nobody else, and its certificates renewed in place."""

import json
import ssl
import stat
from contextlib import suppress
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import pytest

from penstock.processes import secured
from penstock.processes.secured import SecureFolder, java_escaped, java_login
from penstock.settings import load_settings
from penstock.transport.certificates import look_into

NOW = datetime.now(UTC)
PASSWORDS = ("simple", 'a"b\\c', "zoë=1, 2", "日本 \U0001f511")


def made(path: Path, **more: object) -> SecureFolder:
    folder = SecureFolder(path)
    settings = {"listeners": "SASL_SSL://127.0.0.1:19092,SSL://127.0.0.1:19093", "log.dirs": str(folder.data)}
    folder.make(now=NOW, users_at="127.0.0.1:19092", certificates_at="127.0.0.1:19093", settings=settings, **more)  # type: ignore[arg-type]
    return folder


def trusted(folder: SecureFolder, authority: SecureFolder | None = None) -> None:
    """Broker and administrator believe each other's certificates; ssl.SSLError else."""
    believed = (authority or folder).authority
    broker, admin = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), ssl.create_default_context(cafile=str(believed))
    broker.load_verify_locations(believed)
    broker.load_cert_chain(folder.broker)
    admin.load_cert_chain(folder.admin)
    broker.verify_mode = ssl.CERT_REQUIRED
    for context in (broker, admin):
        context.verify_flags |= ssl.VERIFY_X509_STRICT
    to_broker, to_admin = ssl.MemoryBIO(), ssl.MemoryBIO()
    asking = admin.wrap_bio(to_admin, to_broker, server_hostname="localhost")
    asked = broker.wrap_bio(to_broker, to_admin, server_side=True)
    for end in (asking, asked, asking):
        with suppress(ssl.SSLWantReadError):
            end.do_handshake()
    asked.do_handshake()


def test_who_believes_another_authority_believes_no_certificate(tmp_path: Path) -> None:
    folder, other = made(tmp_path / "one"), made(tmp_path / "other")
    trusted(folder)
    with pytest.raises(ssl.SSLError):
        trusted(folder, other)


def test_nobody_else_can_read_what_is_secret(tmp_path: Path) -> None:
    folder = made(tmp_path / "deep" / "secure")
    assert stat.S_IMODE(folder.path.stat().st_mode) == 0o700
    open_to_others = {path.name for path in folder.path.iterdir() if stat.S_IMODE(path.stat().st_mode) & 0o077}
    assert open_to_others == {"ca.pem"}
    assert [path.name for path in folder.path.parent.iterdir()] == ["secure"]


def test_its_settings_are_those_of_a_broker(tmp_path: Path) -> None:
    folder = made(tmp_path / "a folder=1 ü")
    config = load_settings(folder.settings)
    assert config.unused == ()
    for name, value in folder.broker_settings().items():
        assert config.static[name] == value


def test_the_certificate_names_hosts_and_this_machine(tmp_path: Path) -> None:
    folder = made(tmp_path / "secure", hosts=("kafka.example.com", "192.0.2.7"))
    own, authority = look_into(folder.broker.read_bytes())
    assert own.names == ("kafka.example.com", "192.0.2.7", "localhost", "127.0.0.1", "::1")
    assert authority.is_authority and own.issuer == authority.subject
    trusted(folder)


@pytest.mark.parametrize("password", PASSWORDS)
def test_logins_of_every_client_say_the_same(password: str, tmp_path: Path) -> None:
    folder = made(tmp_path / "secure", password=password)
    confluent = json.loads(folder.confluent.read_text())
    profile = dict(line.split("=", 1) for line in folder.profile.read_text().splitlines() if not line.startswith("#"))
    assert confluent == profile and profile["sasl.password"] == password
    spark = json.loads(folder.spark.read_text())
    java = folder.java.read_text()
    assert java.isascii()
    for name, value in spark.items():
        assert f"\n{name.removeprefix('kafka.')}={java_escaped(value)}\n" in java
    assert not folder.first_users.read_text().count(password)


def test_a_password_is_made_up_and_differs(tmp_path: Path) -> None:
    folders = [made(tmp_path / name) for name in ("one", "two")]
    first, second = (json.loads(folder.confluent.read_text())["sasl.password"] for folder in folders)
    assert first != second and len(first) == 32
    for name in ("secrets.key", "ca.key"):
        assert (folders[0].path / name).read_bytes() != (folders[1].path / name).read_bytes()


def test_logins_move_to_other_addresses(tmp_path: Path) -> None:
    folder = made(tmp_path / "secure", password="mine")
    folder.move_logins(users_at="127.0.0.1:5", certificates_at="127.0.0.1:6")
    assert "127.0.0.1:19092" not in "".join(path.read_text() for path in folder.path.glob("admin*properties"))
    assert json.loads(folder.confluent.read_text())["bootstrap.servers"] == "127.0.0.1:5"
    assert json.loads(folder.confluent.read_text())["sasl.password"] == "mine"


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    folder = made(tmp_path / "secure")
    before = {path: path.read_bytes() for path in folder.path.iterdir()}
    with pytest.raises(FileExistsError):
        made(tmp_path / "secure")
    assert {path: path.read_bytes() for path in folder.path.iterdir()} == before


def test_a_folder_that_is_there_and_empty_is_taken(tmp_path: Path) -> None:
    (tmp_path / "secure").mkdir()
    assert made(tmp_path / "secure").is_made


def test_a_start_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(secured, "write_private", fail)
    with pytest.raises(OSError, match="disk full"):
        made(tmp_path / "secure")
    assert list(tmp_path.iterdir()) == []


def test_certificates_anew_come_from_the_same_authority(tmp_path: Path) -> None:
    folder = made(tmp_path / "secure", hosts=("kafka.example.com",))
    before, authority = look_into(folder.broker.read_bytes())[0], folder.authority.read_bytes()
    folder.renew_certificates(["other.example.com"], now=NOW)
    after = look_into(folder.broker.read_bytes())[0]
    assert after.fingerprint != before.fingerprint and set(after.names) == {*before.names, "other.example.com"}
    assert folder.authority.read_bytes() == authority
    trusted(folder)


def test_an_authority_is_replaced_without_a_moment_of_strangers(tmp_path: Path) -> None:
    folder = made(tmp_path / "secure")
    states = [folder.authority.read_bytes()]
    folder.add_authority(now=NOW)
    trusted(folder)
    with pytest.raises(ValueError, match="anew first"):
        folder.keep_newest_authority()
    states.append(folder.authority.read_bytes())
    folder.renew_certificates(now=NOW)
    trusted(folder)
    folder.keep_newest_authority()
    states.append(folder.authority.read_bytes())
    trusted(folder)
    assert [len(look_into(state)) for state in states] == [1, 2, 1]
    shared = [{each.fingerprint for each in look_into(state)} for state in states]
    assert all(one & other for one, other in pairwise(shared)) and not shared[0] & shared[2]
    assert folder.keep_newest_authority() == []


def test_a_java_login_escapes_what_jaas_would_end_at() -> None:
    login = {
        "bootstrap.servers": "h:1",
        "security.protocol": "sasl_plaintext",
        "sasl.mechanism": "PLAIN",
        "sasl.username": 'a"b',
        "sasl.password": "c\\d",
    }
    found = java_login(login, is_token=True)
    assert found["sasl.jaas.config"] == (
        "org.apache.kafka.common.security.plain.PlainLoginModule required "
        'username="a\\"b" password="c\\\\d" tokenauth="true";'
    )
    assert found["security.protocol"] == "SASL_PLAINTEXT" and "ssl.truststore.type" not in found
