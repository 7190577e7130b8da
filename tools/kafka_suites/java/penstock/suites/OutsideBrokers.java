// SPDX-License-Identifier: Apache-2.0
package penstock.suites;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;

/**
 * The brokers of one test. The runner (stage.py) starts them outside of this process, as we ask it over a connection:
 * a line of JSON each way. They end when the connection does.
 */
public final class OutsideBrokers implements AutoCloseable {
    public record Broker(int id, String address, String folder) {
        public int port() {
            return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
        }
    }

    private static final ObjectMapper JSON = new ObjectMapper();

    private final Socket connection;
    private final BufferedReader answers;
    private final Map<Integer, Broker> brokers = new TreeMap<>();
    private final Map<Integer, Boolean> running = new TreeMap<>();
    private String clusterId;

    /** No broker yet: `add` brings them one by one. */
    public OutsideBrokers() {
        this(0, Map.of(), Map.of());
    }

    public OutsideBrokers(int count, Map<String, String> settings, Map<Integer, Map<String, String>> each) {
        try {
            connection = new Socket(InetAddress.getLoopbackAddress(), Integer.getInteger("penstock.suites.stage"));
            answers = new BufferedReader(new InputStreamReader(connection.getInputStream(), StandardCharsets.UTF_8));
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
        Map<String, Object> wanted = new LinkedHashMap<>();
        wanted.put("do", "begin");
        wanted.put("brokers", count);
        wanted.put("settings", settings);
        wanted.put("each", each);
        note(ask(wanted));
    }

    /** One more broker, which runs when this returns. */
    public Broker add(int id, Map<String, String> settings) {
        note(ask(Map.of("do", "add", "broker", id, "settings", settings)));
        return brokers.get(id);
    }

    private void note(JsonNode told) {
        clusterId = told.get("cluster").asText();
        for (JsonNode broker : told.get("brokers")) {
            int id = broker.get("id").asInt();
            brokers.put(id, new Broker(id, broker.get("address").asText(), broker.get("folder").asText()));
            running.putIfAbsent(id, true);
        }
    }

    /** What the broker knows of a topic: its id, and leader, epoch and in-sync replicas of each partition. */
    public JsonNode topic(String name, int seenBy) {
        return ask(Map.of("do", "topic", "topic", name, "broker", seenBy));
    }

    /** Whether the broker is one of those that keep the partition, as it knows itself. */
    public boolean hasReplica(TopicPartition asked, int id) {
        for (JsonNode each : topic(asked.topic(), id).get("partitions")) {
            if (each.get("index").asInt() == asked.partition()) {
                for (JsonNode replica : each.get("replicas")) {
                    if (replica.asInt() == id) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    public Map<String, Uuid> topicIds() {
        Map<String, Uuid> ids = new TreeMap<>();
        ask(Map.of("do", "topics")).properties().forEach(
            each -> ids.put(each.getKey(), Uuid.fromString(each.getValue().asText())));
        return ids;
    }

    /** Until all brokers that run have seen the same metadata. */
    public void settle() {
        ask(Map.of("do", "settle"));
    }

    public String clusterId() {
        return clusterId;
    }

    /** All of them, also those that are stopped. */
    public Map<Integer, Broker> all() {
        return brokers;
    }

    public Broker oneThatRuns() {
        return brokers.values().stream().filter(each -> isRunning(each.id())).findFirst().orElseThrow();
    }

    public boolean isRunning(int id) {
        return running.get(id);
    }

    /** Of all, also those that are stopped. */
    public String bootstrap() {
        return String.join(",", brokers.values().stream().map(Broker::address).toList());
    }

    /** A clean stop. */
    public void stop(int id) {
        ask(Map.of("do", "stop", "broker", id));
        running.put(id, false);
    }

    public void start(int id) {
        ask(Map.of("do", "start", "broker", id));
        running.put(id, true);
    }

    /** Until every broker that runs knows so many partitions of the topic, with leaders; 0 for a topic that is gone. */
    public void waitForTopic(String topic, int partitions) {
        ask(Map.of("do", "wait", "topic", topic, "partitions", partitions));
    }

    @Override
    public void close() {
        try {
            ask(Map.of("do", "end"));
            connection.close();
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    private synchronized JsonNode ask(Map<String, Object> order) {
        try {
            connection.getOutputStream().write((JSON.writeValueAsString(order) + "\n").getBytes(StandardCharsets.UTF_8));
            String line = answers.readLine();
            if (line == null) {
                throw new IllegalStateException("the runner has closed the connection at " + order);
            }
            JsonNode answer = JSON.readTree(line);
            if (answer.has("error")) {
                throw new IllegalStateException(answer.get("error").asText());
            }
            return answer;
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }
}
