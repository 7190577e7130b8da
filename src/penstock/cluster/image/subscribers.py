"""In which order the parts of a broker hear of a change of the cluster image. This is the only place that says it.

Whoever hears later may rely on what the earlier ones have done with the same change. It does not matter who subscribed
first.
"""

from enum import IntEnum, auto


class Subscriber(IntEnum):
    # What the others look things up in comes first.
    AVAILABILITY = auto()
    """Who is reachable, for the answers to clients."""
    COUNTS = auto()
    MACHINES = auto()
    """Brokers that share a machine; asks the counts."""
    SETTINGS = auto()
    """The broker's own settings. From here on everybody reads the new ones."""
    SECRET = auto()
    ACCESS = auto()
    """Who is who and may do what: from here on requests are judged by the new entries."""
    INCOMPLETE_LOGS = auto()
    """What this start has missed, for /health."""

    # Then the broker's place in the cluster. It may register again, or stand for controller.
    REGISTRATION = auto()
    CANDIDACY = auto()
    DUTIES = auto()
    FAILURE_DETECTOR = auto()
    HANDOVER = auto()
    """A leaving broker looks whether all was taken over."""

    # Then those who act on partitions. Replicas lead or follow before anybody fetches or coordinates.
    REPLICAS = auto()
    GROUP_VIEW = auto()
    """What consumer groups know of topics; groups that are told of a change look there."""
    FETCHERS = auto()
    GROUPS = auto()

    OBSERVERS = auto()
    """Those on whom nobody relies."""
