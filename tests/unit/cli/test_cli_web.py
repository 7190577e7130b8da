"""The options of `penstock web`, and the page that explains them."""

import re
from pathlib import Path

import msgspec
import pytest

from penstock.cli.exits import ExitCode
from penstock.cli.program import run
from penstock.web import WebOptions

PAGE = Path(__file__).parents[3] / "docs" / "operate" / "web.md"


def test_every_bound_is_on_the_page_with_its_default() -> None:
    rows = dict(re.findall(r"^\| `([a-z-]+)` \| ([0-9]+|`--timeout`) \|", PAGE.read_text(), re.MULTILINE))
    bounds = {
        each.name.replace("_", "-"): "`--timeout`" if each.name == "timeout_s" else f"{each.default:g}"
        if isinstance(each.default, float) else str(each.default)
        for each in msgspec.structs.fields(WebOptions) if each.type in (int, float)
    }  # fmt: skip
    assert rows == bounds


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--limit", "stream-max=1"], "did you mean streams-max"),
        (["--limit", "streams-max=many"], "is no number"),
        (["--limit", "streams-max=0"], "above 0"),
        (["--limit", "timeout-s=nan"], "has an end"),
        (["--limit", "read-only=1"], "--limit read-only"),
        (["--peer", "10.0.0.2:8080"], "10.0.0.2:8080 is no address"),
        (["--advertise", "web"], "web is no address"),
        (["--tls-key", str(PAGE)], "--tls-certificate"),
        (["--shared-login", "-X", "security.protocol=SASL_PLAINTEXT"], "--shared-login wants a login"),
    ],
)
def test_options_that_make_no_sense_are_refused(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["web", "--port", "0", *arguments]) == ExitCode.USAGE
    assert said in capsys.readouterr().err


def test_a_certificate_without_its_key_is_told_how_to_get_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    certificate = tmp_path / "alone.pem"
    certificate.write_text("")
    assert run(["web", "--port", "0", "--tls-certificate", str(certificate)]) == ExitCode.FAILED
    assert "--tls-key" in capsys.readouterr().err
