/* Transactions of some records each, one after the other, by each of several producers. */
#include "load.h"

#include <pthread.h>

typedef struct {
    const options_t *options;
    rd_kafka_t *producer;
    char *pool;
    uint64_t transactions;
} transactor_t;

static void on_delivery(rd_kafka_t *client, const rd_kafka_message_t *message, void *opaque) {
    (void)client, (void)opaque;
    if (message->err) fail("transaction: %s", rd_kafka_err2str(message->err));
}

static void must(rd_kafka_error_t *error, const char *what) {
    if (error) fail("%s: %s", what, rd_kafka_error_string(error));
}

static void transact(transactor_t *self, rd_kafka_topic_t *topic, uint64_t number) {
    const options_t *options = self->options;
    must(rd_kafka_begin_transaction(self->producer), "begin");
    for (uint64_t i = 0; i < options->records_each; i++) {
        uint64_t record = number * options->records_each + i;
        int32_t partition = (int32_t)(record % (uint64_t)options->partitions);
        while (rd_kafka_produce(topic, partition, 0, payload_at(self->pool, record), options->record_bytes, NULL, 0, NULL) == -1) {
            if (rd_kafka_last_error() != RD_KAFKA_ERR_QUEUE_FULL) fail("transaction: %s", rd_kafka_err2str(rd_kafka_last_error()));
            rd_kafka_poll(self->producer, 1);
        }
    }
    must(rd_kafka_commit_transaction(self->producer, (int)(options->timeout_s * 1000)), "commit");
}

static void prepare(transactor_t *self, const options_t *options, int number, char *pool) {
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    set_name(conf, "transactional.id", options, number);
    rd_kafka_conf_set_dr_msg_cb(conf, on_delivery);
    self->options = options;
    self->pool = pool;
    self->transactions = options->records / options->records_each / (uint64_t)options->clients;
    self->producer = new_client(options, RD_KAFKA_PRODUCER, conf);
    must(rd_kafka_init_transactions(self->producer, (int)(options->timeout_s * 1000)), "init");
}

static void *run(void *given) {
    transactor_t *self = given;
    rd_kafka_topic_t *topic = rd_kafka_topic_new(self->producer, self->options->topic, NULL);
    for (uint64_t i = 0; i < self->transactions; i++) transact(self, topic, i);
    return NULL;
}

int run_transact(const options_t *options) {
    transactor_t *transactors = calloc((size_t)options->clients, sizeof *transactors);
    pthread_t *threads = calloc((size_t)options->clients, sizeof *threads);
    char *pool = new_payload_pool(options);
    for (int i = 0; i < options->clients; i++) prepare(&transactors[i], options, i, pool);
    uint64_t start = now_ns();
    for (int i = 0; i < options->clients; i++) pthread_create(&threads[i], NULL, run, &transactors[i]);
    for (int i = 0; i < options->clients; i++) pthread_join(threads[i], NULL);
    double elapsed_s = (double)(now_ns() - start) / 1e9;
    uint64_t transactions = transactors[0].transactions * (uint64_t)options->clients;
    printf("{\"transactions\": %llu, \"bytes\": %llu, \"elapsed_s\": %.6f, \"client_cpu_s\": %.3f}\n",
           (unsigned long long)transactions,
           (unsigned long long)(transactions * options->records_each * options->record_bytes), elapsed_s,
           client_cpu_s());
    fflush(stdout);
    _Exit(0);
}
