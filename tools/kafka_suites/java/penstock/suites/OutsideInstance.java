// SPDX-License-Identifier: Apache-2.0
package penstock.suites;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import kafka.server.ControllerServer;
import kafka.server.KafkaBroker;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.FeatureMetadata;
import org.apache.kafka.clients.admin.FeatureUpdate;
import org.apache.kafka.clients.admin.FinalizedVersionRange;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.UpdateFeaturesOptions;
import org.apache.kafka.clients.consumer.GroupProtocol;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.common.test.ClusterInstance;
import org.apache.kafka.common.test.api.ClusterConfig;
import org.apache.kafka.common.test.api.Type;
import org.apache.kafka.server.authorizer.Authorizer;
import org.apache.kafka.server.fault.FaultHandlerException;

/** The cluster that a test of Kafka's is given: brokers of another process, known by their addresses. */
public final class OutsideInstance implements ClusterInstance {
    private final ClusterConfig config;
    private OutsideBrokers brokers;
    private boolean stopped;

    public OutsideInstance(ClusterConfig config) {
        this.config = config;
    }

    @Override
    public void start() {
        if (brokers == null) {
            brokers = new OutsideBrokers(
                config.numBrokers(), config.serverProperties(), config.perServerOverrideProperties());
            setFeatures();
        }
    }

    /** To the levels that the test wants, where they are not. */
    private void setFeatures() {
        if (config.features().isEmpty()) {
            return;
        }
        try (Admin admin = admin()) {
            FeatureMetadata found = admin.describeFeatures().featureMetadata().get();
            Map<String, FeatureUpdate> updates = new TreeMap<>();
            config.features().forEach((feature, level) -> {
                FinalizedVersionRange now = found.finalizedFeatures().get(feature.featureName());
                if (level > 0 && !found.supportedFeatures().containsKey(feature.featureName())) {
                    throw NotHere.notBuilt(feature.featureName());
                }
                if (level != (now == null ? 0 : now.maxVersionLevel())) {
                    boolean lower = now != null && level < now.maxVersionLevel();
                    updates.put(feature.featureName(), new FeatureUpdate(level,
                        lower ? FeatureUpdate.UpgradeType.SAFE_DOWNGRADE : FeatureUpdate.UpgradeType.UPGRADE));
                }
            });
            if (!updates.isEmpty()) {
                admin.updateFeatures(updates, new UpdateFeaturesOptions()).all().get();
            }
        } catch (InterruptedException | ExecutionException error) {
            throw new IllegalStateException("features cannot be set", error);
        }
    }

    @Override
    public void stop() {
        if (brokers != null && !stopped) {
            stopped = true;
            brokers.close();
        }
    }

    @Override
    public boolean started() {
        return brokers != null;
    }

    @Override
    public boolean stopped() {
        return stopped;
    }

    @Override
    public void shutdownBroker(int id) {
        brokers.stop(id);
    }

    @Override
    public void startBroker(int id) {
        brokers.start(id);
    }

    @Override
    public Map<Integer, KafkaBroker> brokers() {
        Map<Integer, KafkaBroker> handles = new TreeMap<>();
        brokers.all().forEach((id, broker) -> handles.put(id, BrokerHandle.of(brokers, broker, settingsOf(id))));
        return handles;
    }

    @Override
    public Map<Integer, KafkaBroker> aliveBrokers() {
        Map<Integer, KafkaBroker> alive = brokers();
        alive.keySet().removeIf(id -> !brokers.isRunning(id));
        return alive;
    }

    @Override
    public Set<Integer> brokerIds() {
        return brokers.all().keySet();
    }

    @Override
    public List<Integer> brokerBoundPorts() {
        return brokers.all().values().stream().map(OutsideBrokers.Broker::port).toList();
    }

    @Override
    public String bootstrapServers() {
        return brokers.bootstrap();
    }

    @Override
    public String clusterId() {
        return brokers.clusterId();
    }

    @Override
    public Type type() {
        return Type.KRAFT;
    }

    @Override
    public ClusterConfig config() {
        return config;
    }

    @Override
    public ListenerName clientListener() {
        return config.brokerListenerName();
    }

    @Override
    public Set<GroupProtocol> supportedGroupProtocols() {
        return Set.of(GroupProtocol.CLASSIC, GroupProtocol.CONSUMER);
    }

    // Topics -----------------------------------------------------------------------------------------------------------

    @Override
    public void createTopic(String topic, int partitions, short replicas) {
        createTopic(topic, partitions, replicas, Map.of());
    }

    @Override
    public void createTopic(String topic, int partitions, short replicas, Map<String, String> settings) {
        create(new NewTopic(topic, partitions, replicas).configs(settings), partitions);
    }

    @Override
    public void createTopicWithAssignment(String topic, Map<Integer, List<Integer>> assignment) {
        create(new NewTopic(topic, assignment), assignment.size());
    }

    private void create(NewTopic topic, int partitions) {
        try (Admin admin = admin()) {
            admin.createTopics(List.of(topic));
        }
        waitTopicCreation(topic.name(), partitions);
    }

    @Override
    public void waitTopicCreation(String topic, int partitions) {
        brokers.waitForTopic(topic, partitions);
    }

    @Override
    public void waitTopicDeletion(String topic) {
        brokers.waitForTopic(topic, 0);
    }

    @Override
    public void waitForReadyBrokers() {
        // The runner answers an order when the brokers are ready.
    }

    @Override
    public void ensureConsistentMetadata() {
        // Who creates a topic here has waited until every broker knows it.
    }

    @Override
    public void ensureConsistentMetadata(Collection<KafkaBroker> some, Collection<ControllerServer> controllers) {
        ensureConsistentMetadata();
    }

    // What is not there ------------------------------------------------------------------------------------------------

    @Override
    public Optional<FaultHandlerException> firstFatalException() {
        return Optional.empty();
    }

    @Override
    public Optional<FaultHandlerException> firstNonFatalException() {
        return Optional.empty();
    }

    @Override
    public Map<Integer, ControllerServer> controllers() {
        return new HashMap<>() { // of none: tests hand them to helpers that wait for each
            @Override
            public ControllerServer get(Object id) {
                return ControllerHandle.of(brokers); // for those who ask one for topics' ids
            }
        };
    }

    @Override
    public Set<Integer> controllerIds() {
        return Set.of(brokerIds().iterator().next());
    }

    @Override
    public List<Integer> controllerBoundPorts() {
        throw NotHere.controller();
    }

    @Override
    public String bootstrapControllers() {
        throw NotHere.controller();
    }

    @Override
    public ListenerName controllerListenerName() {
        throw NotHere.controller();
    }

    @Override
    public List<Authorizer> authorizers() {
        throw NotHere.inside("authorizers");
    }

    private Properties settingsOf(int id) {
        Properties settings = new Properties();
        settings.putAll(config.serverProperties());
        settings.putAll(config.perServerOverrideProperties().getOrDefault(id, Map.of()));
        return settings;
    }
}
