/* A work-queue stream of NATS JetStream in files: nats.c, a push consumer with a queue group, each message acknowledged
 * by itself.
 */
#include "queue.h"

#include <nats/nats.h>

typedef struct {
    natsConnection *connection;
    jsCtx *js;
    natsSubscription *subscription;
    const options_t *options;
} peer_t;

static void check(natsStatus status, const char *what) {
    if (status != NATS_OK) fail("%s: %s", what, natsStatus_GetText(status));
}

static peer_t *open_peer(const options_t *options) {
    char url[128];
    peer_t *self = calloc(1, sizeof *self);
    jsOptions with;
    snprintf(url, sizeof url, "nats://%s", options->bootstrap);
    self->options = options;
    check(natsConnection_ConnectTo(&self->connection, url), "connect");
    jsOptions_Init(&with);
    with.PublishAsync.MaxPending = 1000;
    check(natsConnection_JetStream(&self->js, self->connection, &with), "jetstream");
    return self;
}

static void made(const options_t *options) {
    peer_t *self = open_peer(options);
    const char *subjects[] = {options->topic};
    jsStreamConfig stream;
    jsStreamConfig_Init(&stream);
    stream.Name = options->topic;
    stream.Subjects = subjects;
    stream.SubjectsLen = 1;
    stream.Storage = js_FileStorage;
    stream.Retention = js_WorkQueuePolicy;
    check(js_AddStream(NULL, self->js, &stream, NULL, NULL), "stream");
    jsConsumerConfig consumer;
    char deliveries[128];
    snprintf(deliveries, sizeof deliveries, "deliver.%s", options->topic);
    jsConsumerConfig_Init(&consumer);
    consumer.Durable = "workers";
    consumer.DeliverSubject = deliveries;
    consumer.DeliverGroup = "workers";
    consumer.AckPolicy = js_AckExplicit;
    consumer.MaxAckPending = (int64_t)options->in_flight * options->clients;
    check(js_AddConsumer(NULL, self->js, options->topic, &consumer, NULL, NULL), "consumer");
}

static void *new_sender(const options_t *options) { return open_peer(options); }

static void send(void *given, const void *payload, size_t length) {
    peer_t *self = given;
    check(js_PublishAsync(self->js, self->options->topic, payload, (int)length, NULL), "send");
}

static void sent(void *given) {
    peer_t *self = given;
    jsPubOptions within;
    natsMsgList left = {0};
    jsPubOptions_Init(&within);
    within.MaxWait = (int64_t)(self->options->timeout_s * 1000);
    check(js_PublishAsyncComplete(self->js, &within), "send");
    if (js_PublishAsyncGetPendingList(&left, self->js) == NATS_OK && left.Count) fail("send: %d were not kept", left.Count);
}

static void *new_worker(const options_t *options, int number) {
    peer_t *self = open_peer(options);
    jsSubOptions how;
    (void)number;
    jsSubOptions_Init(&how);
    how.Stream = options->topic;
    how.Consumer = "workers";
    how.Queue = "workers";
    how.ManualAck = true;
    check(js_SubscribeSync(&self->subscription, self->js, options->topic, NULL, &how, NULL), "subscribe");
    return self;
}

static void take(void *given, int timeout_ms, on_record_t on_record) {
    peer_t *self = given;
    natsMsg *message = NULL;
    natsStatus status = natsSubscription_NextMsg(&message, self->subscription, timeout_ms);
    if (status == NATS_TIMEOUT) return;
    check(status, "take");
    if (!on_record(natsMsg_GetData(message), (size_t)natsMsg_GetDataLength(message)))
        check(natsMsg_Nak(message, NULL), "give back");
    else
        check(one_at_a_time(self->options) ? natsMsg_AckSync(message, NULL, NULL) : natsMsg_Ack(message, NULL), "acknowledge");
    natsMsg_Destroy(message);
}

static void settle(void *given) {
    peer_t *self = given;
    check(natsConnection_FlushTimeout(self->connection, (int64_t)(self->options->timeout_s * 1000)), "settle");
}

static void finish(void *given) { natsConnection_Close(((peer_t *)given)->connection); }

const queue_kind_t nats_queue = {"nats", made, new_sender, send, sent, new_worker, take, settle, finish};
