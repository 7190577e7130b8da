// SPDX-License-Identifier: Apache-2.0
package penstock.suites;

import java.io.File;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import kafka.cluster.Partition;
import kafka.log.LogManager;
import kafka.server.BrokerServer;
import kafka.server.KafkaBroker;
import kafka.server.KafkaConfig;
import kafka.server.ReplicaManager;
import kafka.server.SharedServer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.coordinator.group.GroupCoordinator;
import org.apache.kafka.metadata.BrokerState;
import org.apache.kafka.metadata.LeaderAndIsr;
import org.apache.kafka.server.BrokerLifecycleManager;
import org.apache.kafka.storage.internals.log.UnifiedLog;
import scala.Option;

/**
 * What a test takes for a broker object in its own process: it can be stopped and started, and says where it listens.
 * A test that wants to look inside is aborted, and so counts as skipped, with what it wanted as the reason.
 */
public final class BrokerHandle {
    private final OutsideBrokers brokers;
    private final OutsideBrokers.Broker broker;
    private final KafkaConfig config;

    private BrokerHandle(OutsideBrokers brokers, OutsideBrokers.Broker broker, KafkaConfig config) {
        this.brokers = brokers;
        this.broker = broker;
        this.config = config;
    }

    /** With a configuration that is made up of the settings it was given. */
    public static KafkaBroker of(OutsideBrokers brokers, OutsideBrokers.Broker broker, Properties settings) {
        return of(brokers, broker, configOf(broker, settings));
    }

    public static KafkaBroker of(OutsideBrokers brokers, OutsideBrokers.Broker broker, KafkaConfig config) {
        return new BrokerHandle(brokers, broker, config).handle();
    }

    private KafkaBroker handle() {
        Map<String, Function<Object[], Object>> known = new HashMap<>();
        known.put("shutdown", asked -> stop());
        known.put("awaitShutdown", asked -> null); // stop() has waited
        known.put("startup", asked -> start());
        known.put("isShutdown", asked -> !isRunning());
        known.put("brokerState", asked -> isRunning() ? BrokerState.RUNNING : BrokerState.SHUTTING_DOWN);
        known.put("boundPort", asked -> broker.port());
        known.put("clusterId", asked -> brokers.clusterId());
        known.put("config", asked -> config);
        known.put("groupCoordinator", asked -> groupCoordinator());
        known.put("metadataCache", asked -> KnownTopics.of(brokers, broker.id()));
        known.put("socketServer", asked -> Looks.listening(broker.port()));
        known.put("replicaManager", asked -> replicas());
        known.put("logManager", asked -> logs());
        // Those who wait for what the controller wrote have waited when they asked the controller where that ends.
        known.put("sharedServer", asked -> Looks.of(SharedServer.class, "sharedServer", Map.of("loader", no -> null)));
        known.put("lifecycleManager", asked -> Looks.of(BrokerLifecycleManager.class, "lifecycleManager", Map.of(
            "initialUnfenceFuture", no -> CompletableFuture.completedFuture(null))));
        known.put("toString", asked -> "broker " + broker.id() + " at " + broker.address());
        return Looks.of(BrokerServer.class, "broker", known);
    }

    private boolean isRunning() {
        return brokers.isRunning(broker.id());
    }

    private Object stop() {
        if (isRunning()) {
            brokers.stop(broker.id());
        }
        return null;
    }

    private Object start() {
        if (!isRunning()) {
            brokers.start(broker.id());
        }
        return null;
    }

    /** One that says which partition a group belongs to, and how the topic of groups is made. */
    private GroupCoordinator groupCoordinator() {
        return Looks.of(GroupCoordinator.class, "groupCoordinator", Map.of(
            "partitionFor", asked -> Utils.abs(asked[0].hashCode())
                % config.groupCoordinatorConfig().offsetsTopicPartitions(),
            "groupMetadataTopicConfigs", asked -> compacted()));
    }

    /** They say which replicas this broker has, who leads them and since which epoch: as this broker tells clients. */
    private ReplicaManager replicas() {
        return Looks.of(ReplicaManager.class, "replicaManager", Map.of(
            "onlinePartition", asked -> Option.apply(replica((TopicPartition) asked[0]))));
    }

    private Partition replica(TopicPartition asked) {
        LeaderAndIsr seen = isRunning() && brokers.hasReplica(asked, broker.id())
            ? KnownTopics.of(brokers, broker.id()).getLeaderAndIsr(asked.topic(), asked.partition()).orElse(null)
            : null;
        if (seen == null) {
            return null;
        }
        UnifiedLog log = seen.leader() == broker.id() ? Looks.of(UnifiedLog.class, "log", Map.of()) : null;
        return Looks.of(Partition.class, "partition", Map.of(
            "getLeaderEpoch", no -> seen.leaderEpoch(),
            "leaderReplicaIdOpt", no -> Option.apply(seen.leader() < 0 ? null : seen.leader()),
            "leaderIdIfLocal", no -> Option.apply(log == null ? null : seen.leader()),
            "leaderLogIfLocal", no -> Option.apply(log)));
    }

    /** They say whether this broker has a log, and whether it is being deleted, by the names in its folder. */
    private LogManager logs() {
        return Looks.of(LogManager.class, "logManager", Map.of(
            "getLog$default$2", no -> false,
            "getLog", asked -> Option.apply(new File(broker.folder(), asked[0].toString()).isDirectory()
                ? Looks.of(UnifiedLog.class, "log", Map.of())
                : null)));
    }

    private static Properties compacted() {
        Properties settings = new Properties();
        settings.put("cleanup.policy", "compact");
        return settings;
    }

    private static KafkaConfig configOf(OutsideBrokers.Broker broker, Properties settings) {
        Properties all = new Properties();
        all.putAll(settings);
        all.put("node.id", String.valueOf(broker.id()));
        all.put("process.roles", "broker");
        all.put("listeners", "PLAINTEXT://" + broker.address());
        all.put("listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT");
        all.put("controller.listener.names", "CONTROLLER");
        all.put("controller.quorum.bootstrap.servers", broker.address());
        all.put("log.dirs", broker.folder());
        return new KafkaConfig(all, false);
    }
}
