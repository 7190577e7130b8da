"""What timers and finished work ask of such a group, whatever its kind."""

from collections.abc import Mapping

from penstock.coordinators.decision import Command
from penstock.coordinators.groups.assignors import GroupAssignment


class SessionsDue(Command, frozen=True, kw_only=True):
    group_id: str


class TargetReady(Command, frozen=True, kw_only=True):
    group_id: str
    epoch: int
    target: GroupAssignment
    ticket: int
    instances: Mapping[str, str]
    """Members by instance id when the work began: a static member may have come back under another id since."""


class WorkFailed(Command, frozen=True, kw_only=True):
    group_id: str
    kind: str
