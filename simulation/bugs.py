"""Bugs that the simulation plants, one at a time, to see whether it finds them; each breaks a rule of docs/rules.md."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, NamedTuple
from unittest import mock

from penstock.cluster import ClusterBugs
from penstock.coordinators import runtime
from penstock.coordinators.decision import NOBODY, Decision, Reply
from penstock.coordinators.groups.consumer import reconciliation
from penstock.coordinators.groups.consumer.state import ConsumerGroup, ConsumerMember, Owned
from penstock.coordinators.shard import Shard
from penstock.replication.bugs import NO_BUGS, ReplicationBugs
from simulation.session_bugs import (
    counts_fetches_of_former_epochs,
    session_forgets,
    takes_answers_of_former_sessions,
    takes_requests_of_former_sessions,
)


class EagerShard(Shard):
    """RULES 32: what is decided is applied although its append is refused."""

    def _append(self, decision: Decision) -> None:
        before = self._written_to
        try:
            super()._append(decision)
        finally:
            if self._written_to == before:
                self._apply(decision)


class HastyShard(Shard):
    """RULES 33: answers go out although what they tell of is not replicated yet."""

    def _release_later(self, reply: Reply) -> None:
        if reply.address != NOBODY:
            self._answer(reply.address, reply.value)


def gives_what_others_have() -> AbstractContextManager[Any]:
    """A member of a consumer group gets all of its target at once, whoever may still be reading it."""

    def all_of_it(owned: Owned, _group: ConsumerGroup, _member: ConsumerMember, wanted: reconciliation.Wanted) -> bool:
        for topic_id, target in wanted.target.items():
            owned.setdefault(topic_id, {}).update(dict.fromkeys(target, wanted.epoch))
        return False

    return mock.patch.object(reconciliation, "_add_what_is_free", all_of_it)


class Bug(NamedTuple):
    rule: int | None
    """Of docs/rules.md, where those that must have a bug are marked; None where no single rule is about it."""
    cluster: ClusterBugs = ClusterBugs()
    replication: ReplicationBugs = NO_BUGS
    shard: type[Shard] = Shard
    """Stands in for the coordinators' own."""
    opens_logs_of_former_topics: bool = False
    """RULES 15: a log is taken for its topic's by name, whatever id the topic has."""

    seed: int = 0
    """One that found it lately, soon: to be tried first. Stories change with the code."""
    stands_in: Callable[[], AbstractContextManager[Any]] = nullcontext
    """For a part of the fetch protocol, or of what members of groups are told."""

    @contextmanager
    def planted(self) -> Iterator[None]:
        """What is not given to anybody is put in the place of what would be used."""
        former = vars(runtime)["Shard"]
        vars(runtime)["Shard"] = self.shard
        try:
            with self.stands_in():
                yield
        finally:
            vars(runtime)["Shard"] = former


NO_BUG = Bug(None)

BUGS: dict[str, Bug] = {
    "elects-outside-in-sync": Bug(None, cluster=ClusterBugs(elects_outside_in_sync=True)),
    "does-not-fence": Bug(None, cluster=ClusterBugs(elects_without_new_epoch=True)),
    "high-watermark-early": Bug(None, replication=ReplicationBugs(counts_itself_alone=True)),
    "skips-truncation": Bug(None, replication=ReplicationBugs(skips_truncation=True)),
    "counts-diverging-fetch": Bug(None, replication=ReplicationBugs(counts_diverging_fetch=True)),
    "trusts-leaders-high-watermark": Bug(None, replication=ReplicationBugs(trusts_leaders_high_watermark=True)),
    "joins-without-registration": Bug(
        1,
        cluster=ClusterBugs(joins_without_registration=True),
        replication=ReplicationBugs(joins_without_registration=True, keeps_progress_of_former_registration=True),
        seed=13,
    ),
    "keeps-epoch-of-former-self": Bug(2, cluster=ClusterBugs(keeps_epoch_of_former_self=True)),
    "counts-below-in-sync-min": Bug(5, replication=ReplicationBugs(counts_below_in_sync_min=True)),
    "forgets-eligible": Bug(5, cluster=ClusterBugs(forgets_eligible=True), seed=6),
    "counts-while-somebody-is-eligible": Bug(
        5, replication=ReplicationBugs(counts_while_somebody_is_eligible=True), seed=15
    ),
    "forgets-pending-write": Bug(6, replication=ReplicationBugs(forgets_pending_write=True)),
    "takes-timeout-for-failure": Bug(6, replication=ReplicationBugs(takes_timeout_for_failure=True), seed=10),
    "joins-below-epoch-start": Bug(7, replication=ReplicationBugs(joins_below_epoch_start=True)),
    "acknowledges-duplicates-at-once": Bug(26, replication=ReplicationBugs(acknowledges_duplicates_at_once=True)),
    "keeps-guards-past-markers": Bug(30, replication=ReplicationBugs(keeps_guards_past_markers=True), seed=16),
    "applies-what-is-not-written": Bug(32, shard=EagerShard),
    "begins-anew-in-same-epoch": Bug(None, replication=ReplicationBugs(begins_anew_in_same_epoch=True), seed=102),
    "drops-in-same-epoch": Bug(None, cluster=ClusterBugs(drops_in_same_epoch=True), seed=135),
    "opens-logs-of-former-topics": Bug(15, opens_logs_of_former_topics=True, seed=13),
    "trusts-flush-setting": Bug(20, cluster=ClusterBugs(trusts_flush_setting=True), seed=22),
    "takes-missing-logs-for-empty": Bug(46, cluster=ClusterBugs(takes_missing_logs_for_empty=True), seed=11),
    "answers-before-replicas-have-it": Bug(33, shard=HastyShard),
    "session-forgets-a-partition": Bug(None, stands_in=session_forgets),
    "takes-answers-of-former-sessions": Bug(None, stands_in=takes_answers_of_former_sessions),
    "takes-requests-of-former-sessions": Bug(None, stands_in=takes_requests_of_former_sessions, seed=44),
    "counts-fetches-of-former-epochs": Bug(None, stands_in=counts_fetches_of_former_epochs, seed=52),
    "gives-what-others-still-have": Bug(None, stands_in=gives_what_others_have),
    "forgets-producers": Bug(27, replication=ReplicationBugs(forgets_producers=True)),
}
