"""From a certificate's subject to a user's name. tests/integration/test_tls_judged_by_java.py asks Kafka's own."""

import pytest

from penstock.access.principal_mapping import NoRuleMatches, PrincipalMapping

DUKE = "CN=Duke,OU=ServiceUsers,O=Org,C=US"


@pytest.mark.parametrize(
    ("rules", "name"),
    [
        ("DEFAULT", DUKE),
        ("RULE:^CN=(.*?),OU=ServiceUsers.*$/$1/L, DEFAULT", "duke"),
        ("RULE:^CN=(.*?),OU=Admins.*$/$1/L, DEFAULT", DUKE),
        ("RULE:^CN=(.*?),OU=(.*?),O=(.*?),C=(.*?)$/$1@$2/U", "DUKE@SERVICEUSERS"),
        (r"RULE:^CN=(?<who>.*?),.*$/\$${who}\/$7/", "$Duke/$7"),
        ("RULE:^CN=(.*?),.*$/$12/", "Duke2"),
        ("RULE:.*/X/", "XX"),
    ],
)
def test_the_first_rule_that_fits_makes_the_name(rules: str, name: str) -> None:
    assert PrincipalMapping(rules).name(DUKE) == name


def test_whoever_no_rule_fits_has_no_name() -> None:
    with pytest.raises(NoRuleMatches, match="CN=Duke"):
        PrincipalMapping("RULE:^CN=(.*?),OU=Admins.*$/$1/").name(DUKE)


@pytest.mark.parametrize(
    ("rules", "why"),
    [
        ("DEFAUL", "neither RULE:"),
        ("RULE:^CN=(.*?)$/$1/X", "neither RULE:"),
        ("RULE:^CN=(.*?$/$1/", "cannot be read"),
        ("RULE:^CN=.*$/$1/", "a group that the pattern does not have"),
        ("RULE:^CN=(.*)$/${who}/", "a group that the pattern does not have"),
    ],
)
def test_rules_that_cannot_be_kept_are_refused(rules: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        PrincipalMapping(rules)
