"""Whether a kernel's AES is the processor's. The channel itself is tested by `make test-kernel-tls`."""

import pytest

from penstock.transport.kernel_tls import kernel_encrypts_fast


def crypto(*entries: tuple[str, str, int]) -> str:
    return "\n\n".join(f"name         : {n}\ndriver       : {d}\npriority     : {p}" for n, d, p in entries)


IN_C = ("gcm(aes)", "gcm_base(ctr(aes-generic),ghash-generic)", 100)
BY_THE_PROCESSOR = ("gcm(aes)", "generic-gcm-aesni", 400)


@pytest.mark.parametrize(
    ("told", "is_fast"),
    [
        (crypto(IN_C), False),
        (crypto(BY_THE_PROCESSOR), True),
        (crypto(IN_C, BY_THE_PROCESSOR), True),
        (crypto(("gcm(aes)", "gcm-aes-ce", 300)), True),
        (crypto(("cbc(aes)", "cbc-aes-aesni", 400)), False),
        ("", False),
    ],
)
def test_the_preferred_driver_decides(told: str, is_fast: bool) -> None:
    assert kernel_encrypts_fast(told) is is_fast
