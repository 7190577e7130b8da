/* Touch and free memory, so that the page cache of the next load is made of pages that the host has already backed.
 *
 * On a virtual machine the first touch of a page costs about ten times what appending to it does, and a host takes
 * freed pages back after a while: without this, whoever writes first pays for both.
 */
#include "load.h"

#include <sys/mman.h>

enum { PAGE_BYTES = 4096 };

int run_touch(const options_t *options) {
    size_t size = options->records;
    uint64_t start = now_ns();
    char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) fail("touch: no %zu bytes of memory", size);
    for (size_t at = 0; at < size; at += PAGE_BYTES) memory[at] = 1;
    munmap(memory, size);
    printf("{\"bytes\": %zu, \"elapsed_s\": %.3f}\n", size, (double)(now_ns() - start) / 1e9);
    return 0;
}
