/* Programs are interpreted. */
#include "use.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "dame/heap.h"
#include "use_program.h"

struct dame_use_engine {
    dame_options_t options;
};

static atomic_int engines; /* of the process: the last one returns the heap's spare memory */

static void install_fork_handlers(void)
{
    (void) pthread_atfork(dame_heap_before_fork, dame_heap_after_fork, dame_heap_after_fork);
}

dame_status_t dame_use_open(const dame_options_t *options, dame_use_engine_t **out)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, install_fork_handlers);
    dame_use_engine_t *engine = malloc(sizeof(*engine));
    if (NULL == engine) {
        return DAME_ERR_NOMEM;
    }
    engine->options = *options;
    engine->options.limit = NULL;
    atomic_fetch_add(&engines, 1);
    *out = engine;
    return DAME_OK;
}

void dame_use_close(dame_use_engine_t *engine)
{
    free(engine);
    if (1 == atomic_fetch_sub(&engines, 1)) {
        dame_heap_trim();
    }
}

dame_status_t dame_use_attach(dame_use_engine_t *engine, const dame_type_t *type,
                              dame_limit_t *limit, dame_use_t **out)
{
    dame_options_t options = engine->options;
    dame_use_t *use = malloc(sizeof(*use));
    if (NULL == use) {
        return DAME_ERR_NOMEM;
    }
    options.limit = limit;
    dame_status_t status = dame_program_build(type, &options, &use->program);
    if (DAME_OK != status) {
        free(use);
        return status;
    }
    *out = use;
    return DAME_OK;
}

void dame_use_release(dame_use_engine_t *engine, dame_use_t *use)
{
    (void) engine;
    dame_program_free(use->program);
    free(use);
}

const dame_program_t *dame_use_program(const dame_use_t *use)
{
    return use->program;
}

void dame_use_run(const dame_use_message_t *message, dame_dir_t dir, char *packed)
{
    dame_program_run(message->use->program, dir, message->base, message->count, packed);
}

/* A cursor at `position` of the message. */
static dame_status_t cursor_at(dame_cursor_t *cursor, const dame_use_message_t *message,
                               int64_t position)
{
    dame_status_t status =
        dame_cursor_init(cursor, message->use->program, message->base, message->count);
    if (DAME_OK == status) {
        dame_cursor_seek(cursor, position);
    }
    return status;
}

dame_status_t dame_use_fragment(const dame_use_message_t *message, dame_dir_t dir, int64_t position,
                                char *packed, int64_t length)
{
    dame_cursor_t cursor;
    dame_status_t status = cursor_at(&cursor, message, position);
    if (DAME_OK != status) {
        return status;
    }
    if (DAME_PACK == dir) {
        dame_cursor_pack_exact(&cursor, packed, length);
    } else {
        dame_cursor_unpack(&cursor, packed, length);
    }
    dame_cursor_fini(&cursor);
    return DAME_OK;
}

dame_status_t dame_use_blocks(const dame_use_message_t *message, int64_t *position,
                              dame_block_t *blocks, int32_t n, int32_t *listed)
{
    dame_cursor_t cursor;
    dame_status_t status = cursor_at(&cursor, message, *position);
    if (DAME_OK != status) {
        return status;
    }
    *listed = dame_cursor_blocks(&cursor, blocks, n);
    *position = cursor.position;
    dame_cursor_fini(&cursor);
    return DAME_OK;
}
