/* SPDX-License-Identifier: BSD-3-Clause */
#include "mover.h"

#include <stdatomic.h>
#include <unistd.h>

#include "base/heap.h"
#include "engine/run.h"

struct dame_movers {
    dame_engine_t engine;
    dame_options_t program;
    int explore;           /* per cent */
    uint64_t number;       /* never used twice, unlike addresses */
    dame_device_t *device; /* NULL: none */
};

struct dame_mover {
    dame_use_t use; /* first */
    dame_movers_t *movers;
    dame_kernels_t kernels;
};

static atomic_int contexts; /* of the process: the last one returns the heap's spare memory */

static const char *const names[] = {
    "packs",        "packed_bytes",    "unpacks",         "unpacked_bytes", "copies",
    "copied_bytes", "compiled_pack",   "compiled_unpack", "code_bytes",     "device_moves",
    "device_bytes", "device_launches", "device_copies"};

/* ---- The calling thread --------------------------------------------------------------------- */

/* The context that the thread has used last. */
static _Thread_local struct {
    uint64_t number;
    dame_thread_t *thread;
} last;

/* Other contexts' are found again. */
static void forget_thread(dame_thread_t *thread)
{
    if (thread == last.thread) {
        last.number = 0;
    }
}

static inline dame_thread_t *thread_of(dame_movers_t *movers)
{
    if (__builtin_expect(movers->number != last.number, 0)) {
        dame_thread_t *thread = dame_thread_of(&movers->engine.threads);
        if (thread == NULL) {
            return NULL;
        }
        last.number = movers->number;
        last.thread = thread;
    }
    return last.thread;
}

dame_thread_t *dame_mover_enter(const dame_mover_t *mover)
{
    dame_thread_t *thread = thread_of(mover->movers);
    if (thread != NULL) {
        dame_reader_enter(&thread->reader);
    }
    return thread;
}

void dame_mover_leave(const dame_mover_t *mover, dame_thread_t *thread)
{
    (void) mover;
    if (thread != NULL) {
        dame_reader_leave(&thread->reader);
    }
}

/* ---- Contexts ------------------------------------------------------------------------------- */

/* NULL: beside this library. */
static const char *object_of(const char *given)
{
    return given != NULL                            ? given
           : access(DAME_LLVM_INSTALLED, R_OK) == 0 ? DAME_LLVM_INSTALLED
                                                    : NULL;
}

/* NULL: the process has loaded no driver so far. */
static dame_device_t *open_device(const dame_mover_options_t *options, int64_t code_bytes)
{
    const dame_device_options_t devices = {.llvm = options->llvm != NULL ? options->llvm
                                                                         : DAME_LLVM_INSTALLED,
                                           .code_directories = options->code_directories,
                                           .code_bytes = code_bytes};
    return dame_device_open(&devices);
}

dame_status_t dame_mover_open(const dame_mover_options_t *options, dame_movers_t **out)
{
    static _Atomic uint64_t numbers;
    enum { UNUSED_LAYOUTS = 0, CODE_BYTES = 64 << 20 };
    dame_movers_t *movers = dame_heap_zalloc(sizeof(*movers));
    if (movers == NULL) {
        return DAME_ERR_NOMEM;
    }
    movers->program = options->program;
    movers->explore = 1;
    movers->number = 1 + atomic_fetch_add(&numbers, 1);
    movers->engine.threads.owns = true;
    movers->engine.threads.at_end = forget_thread;
    dame_engine_options_t engine = {
        .promotion = {.threshold = options->threshold,
                      .profile = options->profile,
                      .explore = &movers->explore,
                      .jit = *dame_jit_options_default(),
                      .order = {.llvm = options->l ? "" : NULL,
                                .object = object_of(options->llvm),
                                .how = DAME_SLOW_BACKGROUND,
                                .code_directories = options->code_directories,
                                .code_bytes = CODE_BYTES}},
        .layout_cache = UNUSED_LAYOUTS};
    engine.promotion.jit.without_x = !options->x;
    dame_engine_start(&movers->engine, &engine);
    movers->device = open_device(options, CODE_BYTES);
    atomic_fetch_add(&contexts, 1);
    *out = movers;
    return DAME_OK;
}

void dame_mover_close(dame_movers_t *movers)
{
    dame_device_close(movers->device);
    dame_engine_settle(&movers->engine);
    dame_engine_stop(&movers->engine, true);
    const bool ended = dame_engine_end(&movers->engine);
    if (movers->number == last.number) {
        last.number = 0;
    }
    if (ended) {
        dame_heap_free(movers);
    }
    if (atomic_fetch_sub(&contexts, 1) == 1) {
        dame_heap_trim();
    }
}

/* ---- Datatypes ------------------------------------------------------------------------------ */

dame_status_t dame_mover_attach(dame_movers_t *movers, const dame_type_t *type, dame_limit_t *limit,
                                dame_mover_t **out)
{
    dame_options_t options = movers->program;
    dame_mover_t *mover = dame_heap_zalloc(sizeof(*mover));
    dame_program_t *program;
    if (mover == NULL) {
        return DAME_ERR_NOMEM;
    }
    options.limit = limit;
    dame_status_t status = dame_program_build(type, &options, &program);
    if (status == DAME_OK) {
        status = dame_engine_open_private(&movers->engine, program, &mover->use);
        if (status != DAME_OK) {
            dame_program_free(program);
        }
    }
    if (status != DAME_OK) {
        dame_heap_free(mover);
        return status;
    }
    mover->movers = movers;
    *out = mover;
    return DAME_OK;
}

void dame_mover_release(dame_mover_t *mover)
{
    if (mover->kernels.first != NULL || mover->kernels.choices != NULL) {
        dame_device_forget(mover->movers->device, &mover->kernels);
    }
    dame_engine_close_private(&mover->movers->engine, &mover->use);
    dame_heap_free(mover);
}

const dame_program_t *dame_mover_program(const dame_mover_t *mover)
{
    return mover->use.layout->program;
}

/* ---- Messages ------------------------------------------------------------------------------- */

/* Without a thread of the engine, which compiles nothing then. */
static void count_alone(dame_movers_t *movers, dame_dir_t dir, int64_t bytes)
{
    dame_counts_t *counts = &movers->engine.counts;
    dame_count(counts, (dame_counter_t) ((int) DAME_COUNT_fragments_packed + (int) dir), 1);
    dame_count(counts, (dame_counter_t) ((int) DAME_COUNT_bytes_packed + (int) dir), bytes);
}

void dame_mover_run(const dame_message_t *message, dame_dir_t dir, char *packed)
{
    dame_movers_t *movers = message->mover->movers;
    const dame_program_t *program = dame_mover_program(message->mover);
    dame_thread_t *thread = thread_of(movers);
    if (__builtin_expect(thread != NULL, 1)) {
        dame_run_whole(&movers->engine, thread, &message->mover->use, dir, message->base,
                       message->count, packed);
    } else {
        count_alone(movers, dir, message->count * program->size);
        dame_program_run(program, dir, message->base, message->count, packed);
    }
}

/* A cursor at `position` of the message. */
static dame_status_t cursor_at(dame_cursor_t *cursor, const dame_message_t *message,
                               int64_t position)
{
    dame_status_t status =
        dame_cursor_init(cursor, dame_mover_program(message->mover), message->base, message->count);
    if (status == DAME_OK) {
        dame_cursor_seek(cursor, position);
    }
    return status;
}

dame_status_t dame_mover_fragment(const dame_message_t *message, dame_dir_t dir, int64_t position,
                                  char *packed, int64_t length)
{
    dame_movers_t *movers = message->mover->movers;
    dame_thread_t *thread = thread_of(movers);
    dame_cursor_t cursor;
    dame_status_t status = cursor_at(&cursor, message, position);
    if (status != DAME_OK) {
        return status;
    }
    if (thread != NULL) {
        dame_run_piece(&movers->engine, thread, &message->mover->use, dir, &cursor, packed, length);
    } else {
        count_alone(movers, dir, length);
        (void) (dir == DAME_PACK ? dame_cursor_pack_exact(&cursor, packed, length)
                                 : dame_cursor_unpack(&cursor, packed, length));
    }
    dame_cursor_fini(&cursor);
    return DAME_OK;
}

dame_status_t dame_mover_blocks(const dame_message_t *message, int64_t *position,
                                dame_block_t *blocks, int32_t n, int32_t *listed)
{
    dame_cursor_t cursor;
    dame_status_t status = cursor_at(&cursor, message, *position);
    if (status != DAME_OK) {
        return status;
    }
    *listed = dame_cursor_blocks(&cursor, blocks, n);
    *position = cursor.position;
    dame_cursor_fini(&cursor);
    return DAME_OK;
}

void dame_mover_copy_alike(const dame_message_t *from, uintptr_t to)
{
    dame_movers_t *movers = from->mover->movers;
    const dame_program_t *program = dame_mover_program(from->mover);
    dame_thread_t *thread = thread_of(movers);
    if (thread != NULL) {
        dame_run_copy(&movers->engine, thread, &from->mover->use, to, from->base, from->count);
    } else {
        dame_mover_copied(from->mover, NULL, from->count * program->size);
        dame_program_copy(program, to, from->base, from->count);
    }
}

void dame_mover_copied(const dame_mover_t *mover, dame_thread_t *thread, int64_t bytes)
{
    if (thread != NULL) {
        dame_cells_add(&thread->cells.count[DAME_COUNT_messages_copied], 1);
        dame_cells_add(&thread->cells.count[DAME_COUNT_bytes_copied], bytes);
    } else {
        dame_count(&mover->movers->engine.counts, DAME_COUNT_messages_copied, 1);
        dame_count(&mover->movers->engine.counts, DAME_COUNT_bytes_copied, bytes);
    }
}

/* ---- Devices -------------------------------------------------------------------------------- */

static dame_device_t *device_of(const dame_message_t *message)
{
    return message->mover->movers->device;
}

static dame_device_message_t on_device(const dame_message_t *message)
{
    dame_mover_t *mover = (dame_mover_t *) (uintptr_t) message->mover;
    dame_thread_t *thread = thread_of(mover->movers);
    return (dame_device_message_t){.program = dame_mover_program(mover),
                                   .kernels = &mover->kernels,
                                   .base = message->base,
                                   .count = message->count,
                                   .reader = thread != NULL ? &thread->reader : NULL};
}

bool dame_mover_look(const dame_message_t *message, uintptr_t packed, dame_device_sides_t *sides)
{
    const dame_device_t *device = device_of(message);
    if (__builtin_expect(device == NULL, 1)) {
        return false;
    }
    const dame_device_message_t there = on_device(message);
    return dame_device_look(device, &there, packed, sides);
}

dame_status_t dame_mover_on_device(const dame_message_t *message, const dame_device_part_t *part,
                                   const dame_device_sides_t *sides,
                                   const dame_device_queue_t *queue, const char **what)
{
    const dame_device_message_t there = on_device(message);
    return dame_device_move(device_of(message), &there, part, sides, queue, what);
}

dame_status_t dame_mover_copy_on_device(const dame_message_t *from, const dame_message_t *to,
                                        const dame_device_sides_t *sides, const char **what)
{
    const dame_device_message_t source = on_device(from), target = on_device(to);
    return dame_device_copy(device_of(from), &source, &target, from->count * source.program->size,
                            sides, what);
}

/* ---- Counters ------------------------------------------------------------------------------- */

enum { NAMES = sizeof(names) / sizeof(names[0]) };

const char *dame_mover_counter_name(int i)
{
    return i < NAMES ? names[i] : NULL;
}

static int64_t device_counter(const dame_movers_t *movers, int i)
{
    const dame_device_t *device = movers->device;
    dame_device_counts_t counts = {0};
    if (device != NULL) {
        dame_device_counts(device, &counts);
    }
    const int64_t all[] = {counts.moves, counts.bytes, counts.launches, counts.copies};
    return all[i];
}

int64_t dame_mover_counter(dame_movers_t *movers, int i)
{
    static const dame_counter_t counters[] = {
        DAME_COUNT_fragments_packed, DAME_COUNT_bytes_packed,    DAME_COUNT_fragments_unpacked,
        DAME_COUNT_bytes_unpacked,   DAME_COUNT_messages_copied, DAME_COUNT_bytes_copied};
    static const dame_code_stat_t stats[] = {
        DAME_CODE_STAT_compiled_pack, DAME_CODE_STAT_compiled_unpack, DAME_CODE_STAT_code_bytes};
    enum {
        COUNTERS = sizeof(counters) / sizeof(counters[0]),
        STATS = sizeof(stats) / sizeof(stats[0])
    };
    if (i < COUNTERS) {
        return dame_counts_total(&movers->engine.counts, counters[i]);
    }
    if (i >= COUNTERS + STATS) {
        return device_counter(movers, i - COUNTERS - STATS);
    }
    dame_jit_stats_t code;
    dame_promoter_stats(&movers->engine.promoter, &code);
    return dame_code_stat(&code, stats[i - COUNTERS]);
}
