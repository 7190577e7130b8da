"""Settings of Kafka's about security that Penstock does not honour. Given one, the broker does not start: whoever wrote
it believes in a protection that would not be there.
"""

import re

from penstock.settings.setting import own_name

_PLUGIN = "classes of Java's cannot be loaded here"
_JAAS = "the cluster keeps its users, and needs no file for them: penstock user add NAME"
_CALLBACK = "Penstock checks passwords and tokens itself, and loads no classes of Java's"
_POLICY = f"{_PLUGIN}, and what the policy forbids would be allowed; access rules say who may create and alter what"
_WHY = {
    "alter.config.policy.class.name": _POLICY,
    "client.quota.callback.class": _PLUGIN,
    "create.topic.policy.class.name": _POLICY,
    "principal.builder.class": f"{_PLUGIN}; ssl.principal.mapping.rules says as whom certificates count",
    "sasl.jaas.config": _JAAS,
    "sasl.oauthbearer.jwt.validator.class": _CALLBACK,
    "sasl.server.callback.handler.class": _CALLBACK,
    "security.providers": _PLUGIN,
    "ssl.allow.dn.changes": "a certificate is replaced in its file, and may have any name",
    "ssl.allow.san.changes": "a certificate is replaced in its file, and may have any name",
    "ssl.engine.factory.class": _PLUGIN,
    "ssl.keymanager.algorithm": _PLUGIN,
    "ssl.protocol": "ssl.enabled.protocols says which versions are spoken",
    "ssl.provider": _PLUGIN,
    "ssl.secure.random.implementation": _PLUGIN,
    "ssl.trustmanager.algorithm": _PLUGIN,
}


_OF_MECHANISM = re.compile(r"listener\.name\.[^.]+\.[^.]+\.(?P<setting>(sasl|connections)\..+)")
"""As `listener.name.sasl_ssl.plain.sasl.jaas.config`."""
_OF_LISTENER = re.compile(r"listener\.name\.[^.]+\.(?P<setting>.+)")
_OF_ALL = ("allow.everyone.if.no.acl.found", "authorizer.", "penstock.", "super.users")
"""What protects the whole broker, and not one listener."""


def why_refused(name: str) -> str | None:
    """In words; None for a setting that is not refused. One listener's own settings are as the broker's."""
    own = own_name(name)
    if own is not None:
        return _WHY.get(own.setting)
    if (of_mechanism := _OF_MECHANISM.fullmatch(name)) is not None:
        setting = of_mechanism["setting"]
        return _WHY.get(setting, f"settings of one mechanism have no form of their own: write {setting}")
    if (of_listener := _OF_LISTENER.fullmatch(name)) is not None:
        setting = of_listener["setting"]
        return f"it is one for the whole broker: write {setting}" if setting.startswith(_OF_ALL) else _WHY.get(setting)
    return _WHY.get(name)
