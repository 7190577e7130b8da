/* The part of librdkafka's C interface that the load driver uses.
 *
 * The client library is the one inside the confluent-kafka wheel, which brings no header. Its binary interface is stable,
 * so the few functions needed are declared here; that way a load needs gcc and the locked wheel, and every machine
 * runs the same client version.
 */
#ifndef PENSTOCK_BENCH_RDKAFKA_H
#define PENSTOCK_BENCH_RDKAFKA_H

#include <stddef.h>
#include <stdint.h>

typedef struct rd_kafka_s rd_kafka_t;
typedef struct rd_kafka_conf_s rd_kafka_conf_t;
typedef struct rd_kafka_topic_s rd_kafka_topic_t;
typedef struct rd_kafka_topic_conf_s rd_kafka_topic_conf_t;
typedef struct rd_kafka_queue_s rd_kafka_queue_t;
typedef struct rd_kafka_op_s rd_kafka_event_t;
typedef struct rd_kafka_error_s rd_kafka_error_t;
typedef struct rd_kafka_NewTopic_s rd_kafka_NewTopic_t;
typedef struct rd_kafka_DeleteTopic_s rd_kafka_DeleteTopic_t;
typedef struct rd_kafka_AdminOptions_s rd_kafka_AdminOptions_t;
typedef struct rd_kafka_topic_result_s rd_kafka_topic_result_t;
typedef struct rd_kafka_CreateTopics_result_s rd_kafka_CreateTopics_result_t;
typedef struct rd_kafka_DeleteTopics_result_s rd_kafka_DeleteTopics_result_t;

enum { RD_KAFKA_PRODUCER = 0, RD_KAFKA_CONSUMER = 1 };
enum { RD_KAFKA_CONF_OK = 0 };
enum { RD_KAFKA_OFFSET_BEGINNING = -2 };
enum { RD_KAFKA_ERR_NONE = 0, RD_KAFKA_ERR_QUEUE_FULL = -184, RD_KAFKA_ERR_PARTITION_EOF = -191 };
enum { RD_KAFKA_ERR_ASSIGN_PARTITIONS = -175, RD_KAFKA_ERR_REVOKE_PARTITIONS = -174 };
enum { RD_KAFKA_ERR_UNKNOWN_TOPIC_OR_PART = 3, RD_KAFKA_ERR_TOPIC_ALREADY_EXISTS = 36 };

typedef struct {
    int err;
    rd_kafka_topic_t *topic;
    int32_t partition;
    void *payload;
    size_t len;
    void *key;
    size_t key_len;
    int64_t offset;
    void *opaque;
} rd_kafka_message_t;

typedef struct {
    char *topic;
    int32_t partition;
    int64_t offset;
    void *metadata;
    size_t metadata_size;
    void *opaque;
    int err;
    void *private_part;
} rd_kafka_topic_partition_t;

typedef struct {
    int cnt, size;
    rd_kafka_topic_partition_t *elems;
} rd_kafka_topic_partition_list_t;

const char *rd_kafka_version_str(void);
const char *rd_kafka_err2str(int err);
int rd_kafka_last_error(void);

rd_kafka_conf_t *rd_kafka_conf_new(void);
int rd_kafka_conf_set(rd_kafka_conf_t *, const char *name, const char *value, char *errstr, size_t errstr_size);
void rd_kafka_conf_set_dr_msg_cb(rd_kafka_conf_t *, void (*)(rd_kafka_t *, const rd_kafka_message_t *, void *opaque));
void rd_kafka_conf_set_rebalance_cb(rd_kafka_conf_t *, void (*)(rd_kafka_t *, int err, rd_kafka_topic_partition_list_t *,
                                                                void *opaque));
void rd_kafka_conf_set_opaque(rd_kafka_conf_t *, void *opaque);
rd_kafka_t *rd_kafka_new(int type, rd_kafka_conf_t *, char *errstr, size_t errstr_size);
void rd_kafka_destroy(rd_kafka_t *);
rd_kafka_topic_t *rd_kafka_topic_new(rd_kafka_t *, const char *topic, rd_kafka_topic_conf_t *);
void rd_kafka_topic_destroy(rd_kafka_topic_t *);

int rd_kafka_produce(rd_kafka_topic_t *, int32_t partition, int flags, void *payload, size_t len, const void *key,
                     size_t key_len, void *message_opaque);
int rd_kafka_poll(rd_kafka_t *, int timeout_ms);
int rd_kafka_flush(rd_kafka_t *, int timeout_ms);
int rd_kafka_outq_len(rd_kafka_t *);

rd_kafka_queue_t *rd_kafka_queue_new(rd_kafka_t *);
void rd_kafka_queue_destroy(rd_kafka_queue_t *);
int rd_kafka_consume_start_queue(rd_kafka_topic_t *, int32_t partition, int64_t offset, rd_kafka_queue_t *);
int rd_kafka_consume_stop(rd_kafka_topic_t *, int32_t partition);
int rd_kafka_consume_callback_queue(rd_kafka_queue_t *, int timeout_ms, void (*)(rd_kafka_message_t *, void *opaque),
                                    void *opaque);

rd_kafka_topic_partition_list_t *rd_kafka_topic_partition_list_new(int size);
rd_kafka_topic_partition_t *rd_kafka_topic_partition_list_add(rd_kafka_topic_partition_list_t *, const char *topic,
                                                              int32_t partition);
int rd_kafka_poll_set_consumer(rd_kafka_t *);
void rd_kafka_yield(rd_kafka_t *);
int rd_kafka_subscribe(rd_kafka_t *, const rd_kafka_topic_partition_list_t *);
int rd_kafka_unsubscribe(rd_kafka_t *);
int rd_kafka_assign(rd_kafka_t *, const rd_kafka_topic_partition_list_t *);
rd_kafka_error_t *rd_kafka_incremental_assign(rd_kafka_t *, const rd_kafka_topic_partition_list_t *);
rd_kafka_error_t *rd_kafka_incremental_unassign(rd_kafka_t *, const rd_kafka_topic_partition_list_t *);
const char *rd_kafka_rebalance_protocol(rd_kafka_t *);
rd_kafka_message_t *rd_kafka_consumer_poll(rd_kafka_t *, int timeout_ms);
void rd_kafka_message_destroy(rd_kafka_message_t *);
int rd_kafka_commit_queue(rd_kafka_t *, const rd_kafka_topic_partition_list_t *, rd_kafka_queue_t *,
                          void (*)(rd_kafka_t *, int err, rd_kafka_topic_partition_list_t *, void *opaque), void *opaque);

rd_kafka_error_t *rd_kafka_init_transactions(rd_kafka_t *, int timeout_ms);
rd_kafka_error_t *rd_kafka_begin_transaction(rd_kafka_t *);
rd_kafka_error_t *rd_kafka_commit_transaction(rd_kafka_t *, int timeout_ms);
const char *rd_kafka_error_string(const rd_kafka_error_t *);

rd_kafka_NewTopic_t *rd_kafka_NewTopic_new(const char *topic, int partitions, int replicas, char *errstr, size_t size);
void rd_kafka_NewTopic_destroy(rd_kafka_NewTopic_t *);
int rd_kafka_NewTopic_set_config(rd_kafka_NewTopic_t *, const char *name, const char *value);
rd_kafka_DeleteTopic_t *rd_kafka_DeleteTopic_new(const char *topic);
void rd_kafka_DeleteTopic_destroy(rd_kafka_DeleteTopic_t *);
void rd_kafka_CreateTopics(rd_kafka_t *, rd_kafka_NewTopic_t **, size_t count, const rd_kafka_AdminOptions_t *,
                           rd_kafka_queue_t *);
void rd_kafka_DeleteTopics(rd_kafka_t *, rd_kafka_DeleteTopic_t **, size_t count, const rd_kafka_AdminOptions_t *,
                           rd_kafka_queue_t *);
rd_kafka_event_t *rd_kafka_queue_poll(rd_kafka_queue_t *, int timeout_ms);
void rd_kafka_event_destroy(rd_kafka_event_t *);
int rd_kafka_event_error(rd_kafka_event_t *);
const char *rd_kafka_event_error_string(rd_kafka_event_t *);
const rd_kafka_CreateTopics_result_t *rd_kafka_event_CreateTopics_result(rd_kafka_event_t *);
const rd_kafka_DeleteTopics_result_t *rd_kafka_event_DeleteTopics_result(rd_kafka_event_t *);
const rd_kafka_topic_result_t **rd_kafka_CreateTopics_result_topics(const rd_kafka_CreateTopics_result_t *, size_t *);
const rd_kafka_topic_result_t **rd_kafka_DeleteTopics_result_topics(const rd_kafka_DeleteTopics_result_t *, size_t *);
int rd_kafka_topic_result_error(const rd_kafka_topic_result_t *);

#endif
