"""The one error that decoding raises, whatever a stranger's bytes hold."""


class Malformed(ValueError):
    """These bytes are not what they claim to be."""
