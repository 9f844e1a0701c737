/* SPDX-License-Identifier: BSD-3-Clause */
/* A move under way: what device.c begins and ends, and copies.c works at. Private to device/. */
#ifndef DAME_DEVICE_MOVE_H
#define DAME_DEVICE_MOVE_H

#include <pthread.h>
#include <stdatomic.h>

#include "choice.h"
#include "dame/cursor.h"
#include "driver.h"
#include "kernel.h"
#include "message.h"

typedef enum place {
    PAGEABLE, /* the host's: devices do not reach it */
    PINNED,   /* the host's, registered with the driver */
    ON_DEVICE /* or managed, so that both reach it */
} place_t;

enum { BUFFERS = 2 }; /* one is filled while the other is emptied */

/* The buffers of one of the driver's contexts. */
typedef struct buffers {
    struct buffers *next;
    cu_context_t context;
    cu_stream_t streams[BUFFERS];
    cu_address_t device[BUFFERS]; /* 0, NULL: not needed so far */
    void *host[BUFFERS];          /* pinned */
} buffers_t;

typedef struct counts {
    atomic_llong moves, bytes, launches, copies;
} counts_t;

struct dame_device {
    pthread_mutex_t lock; /* of all but the counts; its holder may compile */
    dame_kernel_source_t source;
    buffers_t *buffers;
    double kernel_ns; /* that making the last kernel took */
    counts_t counts;
};

/* One under way; the lock is held, the context current. */
typedef struct work {
    struct dame_device *device;
    const dame_driver_t *driver;
    const dame_device_message_t *message;
    const dame_device_part_t *part;
    const dame_device_sides_t *sides;
    buffers_t *buffers;
    cu_stream_t stream;    /* the first of the buffers' */
    dame_kernel_t *kernel; /* NULL: not asked for */
    double kernel_ns;      /* that making it took */
    bool has_context;
    cu_result_t error; /* the first; nothing is enqueued after it */
} work_t;

#define TRY(work, call) ((void) ((work)->error == 0 && ((work)->error = (work)->driver->call) != 0))

/* A cursor at byte `at` of the part. After DAME_OK the caller calls dame_cursor_fini(). */
dame_status_t dame_work_cursor(const work_t *work, dame_cursor_t *cursor, int64_t at);

/* Enqueues copies by the driver, up to `most`, each of a block or of rows at one stride, from byte
 * *at of the part on, which goes up by what they move. */
dame_status_t dame_work_by_copies(work_t *work, int64_t most, int64_t *at);

#endif
