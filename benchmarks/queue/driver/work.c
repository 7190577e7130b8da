/* The loads of a work queue: make it, fill it, have workers empty it, or do both at a fixed rate. */
#include "work.h"

#include <pthread.h>
#include <stdatomic.h>

static struct {
    const queue_kind_t *kind;
    const options_t *options;
    uint64_t wanted, skipped;
    on_record_t on_record;
    uint64_t *end_to_end_ns; /* where the rate is fixed, or records are given back */
    atomic_uchar *seen;
    atomic_ullong taken, again, primed;
    atomic_ullong first_ns, last_ns;
} work;

static const uint64_t PRIMING = UINT64_MAX;
static _Thread_local bool has_taken;

static bool on_record(const void *payload, size_t length) {
    stamp_t stamp;
    uint64_t now = now_ns(), none = 0;
    if (length != work.options->record_bytes) fail("a record of %zu bytes came back", length);
    memcpy(&stamp, payload, sizeof stamp);
    if (stamp.record == PRIMING) {
        work.primed++;
        return true;
    }
    if (stamp.record >= work.wanted) fail("record %llu was never sent", (unsigned long long)stamp.record);
    atomic_compare_exchange_strong(&work.first_ns, &none, now);
    if (atomic_exchange(&work.seen[stamp.record], 1)) {
        work.again++;
        return true;
    }
    if (work.end_to_end_ns) work.end_to_end_ns[stamp.record] = now - stamp.due_ns;
    has_taken = true;
    work.taken++;
    return true;
}

/* Gives back each record whose turn it is, once, and times how long after that it comes again. */
static bool on_retried(const void *payload, size_t length) {
    stamp_t stamp;
    uint64_t now = now_ns();
    if (length != work.options->record_bytes) fail("a record of %zu bytes came back", length);
    memcpy(&stamp, payload, sizeof stamp);
    if (stamp.record >= work.wanted) fail("record %llu was never sent", (unsigned long long)stamp.record);
    bool is_given_back = stamp.record % work.options->records_each == 0;
    unsigned before = atomic_fetch_add(&work.seen[stamp.record], 1);
    if (is_given_back && before == 0) {
        work.end_to_end_ns[stamp.record] = now;
        return false;
    }
    if (before != (is_given_back ? 1u : 0u)) {
        work.again++;
        return true;
    }
    if (is_given_back) work.end_to_end_ns[stamp.record] = now - work.end_to_end_ns[stamp.record];
    work.taken++;
    return true;
}

static void *worker(void *given) {
    void *self = work.kind->new_worker(work.options, (int)(intptr_t)given);
    uint64_t give_up = now_ns() + (uint64_t)(work.options->timeout_s * 1e9);
    while (work.taken < work.wanted) {
        has_taken = false;
        work.kind->take(self, 100, work.on_record);
        if (now_ns() > give_up)
            fail("%llu of %llu records came in time", (unsigned long long)work.taken, (unsigned long long)work.wanted);
    }
    work.kind->settle(self);
    if (has_taken) { /* who has only waited since may have waited for nothing */
        uint64_t now = now_ns(), before = work.last_ns;
        while (before < now && !atomic_compare_exchange_weak(&work.last_ns, &before, now)) continue;
    }
    work.kind->finish(self);
    return NULL;
}

static pthread_t *start_workers(void) {
    pthread_t *threads = calloc((size_t)work.options->clients, sizeof *threads);
    for (int i = 0; i < work.options->clients; i++) pthread_create(&threads[i], NULL, worker, (void *)(intptr_t)i);
    return threads;
}

static void wait_for(pthread_t *threads) {
    for (int i = 0; i < work.options->clients; i++) pthread_join(threads[i], NULL);
}

static void prepare(const queue_kind_t *kind, const options_t *options, uint64_t wanted) {
    if (options->record_bytes < sizeof(stamp_t)) fail("records of at least %zu bytes", sizeof(stamp_t));
    work.kind = kind;
    work.options = options;
    work.wanted = wanted;
    work.on_record = on_record;
    work.seen = calloc(wanted, 1);
}

static void send(void *sender, char *pool, uint64_t due_ns, uint64_t record) {
    stamp_t stamp = {.due_ns = due_ns, .record = record};
    char *payload = payload_at(pool, record == PRIMING ? 0 : record);
    memcpy(payload, &stamp, sizeof stamp);
    work.kind->send(sender, payload, work.options->record_bytes);
}

static void print_start(uint64_t records, double elapsed_s) {
    printf("{\"records\": %llu, \"bytes\": %llu, \"elapsed_s\": %.6f, \"client_cpu_s\": %.3f, \"again\": %llu",
           (unsigned long long)records, (unsigned long long)(records * work.options->record_bytes), elapsed_s, client_cpu_s(),
           (unsigned long long)work.again);
}

int run_make(const queue_kind_t *kind, const options_t *options) {
    kind->make(options);
    printf("{}\n");
    fflush(stdout);
    _Exit(0);
}

int run_fill(const queue_kind_t *kind, const options_t *options) {
    prepare(kind, options, options->records);
    void *sender = kind->new_sender(options);
    char *pool = new_payload_pool(options);
    uint64_t start = now_ns();
    for (uint64_t i = 0; i < options->records; i++) send(sender, pool, start, i);
    kind->sent(sender);
    print_start(options->records, (double)(now_ns() - start) / 1e9);
    printf("}\n");
    fflush(stdout);
    _Exit(0);
}

/* The clock runs from the first record that any worker gets until the last acknowledgement has reached the broker: joining
 * a group and leaving it are not in it.
 */
int run_empty(const queue_kind_t *kind, const options_t *options) {
    prepare(kind, options, options->records);
    wait_for(start_workers());
    print_start(options->records, (double)(work.last_ns - work.first_ns) / 1e9);
    printf("}\n");
    fflush(stdout);
    _Exit(0);
}

static int by_size(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static double at_rank_ms(const uint64_t *sorted, uint64_t count, double share) {
    uint64_t at = (uint64_t)(share * (double)count);
    return (double)sorted[at < count ? at : count - 1] / 1e6;
}

/* Each `records_each`th record is given back once; the times tell how long until it came again. */
int run_retry(const queue_kind_t *kind, const options_t *options) {
    uint64_t given_back = (options->records + options->records_each - 1) / options->records_each;
    prepare(kind, options, options->records);
    work.on_record = on_retried;
    work.end_to_end_ns = calloc(work.wanted, sizeof *work.end_to_end_ns);
    uint64_t start = now_ns();
    wait_for(start_workers());
    print_start(options->records, (double)(now_ns() - start) / 1e9);
    for (uint64_t i = 0; i < given_back; i++) work.end_to_end_ns[i] = work.end_to_end_ns[i * options->records_each];
    qsort(work.end_to_end_ns, given_back, sizeof *work.end_to_end_ns, by_size);
    printf(", \"given_back\": %llu, \"min\": %.4f, \"p50\": %.4f, \"p99\": %.4f, \"max\": %.4f}\n", (unsigned long long)given_back,
           at_rank_ms(work.end_to_end_ns, given_back, 0), at_rank_ms(work.end_to_end_ns, given_back, 0.5),
           at_rank_ms(work.end_to_end_ns, given_back, 0.99), at_rank_ms(work.end_to_end_ns, given_back, 1.0));
    fflush(stdout);
    _Exit(0);
}

/* As the latency load of a topic: a record counts from when it was due, so that no pause is hidden. */
int run_pace(const queue_kind_t *kind, const options_t *options) {
    uint64_t skipped = (uint64_t)(options->warm_up_s * options->rate_per_s);
    prepare(kind, options, options->records + skipped);
    work.end_to_end_ns = calloc(work.wanted, sizeof *work.end_to_end_ns);
    void *sender = kind->new_sender(options);
    char *pool = new_payload_pool(options);
    pthread_t *threads = start_workers();
    uint64_t give_up = now_ns() + (uint64_t)(options->timeout_s * 1e9);
    while (!work.primed) { /* a share group that begins at the end has not begun before its first heartbeat */
        send(sender, pool, 0, PRIMING);
        if (now_ns() > give_up) fail("no record came back");
        sleep_until_ns(now_ns() + 200000000);
    }
    double interval_ns = 1e9 / options->rate_per_s;
    uint64_t start = now_ns() + 500000000; /* the other workers join */
    for (uint64_t i = 0; i < work.wanted; i++) {
        uint64_t due = start + (uint64_t)((double)i * interval_ns);
        if (due > now_ns()) sleep_until_ns(due);
        send(sender, pool, due, i);
    }
    double sending_s = (double)(now_ns() - start) / 1e9;
    kind->sent(sender);
    wait_for(threads);
    uint64_t *counted = work.end_to_end_ns + skipped;
    qsort(counted, options->records, sizeof *counted, by_size);
    print_start(work.wanted, sending_s);
    printf(", \"p50\": %.4f, \"p99\": %.4f, \"p999\": %.4f, \"max\": %.4f}\n", at_rank_ms(counted, options->records, 0.5),
           at_rank_ms(counted, options->records, 0.99), at_rank_ms(counted, options->records, 0.999),
           at_rank_ms(counted, options->records, 1.0));
    fflush(stdout);
    _Exit(0);
}
