"""A step through a share group (`assigned.step`)."""

from penstock.coordinators.groups.assigned import step as assigned
from penstock.coordinators.groups.share.limits import ShareLimits
from penstock.coordinators.groups.share.records import KEPT
from penstock.coordinators.groups.share.state import ShareGroup

Context = assigned.Context[ShareLimits]
Step = assigned.Step[ShareGroup, ShareLimits]


def step_through(group: ShareGroup, context: Context) -> Step:
    return assigned.Step(group, context, context.environment.share_settings_of(group.group_id), KEPT)
