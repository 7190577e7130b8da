/* Clock, errors, clients and payloads for every kind of load. */
#include "load.h"

#include <errno.h>
#include <stdarg.h>
#include <sys/resource.h>
#include <time.h>

enum { POOL_BYTES = 1 << 20, PAYLOAD_STRIDE = 4099 };

uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}

void sleep_until_ns(uint64_t due_ns) {
    struct timespec t = {.tv_sec = (time_t)(due_ns / 1000000000ull), .tv_nsec = (long)(due_ns % 1000000000ull)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR) continue;
}

double client_cpu_s(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    fflush(stderr);
    /* Clients still run threads of their own; nothing here needs their orderly end. */
    _Exit(1);
}

rd_kafka_t *new_client(const options_t *options, int type, rd_kafka_conf_t *conf) {
    char why[512];
    char other = type == RD_KAFKA_PRODUCER ? 'c' : 'p';
    if (rd_kafka_conf_set(conf, "bootstrap.servers", options->bootstrap, why, sizeof why) != RD_KAFKA_CONF_OK) fail("%s", why);
    for (int i = 0; i < options->settings_count; i++) {
        if (options->settings[i].of == 't' || options->settings[i].of == other) continue;
        if (rd_kafka_conf_set(conf, options->settings[i].name, options->settings[i].value, why, sizeof why) !=
            RD_KAFKA_CONF_OK)
            fail("%s", why);
    }
    rd_kafka_t *client = rd_kafka_new(type, conf, why, sizeof why);
    if (!client) fail("%s", why);
    return client;
}

void set_name(rd_kafka_conf_t *conf, const char *setting, const options_t *options, int number) {
    char name[256], why[512];
    snprintf(name, sizeof name, "%s-%d", options->topic, number);
    if (rd_kafka_conf_set(conf, setting, name, why, sizeof why) != RD_KAFKA_CONF_OK) fail("%s", why);
}

/* xorshift: repeatable from run to run, so both brokers get the same bytes. */
static uint64_t next_random(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void fill_with_text(char *pool, size_t size, uint64_t *state) {
    static const char *const words[] = {"\"user\":",   "\"amount\":", "\"currency\":", "\"EUR\",",    "\"status\":",
                                        "\"settled\",", "\"order\":",  "\"city\":",     "\"Lisbon\",", "\"sensor\":",
                                        "true,",       "false,",      "\"reading\":",  "null,",       "}\n{",
                                        "\"updated\":"};
    size_t at = 0;
    while (at < size) {
        char piece[64];
        uint64_t r = next_random(state);
        int length = snprintf(piece, sizeof piece, "%s%u,", words[r & 15], (unsigned)(r >> 32) % 100000u);
        for (int i = 0; i < length && at < size; i++) pool[at++] = piece[i];
    }
}

char *new_payload_pool(const options_t *options) {
    size_t size = POOL_BYTES + options->record_bytes;
    char *pool = malloc(size);
    uint64_t state = 0x9e3779b97f4a7c15ull;
    if (!pool) fail("no memory for payloads");
    if (options->text) fill_with_text(pool, size, &state);
    else
        for (size_t i = 0; i < size; i++) pool[i] = (char)next_random(&state);
    return pool;
}

char *payload_at(char *pool, uint64_t record) {
    return pool + (record * PAYLOAD_STRIDE) % POOL_BYTES;
}
