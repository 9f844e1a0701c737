/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What moves the data of committed datatypes: their programs, and the engine of their context. No
 * other file of this room knows about programs' codes and their life. Private to this room.
 *
 * Functions are safe for any thread; none fails but as said here.
 */
#ifndef LIBDAME_MOVER_H
#define LIBDAME_MOVER_H

#include <stdbool.h>
#include <stdint.h>

#include "dame/cursor.h"
#include "dame/options.h"
#include "dame/program.h"
#include "dame/type.h"
#include "device/device.h"

/* What a context owns. */
typedef struct dame_movers dame_movers_t;

/* What a committed datatype owns. */
typedef struct dame_mover dame_mover_t;

/* How programs are built, and when they are compiled: fields of dame_context_options_t, checked. */
typedef struct dame_mover_options {
    dame_options_t program;       /* limit is not used */
    int32_t threshold;            /* -1: measured; 0: never; n: the n-th use */
    int x, l;                     /* machine code by DAME-X, by LLVM */
    const char *profile;          /* as dame_profile_new() takes it; "": no profile */
    const char *code_directories; /* of the code cache; NULL: no cache */
    const char *llvm;             /* dame_llvm.so; NULL: where it was installed */
} dame_mover_options_t;

/* The options are copied. Error: DAME_ERR_NOMEM. */
dame_status_t dame_mover_open(const dame_mover_options_t *options, dame_movers_t **out);

/* After the last datatype; no call with the context may be under way. */
void dame_mover_close(dame_movers_t *movers);

/*
 * Builds the program of `type`; its tree lives as long as the attached program. Errors:
 * DAME_ERR_NOMEM; DAME_ERR_LIMIT, with the limit in *limit.
 */
dame_status_t dame_mover_attach(dame_movers_t *movers, const dame_type_t *type, dame_limit_t *limit,
                                dame_mover_t **out);

/* No thread uses it any more. */
void dame_mover_release(dame_mover_t *mover);

/* For texts; it lives as long as the mover. */
const dame_program_t *dame_mover_program(const dame_mover_t *mover);

/* One message: `count` elements at `base`; their bytes fit in 64 bits. */
typedef struct dame_message {
    const dame_mover_t *mover;
    int64_t count;
    uintptr_t base;
} dame_message_t;

/* Moves whole elements: the complete message. */
void dame_mover_run(const dame_message_t *message, dame_dir_t dir, char *packed);

/* Moves exactly `length` bytes of the stream from `position` on; the caller has cut `length` to the
 * rest of the message. Error: DAME_ERR_NOMEM, only for programs deeper than DAME_CURSOR_DEPTH. */
dame_status_t dame_mover_fragment(const dame_message_t *message, dame_dir_t dir, int64_t position,
                                  char *packed, int64_t length);

/* Lists at most n blocks from *position on and advances it. Errors as above. */
dame_status_t dame_mover_blocks(const dame_message_t *message, int64_t *position,
                                dame_block_t *blocks, int32_t n, int32_t *listed);

/* ---- Devices ---- */

/* Returns whether the message, or the stream at `packed`, is in the memory of a device. One
 * comparison in processes without a driver. */
bool dame_mover_look(const dame_message_t *message, uintptr_t packed, dame_device_sides_t *sides);

/* As dame_device_move() (device/device.h), for which see *what. */
dame_status_t dame_mover_on_device(const dame_message_t *message, const dame_device_part_t *part,
                                   const dame_device_sides_t *sides,
                                   const dame_device_queue_t *queue, const char **what);

/* As dame_device_copy(). */
dame_status_t dame_mover_copy_on_device(const dame_message_t *from, const dame_message_t *to,
                                        const dame_device_sides_t *sides, const char **what);

/* Copies a message to another of as many bytes, without a packed stream. Errors as above. */
dame_status_t dame_mover_copy(const dame_message_t *from, const dame_message_t *to);

/* Counters of moves and compilations, by number: the name, NULL behind the last; the value. */
const char *dame_mover_counter_name(int i);
int64_t dame_mover_counter(dame_movers_t *movers, int i);

/* ---- For mover_copy.c ---- */

struct dame_thread;

/* Between the two the calling thread may run kernels of the context's programs. NULL: as much, and
 * it is not counted. */
struct dame_thread *dame_mover_enter(const dame_mover_t *mover);
void dame_mover_leave(const dame_mover_t *mover, struct dame_thread *thread);

/* Copies a message to `to` by its program's copy kernels, and counts it. */
void dame_mover_copy_alike(const dame_message_t *from, uintptr_t to);

/* Counts a copy. */
void dame_mover_copied(const dame_mover_t *mover, struct dame_thread *thread, int64_t bytes);

#endif
