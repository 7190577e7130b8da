// SPDX-License-Identifier: Apache-2.0
package org.apache.kafka.streams.integration.utils;

import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.server.util.MockTime;
import org.apache.kafka.test.TestUtils;
import penstock.suites.NotHere;
import penstock.suites.OutsideBrokers;

/** Stands in for the class of this name of Kafka Streams' tests: the brokers are those that the runner starts. */
public class EmbeddedKafkaCluster {
    /** What Streams' tests assume of every cluster. */
    private static final Map<String, String> USUAL = Map.of(
        "group.min.session.timeout.ms", "0",
        "group.initial.rebalance.delay.ms", "0",
        "offsets.topic.num.partitions", "5",
        "offsets.topic.replication.factor", "1",
        "transaction.state.log.num.partitions", "5",
        "transaction.state.log.replication.factor", "1",
        "transaction.state.log.min.isr", "1",
        "auto.create.topics.enable", "true");
    private static final long SECONDS_MAX = 60;

    public final MockTime time;

    private final int count;
    private final Map<String, String> settings = new HashMap<>(USUAL);
    private final Map<Integer, Map<String, String>> each;
    private OutsideBrokers brokers;

    public EmbeddedKafkaCluster(int count) {
        this(count, new Properties());
    }

    public EmbeddedKafkaCluster(int count, Properties settings) {
        this(count, settings, Map.of());
    }

    public EmbeddedKafkaCluster(int count, Properties settings, long millis) {
        this(count, settings, Map.of(), millis, System.nanoTime());
    }

    public EmbeddedKafkaCluster(int count, Properties settings, Map<Integer, Map<String, String>> each) {
        this(count, settings, each, System.currentTimeMillis(), System.nanoTime());
    }

    public EmbeddedKafkaCluster(
            int count, Properties settings, Map<Integer, Map<String, String>> each, long millis, long nanos) {
        this.count = count;
        this.each = each;
        settings.forEach((name, value) -> this.settings.put(name.toString(), value.toString()));
        time = new MockTime(millis, nanos);
    }

    public void start() {
        brokers = new OutsideBrokers(count, settings, each);
    }

    public void verifyClusterReadiness() {
        // The runner answers when the brokers are ready.
    }

    public void stop() {
        if (brokers != null) {
            brokers.close();
            brokers = null;
        }
    }

    public String bootstrapServers() {
        return brokers.bootstrap();
    }

    public boolean sslEnabled() {
        return false;
    }

    // Clients ----------------------------------------------------------------------------------------------------------

    public Map<String, String> clientDefaultConfig() {
        return new HashMap<>(Map.of("bootstrap.servers", bootstrapServers()));
    }

    public Admin createAdminClient() {
        return Admin.create(new HashMap<>(clientDefaultConfig()));
    }

    public void produce(Map<String, Object> more, String topic, Integer partition, String key, String value) {
        try (var producer = new KafkaProducer<>(with(more), new ByteArraySerializer(), new ByteArraySerializer())) {
            producer.send(new ProducerRecord<>(topic, partition, key.getBytes(), value.getBytes()))
                .get(SECONDS_MAX, TimeUnit.SECONDS);
        } catch (Exception error) {
            throw new IllegalStateException("cannot write to " + topic, error);
        }
    }

    public KafkaConsumer<byte[], byte[]> createConsumer(Map<String, Object> more) {
        Map<String, Object> settings = with(more);
        settings.putIfAbsent("group.id", UUID.randomUUID().toString());
        settings.putIfAbsent("auto.offset.reset", "earliest");
        settings.putIfAbsent("enable.auto.commit", "false");
        return new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    public KafkaConsumer<byte[], byte[]> createConsumerAndSubscribeTo(Map<String, Object> more, String... topics) {
        KafkaConsumer<byte[], byte[]> consumer = createConsumer(more);
        consumer.subscribe(List.of(topics));
        return consumer;
    }

    public KafkaConsumer<byte[], byte[]> createConsumerAndSubscribeTo(
            Map<String, Object> more, ConsumerRebalanceListener listener, String... topics) {
        KafkaConsumer<byte[], byte[]> consumer = createConsumer(more);
        consumer.subscribe(List.of(topics), listener);
        return consumer;
    }

    private Map<String, Object> with(Map<String, Object> more) {
        Map<String, Object> settings = new HashMap<>(clientDefaultConfig());
        settings.putAll(more);
        return settings;
    }

    // Topics -----------------------------------------------------------------------------------------------------------

    public void createTopics(String... topics) throws InterruptedException {
        for (String topic : topics) {
            createTopic(topic);
        }
    }

    public void createTopic(String topic) {
        createTopic(topic, 1);
    }

    public void createTopic(String topic, int partitions) {
        createTopic(topic, partitions, 1, Map.of());
    }

    public void createTopic(String topic, int partitions, int replicas) throws InterruptedException {
        createTopic(topic, partitions, replicas, Map.of());
    }

    public void createTopic(String topic, int partitions, int replicas, Map<String, String> configs) {
        try (Admin admin = createAdminClient()) {
            NewTopic wanted = new NewTopic(topic, partitions, (short) replicas).configs(configs);
            result(admin.createTopics(List.of(wanted)).all());
        }
        brokers.waitForTopic(topic, partitions);
    }

    public void deleteTopics(String... topics) {
        delete(List.of(topics));
    }

    public void deleteTopic(String topic) {
        delete(List.of(topic));
    }

    public void deleteAllTopics() {
        delete(getAllTopicsInCluster());
    }

    private void delete(Collection<String> topics) {
        try (Admin admin = createAdminClient()) {
            result(admin.deleteTopics(topics).all());
        }
        topics.forEach(topic -> brokers.waitForTopic(topic, 0));
    }

    public void waitForRemainingTopics(long millis, String... topics) throws InterruptedException {
        Set<String> wanted = Set.of(topics);
        TestUtils.waitForCondition(() -> getAllTopicsInCluster().equals(wanted), millis,
            () -> "topics are not " + Arrays.toString(topics));
    }

    public Set<String> getAllTopicsInCluster() {
        try (Admin admin = createAdminClient()) {
            return result(admin.listTopics().names());
        }
    }

    public Properties getLogConfig(String topic) {
        ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        Properties found = new Properties();
        try (Admin admin = createAdminClient()) {
            result(admin.describeConfigs(List.of(resource)).all()).get(resource).entries().stream()
                .filter(entry -> entry.value() != null)
                .forEach(entry -> found.put(entry.name(), entry.value()));
        }
        return found;
    }

    private static <T> T result(KafkaFuture<T> future) {
        try {
            return future.get();
        } catch (InterruptedException | ExecutionException error) {
            throw new RuntimeException(error.getCause() == null ? error : error.getCause());
        }
    }

    // Streams groups ---------------------------------------------------------------------------------------------------

    public void setGroupSessionTimeout(String group, int millis) {
        throw noStreamsGroups();
    }

    public void setGroupHeartbeatTimeout(String group, int millis) {
        throw noStreamsGroups();
    }

    public void setGroupStandbyReplicas(String group, int replicas) {
        throw noStreamsGroups();
    }

    public void setGroupStreamsInitialRebalanceDelay(String group, int millis) {
        throw noStreamsGroups();
    }

    private static RuntimeException noStreamsGroups() {
        return NotHere.notBuilt("streams groups");
    }
}
