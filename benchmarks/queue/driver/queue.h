/* What the loads of a work queue ask of any queue: a table of functions a kind, so that all get the same load. */
#ifndef PENSTOCK_BENCH_QUEUE_H
#define PENSTOCK_BENCH_QUEUE_H

#include "load.h"

/* What a record begins with. */
typedef struct {
    uint64_t due_ns;
    uint64_t record;
} stamp_t;

/* Whether it is done; else it is given back. */
typedef bool (*on_record_t)(const void *payload, size_t length);

typedef struct {
    const char *name;
    void (*make)(const options_t *);          /* the queue itself, empty; nothing where the harness does it */
    void *(*new_sender)(const options_t *);
    void (*send)(void *sender, const void *payload, size_t length); /* may be on its way when this returns */
    void (*sent)(void *sender);               /* returns when all that was sent is kept */
    void *(*new_worker)(const options_t *, int number);
    /* Hands over what is there, or comes within the time, and acknowledges each record by itself. Where a worker may
     * have one record in flight it waits, if the queue can answer that, until the acknowledgement is kept. */
    void (*take)(void *worker, int timeout_ms, on_record_t);
    void (*settle)(void *worker);             /* returns when every acknowledgement has reached the broker */
    void (*finish)(void *worker);
} queue_kind_t;

extern const queue_kind_t share_queue;
#ifdef WITH_PEERS
extern const queue_kind_t amqp_queue, nats_queue;
#endif

static inline bool one_at_a_time(const options_t *options) { return options->in_flight == 1; }

#endif
