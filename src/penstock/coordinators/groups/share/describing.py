"""Looking at share groups: who is in them, and what each member reads."""

from penstock.coordinators.decision import Decision, Reply
from penstock.coordinators.groups.assigned.environment import Environment
from penstock.coordinators.groups.assigned.topics import named
from penstock.coordinators.groups.share.commands import DescribeShareGroup
from penstock.coordinators.groups.share.state import ShareGroup, ShareMember
from penstock.wire.messages.share_group_describe_response import Assignment, DescribedGroup, Member, TopicPartitions


def describe(command: DescribeShareGroup, group: ShareGroup, environment: Environment, assignor: str) -> Decision:
    described = DescribedGroup(
        group_id=group.group_id,
        group_state=group.state.value,
        group_epoch=group.epoch,
        assignment_epoch=group.assignment_epoch,
        assignor_name=assignor,
        members=[_member(member, environment) for member in group.members.values()],
    )
    return Decision(replies=(Reply(command.address, described),))


def _member(member: ShareMember, environment: Environment) -> Member:
    return Member(
        member_id=member.member_id,
        rack_id=member.rack,
        member_epoch=member.epoch,
        client_id=member.client_id,
        client_host=member.client_host,
        subscribed_topic_names=sorted(member.names),
        assignment=Assignment([TopicPartitions(*each) for each in named(member.assigned, environment)]),
    )
