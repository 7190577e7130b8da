"""Settings about who may do what: nothing that is asked for is left undone in silence."""

import pytest

from penstock.settings.broker_access import AUTHORIZER_CLASS_NAME, KAFKAS_AUTHORIZER, SUPER_USERS, super_users
from penstock.settings.loader import SettingsInvalid, load_settings

AN_AUTHORIZER = {"authorizer.class.name": KAFKAS_AUTHORIZER}


def test_kafkas_name_and_a_short_one_are_known() -> None:
    for name in (KAFKAS_AUTHORIZER, "penstock"):
        assert load_settings(overrides={"authorizer.class.name": name})[AUTHORIZER_CLASS_NAME] == name


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"authorizer.class.name": "com.example.Mine"}, "must be one of"),
        ({"authorizer.class.name": "kafka.security.authorizer.AclAuthorizer"}, "StandardAuthorizer"),
        (AN_AUTHORIZER | {"super.users": "alice"}, "must be principals"),
        (AN_AUTHORIZER | {"super.users": "User:alice;User:"}, "must be principals"),
        ({"super.users": "User:alice"}, "without authorizer.class.name"),
        ({"allow.everyone.if.no.acl.found": "false"}, "without authorizer.class.name"),
    ],
)
def test_what_would_not_be_honoured_refuses_the_start(given: dict[str, str], reason: str) -> None:
    with pytest.raises(SettingsInvalid, match=reason):
        load_settings(overrides=given)


def test_names_of_super_users_may_have_commas() -> None:
    text = "User:CN=a,O=b; User:c;"
    config = load_settings(overrides=AN_AUTHORIZER | {"super.users": text})
    assert super_users(config[SUPER_USERS]) == ("User:CN=a,O=b", "User:c")
