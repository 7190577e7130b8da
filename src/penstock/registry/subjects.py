"""Names of subjects. `:.context:name` is in a context; a plain name is in the default one, which is called `.`."""

from penstock.registry.refusals import INVALID_SUBJECT, RegistryRefusal

DEFAULT_CONTEXT = "."
ANY_CONTEXT = ":*:"


def split(subject: str) -> tuple[str, str]:
    """The context, with its dot, and the name in it."""
    if subject.startswith(":."):
        context, colon, name = subject[1:].partition(":")
        if colon:
            return context, name
    return DEFAULT_CONTEXT, subject


def joined(context: str, name: str) -> str:
    return name if context == DEFAULT_CONTEXT else f":{context}:{name}"


def within(context: str, subject: str) -> str:
    """A subject as it is meant under /contexts/CONTEXT; one that names its context itself keeps that."""
    own, name = split(subject)
    return joined(own if own != DEFAULT_CONTEXT else context, name)


def context_of(subject: str) -> str:
    return split(subject)[0]


def whole_context(context: str) -> str:
    """Under this name the config and the mode of a context are kept; the default one's are those of the registry."""
    return "" if context == DEFAULT_CONTEXT else f":{context}:"


def checked(subject: str) -> str:
    if not split(subject)[1] or any(ord(each) < 32 or ord(each) == 127 for each in subject) or subject.startswith("__"):
        raise RegistryRefusal(INVALID_SUBJECT, f"The specified subject '{subject}' is not a valid subject.")
    return within(DEFAULT_CONTEXT, subject)
