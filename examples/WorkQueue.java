import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Work through a queue with Kafka's share consumer (kafka-clients 4.2 and later): java ... WorkQueue [BOOTSTRAP]
 *
 * <p>Prints each job when it is done, until Ctrl-C. A job "bad ..." is given up, a job "flaky ..." fails the first time.
 */
public final class WorkQueue {
    public static void main(String[] arguments) throws InterruptedException {
        Properties settings = new Properties();
        settings.put("bootstrap.servers", arguments.length > 0 ? arguments[0] : "127.0.0.1:9092");
        settings.put("group.id", "workers");
        settings.put("share.acknowledgement.mode", "explicit");
        settings.put("max.poll.records", "10");
        var consumer = new KafkaShareConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        Thread worker = Thread.currentThread();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            consumer.wakeup();
            try {
                worker.join();
            } catch (InterruptedException ignored) {
                Thread.currentThread().interrupt();
            }
        }));
        try (consumer) { // closing gives back what is not acknowledged
            consumer.subscribe(List.of("jobs"));
            while (true) {
                for (var job : consumer.poll(Duration.ofMillis(500))) {
                    consumer.acknowledge(job, work(job));
                }
                consumer.commitSync().forEach((partition, problem) -> problem.ifPresent(
                        why -> System.err.println("may be done again: " + partition + " " + why)));
            }
        } catch (WakeupException stopped) {
            // Ctrl-C
        }
    }

    private static AcknowledgeType work(ConsumerRecord<byte[], byte[]> job) {
        String text = new String(job.value(), StandardCharsets.UTF_8);
        if (text.startsWith("bad")) {
            return AcknowledgeType.REJECT;
        }
        if (text.startsWith("flaky") && job.deliveryCount().orElse((short) 1) == 1) {
            return AcknowledgeType.RELEASE;
        }
        System.out.println("done " + text);
        return AcknowledgeType.ACCEPT;
    }
}
