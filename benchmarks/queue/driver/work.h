#ifndef PENSTOCK_BENCH_WORK_H
#define PENSTOCK_BENCH_WORK_H

#include "queue.h"

int run_make(const queue_kind_t *, const options_t *);
int run_fill(const queue_kind_t *, const options_t *);
int run_empty(const queue_kind_t *, const options_t *);
int run_retry(const queue_kind_t *, const options_t *);
int run_pace(const queue_kind_t *, const options_t *);

#endif
