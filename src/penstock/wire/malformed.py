"""The two ways in which bytes and values do not fit each other, and the sentences for each cause."""


class Malformed(ValueError):
    """Bytes that are no message: truncated, absurd lengths, null where there must be a value."""


class Unencodable(ValueError):
    """A value that cannot be said on the wire: a mistake on our side, never a client's."""


def null_refused(field: str) -> Malformed:
    return Malformed(f"{field} must not be null")


def negative_length(field: str, length: int) -> Malformed:
    return Malformed(f"{field} has the length {length}")


def absurd_count(field: str, count: int) -> Malformed:
    return Malformed(f"{field} claims {count} elements, more than there are bytes for")


def wrong_tag_size(field: str) -> Malformed:
    return Malformed(f"tagged field {field} does not have the size it claims")


def null_unsayable(field: str) -> Unencodable:
    return Unencodable(f"{field} must not be None at this version")


def field_refused(field: str) -> Unencodable:
    return Unencodable(f"{field} is set, but this version does not have it")
