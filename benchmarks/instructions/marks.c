/* Lets Python say where a step begins and where it ends, to the callgrind that it runs under. */
#include <valgrind/callgrind.h>

void begin(void) {
    CALLGRIND_START_INSTRUMENTATION;
    CALLGRIND_ZERO_STATS;
}

void end(const char *step) {
    CALLGRIND_DUMP_STATS_AT(step);
    CALLGRIND_STOP_INSTRUMENTATION; /* what is between the steps is not slowed down */
}
