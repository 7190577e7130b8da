// SPDX-License-Identifier: Apache-2.0
package penstock.suites;

import com.fasterxml.jackson.databind.JsonNode;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.metadata.LeaderAndIsr;
import org.apache.kafka.metadata.LeaderRecoveryState;
import org.apache.kafka.metadata.MetadataCache;

/** What a broker knows of topics, for tests that wait until it does: asked by a Metadata request to that broker. */
final class KnownTopics implements InvocationHandler {
    private final OutsideBrokers brokers;
    private final int broker;

    private KnownTopics(OutsideBrokers brokers, int broker) {
        this.brokers = brokers;
        this.broker = broker;
    }

    static MetadataCache of(OutsideBrokers brokers, int broker) {
        Class<?>[] looks = {MetadataCache.class};
        return (MetadataCache) Proxy.newProxyInstance(
            KnownTopics.class.getClassLoader(), looks, new KnownTopics(brokers, broker));
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) {
        switch (method.getName()) {
            case "numPartitions":
                int count = partitions((String) arguments[0]).size();
                return count == 0 ? Optional.empty() : Optional.of(count);
            case "getLeaderAndIsr":
                return partition((String) arguments[0], (int) arguments[1]);
            case "contains":
                return arguments[0] instanceof TopicPartition asked
                    ? partition(asked.topic(), asked.partition()).isPresent()
                    : partitions((String) arguments[0]).size() > 0;
            case "getTopicId":
                return Uuid.fromString(brokers.topic((String) arguments[0], broker).get("id").asText());
            case "hasAliveBroker":
                return brokers.all().containsKey((int) arguments[0]) && brokers.isRunning((int) arguments[0]);
            default:
                throw NotHere.inside("metadataCache." + method.getName());
        }
    }

    private JsonNode partitions(String topic) {
        return brokers.topic(topic, broker).get("partitions");
    }

    private Optional<LeaderAndIsr> partition(String topic, int index) {
        for (JsonNode each : partitions(topic)) {
            if (each.get("index").asInt() == index) {
                List<Integer> inSync = new ArrayList<>();
                each.get("isr").forEach(id -> inSync.add(id.asInt()));
                int leader = each.get("leader").asInt();
                return Optional.of(
                    new LeaderAndIsr(leader, each.get("epoch").asInt(), inSync, LeaderRecoveryState.RECOVERED, 0));
            }
        }
        return Optional.empty();
    }
}
