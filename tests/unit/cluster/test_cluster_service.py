"""The cluster as a broker uses it: start, join, decide, wait for the image, start again."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.support.clocks import ManualClock
from tests.support.clusters import BROKER_ID, SeededDice, a_broker, a_cluster

from penstock.cluster import (
    AlterSettings,
    Cluster,
    CreateTopic,
    Entry,
    EntryChange,
    EntryChanged,
    EntryKind,
    FeatureUpdate,
    GrowTopic,
    ImageChange,
    LogReport,
    Operation,
    Resource,
    ResourceType,
    SettingChange,
)
from penstock.cluster.commands import CreatedTopic
from penstock.cluster.keys import Keys
from penstock.cluster.membership import joining
from penstock.cluster.membership.joining import UNSEEN_IDS
from penstock.cluster.records import ControllerRecord, FeaturesRecord, PartitionRecord, encode
from penstock.errors import (
    DuplicateBrokerRegistration,
    InconsistentClusterId,
    InvalidTopic,
    InvalidUpdateVersion,
    RequestTimedOut,
    TopicAlreadyExists,
    UnknownTopicId,
    UnsupportedVersion,
)
from penstock.metastore import (
    Delete,
    MemoryMetastore,
    Put,
    Revision,
    Transaction,
    Unavailable,
    local,
)
from penstock.metastore.embedded import EmbeddedMetastore
from penstock.model import BrokerId, LeaderEpoch, TopicId
from penstock.settings.broker import LOG_RETENTION_MS
from penstock.settings.config import Config

KEYS = Keys("main")


@pytest.fixture
async def cluster() -> AsyncIterator[Cluster]:
    async with a_cluster() as one:
        yield one


async def created(cluster: Cluster, name: str, *, partitions: int = 1) -> CreatedTopic:
    (outcome,) = await cluster.controller.create_topics([CreateTopic(name, partitions=partitions)], timeout_ms=60_000)
    assert isinstance(outcome, CreatedTopic)
    return outcome


async def test_topics_asked_for_are_made_in_the_background_as_many_as_there_is_room_for(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("penstock.cluster.controller.ON_DEMAND_MAX", 2)
    cluster.controller.create_on_demand(["a", "b"])
    cluster.controller.create_on_demand(["b", "c"])
    assert not cluster.image.topics
    await cluster.controller.stop()
    assert sorted(cluster.image.topics) == ["a", "b"]
    cluster.controller.create_on_demand(["c"])
    await cluster.controller.stop()
    assert sorted(cluster.image.topics) == ["a", "b", "c"]


async def test_a_broker_that_joined_is_controller_registered_and_has_features(cluster: Cluster) -> None:
    assert cluster.image.controller_id == 1
    assert list(cluster.image.brokers) == [1]
    assert cluster.image.features.finalized == {
        "metadata.version": 30,
        "group.version": 1,
        "transaction.version": 2,
        "share.version": 2,
    }
    assert cluster.image.features.epoch > 0
    assert len(cluster.image.cluster_id) == 22


async def test_an_answer_comes_when_the_image_holds_the_result(cluster: Cluster) -> None:
    topic = await created(cluster, "orders", partitions=200)
    assert len(cluster.image.topics["orders"].partitions) == 200
    assert topic.topic_id == cluster.image.topics["orders"].topic_id
    assert await cluster.controller.create_partitions([GrowTopic("orders", 300)], timeout_ms=60_000) == [300]
    assert len(cluster.image.topics["orders"].partitions) == 300
    await cluster.controller.delete_topics([topic.topic_id], timeout_ms=60_000)
    assert not cluster.image.topics


async def test_each_topic_of_a_request_has_an_outcome_of_its_own(cluster: Cluster) -> None:
    await created(cluster, "there")
    outcomes = await cluster.controller.create_topics([CreateTopic("there"), CreateTopic("new")], timeout_ms=60_000)
    assert isinstance(outcomes[0], TopicAlreadyExists) and isinstance(outcomes[1], CreatedTopic)


async def test_of_many_who_create_the_same_topic_at_once_one_succeeds(cluster: Cluster) -> None:
    attempts = (cluster.controller.create_topics([CreateTopic("same")], timeout_ms=60_000) for _ in range(20))
    outcomes = [outcome for (outcome,) in await asyncio.gather(*attempts)]
    assert sum(isinstance(outcome, CreatedTopic) for outcome in outcomes) == 1
    assert sum(isinstance(outcome, TopicAlreadyExists) for outcome in outcomes) == 19
    assert not cluster.image.leftovers


async def test_of_names_that_collide_one_is_created_though_they_come_at_once(cluster: Cluster) -> None:
    names = ("a.b", "a_b")
    requests = (cluster.controller.create_topics([CreateTopic(name)], timeout_ms=60_000) for name in names)
    (first,), (second,) = await asyncio.gather(*requests)
    assert isinstance(first, CreatedTopic) and isinstance(second, InvalidTopic)
    assert set(cluster.image.topics) == {"a.b"}


async def test_growth_and_settings_changed_at_once_both_last(cluster: Cluster) -> None:
    await created(cluster, "orders", partitions=1)
    change = AlterSettings(Resource(ResourceType.TOPIC, "orders"), (SettingChange("retention.ms", Operation.SET, "5"),))
    await asyncio.gather(
        cluster.controller.create_partitions([GrowTopic("orders", 300)], timeout_ms=60_000),
        cluster.controller.alter_settings([change]),
        cluster.controller.create_partitions([GrowTopic("orders", 400)], timeout_ms=60_000),
    )
    assert len(cluster.image.topics["orders"].partitions) == 400
    assert cluster.image.topics["orders"].overrides == {"retention.ms": "5"}


async def test_to_validate_only_changes_nothing(cluster: Cluster) -> None:
    before = cluster.image.revision
    (would_be,) = await cluster.controller.create_topics(
        [CreateTopic("orders", partitions=3)], timeout_ms=60_000, validate_only=True
    )
    assert isinstance(would_be, CreatedTopic) and would_be.partitions == 3
    await cluster.controller.update_features([FeatureUpdate("metadata.version", 30)], validate_only=True)
    with pytest.raises(InvalidUpdateVersion):
        await cluster.controller.update_features([FeatureUpdate("nope", 1)], validate_only=True)
    assert cluster.image.revision == before


async def test_without_time_nothing_is_begun(cluster: Cluster) -> None:
    (outcome,) = await cluster.controller.create_topics([CreateTopic("orders")], timeout_ms=0)
    assert isinstance(outcome, RequestTimedOut)
    assert not cluster.image.topics


async def test_dynamic_settings_of_this_broker_and_of_all_act_at_once() -> None:
    store = MemoryMetastore(ManualClock())
    config = Config.for_broker({})
    cluster = Cluster(store, broker_id=BROKER_ID, config=config, dice=SeededDice())
    await cluster.start()
    await cluster.join(a_broker())

    async def change(name: str, value: str) -> None:
        changes = (SettingChange("log.retention.ms", Operation.SET, value),)
        await cluster.controller.alter_settings([AlterSettings(Resource(ResourceType.BROKER, name), changes)])

    await change("", "7000")
    assert config[LOG_RETENTION_MS] == 7_000
    await change("1", "5000")
    assert config[LOG_RETENTION_MS] == 5_000
    await cluster.stop()
    await store.close()


async def test_producer_ids_go_on_after_those_that_logs_hold() -> None:
    """A good way after them: some have been given out that have not been written under."""
    for taken, first in ((b'{"next":3000}', 5_000 + UNSEEN_IDS), (b'{"next":7000}', 7_000)):
        store = MemoryMetastore(ManualClock())
        await store.commit(Transaction(puts=(Put(KEYS.producer_ids, taken),)))
        cluster = Cluster(store, broker_id=BROKER_ID, config=Config.for_broker(), dice=SeededDice())
        await cluster.start()
        await cluster.join(a_broker(), LogReport(producer_id_next=5_000))
        assert await cluster.producer_ids.next() == first
        await cluster.stop()
        await store.close()


async def test_an_id_that_turns_out_to_be_in_use_is_not_given_out_though_it_is_in_the_block(cluster: Cluster) -> None:
    """A store that was taken back in time gave out the block before anybody came upon the id."""
    assert [await cluster.producer_ids.next() for _ in range(3)] == [0, 1, 2]
    await cluster.producer_ids.go_on_above({2})
    assert await cluster.producer_ids.next() == 3, "that one is this block's own"
    await cluster.producer_ids.go_on_above({4})
    assert await cluster.producer_ids.next() == 1_000
    await cluster.producer_ids.go_on_above({5_000})
    assert await cluster.producer_ids.next() == 5_001 + UNSEEN_IDS, "others have had this block's"


async def test_an_id_in_use_is_not_given_out_though_the_store_has_been_taken_past_another(cluster: Cluster) -> None:
    assert await cluster.producer_ids.next() == 0
    await cluster.controller.allocate_producer_ids(5_000)
    await cluster.producer_ids.go_on_above({4, 5_500})
    assert await cluster.producer_ids.next() == 6_000


async def test_an_id_that_turns_out_to_be_in_use_is_not_given_out_though_its_block_is_on_its_way(
    cluster: Cluster,
) -> None:
    """Whoever asks while a coordinator reads its log would be given it."""
    first, _ = await asyncio.gather(cluster.producer_ids.next(), cluster.producer_ids.go_on_above({4}))
    assert 4 not in {first, *[await cluster.producer_ids.next() for _ in range(10)]}


async def test_no_id_is_given_out_from_below_those_in_use_while_the_store_is_being_raised(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_go_on, ensure = asyncio.Event(), joining.ensure_producer_ids

    async def late(*args: Any, **more: Any) -> None:
        await may_go_on.wait()
        await ensure(*args, **more)

    monkeypatch.setattr(joining, "ensure_producer_ids", late)
    raising = asyncio.create_task(cluster.producer_ids.go_on_above({1_400}))
    await asyncio.sleep(0)
    first = await cluster.producer_ids.next()
    may_go_on.set()
    await raising
    assert first > 1_400


async def test_producer_ids_never_repeat(cluster: Cluster) -> None:
    given = await asyncio.gather(*(cluster.producer_ids.next() for _ in range(2_500)))
    assert sorted(given) == list(range(2_500))
    assert cluster.image.producer_id_next == 3_000


async def test_a_restarted_broker_goes_on_with_higher_leader_epochs(tmp_path: Path) -> None:
    for run in range(3):
        store = await EmbeddedMetastore.open(tmp_path, ManualClock())
        async with a_cluster(metastore=store, seed=run) as cluster:
            if run == 0:
                await created(cluster, "orders", partitions=130)
                cluster_id = cluster.image.cluster_id
            assert cluster.image.cluster_id == cluster_id
            assert {partition.leader_epoch for _, partition in cluster.image.partitions()} == {run}
        await store.close()


async def test_the_broker_and_controller_epochs_are_new_after_a_restart() -> None:
    store = MemoryMetastore(ManualClock())
    epochs = []
    for run in range(2):
        async with a_cluster(metastore=store, seed=run) as cluster:
            epochs.append((cluster.image.brokers[BROKER_ID].epoch, cluster.image.controller_epoch))
    assert epochs[1][0] > epochs[0][0] and epochs[1][1] > epochs[0][1]
    await store.close()


@pytest.mark.parametrize("levels", [{"moon.version": 1}, {"group.version": 9}])
async def test_a_release_that_lacks_what_the_metadata_uses_does_not_start(levels: dict[str, int]) -> None:
    store = MemoryMetastore(ManualClock())
    await store.commit(Transaction(puts=(Put(KEYS.features, encode(FeaturesRecord(levels))),)))
    with pytest.raises(UnsupportedVersion, match=r"this release (does not have|has levels 0 to 1)"):
        async with a_cluster(metastore=store):
            pass
    await store.close()


async def test_leftovers_of_a_killed_process_are_swept_at_the_next_start() -> None:
    store = MemoryMetastore(ManualClock())
    one = (BROKER_ID,)
    record = PartitionRecord(replicas=one, leader=BROKER_ID, leader_epoch=LeaderEpoch(0), in_sync=one)
    await store.commit(Transaction(puts=(Put(KEYS.partition("MDEyMzQ1Njc4OWFiY2RlZg", 0), encode(record)),)))
    async with a_cluster(metastore=store):
        assert not (await store.range(KEYS.prefix + "partitions/")).items
    await store.close()


async def test_the_same_broker_id_from_another_data_folder_is_refused_in_words() -> None:
    store = MemoryMetastore(ManualClock())
    async with a_cluster(metastore=store):
        pass
    other = Cluster(store, broker_id=BROKER_ID, config=Config.for_broker({}), dice=SeededDice())
    await other.start()
    with pytest.raises(DuplicateBrokerRegistration, match="broker id 1 belongs to data folder folder, not to another"):
        await other.join(a_broker(folder_id="another"))
    await other.stop()
    await store.close()


async def test_a_data_folder_of_another_cluster_is_refused_in_words() -> None:
    store = MemoryMetastore(ManualClock())
    cluster = Cluster(store, broker_id=BROKER_ID, config=Config.for_broker({}), dice=SeededDice())
    assert await cluster.start(proposed_cluster_id="itsOwnClusterIdXXXXXXX") == "itsOwnClusterIdXXXXXXX"
    await cluster.stop()
    with pytest.raises(InconsistentClusterId, match="belongs to cluster another"):
        await Cluster(store, broker_id=BROKER_ID, config=Config.for_broker({}), dice=SeededDice()).start(
            proposed_cluster_id="another"
        )
    await store.close()


async def test_a_write_decided_under_a_former_controller_is_decided_anew() -> None:
    store = MemoryMetastore(ManualClock())
    async with a_cluster(metastore=store) as cluster:
        former = cluster.image.controller_epoch
        await store.commit(Transaction(deletes=(Delete(KEYS.controller),)))
        await store.commit(Transaction(puts=(Put(KEYS.controller, encode(ControllerRecord(BrokerId(2)))),)))
        assert cluster.image.controller_epoch == former, "the image has not heard of it yet"
        await created(cluster, "orders")
        assert cluster.image.controller_id == 2
    await store.close()


async def test_a_decision_that_lost_to_another_write_is_made_anew() -> None:
    store = MemoryMetastore(ManualClock())
    async with a_cluster(metastore=store) as cluster:
        # Another broker takes a block of producer ids before our image has heard of it.
        taken = Put(KEYS.producer_ids, b'{"next":5000}')
        await asyncio.gather(store.commit(Transaction(puts=(taken,))), cluster.producer_ids.next())
        assert await cluster.producer_ids.next() == 5_001
    await store.close()


async def test_a_store_that_does_not_answer_is_a_timeout_to_the_client(monkeypatch: pytest.MonkeyPatch) -> None:
    store = MemoryMetastore(ManualClock())
    async with a_cluster(metastore=store) as cluster:

        async def silent(_: Transaction) -> Revision:
            raise Unavailable("disk full")

        with monkeypatch.context() as broken:
            broken.setattr(store, "commit", silent)
            (outcome,) = await cluster.controller.create_topics([CreateTopic("orders")], timeout_ms=60_000)
        assert isinstance(outcome, RequestTimedOut) and "disk full" in outcome.message
    await store.close()


async def test_work_that_outlasts_its_request_comes_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    store = MemoryMetastore(ManualClock())
    async with a_cluster(metastore=store) as cluster:
        commit, may_go_on = store.commit, asyncio.Event()

        async def slow(transaction: Transaction) -> Revision:
            await may_go_on.wait()
            return await commit(transaction)

        monkeypatch.setattr(store, "commit", slow)
        (outcome,) = await cluster.controller.create_topics([CreateTopic("orders")], timeout_ms=1)
        assert isinstance(outcome, RequestTimedOut)
        may_go_on.set()
        await cluster.controller.stop()
        assert "orders" in cluster.image.topics
    await store.close()


async def test_a_topic_deleted_twice_is_unknown_the_second_time(cluster: Cluster) -> None:
    (outcome,) = await cluster.controller.delete_topics([TopicId(b"2" * 16)], timeout_ms=60_000)
    assert isinstance(outcome, UnknownTopicId)


async def test_an_image_that_fell_too_far_behind_lists_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "WATCH_BACKLOG_MAX", 5)
    store = MemoryMetastore(ManualClock())
    async with a_cluster(metastore=store) as cluster:
        # The store in memory answers at once, so the watcher gets no turn until all of these are written.
        for number in range(1, 21):
            await store.commit(Transaction(puts=(Put(KEYS.producer_ids, b'{"next":%d}' % number),)))
        await cluster._feed.catch_up()
        assert cluster.image.producer_id_next == 20
        await created(cluster, "after")
    await store.close()


async def test_a_subscriber_that_fails_stops_the_image_loudly(cluster: Cluster) -> None:
    def fail(_: object) -> None:
        raise RuntimeError("a bug")

    cluster.image.subscribe(fail)
    (outcome,) = await cluster.controller.create_topics([CreateTopic("orders")], timeout_ms=60_000)
    assert isinstance(outcome, RequestTimedOut)
    with pytest.raises(RuntimeError, match="a bug"):
        await cluster.ended()
    (outcome,) = await cluster.controller.create_topics([CreateTopic("more")], timeout_ms=60_000)
    assert isinstance(outcome, RequestTimedOut)


async def test_a_stopped_cluster_has_ended(cluster: Cluster) -> None:
    waiting = asyncio.create_task(cluster.ended())
    await cluster.stop()
    await waiting


# Entries: users, ACLs, quotas, tokens ---------------------------------------------------------------------------------


def counted(there: Mapping[str, Entry]) -> EntryChange[int]:
    """One more than there was."""
    count = int(there["n"].value) + 1 if "n" in there else 1
    return EntryChange(count, puts={"n": str(count).encode()})


async def test_an_entry_is_shown_and_told_when_its_change_is_answered(cluster: Cluster) -> None:
    told: list[ImageChange] = []

    def note(changes: Sequence[ImageChange]) -> None:
        told.extend(change for change in changes if isinstance(change, EntryChanged))

    cluster.image.subscribe(note)
    name = "CN=a/b,O=c d"  # a name may hold anything
    await cluster.controller.change_entries(EntryKind.USERS, lambda _: EntryChange(None, puts={name: b"{}"}))
    assert cluster.image.entries.of(EntryKind.USERS)[name].value == b"{}"
    assert cluster.image.entries.of(EntryKind.ACLS) == {}
    await cluster.controller.change_entries(EntryKind.USERS, lambda _: EntryChange(None, deletes=[name]))
    assert cluster.image.entries.of(EntryKind.USERS) == {}
    assert told == [EntryChanged(EntryKind.USERS, name)] * 2


async def test_changes_of_one_entry_that_come_at_once_are_all_counted(cluster: Cluster) -> None:
    changes = [cluster.controller.change_entries(EntryKind.QUOTAS, counted) for _ in range(20)]
    assert sorted(await asyncio.gather(*changes)) == list(range(1, 21))


async def test_more_entries_than_a_transaction_takes_are_written_at_once_and_outlast_the_image(
    cluster: Cluster,
) -> None:
    names = {f"acl {number}": b"{}" for number in range(1_000)}
    await cluster.controller.change_entries(EntryKind.ACLS, lambda _: EntryChange(None, puts=names))
    assert cluster.image.entries.of(EntryKind.ACLS).keys() == names.keys()
    gone = list(names)[:500]
    await cluster.controller.change_entries(EntryKind.ACLS, lambda _: EntryChange(None, deletes=gone))
    assert len(cluster.image.entries.of(EntryKind.ACLS)) == 500


async def test_a_change_of_entries_that_is_refused_is_raised(cluster: Cluster) -> None:
    def refuse(_: Mapping[str, Entry]) -> EntryChange[None]:
        raise InvalidTopic("no")

    with pytest.raises(InvalidTopic):
        await cluster.controller.change_entries(EntryKind.TOKENS, refuse)
