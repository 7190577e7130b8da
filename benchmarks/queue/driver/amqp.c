/* A quorum queue of RabbitMQ: librabbitmq; kept when the broker confirms it, each delivery acknowledged by itself.
 *
 * AMQP does not answer an acknowledgement. A worker with a prefetch of one gets its next record only when the broker has
 * taken the acknowledgement of the last one, which is as near as it comes.
 */
#include "queue.h"

#include <amqp.h>
#include <amqp_framing.h>
#include <amqp_tcp_socket.h>
#include <sys/time.h>

enum { CHANNEL = 1, UNCONFIRMED_MAX = 1000 };

typedef struct {
    amqp_connection_state_t connection;
    const options_t *options;
    uint64_t published, confirmed;
} peer_t;

static void check(amqp_connection_state_t connection, const char *what) {
    amqp_rpc_reply_t reply = amqp_get_rpc_reply(connection);
    if (reply.reply_type == AMQP_RESPONSE_NORMAL) return;
    if (reply.reply_type == AMQP_RESPONSE_LIBRARY_EXCEPTION) fail("%s: %s", what, amqp_error_string2(reply.library_error));
    fail("%s: refused by the broker (method %x)", what, reply.reply.id);
}

static peer_t *open_peer(const options_t *options) {
    char host[64];
    const char *colon = strrchr(options->bootstrap, ':');
    peer_t *self = calloc(1, sizeof *self);
    snprintf(host, sizeof host, "%.*s", (int)(colon - options->bootstrap), options->bootstrap);
    self->options = options;
    self->connection = amqp_new_connection();
    amqp_socket_t *socket = amqp_tcp_socket_new(self->connection);
    if (amqp_socket_open(socket, host, atoi(colon + 1))) fail("amqp: no connection to %s", options->bootstrap);
    if (amqp_login(self->connection, "/", 0, 131072, 0, AMQP_SASL_METHOD_PLAIN, "guest", "guest").reply_type !=
        AMQP_RESPONSE_NORMAL)
        fail("amqp: login refused");
    amqp_channel_open(self->connection, CHANNEL);
    check(self->connection, "channel");
    return self;
}

static void made(const options_t *options) {
    peer_t *self = open_peer(options);
    amqp_table_entry_t entry = {.key = amqp_cstring_bytes("x-queue-type"),
                                .value = {.kind = AMQP_FIELD_KIND_UTF8, .value.bytes = amqp_cstring_bytes("quorum")}};
    amqp_table_t arguments = {.num_entries = 1, .entries = &entry};
    amqp_queue_declare(self->connection, CHANNEL, amqp_cstring_bytes(options->topic), 0, 1, 0, 0, arguments);
    check(self->connection, "queue");
}

static void *new_sender(const options_t *options) {
    peer_t *self = open_peer(options);
    amqp_confirm_select(self->connection, CHANNEL);
    check(self->connection, "confirms");
    return self;
}

/* Takes in confirms, waiting for the first one if it must. */
static void take_confirms(peer_t *self, bool must) {
    amqp_frame_t frame;
    struct timeval wait = {.tv_sec = must ? (time_t)self->options->timeout_s : 0};
    while (amqp_simple_wait_frame_noblock(self->connection, &frame, &wait) == AMQP_STATUS_OK) {
        if (frame.frame_type != AMQP_FRAME_METHOD || frame.payload.method.id != AMQP_BASIC_ACK_METHOD)
            fail("send: not confirmed (method %x)", frame.payload.method.id);
        amqp_basic_ack_t *ack = frame.payload.method.decoded;
        self->confirmed = ack->multiple ? ack->delivery_tag : self->confirmed + 1;
        wait = (struct timeval){0};
        must = false;
        amqp_maybe_release_buffers(self->connection);
    }
    if (must) fail("send: %llu of %llu confirmed in time", (unsigned long long)self->confirmed,
                   (unsigned long long)self->published);
}

static void send(void *given, const void *payload, size_t length) {
    peer_t *self = given;
    amqp_basic_properties_t persistent = {._flags = AMQP_BASIC_DELIVERY_MODE_FLAG, .delivery_mode = 2};
    amqp_bytes_t body = {.len = length, .bytes = (void *)payload};
    int status = amqp_basic_publish(self->connection, CHANNEL, amqp_empty_bytes, amqp_cstring_bytes(self->options->topic),
                                    1, 0, &persistent, body);
    if (status) fail("send: %s", amqp_error_string2(status));
    self->published++;
    take_confirms(self, self->published - self->confirmed >= UNCONFIRMED_MAX);
}

static void sent(void *given) {
    peer_t *self = given;
    while (self->confirmed < self->published) take_confirms(self, true);
}

static void *new_worker(const options_t *options, int number) {
    peer_t *self = open_peer(options);
    (void)number;
    amqp_basic_qos(self->connection, CHANNEL, 0, (uint16_t)options->in_flight, 0);
    check(self->connection, "prefetch");
    amqp_basic_consume(self->connection, CHANNEL, amqp_cstring_bytes(options->topic), amqp_empty_bytes, 0, 0, 0,
                       amqp_empty_table);
    check(self->connection, "consume");
    return self;
}

static void take(void *given, int timeout_ms, on_record_t on_record) {
    peer_t *self = given;
    amqp_envelope_t envelope;
    struct timeval wait = {.tv_sec = timeout_ms / 1000, .tv_usec = (timeout_ms % 1000) * 1000};
    amqp_maybe_release_buffers(self->connection);
    amqp_rpc_reply_t reply = amqp_consume_message(self->connection, &envelope, &wait, 0);
    if (reply.reply_type == AMQP_RESPONSE_LIBRARY_EXCEPTION && reply.library_error == AMQP_STATUS_TIMEOUT) return;
    if (reply.reply_type != AMQP_RESPONSE_NORMAL) fail("take: no record and no timeout (%d)", reply.library_error);
    bool is_done = on_record(envelope.message.body.bytes, envelope.message.body.len);
    int status = is_done ? amqp_basic_ack(self->connection, CHANNEL, envelope.delivery_tag, 0)
                         : amqp_basic_reject(self->connection, CHANNEL, envelope.delivery_tag, 1);
    if (status) fail("acknowledge: %s", amqp_error_string2(status));
    amqp_destroy_envelope(&envelope);
}

/* An answered call behind the acknowledgements on the same channel. */
static void settle(void *given) {
    peer_t *self = given;
    amqp_basic_qos(self->connection, CHANNEL, 0, (uint16_t)self->options->in_flight, 0);
    check(self->connection, "settle");
}

static void finish(void *given) {
    peer_t *self = given;
    amqp_channel_close(self->connection, CHANNEL, AMQP_REPLY_SUCCESS);
    check(self->connection, "close");
}

const queue_kind_t amqp_queue = {"amqp", made, new_sender, send, sent, new_worker, take, settle, finish};
