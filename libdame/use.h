/*
 * The seam between libdame's datatypes and what runs their programs. No other file of this room
 * knows about programs' codes and their life. Private to this room.
 *
 * Functions are safe for any thread; none fails but as said here.
 */
#ifndef LIBDAME_USE_H
#define LIBDAME_USE_H

#include <stdint.h>

#include "dame/cursor.h"
#include "dame/options.h"
#include "dame/program.h"
#include "dame/type.h"

/* What a context owns. */
typedef struct dame_use_engine dame_use_engine_t;

/* What a committed datatype owns. */
typedef struct dame_use dame_use_t;

/* `options` are copied; options->limit is not used. Error: DAME_ERR_NOMEM. */
dame_status_t dame_use_open(const dame_options_t *options, dame_use_engine_t **out);
void dame_use_close(dame_use_engine_t *engine);

/*
 * Builds the program of `type`, whose tree lives as long as what is attached. Errors:
 * DAME_ERR_NOMEM; DAME_ERR_LIMIT, with the limit in *limit.
 */
dame_status_t dame_use_attach(dame_use_engine_t *engine, const dame_type_t *type,
                              dame_limit_t *limit, dame_use_t **out);

/* Nobody uses it any more. */
void dame_use_release(dame_use_engine_t *engine, dame_use_t *use);

/* For texts; it lives as long as the use. */
const dame_program_t *dame_use_program(const dame_use_t *use);

/* One message: `count` elements, whose bytes fit in 64 bits, at `base`. */
typedef struct dame_use_message {
    dame_use_t *use;
    int64_t count;
    uintptr_t base;
} dame_use_message_t;

/* Moves whole elements: the complete message. */
void dame_use_run(const dame_use_message_t *message, dame_dir_t dir, char *packed);

/* Moves exactly `length` bytes of the stream from `position` on; the caller has cut `length` to
 * what is left. Error: DAME_ERR_NOMEM, only for programs deeper than DAME_CURSOR_DEPTH. */
dame_status_t dame_use_fragment(const dame_use_message_t *message, dame_dir_t dir, int64_t position,
                                char *packed, int64_t length);

/* Lists at most n blocks from *position on and advances it. Errors as above. */
dame_status_t dame_use_blocks(const dame_use_message_t *message, int64_t *position,
                              dame_block_t *blocks, int32_t n, int32_t *listed);

/* Copies a message to another of as many bytes, without a packed stream. Errors as above. */
dame_status_t dame_use_copy(const dame_use_message_t *from, const dame_use_message_t *to);

#endif
