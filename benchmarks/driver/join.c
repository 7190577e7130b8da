/* Join groups and leave them again: each client has a group of its own, subscribes, waits until it was given its
 * partitions, and unsubscribes.
 */
#include "load.h"

#include <pthread.h>

typedef struct {
    const options_t *options;
    rd_kafka_t *consumer;
    rd_kafka_topic_partition_list_t *topics;
    uint64_t joins;
    bool is_member;
} joiner_t;

static void on_rebalance(rd_kafka_t *consumer, int err, rd_kafka_topic_partition_list_t *partitions, void *opaque) {
    joiner_t *self = opaque;
    bool assigned = err == RD_KAFKA_ERR_ASSIGN_PARTITIONS;
    if (!assigned && err != RD_KAFKA_ERR_REVOKE_PARTITIONS) fail("join: %s", rd_kafka_err2str(err));
    if (!strcmp(rd_kafka_rebalance_protocol(consumer), "COOPERATIVE")) {
        rd_kafka_error_t *error = assigned ? rd_kafka_incremental_assign(consumer, partitions)
                                           : rd_kafka_incremental_unassign(consumer, partitions);
        if (error) fail("join: %s", rd_kafka_error_string(error));
    } else if (rd_kafka_assign(consumer, assigned ? partitions : NULL)) fail("join: cannot assign");
    self->is_member = assigned;
    rd_kafka_yield(consumer); /* the poll that served this would wait out its time otherwise */
}

/* Kafka's broker learns of a topic a little after its controller has answered; the client asks again by itself. */
static bool passes(int err) {
    return err == RD_KAFKA_ERR_PARTITION_EOF || err == RD_KAFKA_ERR_UNKNOWN_TOPIC_OR_PART;
}

static void poll_until(joiner_t *self, bool is_member) {
    uint64_t give_up = now_ns() + (uint64_t)(self->options->timeout_s * 1e9);
    while (self->is_member != is_member) {
        rd_kafka_message_t *message = rd_kafka_consumer_poll(self->consumer, 100);
        if (message && message->err && !passes(message->err)) fail("join: %s", rd_kafka_err2str(message->err));
        if (message) rd_kafka_message_destroy(message);
        if (now_ns() > give_up) fail("join: not %s after %.0f s", is_member ? "joined" : "left", self->options->timeout_s);
    }
}

static void join_and_leave(joiner_t *self) {
    if (rd_kafka_subscribe(self->consumer, self->topics)) fail("join: cannot subscribe");
    poll_until(self, true);
    if (rd_kafka_unsubscribe(self->consumer)) fail("join: cannot unsubscribe");
    poll_until(self, false);
}

static void prepare(joiner_t *self, const options_t *options, int number) {
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    set_name(conf, "group.id", options, number);
    rd_kafka_conf_set_rebalance_cb(conf, on_rebalance);
    rd_kafka_conf_set_opaque(conf, self);
    self->options = options;
    self->joins = options->records / (uint64_t)options->clients;
    self->consumer = new_client(options, RD_KAFKA_CONSUMER, conf);
    rd_kafka_poll_set_consumer(self->consumer);
    self->topics = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_list_add(self->topics, options->topic, -1);
}

static void *join_once(void *given) {
    join_and_leave(given);
    return NULL;
}

static void *run(void *given) {
    joiner_t *self = given;
    for (uint64_t i = 0; i < self->joins; i++) join_and_leave(self);
    return NULL;
}

static void all(joiner_t *joiners, int count, void *(*what)(void *)) {
    pthread_t *threads = calloc((size_t)count, sizeof *threads);
    for (int i = 0; i < count; i++) pthread_create(&threads[i], NULL, what, &joiners[i]);
    for (int i = 0; i < count; i++) pthread_join(threads[i], NULL);
    free(threads);
}

int run_join(const options_t *options) {
    joiner_t *joiners = calloc((size_t)options->clients, sizeof *joiners);
    for (int i = 0; i < options->clients; i++) prepare(&joiners[i], options, i);
    /* The first join finds the coordinator and connects to it: a client's start, not a broker's pace. */
    all(joiners, options->clients, join_once);
    uint64_t start = now_ns();
    all(joiners, options->clients, run);
    printf("{\"joins\": %llu, \"elapsed_s\": %.6f, \"client_cpu_s\": %.3f}\n",
           (unsigned long long)(joiners[0].joins * (uint64_t)options->clients), (double)(now_ns() - start) / 1e9,
           client_cpu_s());
    fflush(stdout);
    _Exit(0);
}
