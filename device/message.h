/* SPDX-License-Identifier: BSD-3-Clause */
/* What is moved, and where it is. Part of device.h. */
#ifndef DAME_DEVICE_MESSAGE_H
#define DAME_DEVICE_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "dame/program.h"
#include "jit/reader.h"
#include "kernels.h"

/* A message, as dame_cursor_init() takes it. */
typedef struct dame_device_message {
    const dame_program_t *program;
    dame_kernels_t *kernels;
    uintptr_t base;
    int64_t count;
    dame_reader_t *reader; /* the calling thread's, for which the host runs kernels that may be
                              taken away (jit/reader.h); NULL: none may */
} dame_device_message_t;

/* A part of its stream, of 1 byte and more. */
typedef struct dame_device_part {
    dame_dir_t dir;
    int64_t position;
    uintptr_t packed;
    int64_t length;
} dame_device_part_t;

/* What an asynchronous call gives: a CUstream that moves the part, NULL for the default one, and a
 * CUevent that is recorded behind it, or NULL. */
typedef struct dame_device_queue {
    void *stream;
    void *event;
} dame_device_queue_t;

/* Where the two sides of a move are. */
typedef struct dame_device_sides {
    int user, packed; /* device.c's */
    void *context;    /* the driver's, of the memory that is on a device */
    bool same;        /* .. and of the other, if that is on one too */
} dame_device_sides_t;

#endif
