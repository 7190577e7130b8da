/* Command line of the load driver: one load a run, one JSON line of figures on standard output. */
#include "load.h"

#include <getopt.h>

static const struct {
    const char *name;
    int (*run)(const options_t *);
} loads[] = {
    {"produce", run_produce}, {"consume", run_consume}, {"latency", run_latency}, {"first-ack", run_first_ack},
    {"create", run_create},   {"delete", run_delete},   {"touch", run_touch},     {"commit", run_commit},
    {"join", run_join},       {"transact", run_transact},
};

static void add_setting(options_t *options, char *text) {
    char *equals = strchr(text, '=');
    if (strlen(text) < 3 || text[1] != ':' || !strchr("pctb", text[0]) || !equals)
        fail("-X wants p:, c:, t: or b: (producer, consumer, topic, both clients) before name=value, not %s", text);
    if (options->settings_count == SETTINGS_MAX) fail("more than %d settings", SETTINGS_MAX);
    *equals = '\0';
    options->settings[options->settings_count].of = text[0];
    options->settings[options->settings_count].name = text + 2;
    options->settings[options->settings_count++].value = equals + 1;
}

int main(int argc, char **argv) {
    options_t options = {.bootstrap = "127.0.0.1:9092", .topic = "bench", .partitions = 1, .replicas = 1,
                         .record_bytes = 1024, .records = 1, .clients = 1, .in_flight = 1, .records_each = 1, .rate_per_s = 2000, .warm_up_s = 1, .timeout_s = 60};
    if (argc < 2) fail("usage: loadgen LOAD [options]; librdkafka %s", rd_kafka_version_str());
    int option;
    while ((option = getopt(argc - 1, argv + 1, "b:t:p:R:s:n:c:i:k:r:w:T:X:z")) != -1) {
        switch (option) {
        case 'b': options.bootstrap = optarg; break;
        case 't': options.topic = optarg; break;
        case 'p': options.partitions = atoi(optarg); break;
        case 'R': options.replicas = atoi(optarg); break;
        case 's': options.record_bytes = strtoull(optarg, NULL, 10); break;
        case 'n': options.records = strtoull(optarg, NULL, 10); break;
        case 'c': options.clients = atoi(optarg); break;
        case 'i': options.in_flight = atoi(optarg); break;
        case 'k': options.records_each = strtoull(optarg, NULL, 10); break;
        case 'r': options.rate_per_s = atof(optarg); break;
        case 'w': options.warm_up_s = atof(optarg); break;
        case 'T': options.timeout_s = atof(optarg); break;
        case 'z': options.text = true; break;
        case 'X': add_setting(&options, optarg); break;
        default: return 2;
        }
    }
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++)
        if (!strcmp(argv[1], loads[i].name)) return loads[i].run(&options);
    fail("no load named %s", argv[1]);
}
