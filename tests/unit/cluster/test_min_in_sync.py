"""min.insync.replicas is one number for the cluster: files give it, clients change it, a change by a client wins."""

from tests.support.clocks import ManualClock
from tests.support.clusters import BROKER_ID, a_cluster

from penstock.cluster import (
    AlterSettings,
    Cluster,
    Operation,
    ReplaceSettings,
    Resource,
    ResourceType,
    SettingChange,
)
from penstock.errors import InvalidConfig
from penstock.metastore import MemoryMetastore
from penstock.settings.setting import Source
from penstock.settings.topic import MIN_INSYNC_REPLICAS

NAME = MIN_INSYNC_REPLICAS.name
ALL_BROKERS = Resource(ResourceType.BROKER, "")


async def found_by(store: MemoryMetastore, file: str | None) -> tuple[int, Source]:
    """What a topic goes by on a broker that starts with this in its file, and where it says that it comes from."""
    async with a_cluster(settings={} if file is None else {NAME: file}, metastore=store) as cluster:
        explained = cluster._config.for_topic().explain(MIN_INSYNC_REPLICAS)
        return int(explained.value or ""), explained.source


async def set_by_client(cluster: Cluster, operation: Operation, value: str | None = None) -> None:
    change = AlterSettings(ALL_BROKERS, (SettingChange(NAME, operation, value),))
    assert await cluster.controller.alter_settings([change]) == [None]


async def test_a_new_cluster_has_the_number_of_its_founder_for_all_brokers() -> None:
    for file, number in ((None, 1), ("2", 2)):
        store = MemoryMetastore(ManualClock())
        assert await found_by(store, file) == (number, Source.DYNAMIC_DEFAULT_BROKER)
        assert await found_by(store, None) == (number, Source.DYNAMIC_DEFAULT_BROKER)  # its file says nothing
        await store.close()


async def test_a_changed_file_changes_the_number_until_a_client_has_set_one() -> None:
    store = MemoryMetastore(ManualClock())
    for file in ("1", "3", "2", " 2"):
        assert await found_by(store, file) == (int(file), Source.DYNAMIC_DEFAULT_BROKER)
    async with a_cluster(settings={NAME: "2"}, metastore=store) as cluster:
        await set_by_client(cluster, Operation.SET, "1")
    assert await found_by(store, "2") == (1, Source.DYNAMIC_DEFAULT_BROKER)
    assert await found_by(store, "3") == (1, Source.DYNAMIC_DEFAULT_BROKER)
    await store.close()


async def test_no_broker_has_a_number_of_its_own_and_nobody_takes_the_clusters_away() -> None:
    def change(broker: str, operation: Operation, value: str | None = None) -> AlterSettings:
        return AlterSettings(Resource(ResourceType.BROKER, broker), (SettingChange(NAME, operation, value),))

    async with a_cluster() as cluster:
        refused = await cluster.controller.alter_settings(
            [
                change("1", Operation.SET, "2"),
                change("", Operation.DELETE),
                ReplaceSettings(ALL_BROKERS, (("log.retention.ms", "5"),)),
            ]
        )
        assert [type(one) for one in refused] == [InvalidConfig] * 3
        replaced = ReplaceSettings(ALL_BROKERS, (("log.retention.ms", "5"), (NAME, "2")))
        assert await cluster.controller.alter_settings([replaced]) == [None]
        assert cluster.image.settings[ALL_BROKERS] == {NAME: "2", "log.retention.ms": "5"}


async def test_other_settings_of_all_brokers_are_left_alone() -> None:
    store = MemoryMetastore(ManualClock())
    async with a_cluster(metastore=store) as cluster:
        change = AlterSettings(ALL_BROKERS, (SettingChange("log.retention.ms", Operation.SET, "5"),))
        assert await cluster.controller.alter_settings([change]) == [None]
    async with a_cluster(settings={NAME: "2"}, metastore=store) as cluster:
        assert cluster._broker_id == BROKER_ID
        assert cluster.image.settings[ALL_BROKERS] == {NAME: "2", "log.retention.ms": "5"}
    await store.close()
