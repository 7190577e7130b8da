/* Commit offsets as fast as the broker takes them: each client has a group of its own and some commits in flight.
 *
 * The groups have no members: the clients assign partitions by themselves, as tools and many programs do, so that no
 * rebalance comes in between.
 */
#include "load.h"

#include <pthread.h>

typedef struct {
    const options_t *options;
    rd_kafka_t *consumer;
    rd_kafka_queue_t *queue;
    rd_kafka_topic_partition_list_t *offsets;
    uint64_t commits;
} committer_t;

static void commit(committer_t *self, uint64_t number) {
    for (int p = 0; p < self->offsets->cnt; p++) self->offsets->elems[p].offset = (int64_t)number;
    int err = rd_kafka_commit_queue(self->consumer, self->offsets, self->queue, NULL, NULL);
    if (err) fail("commit: %s", rd_kafka_err2str(err));
}

static int wait_for_one(committer_t *self) {
    rd_kafka_event_t *event = rd_kafka_queue_poll(self->queue, (int)(self->options->timeout_s * 1000));
    if (!event) fail("commit: no answer after %.0f s", self->options->timeout_s);
    int err = rd_kafka_event_error(event);
    rd_kafka_event_destroy(event);
    return err;
}

/* The first commit finds the coordinator, which may have to load first: a client's start, not a broker's pace. */
static void commit_until_taken(committer_t *self) {
    uint64_t give_up = now_ns() + (uint64_t)(self->options->timeout_s * 1e9);
    int err;
    do {
        commit(self, 0);
        err = wait_for_one(self);
        if (err) sleep_until_ns(now_ns() + 20000000);
    } while (err && now_ns() < give_up);
    if (err) fail("commit: %s", rd_kafka_err2str(err));
}

static void prepare(committer_t *self, const options_t *options, int number) {
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    set_name(conf, "group.id", options, number);
    self->options = options;
    self->commits = options->records / (uint64_t)options->clients;
    self->consumer = new_client(options, RD_KAFKA_CONSUMER, conf);
    self->queue = rd_kafka_queue_new(self->consumer);
    self->offsets = rd_kafka_topic_partition_list_new(options->partitions);
    for (int32_t p = 0; p < options->partitions; p++) rd_kafka_topic_partition_list_add(self->offsets, options->topic, p);
    commit_until_taken(self);
}

static void *run(void *given) {
    committer_t *self = given;
    uint64_t sent = 0, window = (uint64_t)self->options->in_flight;
    for (; sent < self->commits && sent < window; sent++) commit(self, sent + 1);
    for (uint64_t done = 0; done < self->commits; done++) {
        int err = wait_for_one(self);
        if (err) fail("commit: %s", rd_kafka_err2str(err));
        if (sent < self->commits) commit(self, ++sent);
    }
    return NULL;
}

int run_commit(const options_t *options) {
    committer_t *committers = calloc((size_t)options->clients, sizeof *committers);
    pthread_t *threads = calloc((size_t)options->clients, sizeof *threads);
    for (int i = 0; i < options->clients; i++) prepare(&committers[i], options, i);
    uint64_t start = now_ns();
    for (int i = 0; i < options->clients; i++) pthread_create(&threads[i], NULL, run, &committers[i]);
    for (int i = 0; i < options->clients; i++) pthread_join(threads[i], NULL);
    printf("{\"commits\": %llu, \"elapsed_s\": %.6f, \"client_cpu_s\": %.3f}\n",
           (unsigned long long)(committers[0].commits * (uint64_t)options->clients), (double)(now_ns() - start) / 1e9,
           client_cpu_s());
    fflush(stdout);
    _Exit(0);
}
