/* Produce a number of records as fast as the client can and wait for every acknowledgement.
 *
 * Payloads are borrowed from a pool and successful deliveries are not reported one by one, so that the client costs as
 * little as it can on a machine that it shares with the broker.
 */
#include "load.h"

static uint64_t failed_records;

static void on_delivery(rd_kafka_t *client, const rd_kafka_message_t *message, void *opaque) {
    (void)client, (void)opaque;
    if (message->err) {
        if (failed_records++ == 0) fprintf(stderr, "delivery failed: %s\n", rd_kafka_err2str(message->err));
    }
}

int run_produce(const options_t *options) {
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    rd_kafka_conf_set_dr_msg_cb(conf, on_delivery);
    rd_kafka_t *client = new_client(options, RD_KAFKA_PRODUCER, conf);
    rd_kafka_topic_t *topic = rd_kafka_topic_new(client, options->topic, NULL);
    char *pool = new_payload_pool(options);
    uint64_t start = now_ns();
    for (uint64_t i = 0; i < options->records; i++) {
        char *payload = payload_at(pool, i);
        int32_t partition = (int32_t)(i % (uint64_t)options->partitions);
        while (rd_kafka_produce(topic, partition, 0, payload, options->record_bytes, NULL, 0, NULL) == -1) {
            if (rd_kafka_last_error() != RD_KAFKA_ERR_QUEUE_FULL) fail("produce: %s", rd_kafka_err2str(rd_kafka_last_error()));
            rd_kafka_poll(client, 1);
            if ((double)(now_ns() - start) / 1e9 > options->timeout_s) fail("produce: timed out after %.0f s", options->timeout_s);
        }
    }
    rd_kafka_flush(client, (int)(options->timeout_s * 1000));
    double elapsed_s = (double)(now_ns() - start) / 1e9;
    int unfinished = rd_kafka_outq_len(client);
    if (unfinished) fail("produce: %d records unacknowledged after %.0f s", unfinished, elapsed_s);
    if (failed_records) fail("produce: %llu records failed", (unsigned long long)failed_records);
    printf("{\"records\": %llu, \"bytes\": %llu, \"elapsed_s\": %.6f, \"client_cpu_s\": %.3f}\n",
           (unsigned long long)options->records, (unsigned long long)(options->records * options->record_bytes), elapsed_s,
           client_cpu_s());
    rd_kafka_topic_destroy(topic);
    rd_kafka_destroy(client);
    free(pool);
    return 0;
}
