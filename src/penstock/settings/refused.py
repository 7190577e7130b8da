"""Settings of Kafka's about security that Penstock does not honour. Given one, the broker does not start: whoever wrote
it believes in a protection that would not be there.
"""

from penstock.settings.setting import own_name

_PLUGIN = "classes of Java's cannot be loaded here"
_WHY = {
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


def why_refused(name: str) -> str | None:
    """In words; None for a setting that is not refused. One listener's own settings are as the broker's."""
    own = own_name(name)
    return _WHY.get(name if own is None else own.setting)


def refused_names() -> frozenset[str]:
    return frozenset(_WHY)
