/* Make and remove the topics of a load. */
#include "load.h"

/* The error code of the topic's own result, or of the whole request. */
static int outcome(rd_kafka_event_t *event, const rd_kafka_topic_result_t **results, size_t count) {
    int err = rd_kafka_event_error(event);
    if (!err && count) err = rd_kafka_topic_result_error(results[0]);
    return err;
}

int create_topic(const options_t *options, rd_kafka_t *client, int timeout_ms) {
    char why[512];
    rd_kafka_NewTopic_t *wanted =
        rd_kafka_NewTopic_new(options->topic, options->partitions, options->replicas, why, sizeof why);
    if (!wanted) fail("%s", why);
    for (int i = 0; i < options->settings_count; i++)
        if (options->settings[i].of == 't')
            rd_kafka_NewTopic_set_config(wanted, options->settings[i].name, options->settings[i].value);
    rd_kafka_queue_t *queue = rd_kafka_queue_new(client);
    rd_kafka_CreateTopics(client, &wanted, 1, NULL, queue);
    rd_kafka_event_t *event = rd_kafka_queue_poll(queue, timeout_ms);
    if (!event) fail("creating %s: no answer in %d ms", options->topic, timeout_ms);
    size_t count = 0;
    const rd_kafka_CreateTopics_result_t *result = rd_kafka_event_CreateTopics_result(event);
    const rd_kafka_topic_result_t **results = rd_kafka_CreateTopics_result_topics(result, &count);
    int err = outcome(event, results, count);
    rd_kafka_event_destroy(event);
    rd_kafka_queue_destroy(queue);
    rd_kafka_NewTopic_destroy(wanted);
    return err;
}

int run_create(const options_t *options) {
    rd_kafka_t *client = new_client(options, RD_KAFKA_PRODUCER, rd_kafka_conf_new());
    int err = create_topic(options, client, (int)(options->timeout_s * 1000));
    if (err && err != RD_KAFKA_ERR_TOPIC_ALREADY_EXISTS) fail("creating %s: %s", options->topic, rd_kafka_err2str(err));
    rd_kafka_destroy(client);
    printf("{}\n");
    return 0;
}

int run_delete(const options_t *options) {
    rd_kafka_t *client = new_client(options, RD_KAFKA_PRODUCER, rd_kafka_conf_new());
    rd_kafka_DeleteTopic_t *doomed = rd_kafka_DeleteTopic_new(options->topic);
    rd_kafka_queue_t *queue = rd_kafka_queue_new(client);
    rd_kafka_DeleteTopics(client, &doomed, 1, NULL, queue);
    rd_kafka_event_t *event = rd_kafka_queue_poll(queue, (int)(options->timeout_s * 1000));
    if (!event) fail("deleting %s: no answer", options->topic);
    size_t count = 0;
    const rd_kafka_DeleteTopics_result_t *result = rd_kafka_event_DeleteTopics_result(event);
    const rd_kafka_topic_result_t **results = rd_kafka_DeleteTopics_result_topics(result, &count);
    int err = outcome(event, results, count);
    if (err) fail("deleting %s: %s", options->topic, rd_kafka_err2str(err));
    rd_kafka_event_destroy(event);
    rd_kafka_queue_destroy(queue);
    rd_kafka_DeleteTopic_destroy(doomed);
    rd_kafka_destroy(client);
    printf("{}\n");
    return 0;
}
