"""Secrets at rest."""

from base64 import b64encode
from pathlib import Path

import pytest

from penstock.access.sealing import NotSealedByUs, SealingKeys, read_keys, write_new_key
from penstock.errors import Fatal

OLD, NEW = bytes(32), bytes([1]) * 32


def test_what_is_sealed_opens_for_what_it_was_sealed_about() -> None:
    keys = SealingKeys(OLD)
    sealed = keys.seal(b"secret", about="me")
    assert keys.open(sealed, about="me") == b"secret"
    assert sealed != keys.seal(b"secret", about="me")
    assert b64encode(b"secret").decode() not in sealed
    for wrong in ("you", ""):
        with pytest.raises(NotSealedByUs):
            keys.open(sealed, about=wrong)


@pytest.mark.parametrize("text", ["", ":", "12345678:", "12345678:!!!!", "nothing"])
def test_what_is_no_seal_does_not_open(text: str) -> None:
    with pytest.raises(NotSealedByUs):
        SealingKeys(OLD).open(text, about="me")


def test_a_changed_byte_is_found() -> None:
    keys = SealingKeys(OLD)
    sealed = keys.seal(b"secret", about="me")
    with pytest.raises(NotSealedByUs):
        keys.open(sealed[:-4] + ("AAAA" if sealed[-4:] != "AAAA" else "BBBB"), about="me")


def test_keys_are_changed_one_after_the_other() -> None:
    sealed = SealingKeys(OLD).seal(b"secret", about="me")
    both = SealingKeys(NEW, OLD)
    assert both.open(sealed, about="me") == b"secret"
    assert both.derived == SealingKeys(OLD).derived
    with pytest.raises(NotSealedByUs, match="sealed under the key"):
        SealingKeys(NEW).open(both.seal(b"x", about="me").replace(both.current_id, "00000000"), about="me")
    with pytest.raises(NotSealedByUs):
        SealingKeys(NEW).open(sealed, about="me")


def test_a_key_file_is_made_once_and_for_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "keys"
    write_new_key(path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert read_keys(path).current_id == read_keys(path).current_id
    with pytest.raises(FileExistsError):
        write_new_key(path)


def test_a_key_file_that_others_can_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "keys"
    write_new_key(path)
    path.chmod(0o644)
    with pytest.raises(Fatal, match="chmod 600"):
        read_keys(path)


@pytest.mark.parametrize("text", ["", "\n# nothing\n", "short\n", "!!!!\n", "A" * 43 + "=\nAAAA\n"])
def test_a_key_file_that_makes_no_sense_is_refused_in_words(tmp_path: Path, text: str) -> None:
    path = tmp_path / "keys"
    path.touch(0o600)
    path.write_text(text)
    with pytest.raises(Fatal, match=r"penstock\.secrets\.key\.file"):
        read_keys(path)


def test_a_key_file_that_is_not_there_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(Fatal, match="cannot be read"):
        read_keys(tmp_path / "keys")
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    (tmp_path / "bytes").chmod(0o600)
    with pytest.raises(Fatal, match="cannot be read"):
        read_keys(tmp_path / "bytes")
