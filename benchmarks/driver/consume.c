/* Consume a number of records from the beginning of every partition as fast as the client can, without a group. */
#include "load.h"

typedef struct {
    uint64_t records, bytes, first_ns;
} tally_t;

static void on_record(rd_kafka_message_t *message, void *opaque) {
    tally_t *tally = opaque;
    if (message->err == RD_KAFKA_ERR_PARTITION_EOF) return;
    if (message->err) fail("consume: %s", rd_kafka_err2str(message->err));
    if (tally->records == 0) tally->first_ns = now_ns();
    tally->records++;
    tally->bytes += message->len;
}

int run_consume(const options_t *options) {
    rd_kafka_t *client = new_client(options, RD_KAFKA_CONSUMER, rd_kafka_conf_new());
    rd_kafka_topic_t *topic = rd_kafka_topic_new(client, options->topic, NULL);
    rd_kafka_queue_t *queue = rd_kafka_queue_new(client);
    tally_t tally = {0};
    uint64_t start = now_ns();
    for (int32_t p = 0; p < options->partitions; p++)
        if (rd_kafka_consume_start_queue(topic, p, RD_KAFKA_OFFSET_BEGINNING, queue) == -1) fail("consume: cannot start");
    while (tally.records < options->records) {
        rd_kafka_consume_callback_queue(queue, 100, on_record, &tally);
        if ((double)(now_ns() - start) / 1e9 > options->timeout_s)
            fail("consume: %llu of %llu records after %.0f s", (unsigned long long)tally.records,
                 (unsigned long long)options->records, options->timeout_s);
    }
    uint64_t end = now_ns();
    /* From the first record on: connecting and finding the first offset are a client's start, not a broker's pace. */
    printf("{\"records\": %llu, \"bytes\": %llu, \"elapsed_s\": %.6f, \"first_record_s\": %.6f, \"client_cpu_s\": %.3f}\n",
           (unsigned long long)tally.records, (unsigned long long)tally.bytes, (double)(end - tally.first_ns) / 1e9,
           (double)(tally.first_ns - start) / 1e9, client_cpu_s());
    fflush(stdout);
    /* Tearing down a consumer waits for the fetch in flight; the process is over anyway. */
    _Exit(0);
}
