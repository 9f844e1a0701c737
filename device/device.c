/* SPDX-License-Identifier: BSD-3-Clause */
#include "device.h"

#include <time.h>

#include "base/heap.h"
#include "move.h"

enum {
    KERNEL_NS = 100000000, /* of making the first kernel, which loads LLVM: a guess */
    PIECE = 4 << 20 /* bytes of the stream that are moved through a buffer at once: a guess */
};

enum { SIZES = 4 }; /* classes of parts, by size */

struct dame_choices {
    dame_choice_t of[2][2][SIZES]; /* direction; does the device reach both sides? */
};

static double device_now_ns(void)
{
    struct timespec now;
    (void) clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e9 * (double) now.tv_sec + (double) now.tv_nsec;
}

/* ---- Opening -------------------------------------------------------------------------------- */

/* A jit for grids alone. */
static dame_status_t open_compiler(const dame_device_options_t *options,
                                   dame_kernel_source_t *source)
{
    dame_jit_options_t jit = *dame_jit_options_default();
    jit.without_x = 1;
    jit.arena_bytes = 1;
    dame_status_t status = dame_jit_create(&jit, &source->jit);
    if (status == DAME_OK) {
        status = dame_jit_offer_l(source->jit, options->llvm, "", &source->provider);
    }
    if (status == DAME_OK && options->code_directories != NULL) {
        status = dame_jit_set_cache(source->jit, options->code_directories, options->code_bytes);
    }
    return status;
}

bool dame_device_is_possible(void)
{
    return dame_driver_find() != NULL;
}

dame_device_t *dame_device_open(const dame_device_options_t *options)
{
    const dame_driver_t *driver = dame_driver_find();
    dame_device_t *device = driver != NULL ? dame_heap_zalloc(sizeof(*device)) : NULL;
    if (device == NULL) {
        return NULL;
    }
    device->source.driver = driver;
    device->kernel_ns = KERNEL_NS;
    pthread_mutex_init(&device->lock, NULL);
    if (open_compiler(options, &device->source) != DAME_OK) {
        dame_device_close(device);
        return NULL;
    }
    return device;
}

static void end_buffers(const dame_driver_t *driver, buffers_t *buffers)
{
    cu_context_t before;
    if (driver->push(buffers->context) == 0) { /* else the context has ended, and all of it */
        for (int i = 0; i < BUFFERS; i++) {
            (void) (buffers->device[i] != 0 && driver->free(buffers->device[i]));
            (void) (buffers->host[i] != NULL && driver->free_host(buffers->host[i]));
            (void) (buffers->streams[i] != NULL && driver->end_stream(buffers->streams[i]));
        }
        (void) driver->pop(&before);
    }
    dame_heap_free(buffers);
}

void dame_device_close(dame_device_t *device)
{
    if (device == NULL) {
        return;
    }
    while (device->buffers != NULL) {
        buffers_t *buffers = device->buffers;
        device->buffers = buffers->next;
        end_buffers(device->source.driver, buffers);
    }
    if (device->source.jit != NULL) {
        dame_jit_destroy(device->source.jit);
    }
    pthread_mutex_destroy(&device->lock);
    dame_heap_free(device);
}

void dame_device_forget(dame_device_t *device, dame_kernels_t *kernels)
{
    pthread_mutex_lock(&device->lock);
    dame_kernels_end(device->source.driver, kernels);
    dame_heap_free(kernels->choices);
    kernels->choices = NULL;
    pthread_mutex_unlock(&device->lock);
}

void dame_device_counts(const dame_device_t *device, dame_device_counts_t *out)
{
    const counts_t *counts = &device->counts;
    *out = (dame_device_counts_t){.moves = atomic_load(&counts->moves),
                                  .bytes = atomic_load(&counts->bytes),
                                  .launches = atomic_load(&counts->launches),
                                  .copies = atomic_load(&counts->copies)};
}

/* ---- Where memory is ------------------------------------------------------------------------ */

/* *context: of the memory, or NULL. */
static place_t place_of_data(const dame_driver_t *driver, uintptr_t address, cu_context_t *context)
{
    int attributes[] = {CU_CONTEXT, CU_MEMORY_TYPE, CU_IS_MANAGED, CU_ORDINAL};
    unsigned type = 0, is_managed = 0;
    int device = 0;
    void *out[] = {context, &type, &is_managed, &device};
    *context = NULL;
    if (driver->pointer_attributes(4, attributes, out, address) != 0) {
        return PAGEABLE;
    }
    if (type != CU_DEVICE && is_managed == 0) {
        return type == CU_HOST ? PINNED : PAGEABLE;
    }
    if (*context == NULL && (driver->current(context) != 0 || *context == NULL)) {
        (void) driver->retain(context, device); /* memory of a pool belongs to none */
    }
    return ON_DEVICE;
}

bool dame_device_has(const dame_device_t *device, uintptr_t address)
{
    int attributes[] = {CU_MEMORY_TYPE, CU_IS_MANAGED};
    unsigned type = 0, is_managed = 0;
    void *out[] = {&type, &is_managed};
    return device->source.driver->pointer_attributes(2, attributes, out, address) == 0 &&
           type == CU_DEVICE && is_managed == 0;
}

bool dame_device_look(const dame_device_t *device, const dame_device_message_t *message,
                      uintptr_t packed, dame_device_sides_t *sides)
{
    cu_context_t of_user, of_packed;
    const uintptr_t lowest = message->base + (uintptr_t) message->program->true_lb;
    *sides = (dame_device_sides_t){
        .user = (int) place_of_data(device->source.driver, lowest, &of_user),
        .packed = (int) place_of_data(device->source.driver, packed, &of_packed)};
    sides->context = sides->user == ON_DEVICE ? of_user : of_packed;
    sides->same = of_user == of_packed;
    return sides->user == ON_DEVICE || sides->packed == ON_DEVICE;
}

/* ---- A move --------------------------------------------------------------------------------- */

static bool find_buffers(work_t *work, cu_context_t context)
{
    dame_device_t *device = work->device;
    buffers_t *buffers = device->buffers;
    while (buffers != NULL && context != buffers->context) {
        buffers = buffers->next;
    }
    if (buffers == NULL) {
        buffers = dame_heap_zalloc(sizeof(*buffers));
        if (buffers == NULL) {
            return false;
        }
        buffers->context = context;
        buffers->next = device->buffers;
        device->buffers = buffers;
    }
    for (int i = 0; i < BUFFERS; i++) {
        if (buffers->streams[i] == NULL) {
            TRY(work, stream(&buffers->streams[i], 0)); /* it waits for the default stream's work */
        }
    }
    work->buffers = buffers;
    work->stream = buffers->streams[0];
    return true;
}

/* Bytes [at, at + length) of the part, which are at `packed`. */
static void launch(work_t *work, int64_t at, int64_t length, uint64_t packed, cu_stream_t stream)
{
    const int64_t first = work->part->position + at;
    if (work->error == 0) {
        work->error =
            dame_kernel_launch(work->driver, work->message->kernels, work->kernel, work->part->dir,
                               work->message->base, packed, first, first + length, stream);
        atomic_fetch_add(&work->device->counts.launches, 1);
    }
}

static void wait_for_all(work_t *work)
{
    for (int i = 0; i < BUFFERS; i++) {
        const cu_result_t error = work->driver->wait(work->buffers->streams[i]);
        work->error = work->error != 0 ? work->error : error;
    }
}

/* The device does not reach the packed side: its bytes, from byte `at` of the part on, pass through
 * buffers on the device. */
static void through_device(work_t *work, int64_t at)
{
    const dame_device_part_t *part = work->part;
    buffers_t *buffers = work->buffers;
    int k = 0;
    for (; at < part->length && work->error == 0; at += PIECE, k ^= 1) {
        const int64_t n = part->length - at < PIECE ? part->length - at : PIECE;
        const uint64_t packed = part->packed + (uint64_t) at;
        if (buffers->device[k] == 0) {
            TRY(work, alloc(&buffers->device[k], PIECE));
        }
        if (part->dir == DAME_PACK) {
            launch(work, at, n, buffers->device[k], buffers->streams[k]);
            TRY(work, copy(packed, buffers->device[k], (size_t) n, buffers->streams[k]));
        } else {
            TRY(work, copy(buffers->device[k], packed, (size_t) n, buffers->streams[k]));
            launch(work, at, n, buffers->device[k], buffers->streams[k]);
        }
    }
}

/* The host moves the next n bytes. */
static void run_on_host(const work_t *work, dame_cursor_t *cursor, void *packed, int64_t n)
{
    dame_reader_t *reader = work->message->reader;
    if (reader != NULL) {
        dame_reader_enter(reader);
    }
    (void) (work->part->dir == DAME_PACK ? dame_cursor_pack_exact(cursor, packed, n)
                                         : dame_cursor_unpack(cursor, packed, n));
    if (reader != NULL) {
        dame_reader_leave(reader);
    }
}

/* The message is the host's: it runs the program itself, into or out of pinned buffers. */
static dame_status_t through_host(work_t *work)
{
    const dame_device_part_t *part = work->part;
    buffers_t *buffers = work->buffers;
    dame_cursor_t cursor;
    const dame_status_t status = dame_work_cursor(work, &cursor, 0);
    if (status != DAME_OK) {
        return status;
    }
    int k = 0;
    for (int64_t at = 0; at < part->length && work->error == 0; at += PIECE, k ^= 1) {
        const int64_t n = part->length - at < PIECE ? part->length - at : PIECE;
        const uint64_t packed = part->packed + (uint64_t) at;
        if (buffers->host[k] == NULL) {
            TRY(work, alloc_host(&buffers->host[k], PIECE, 0));
        }
        const uint64_t host = (uintptr_t) buffers->host[k];
        if (part->dir == DAME_PACK) {
            TRY(work, wait(buffers->streams[k])); /* it was copied from, two pieces ago */
            if (work->error == 0) {
                run_on_host(work, &cursor, buffers->host[k], n);
            }
            TRY(work, copy(packed, host, (size_t) n, buffers->streams[k]));
        } else {
            TRY(work, copy(host, packed, (size_t) n, buffers->streams[k]));
            TRY(work, wait(buffers->streams[k]));
            if (work->error == 0) {
                run_on_host(work, &cursor, buffers->host[k], n);
            }
        }
    }
    dame_cursor_fini(&cursor);
    return DAME_OK;
}

/* ---- The way of a part ---------------------------------------------------------------------- */

static bool is_one_block(const dame_device_message_t *message)
{
    const dame_program_t *program = message->program;
    return program->prims[0].inner_delta == 0 &&
           (message->count == 1 || program->size == program->extent);
}

/* Returns whether the device reaches both sides. */
static bool reaches_both(const dame_device_sides_t *sides)
{
    return sides->user != PAGEABLE && sides->packed != PAGEABLE &&
           (sides->user != ON_DEVICE || sides->packed != ON_DEVICE || sides->same);
}

static bool has_kernel(const work_t *work)
{
    return dame_kernel_is_there(work->message->kernels, work->part->dir, work->sides->context);
}

/* False: there is none. */
static bool get_kernel(work_t *work)
{
    const dame_device_message_t *message = work->message;
    const bool is_new = !has_kernel(work);
    const double start = device_now_ns();
    work->kernel = dame_kernel_get(&work->device->source, message->kernels, message->program,
                                   work->part->dir, work->sides->context);
    if (is_new && work->kernel != NULL) {
        work->kernel_ns = work->device->kernel_ns = device_now_ns() - start;
    }
    return work->kernel != NULL;
}

/* In the caller's stream; it does not wait. */
static dame_status_t enqueue(work_t *work, const dame_device_queue_t *queue)
{
    if (!get_kernel(work)) {
        return DAME_ERR_UNSUPPORTED;
    }
    launch(work, 0, work->part->length, work->part->packed, queue->stream);
    if (queue->event != NULL) {
        TRY(work, record(queue->event, queue->stream));
    }
    return DAME_OK;
}

/* By a kernel, from byte `at` of the part on. */
static void by_kernel(work_t *work, int64_t at)
{
    if (reaches_both(work->sides)) {
        launch(work, at, work->part->length - at, work->part->packed + (uint64_t) at, work->stream);
    } else {
        through_device(work, at);
    }
}

/* What parts of about this size between such places have taken; NULL: memory is out. */
static dame_choice_t *choice_of(const work_t *work)
{
    enum { SMALL = 12, STEP = 4 }; /* powers of 2 of bytes */
    dame_kernels_t *kernels = work->message->kernels;
    if (kernels->choices == NULL) {
        kernels->choices = dame_heap_zalloc(sizeof(*kernels->choices));
    }
    const int log2 = 63 - __builtin_clzll((uint64_t) work->part->length);
    const int size = log2 < SMALL ? 0 : 1 + (log2 - SMALL) / STEP;
    return kernels->choices == NULL
               ? NULL
               : &kernels->choices->of[work->part->dir][reaches_both(work->sides)]
                                      [size < SIZES ? size : SIZES - 1];
}

/* By copies, by a kernel, or by copies and a kernel for the rest. */
static dame_status_t by_way(work_t *work, dame_way_t way, int64_t most, int64_t *copied)
{
    dame_status_t status =
        way == DAME_WAY_COPIES ? dame_work_by_copies(work, most, copied) : DAME_OK;
    if (status == DAME_OK && *copied < work->part->length && work->error == 0) {
        if (get_kernel(work)) {
            by_kernel(work, *copied);
        } else {
            status = dame_work_by_copies(work, INT64_MAX, copied);
        }
    }
    return status;
}

/* The way that was measured to be the faster one. */
static dame_status_t by_choice(work_t *work)
{
    dame_choice_t none = {0}, *known = choice_of(work);
    dame_choice_t *choice = known != NULL ? known : &none;
    int64_t most = 0, copied = 0;
    const bool had_kernel = has_kernel(work);
    const dame_way_t way = dame_choice_next(choice, had_kernel, work->device->kernel_ns, &most);
    const double start = device_now_ns();
    const dame_status_t status = by_way(work, way, most, &copied);
    wait_for_all(work);
    const bool is_many = way == DAME_WAY_COPIES && copied < work->part->length;
    if (status == DAME_OK && work->error == 0 && (had_kernel || !is_many)) {
        dame_choice_took(choice, way, is_many, device_now_ns() - start - work->kernel_ns,
                         work->part->length);
    }
    return status;
}

static dame_status_t move_now(work_t *work)
{
    dame_status_t status = DAME_OK;
    int64_t at = 0;
    if (!find_buffers(work, work->sides->context)) {
        return DAME_ERR_NOMEM;
    }
    if (work->sides->user == ON_DEVICE && !is_one_block(work->message)) {
        return by_choice(work);
    }
    status = work->sides->user == ON_DEVICE ? dame_work_by_copies(work, INT64_MAX, &at)
                                            : through_host(work);
    wait_for_all(work);
    return status;
}

/* The lock is held, the context current. An error of the driver is in work->error. */
static dame_status_t move_region(work_t *work, const dame_device_message_t *message,
                                 const dame_device_part_t *part, const dame_device_sides_t *sides,
                                 const dame_device_queue_t *queue)
{
    work->message = message;
    work->part = part;
    work->sides = sides;
    work->kernel = NULL;
    work->kernel_ns = 0;
    return queue != NULL ? enqueue(work, queue) : move_now(work);
}

/* Takes the lock and makes the context current; with that, the calls of a work begin and end. */
static work_t begin_use(dame_device_t *device, const dame_device_sides_t *sides)
{
    work_t work = {.device = device, .driver = device->source.driver};
    pthread_mutex_lock(&device->lock);
    TRY(&work, push(sides->context));
    work.has_context = work.error == 0;
    return work;
}

/* `bytes` were moved if all went well. Returns what the caller is told. */
static dame_status_t end_use(work_t *work, dame_status_t status, int64_t bytes, const char **what)
{
    cu_context_t before;
    if (work->has_context) {
        (void) work->driver->pop(&before);
    }
    pthread_mutex_unlock(&work->device->lock);
    if (status == DAME_OK && work->error != 0) {
        status = DAME_ERR_DEVICE;
    }
    if (status == DAME_ERR_DEVICE) {
        *what = dame_driver_error(work->driver, work->error);
    } else if (status == DAME_OK) {
        atomic_fetch_add(&work->device->counts.moves, 1);
        atomic_fetch_add(&work->device->counts.bytes, bytes);
    }
    return status;
}

dame_status_t dame_device_move(dame_device_t *device, const dame_device_message_t *message,
                               const dame_device_part_t *part, const dame_device_sides_t *sides,
                               const dame_device_queue_t *queue, const char **what)
{
    if (queue != NULL && !reaches_both(sides)) {
        return DAME_ERR_ARGUMENT;
    }
    work_t work = begin_use(device, sides);
    const dame_status_t status =
        work.has_context ? move_region(&work, message, part, sides, queue) : DAME_OK;
    return end_use(&work, status, part->length, what);
}

/* ---- A copy --------------------------------------------------------------------------------- */

/* Piece by piece through a buffer on the device. */
static dame_status_t copy_pieces(work_t *work, const dame_device_message_t *from,
                                 const dame_device_message_t *to, int64_t bytes,
                                 const dame_device_sides_t *sides)
{
    dame_device_sides_t of_from = *sides, of_to = *sides;
    dame_status_t status = DAME_OK;
    if (!find_buffers(work, sides->context)) {
        return DAME_ERR_NOMEM;
    }
    cu_address_t *buffer = &work->buffers->device[0];
    if (*buffer == 0) {
        TRY(work, alloc(buffer, PIECE));
    }
    of_to.user = sides->packed;
    of_from.packed = of_to.packed = ON_DEVICE;
    of_from.same = of_to.same = true;
    for (int64_t at = 0; at < bytes && status == DAME_OK && work->error == 0; at += PIECE) {
        const int64_t n = bytes - at < PIECE ? bytes - at : PIECE;
        const dame_device_part_t pack = {DAME_PACK, at, *buffer, n};
        const dame_device_part_t unpack = {DAME_UNPACK, at, *buffer, n};
        status = move_region(work, from, &pack, &of_from, NULL);
        if (status == DAME_OK && work->error == 0) {
            status = move_region(work, to, &unpack, &of_to, NULL);
        }
    }
    return status;
}

dame_status_t dame_device_copy(dame_device_t *device, const dame_device_message_t *from,
                               const dame_device_message_t *to, int64_t bytes,
                               const dame_device_sides_t *sides, const char **what)
{
    if (sides->user == ON_DEVICE && sides->packed == ON_DEVICE && !sides->same) {
        return DAME_ERR_UNSUPPORTED;
    }
    work_t work = begin_use(device, sides);
    const dame_status_t status =
        work.has_context ? copy_pieces(&work, from, to, bytes, sides) : DAME_OK;
    return end_use(&work, status, bytes, what);
}
