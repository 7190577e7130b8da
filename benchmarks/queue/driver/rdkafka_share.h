/* Declared as in benchmarks/driver/rdkafka.h: librdkafka's share consumer, of the wheel's 2.16 or newer. */
#ifndef PENSTOCK_BENCH_RDKAFKA_SHARE_H
#define PENSTOCK_BENCH_RDKAFKA_SHARE_H

#include "rdkafka.h"

typedef struct rd_kafka_share_s rd_kafka_share_t;
typedef struct rd_kafka_messages_s rd_kafka_messages_t;
typedef struct rd_kafka_share_partition_offsets_list_s rd_kafka_share_partition_offsets_list_t;

enum { RD_KAFKA_SHARE_ACCEPT = 1, RD_KAFKA_SHARE_RELEASE = 2 };

rd_kafka_share_t *rd_kafka_share_consumer_new(rd_kafka_conf_t *, char *errstr, size_t errstr_size);
rd_kafka_error_t *rd_kafka_share_set_acknowledgement_commit_cb(
    rd_kafka_share_t *, void (*)(rd_kafka_share_t *, rd_kafka_share_partition_offsets_list_t *, int err, void *opaque),
    void *opaque);
int rd_kafka_share_subscribe(rd_kafka_share_t *, const rd_kafka_topic_partition_list_t *);
rd_kafka_error_t *rd_kafka_share_poll(rd_kafka_share_t *, int timeout_ms, rd_kafka_messages_t **);
int rd_kafka_share_acknowledge_type(rd_kafka_share_t *, const rd_kafka_message_t *, int type);
rd_kafka_error_t *rd_kafka_share_commit_sync(rd_kafka_share_t *, int timeout_ms, rd_kafka_topic_partition_list_t **);
rd_kafka_error_t *rd_kafka_share_consumer_close(rd_kafka_share_t *);
size_t rd_kafka_messages_count(const rd_kafka_messages_t *);
rd_kafka_message_t *rd_kafka_messages_get(const rd_kafka_messages_t *, size_t index);
void rd_kafka_messages_destroy(rd_kafka_messages_t *);
void rd_kafka_topic_partition_list_destroy(rd_kafka_topic_partition_list_t *);

#endif
