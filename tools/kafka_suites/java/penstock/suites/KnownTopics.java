// SPDX-License-Identifier: Apache-2.0
package penstock.suites;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.metadata.KRaftMetadataCache;
import org.apache.kafka.metadata.LeaderAndIsr;
import org.apache.kafka.metadata.LeaderRecoveryState;

/** What a broker knows of topics, for tests that wait until it does: asked by a Metadata request to that broker. */
final class KnownTopics {
    private final OutsideBrokers brokers;
    private final int broker;

    private KnownTopics(OutsideBrokers brokers, int broker) {
        this.brokers = brokers;
        this.broker = broker;
    }

    static KRaftMetadataCache of(OutsideBrokers brokers, int broker) {
        KnownTopics known = new KnownTopics(brokers, broker);
        return Looks.of(KRaftMetadataCache.class, "metadataCache", Map.of(
            "numPartitions", asked -> known.numPartitions((String) asked[0]),
            "getLeaderAndIsr", asked -> known.partition((String) asked[0], (int) asked[1]),
            "contains", asked -> asked[0] instanceof TopicPartition part
                ? known.partition(part.topic(), part.partition()).isPresent()
                : known.partitions((String) asked[0]).size() > 0,
            "getTopicId", asked -> Uuid.fromString(brokers.topic((String) asked[0], broker).get("id").asText()),
            "getAliveBrokerNodes", asked -> known.running(),
            "hasAliveBroker", asked -> brokers.all().containsKey((int) asked[0]) && brokers.isRunning((int) asked[0])));
    }

    private List<Node> running() {
        return brokers.all().values().stream().filter(each -> brokers.isRunning(each.id()))
            .map(each -> new Node(each.id(), "localhost", each.port())).toList();
    }

    private Optional<Integer> numPartitions(String topic) {
        int count = partitions(topic).size();
        return count == 0 ? Optional.empty() : Optional.of(count);
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
