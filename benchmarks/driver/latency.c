/* Produce at a fixed rate and consume at the same time; count each record from the moment it was due.
 *
 * A record that could not be sent on time because an earlier one was stuck has been waiting since it was due: counting
 * from the send instead would hide every pause but its first record (coordinated omission).
 */
#include "load.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct {
    uint64_t due_ns;
    uint64_t record;
} stamp_t;

static const uint64_t PRIMING = UINT64_MAX;

typedef struct {
    const options_t *options;
    uint64_t skipped; /* records of the warm-up, not counted */
    uint64_t *end_to_end_ns, *acknowledged_ns;
    atomic_ullong received, acknowledged, primed;
    atomic_bool stop;
} meter_t;

static meter_t meter;

static void on_delivery(rd_kafka_t *client, const rd_kafka_message_t *message, void *opaque) {
    (void)client, (void)opaque;
    if (message->err) fail("latency: %s", rd_kafka_err2str(message->err));
    stamp_t stamp;
    memcpy(&stamp, message->payload, sizeof stamp);
    if (stamp.record == PRIMING) return;
    meter.acknowledged_ns[stamp.record] = now_ns() - stamp.due_ns;
    meter.acknowledged++;
}

static void on_record(rd_kafka_message_t *message, void *opaque) {
    (void)opaque;
    if (message->err == RD_KAFKA_ERR_PARTITION_EOF) return;
    if (message->err) fail("latency: %s", rd_kafka_err2str(message->err));
    stamp_t stamp;
    memcpy(&stamp, message->payload, sizeof stamp);
    if (stamp.record == PRIMING) {
        meter.primed++;
        return;
    }
    meter.end_to_end_ns[stamp.record] = now_ns() - stamp.due_ns;
    meter.received++;
}

static void *consume(void *unused) {
    (void)unused;
    rd_kafka_t *client = new_client(meter.options, RD_KAFKA_CONSUMER, rd_kafka_conf_new());
    rd_kafka_topic_t *topic = rd_kafka_topic_new(client, meter.options->topic, NULL);
    rd_kafka_queue_t *queue = rd_kafka_queue_new(client);
    for (int32_t p = 0; p < meter.options->partitions; p++)
        if (rd_kafka_consume_start_queue(topic, p, RD_KAFKA_OFFSET_BEGINNING, queue) == -1) fail("latency: cannot consume");
    while (!meter.stop) rd_kafka_consume_callback_queue(queue, 50, on_record, NULL);
    return NULL;
}

static void *serve_deliveries(void *client) {
    while (!meter.stop) rd_kafka_poll(client, 50);
    return NULL;
}

static void send(rd_kafka_topic_t *topic, char *payload, uint64_t due_ns, uint64_t record) {
    stamp_t stamp = {.due_ns = due_ns, .record = record};
    int32_t partition = (int32_t)(record == PRIMING ? 0 : record % (uint64_t)meter.options->partitions);
    memcpy(payload, &stamp, sizeof stamp);
    if (rd_kafka_produce(topic, partition, 2 /* copy */, payload, meter.options->record_bytes, NULL, 0, NULL) == -1)
        fail("latency: %s", rd_kafka_err2str(rd_kafka_last_error()));
}

static void wait_until(atomic_ullong *counter, uint64_t at_least, double timeout_s, const char *what) {
    uint64_t give_up = now_ns() + (uint64_t)(timeout_s * 1e9);
    while (*counter < at_least) {
        if (now_ns() > give_up) fail("latency: %llu of %llu %s", *counter, (unsigned long long)at_least, what);
        sleep_until_ns(now_ns() + 2000000);
    }
}

static int by_size(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void print_percentiles(const char *name, uint64_t *values, uint64_t count) {
    qsort(values, count, sizeof *values, by_size);
    static const struct {
        const char *name;
        double share;
    } ranks[] = {{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p999", 0.999}, {"max", 1.0}};
    printf("\"%s\": {", name);
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
        uint64_t at = (uint64_t)(ranks[i].share * (double)count);
        printf("%s\"%s\": %.4f", i ? ", " : "", ranks[i].name, (double)values[at < count ? at : count - 1] / 1e6);
    }
    printf("}");
}

int run_latency(const options_t *options) {
    uint64_t counted = options->records, skipped = (uint64_t)(options->warm_up_s * options->rate_per_s);
    if (options->record_bytes < sizeof(stamp_t)) fail("latency: records of at least %zu bytes", sizeof(stamp_t));
    meter.options = options;
    meter.end_to_end_ns = calloc(counted + skipped, sizeof(uint64_t));
    meter.acknowledged_ns = calloc(counted + skipped, sizeof(uint64_t));
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    rd_kafka_conf_set_dr_msg_cb(conf, on_delivery);
    rd_kafka_t *client = new_client(options, RD_KAFKA_PRODUCER, conf);
    rd_kafka_topic_t *topic = rd_kafka_topic_new(client, options->topic, NULL);
    char *payload = new_payload_pool(options);
    pthread_t consumer, deliveries;
    pthread_create(&consumer, NULL, consume, NULL);
    pthread_create(&deliveries, NULL, serve_deliveries, client);
    send(topic, payload, 0, PRIMING);
    wait_until(&meter.primed, 1, options->timeout_s, "priming records came back");

    double interval_ns = 1e9 / options->rate_per_s;
    uint64_t start = now_ns() + 10000000;
    for (uint64_t i = 0; i < counted + skipped; i++) {
        uint64_t due = start + (uint64_t)((double)i * interval_ns);
        if (due > now_ns()) sleep_until_ns(due);
        send(topic, payload, due, i);
    }
    double sending_s = (double)(now_ns() - start) / 1e9;
    wait_until(&meter.received, counted + skipped, options->timeout_s, "records received");
    wait_until(&meter.acknowledged, counted + skipped, options->timeout_s, "records acknowledged");
    meter.stop = true;
    printf("{\"records\": %llu, \"bytes\": %llu, \"elapsed_s\": %.6f, \"client_cpu_s\": %.3f, ",
           (unsigned long long)(counted + skipped), (unsigned long long)((counted + skipped) * options->record_bytes), sending_s,
           client_cpu_s());
    print_percentiles("end_to_end_ms", meter.end_to_end_ns + skipped, counted);
    printf(", ");
    print_percentiles("acknowledged_ms", meter.acknowledged_ns + skipped, counted);
    printf("}\n");
    fflush(stdout);
    _Exit(0);
}
