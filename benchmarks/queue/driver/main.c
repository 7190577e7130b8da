/* Command line of the queue loads: LOAD KIND [options], one JSON line of figures on standard output. */
#include "work.h"

#include <getopt.h>

static const struct {
    const char *name;
    int (*run)(const queue_kind_t *, const options_t *);
} loads[] = {{"make", run_make}, {"fill", run_fill}, {"empty", run_empty}, {"retry", run_retry}, {"pace", run_pace}};

static const queue_kind_t *const kinds[] = {
    &share_queue,
#ifdef WITH_PEERS
    &amqp_queue,
    &nats_queue,
#endif
};

static const queue_kind_t *kind_named(const char *name) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(name, kinds[i]->name)) return kinds[i];
    fail("this driver knows no queue of kind %s", name);
}

static void add_setting(options_t *options, char *text) {
    char *equals = strchr(text, '=');
    if (strlen(text) < 3 || text[1] != ':' || !equals) fail("-X wants p:, c: or b: before name=value, not %s", text);
    if (options->settings_count == SETTINGS_MAX) fail("more than %d settings", SETTINGS_MAX);
    *equals = '\0';
    options->settings[options->settings_count].of = text[0];
    options->settings[options->settings_count].name = text + 2;
    options->settings[options->settings_count++].value = equals + 1;
}

int main(int argc, char **argv) {
    options_t options = {.bootstrap = "127.0.0.1:9092", .topic = "bench", .partitions = 1, .record_bytes = 1024, .records = 1,
                         .clients = 1, .in_flight = 1, .rate_per_s = 2000, .warm_up_s = 1, .timeout_s = 60};
    if (argc < 3) fail("usage: queuegen LOAD KIND [options]");
    int option;
    while ((option = getopt(argc - 2, argv + 2, "b:t:p:s:n:c:i:r:w:T:X:k:")) != -1) {
        switch (option) {
        case 'b': options.bootstrap = optarg; break;
        case 't': options.topic = optarg; break;
        case 'p': options.partitions = atoi(optarg); break;
        case 's': options.record_bytes = strtoull(optarg, NULL, 10); break;
        case 'n': options.records = strtoull(optarg, NULL, 10); break;
        case 'c': options.clients = atoi(optarg); break;
        case 'i': options.in_flight = atoi(optarg); break;
        case 'r': options.rate_per_s = atof(optarg); break;
        case 'w': options.warm_up_s = atof(optarg); break;
        case 'k': options.records_each = strtoull(optarg, NULL, 10); break;
        case 'T': options.timeout_s = atof(optarg); break;
        case 'X': add_setting(&options, optarg); break;
        default: return 2;
        }
    }
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++)
        if (!strcmp(argv[1], loads[i].name)) return loads[i].run(kind_named(argv[2]), &options);
    fail("no load named %s", argv[1]);
}
