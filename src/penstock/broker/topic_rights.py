"""What it takes to make a topic that shows or feeds another one: else CREATE would be a right on all of them.

It is asked whether or not that other topic is there, so that this does not show.
"""

from penstock.access.authorizer import Authorizer
from penstock.access.rights import READ_TOPIC, WRITE_TOPIC
from penstock.access.subject import Subject
from penstock.cluster import CreateTopic, schedule_targets
from penstock.errors import TopicAuthorizationFailed
from penstock.settings import Config
from penstock.settings.topic import PENSTOCK_VIEW_OF


def require_to_make(authorizer: Authorizer, subject: Subject, command: CreateTopic, config: Config) -> None:
    source = dict(command.settings).get(PENSTOCK_VIEW_OF.name)  # what is given twice counts as the controller reads it
    if source is not None and not authorizer.allows(subject, READ_TOPIC, source):
        raise TopicAuthorizationFailed(f"a view of {source} may be made by who may read {source}")
    for target in schedule_targets(command, config):
        if not authorizer.allows(subject, WRITE_TOPIC, target):
            raise TopicAuthorizationFailed(f"a schedule topic of {target} may be made by who may write to {target}")
