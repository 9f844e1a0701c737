/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages in the memory of devices: one launch, or a few copies by the driver, move a part of the
 * packed stream, however many blocks it has. See README.md.
 *
 * A process whose memory is on a device has loaded CUDA's driver; dame_device_open() finds that
 * driver and loads none. All functions may be called by any thread.
 */
#ifndef DAME_DEVICE_H
#define DAME_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "message.h"

/* What an engine has of devices: the driver, the compiler of grids, buffers. */
typedef struct dame_device dame_device_t;

typedef struct dame_device_options {
    const char *llvm;             /* path of dame_llvm.so, which may be absent */
    const char *code_directories; /* of the code cache (jit/cache.h), or NULL */
    int64_t code_bytes;
} dame_device_options_t;

/* Returns whether the process has loaded a driver. Quick if it has loaded nothing since the last
 * time. */
bool dame_device_is_possible(void);

/* NULL: the process has no driver, or memory is out. */
dame_device_t *dame_device_open(const dame_device_options_t *options);
void dame_device_close(dame_device_t *device); /* accepts NULL */

/* Before a program ends. */
void dame_device_forget(dame_device_t *device, dame_kernels_t *kernels);

/* Returns whether this address is in a device's memory, where the host does not reach it. Asks the
 * driver. */
bool dame_device_has(const dame_device_t *device, uintptr_t address);

/* Returns whether the message, or the stream at `packed`, is in a device's memory. Asks the driver
 * once for each, by the lowest byte of the first element. Not for empty programs. */
bool dame_device_look(const dame_device_t *device, const dame_device_message_t *message,
                      uintptr_t packed, dame_device_sides_t *sides);

/*
 * Moves a part of a message for which dame_device_look() was true. Without a queue, NULL, the bytes
 * are there when it returns. With one, both sides have to be where the device reaches them, and the
 * message, its program and `packed` stay until the queue has moved them.
 *
 * Errors: DAME_ERR_DEVICE, with the driver's name of its error in *what (static storage);
 * DAME_ERR_NOMEM; with a queue: DAME_ERR_ARGUMENT (a side is in memory that the device does not
 * reach), DAME_ERR_UNSUPPORTED (there is no code for this program).
 */
dame_status_t dame_device_move(dame_device_t *device, const dame_device_message_t *message,
                               const dame_device_part_t *part, const dame_device_sides_t *sides,
                               const dame_device_queue_t *queue, const char **what);

/* Copies a message to another of as many bytes, `bytes` of them, where one of the two is in a
 * device's memory: dame_device_look() was true of `from` and the lowest byte of `to`. Errors as
 * above; DAME_ERR_UNSUPPORTED: they are on two devices. */
dame_status_t dame_device_copy(dame_device_t *device, const dame_device_message_t *from,
                               const dame_device_message_t *to, int64_t bytes,
                               const dame_device_sides_t *sides, const char **what);

/* So far. */
typedef struct dame_device_counts {
    int64_t moves;    /* calls of dame_device_move() and _copy() */
    int64_t bytes;    /* that they moved */
    int64_t launches; /* of kernels */
    int64_t copies;   /* by the driver, of a block or of rows at one stride */
} dame_device_counts_t;

void dame_device_counts(const dame_device_t *device, dame_device_counts_t *out);

#endif
