/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A stand-in for CUDA's driver, libcuda.so.1, for tests without a device. Memory of its two devices
 * faults when the host touches it. Work that is enqueued is done when its stream is waited for, and
 * not before; a kernel is code for the host's grid (jit/g/), run piece by piece from the last to
 * the first. Not thread-safe, but for questions about pointers: the library has a lock.
 *
 * The functions below are what a test asks it beside the driver's own interface.
 */
#ifndef TEST_CUDA_H
#define TEST_CUDA_H

#include <stddef.h>
#include <stdint.h>

/* Two devices, whose contexts these are. */
enum { STAND_IN_DEVICES = 2 };
void *stand_in_context(int device);

/* Memory of a device, or pinned memory of the host, or managed memory, with what both reach. NULL:
 * all is taken. */
void *stand_in_alloc(int device, size_t bytes);
void *stand_in_pinned(size_t bytes);
void stand_in_free(void *memory);

/* The host writes or reads a device's memory, at once. */
void stand_in_put(void *to, const void *from, size_t bytes);
void stand_in_get(void *to, const void *from, size_t bytes);

/* The next call of this function of the driver, such as "cuMemAlloc_v2", fails. */
void stand_in_fail(const char *function, int error);

/* What is there, and what was done. */
typedef struct stand_in_counts {
    int64_t allocations;                        /* of all kinds that live */
    int64_t modules;                            /* that live */
    int64_t streams;                            /* that live */
    int64_t contexts;                           /* pushed */
    int64_t launches, copies, waits, questions; /* calls; questions: about pointers */
} stand_in_counts_t;
stand_in_counts_t stand_in_counts(void);

/* A stream and an event of the test's own, in a context. Was the event recorded, all work before it
 * being done? */
void *stand_in_stream(int device);
void *stand_in_event(void);
int stand_in_is_done(void *event);
void stand_in_wait(void *stream);

#endif
