/* What the load driver's parts share: the parsed command line, the clock, clients made from it, payloads. */
#ifndef PENSTOCK_BENCH_LOAD_H
#define PENSTOCK_BENCH_LOAD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rdkafka.h"

enum { SETTINGS_MAX = 64 };

typedef struct {
    const char *bootstrap;
    const char *topic;
    int partitions;
    int replicas;
    size_t record_bytes;
    uint64_t records;
    int clients;           /* that work side by side */
    int in_flight;         /* what one client has asked for and not yet been answered */
    uint64_t records_each; /* of a transaction */
    double rate_per_s;
    double warm_up_s;
    double timeout_s;
    bool text; /* compressible payload instead of random bytes */
    int settings_count;
    struct {
        const char *name, *value;
        char of; /* p producer, c consumer, t topic, b both clients */
    } settings[SETTINGS_MAX];
} options_t;

int run_produce(const options_t *);
int run_consume(const options_t *);
int run_latency(const options_t *);
int run_first_ack(const options_t *);
int run_create(const options_t *);
int run_delete(const options_t *);
int run_touch(const options_t *);
int run_commit(const options_t *);
int run_join(const options_t *);
int run_transact(const options_t *);

/* CLOCK_MONOTONIC: the same clock as Python's time.monotonic_ns(), so instants can be compared with the harness's. */
uint64_t now_ns(void);
void sleep_until_ns(uint64_t due_ns);
double client_cpu_s(void);
_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

rd_kafka_t *new_client(const options_t *, int type, rd_kafka_conf_t *conf);
/* A name of the client's own, made from the topic's and its number: a group or a transactional id. */
void set_name(rd_kafka_conf_t *conf, const char *setting, const options_t *, int number);
int create_topic(const options_t *, rd_kafka_t *, int timeout_ms);

/* Bytes long enough to cut any record's payload from; never copied by the client. */
char *new_payload_pool(const options_t *);
char *payload_at(char *pool, uint64_t record);

#endif
