/* Touch and free memory, so that the page cache of the next load is made of pages that the host has already backed.
 *
 * On a virtual machine the first touch of a page costs about ten times what appending to it does, and a host takes
 * freed pages back after a while: without this, whoever writes first pays for both. Two threads, as it was half of a
 * run's time with one.
 */
#include "load.h"

#include <pthread.h>
#include <sys/mman.h>

enum { PAGE_BYTES = 4096, THREADS = 2 };

typedef struct {
    char *from, *to;
} span_t;

static void *touch(void *given) {
    span_t *span = given;
    for (char *at = span->from; at < span->to; at += PAGE_BYTES) *at = 1;
    return NULL;
}

int run_touch(const options_t *options) {
    size_t size = options->records, share = size / THREADS;
    uint64_t start = now_ns();
    char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) fail("touch: no %zu bytes of memory", size);
    pthread_t threads[THREADS];
    span_t spans[THREADS];
    for (int i = 0; i < THREADS; i++) {
        spans[i] = (span_t){memory + (size_t)i * share, i == THREADS - 1 ? memory + size : memory + (size_t)(i + 1) * share};
        pthread_create(&threads[i], NULL, touch, &spans[i]);
    }
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    munmap(memory, size);
    printf("{\"bytes\": %zu, \"elapsed_s\": %.3f}\n", size, (double)(now_ns() - start) / 1e9);
    return 0;
}
