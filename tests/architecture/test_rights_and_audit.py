"""Whoever adds an API says whom it refuses, and what the audit log tells of it: tests ask real brokers for both."""

from tests.conformance.rights.table import OF_LOGINS, OF_TOKENS, ROWS, key_of

from penstock.broker.auditing import DATA_PATH
from penstock.broker.auditing import ROWS as AUDITED
from penstock.broker.registry import REGISTRY


def test_every_api_is_in_the_table_of_rights() -> None:
    missing = set(REGISTRY) - {key_of(row.api) for row in ROWS} - OF_LOGINS - OF_TOKENS
    assert not missing, "add rows to tests/conformance/rights: what is asked of whom, and what others are told"


def test_every_api_that_changes_something_is_in_one_table_of_the_audit_log() -> None:
    unknown = {key.name for key, answer in REGISTRY.items() if answer.audits} - {
        key.name for key in (*AUDITED, *DATA_PATH)
    }
    assert not unknown, "add a row to penstock.broker.auditing: what they are about and what came of it"
    assert not set(AUDITED) & DATA_PATH
