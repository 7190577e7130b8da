"""Looking at consumer groups: who is in them, how far each member has come, and what it is to own."""

from penstock.coordinators.decision import Decision, Reply
from penstock.coordinators.groups.assigned.environment import Environment
from penstock.coordinators.groups.assigned.topics import named
from penstock.coordinators.groups.assignors import Assignment as Target
from penstock.coordinators.groups.consumer.commands import DescribeConsumerGroup
from penstock.coordinators.groups.consumer.state import ConsumerGroup, ConsumerMember
from penstock.model import TopicId
from penstock.wire.messages.consumer_group_describe_response import Assignment, DescribedGroup, Member, TopicPartitions

OF_CLASSIC_PROTOCOL, OF_CONSUMER_PROTOCOL = 0, 1


def describe(
    command: DescribeConsumerGroup, group: ConsumerGroup, environment: Environment, assignors: tuple[str, ...]
) -> Decision:
    described = DescribedGroup(
        group_id=group.group_id,
        group_state=group.state.value,
        group_epoch=group.epoch,
        assignment_epoch=group.assignment_epoch,
        assignor_name=group.default_assignor(assignors),
        members=[_member(group, member, environment) for member in group.members.values()],
    )
    return Decision(replies=(Reply(command.address, described),))


def _member(group: ConsumerGroup, member: ConsumerMember, environment: Environment) -> Member:
    owned: dict[TopicId, frozenset[int]] = {}
    for topic_id, partitions in (*member.assigned.items(), *member.revoking.items()):
        owned[topic_id] = owned.get(topic_id, frozenset()) | partitions.keys()
    return Member(
        member_id=member.member_id,
        instance_id=member.instance_id,
        rack_id=member.rack,
        member_epoch=member.epoch,
        client_id=member.client_id,
        client_host=member.client_host,
        subscribed_topic_names=sorted(member.names),
        subscribed_topic_regex=member.pattern,
        assignment=_named(owned, environment),
        target_assignment=_named(group.targets.get(member.member_id, {}), environment),
        member_type=OF_CONSUMER_PROTOCOL if member.classic is None else OF_CLASSIC_PROTOCOL,
    )


def _named(assignment: Target, environment: Environment) -> Assignment:
    return Assignment([TopicPartitions(*each) for each in named(assignment, environment)])
