/* Say when the first record was acknowledged by a broker that is only now starting.
 *
 * The port is tried every millisecond and the client is made once it accepts, so that no reconnect pause of the client
 * is counted as the broker's. Creating the topic is part of it.
 */
#include "load.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

static uint64_t acknowledged_ns;

static void on_delivery(rd_kafka_t *client, const rd_kafka_message_t *message, void *opaque) {
    (void)client, (void)opaque;
    if (message->err) fail("first record: %s", rd_kafka_err2str(message->err));
    acknowledged_ns = now_ns();
}

static bool accepts(const options_t *options) {
    char host[64];
    int port;
    if (sscanf(options->bootstrap, "%63[^:]:%d", host, &port) != 2) fail("bootstrap is not host:port");
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    if (inet_pton(AF_INET, host, &address.sin_addr) != 1) fail("bootstrap host is not an address");
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    bool accepted = connect(fd, (struct sockaddr *)&address, sizeof address) == 0;
    close(fd);
    return accepted;
}

int run_first_ack(const options_t *options) {
    uint64_t give_up = now_ns() + (uint64_t)(options->timeout_s * 1e9);
    while (!accepts(options)) {
        if (now_ns() > give_up) fail("nobody listens at %s", options->bootstrap);
        sleep_until_ns(now_ns() + 1000000);
    }
    uint64_t accepted_ns = now_ns();
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    rd_kafka_conf_set_dr_msg_cb(conf, on_delivery);
    rd_kafka_t *client = new_client(options, RD_KAFKA_PRODUCER, conf);
    int err;
    while ((err = create_topic(options, client, (int)(options->timeout_s * 1000))) != 0) {
        if (err == RD_KAFKA_ERR_TOPIC_ALREADY_EXISTS) break;
        if (now_ns() > give_up) fail("creating %s: %s", options->topic, rd_kafka_err2str(err));
        sleep_until_ns(now_ns() + 5000000);
    }
    rd_kafka_topic_t *topic = rd_kafka_topic_new(client, options->topic, NULL);
    if (rd_kafka_produce(topic, 0, 2 /* copy */, "first", 5, NULL, 0, NULL) == -1) fail("first record: not queued");
    while (!acknowledged_ns) {
        if (now_ns() > give_up) fail("first record: not acknowledged");
        rd_kafka_poll(client, 10);
    }
    printf("{\"accepted_ns\": %llu, \"acknowledged_ns\": %llu}\n", (unsigned long long)accepted_ns,
           (unsigned long long)acknowledged_ns);
    fflush(stdout);
    _Exit(0);
}
