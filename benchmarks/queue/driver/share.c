/* A topic and a share group, of Kafka or of Penstock: librdkafka's share consumer, in explicit mode. */
#include "queue.h"
#include "rdkafka_share.h"

typedef struct {
    const options_t *options;
    rd_kafka_share_t *consumer;
} worker_t;

typedef struct {
    rd_kafka_t *client;
    rd_kafka_topic_t *topic;
    const options_t *options;
    uint64_t count;
} sender_t;

static void made(const options_t *options) { (void)options; }

static void on_delivery(rd_kafka_t *client, const rd_kafka_message_t *message, void *opaque) {
    (void)client, (void)opaque;
    if (message->err) fail("send: %s", rd_kafka_err2str(message->err));
}

static void *new_sender(const options_t *options) {
    sender_t *self = calloc(1, sizeof *self);
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    rd_kafka_conf_set_dr_msg_cb(conf, on_delivery);
    self->options = options;
    self->client = new_client(options, RD_KAFKA_PRODUCER, conf);
    self->topic = rd_kafka_topic_new(self->client, options->topic, NULL);
    return self;
}

static void send(void *given, const void *payload, size_t length) {
    sender_t *self = given;
    int32_t partition = (int32_t)(self->count++ % (uint64_t)self->options->partitions);
    while (rd_kafka_produce(self->topic, partition, 2 /* copy */, (void *)payload, length, NULL, 0, NULL) == -1) {
        if (rd_kafka_last_error() != RD_KAFKA_ERR_QUEUE_FULL) fail("send: %s", rd_kafka_err2str(rd_kafka_last_error()));
        rd_kafka_poll(self->client, 1);
    }
    rd_kafka_poll(self->client, 0);
}

static void sent(void *given) {
    sender_t *self = given;
    rd_kafka_flush(self->client, (int)(self->options->timeout_s * 1000));
    if (rd_kafka_outq_len(self->client)) fail("send: not all was kept in time");
}

/* What came of acknowledgements that rode on a fetch. */
static void on_outcome(rd_kafka_share_t *consumer, rd_kafka_share_partition_offsets_list_t *of, int err, void *opaque) {
    (void)consumer, (void)of, (void)opaque;
    if (err) fail("acknowledge: %s", rd_kafka_err2str(err));
}

static void *new_worker(const options_t *options, int number) {
    char why[512], most[16];
    worker_t *self = calloc(1, sizeof *self);
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    snprintf(most, sizeof most, "%d", options->in_flight);
    const char *pairs[][2] = {{"bootstrap.servers", options->bootstrap},
                              {"group.id", options->topic},
                              {"share.acknowledgement.mode", "explicit"},
                              {"max.poll.records", most}};
    (void)number;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (rd_kafka_conf_set(conf, pairs[i][0], pairs[i][1], why, sizeof why) != RD_KAFKA_CONF_OK) fail("%s", why);
    for (int i = 0; i < options->settings_count; i++) {
        if (!strchr("cb", options->settings[i].of)) continue;
        if (rd_kafka_conf_set(conf, options->settings[i].name, options->settings[i].value, why, sizeof why) !=
            RD_KAFKA_CONF_OK)
            fail("%s", why);
    }
    self->options = options;
    self->consumer = rd_kafka_share_consumer_new(conf, why, sizeof why);
    if (!self->consumer) fail("%s", why);
    rd_kafka_share_set_acknowledgement_commit_cb(self->consumer, on_outcome, NULL);
    rd_kafka_topic_partition_list_t *topics = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_list_add(topics, options->topic, -1);
    int err = rd_kafka_share_subscribe(self->consumer, topics);
    if (err) fail("subscribe: %s", rd_kafka_err2str(err));
    return self;
}

static void settle(void *given) {
    worker_t *self = given;
    rd_kafka_topic_partition_list_t *partitions = NULL;
    rd_kafka_error_t *error =
        rd_kafka_share_commit_sync(self->consumer, (int)(self->options->timeout_s * 1000), &partitions);
    if (error) fail("commit: %s", rd_kafka_error_string(error));
    if (!partitions) return;
    for (int p = 0; p < partitions->cnt; p++)
        if (partitions->elems[p].err) fail("acknowledge: %s", rd_kafka_err2str(partitions->elems[p].err));
    rd_kafka_topic_partition_list_destroy(partitions);
}

static void take(void *given, int timeout_ms, on_record_t on_record) {
    worker_t *self = given;
    rd_kafka_messages_t *batch = NULL;
    rd_kafka_error_t *error = rd_kafka_share_poll(self->consumer, timeout_ms, &batch);
    if (error) fail("poll: %s", rd_kafka_error_string(error));
    for (size_t i = 0, count = rd_kafka_messages_count(batch); i < count; i++) {
        rd_kafka_message_t *message = rd_kafka_messages_get(batch, i);
        if (message->err) fail("poll: %s", rd_kafka_err2str(message->err));
        bool is_done = on_record(message->payload, message->len);
        int err = rd_kafka_share_acknowledge_type(self->consumer, message,
                                                  is_done ? RD_KAFKA_SHARE_ACCEPT : RD_KAFKA_SHARE_RELEASE);
        if (err) fail("acknowledge: %s", rd_kafka_err2str(err));
        if (one_at_a_time(self->options)) settle(self);
    }
    rd_kafka_messages_destroy(batch);
}

static void finish(void *given) {
    worker_t *self = given;
    rd_kafka_error_t *error = rd_kafka_share_consumer_close(self->consumer);
    if (error) fail("close: %s", rd_kafka_error_string(error));
}

const queue_kind_t share_queue = {"share", made, new_sender, send, sent, new_worker, take, settle, finish};
