/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "cuda.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "device/driver.h"
#include "jit/g/launch.h"

enum {
    SUCCESS = 0,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    INVALID_CONTEXT = 201,
    CONTEXT = 1, /* of a pointer */
    MEMORY_TYPE = 2,
    HOST = 1, /* types of memory */
    DEVICE = 2,
    MOST_PUSHED = 16
};

#define ARENA ((size_t) 4 << 30) /* bytes of addresses of a device, and of pinned memory */

/* ---- Memory: a stretch of addresses for each device, and one that is pinned ------------------ */

typedef struct area {
    char *start;
    size_t used;
} area_t;

static area_t areas[STAND_IN_DEVICES + 1];
static stand_in_counts_t counts;
static atomic_llong questions; /* asked without a lock */

__attribute__((constructor)) static void make_areas(void)
{
    for (int i = 0; i <= STAND_IN_DEVICES; i++) {
        const int access = i < STAND_IN_DEVICES ? PROT_NONE : PROT_READ | PROT_WRITE;
        areas[i].start =
            mmap(NULL, ARENA, access, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (areas[i].start == MAP_FAILED) {
            abort();
        }
    }
}

/* Which of them has the address; -1: none. */
static int area_of(uint64_t address)
{
    for (int i = 0; i <= STAND_IN_DEVICES; i++) {
        if (address - (uintptr_t) areas[i].start < ARENA) {
            return i;
        }
    }
    return -1;
}

static void open_devices(int access)
{
    for (int i = 0; i < STAND_IN_DEVICES; i++) {
        mprotect(areas[i].start, ARENA, access);
    }
}

static void *alloc(int i, size_t bytes)
{
    area_t *a = &areas[i];
    const size_t size = (bytes + 511) / 512 * 512;
    if (size > ARENA - a->used) {
        return NULL;
    }
    a->used += size;
    counts.allocations++;
    return a->start + a->used - size;
}

/* Addresses are used again, and have zeros, when all is freed, not before: so a use of what was
 * freed finds other bytes than a new user's. */
void stand_in_free(void *memory)
{
    counts.allocations -= NULL != memory;
    for (int i = 0; counts.allocations == 0 && i <= STAND_IN_DEVICES; i++) {
        madvise(areas[i].start, areas[i].used, MADV_DONTNEED);
        areas[i].used = 0;
    }
}

void *stand_in_alloc(int device, size_t bytes)
{
    return alloc(device, bytes);
}

void *stand_in_pinned(size_t bytes)
{
    return alloc(STAND_IN_DEVICES, bytes);
}

static void move(void *to, const void *from, size_t bytes)
{
    open_devices(PROT_READ | PROT_WRITE);
    memcpy(to, from, bytes);
    open_devices(PROT_NONE);
}

void stand_in_put(void *to, const void *from, size_t bytes)
{
    move(to, from, bytes);
}

void stand_in_get(void *to, const void *from, size_t bytes)
{
    move(to, from, bytes);
}

stand_in_counts_t stand_in_counts(void)
{
    counts.questions = questions;
    return counts;
}

/* ---- Errors --------------------------------------------------------------------------------- */

static char failing[64];
static int failure;

void stand_in_fail(const char *function, int error)
{
    snprintf(failing, sizeof(failing), "%s", function);
    failure = error;
}

static int fails(const char *function)
{
    if (strcmp(function, failing) != 0) {
        return SUCCESS;
    }
    failing[0] = '\0';
    return failure;
}

/* Leaves a function of the driver if it is to fail now. */
#define MAY_FAIL                                                                                   \
    do {                                                                                           \
        const int error_now = fails(__func__);                                                     \
        if (error_now != SUCCESS) {                                                                \
            return error_now;                                                                      \
        }                                                                                          \
    } while (0)

/* ---- Contexts ------------------------------------------------------------------------------- */

static char contexts[STAND_IN_DEVICES];
static char *pushed[MOST_PUSHED];

void *stand_in_context(int device)
{
    return &contexts[device];
}

static int current_device(void)
{
    return counts.contexts == 0 ? -1 : (int) (pushed[counts.contexts - 1] - contexts);
}

int cuCtxGetCurrent(void **context)
{
    *context = counts.contexts == 0 ? NULL : pushed[counts.contexts - 1];
    return SUCCESS;
}

int cuCtxPushCurrent_v2(void *context)
{
    MAY_FAIL;
    if (context == NULL || counts.contexts == MOST_PUSHED) {
        return INVALID_CONTEXT;
    }
    pushed[counts.contexts++] = context;
    return SUCCESS;
}

int cuCtxPopCurrent_v2(void **context)
{
    *context = pushed[--counts.contexts];
    return SUCCESS;
}

int cuDevicePrimaryCtxRetain(void **context, int device)
{
    *context = &contexts[device];
    return SUCCESS;
}

int cuPointerGetAttributes(unsigned n, int *attributes, void **data, uint64_t address)
{
    const int i = area_of(address);
    questions++;
    for (unsigned k = 0; k < n; k++) {
        if (attributes[k] == CONTEXT) {
            *(void **) data[k] = i >= 0 && i < STAND_IN_DEVICES ? &contexts[i] : NULL;
        } else {
            *(unsigned *) data[k] = attributes[k] != MEMORY_TYPE || i < 0 ? 0
                                    : i < STAND_IN_DEVICES                ? DEVICE
                                                                          : HOST;
        }
    }
    return SUCCESS;
}

int cuGetErrorName(int error, const char **name)
{
    *name = error == OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_OF_THE_STAND_IN";
    return SUCCESS;
}

int cuMemAlloc_v2(uint64_t *address, size_t bytes)
{
    MAY_FAIL;
    void *memory = current_device() < 0 ? NULL : alloc(current_device(), bytes);
    *address = (uintptr_t) memory;
    return memory != NULL ? SUCCESS : OUT_OF_MEMORY;
}

int cuMemFree_v2(uint64_t address)
{
    stand_in_free((void *) (uintptr_t) address);
    return SUCCESS;
}

int cuMemHostAlloc(void **memory, size_t bytes, unsigned flags)
{
    (void) flags;
    MAY_FAIL;
    *memory = stand_in_pinned(bytes);
    return *memory != NULL ? SUCCESS : OUT_OF_MEMORY;
}

int cuMemFreeHost(void *memory)
{
    stand_in_free(memory);
    return SUCCESS;
}

/* ---- Modules -------------------------------------------------------------------------------- */

typedef struct module {
    void *code;
    size_t bytes;
    size_t entry;
} module_t;

int cuModuleLoadData(void **module, const void *image)
{
    (void) module;
    (void) image;
    return INVALID_VALUE; /* it cannot run PTX */
}

int dame_load_host_code(void **module, const void *code, size_t bytes, size_t entry);

int dame_load_host_code(void **module, const void *code, size_t bytes, size_t entry)
{
    MAY_FAIL;
    module_t *loaded = malloc(sizeof(*loaded));
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (loaded == NULL || memory == MAP_FAILED) {
        abort();
    }
    memcpy(memory, code, bytes);
    mprotect(memory, bytes, PROT_READ | PROT_EXEC);
    *loaded = (module_t){memory, bytes, entry};
    *module = loaded;
    counts.modules++;
    return SUCCESS;
}

int cuModuleUnload(void *module)
{
    module_t *loaded = module;
    munmap(loaded->code, loaded->bytes);
    free(loaded);
    counts.modules--;
    return SUCCESS;
}

int cuModuleGetFunction(void **function, void *module, const char *name)
{
    MAY_FAIL;
    *function = module;
    return strcmp("k0", name) == 0 ? SUCCESS : INVALID_VALUE;
}

/* ---- Streams -------------------------------------------------------------------------------- */

/* Work that was enqueued. */
typedef struct work {
    struct work *next;
    const module_t *kernel; /* NULL: a copy or an event */
    int64_t pieces;
    uint64_t arguments[5];
    int32_t log2_width;
    uint64_t to, from;
    size_t bytes, to_pitch, from_pitch, rows; /* of a row; rows: 0: one */
    int *event;
} work_t;

typedef struct stream {
    work_t *first, **end;
} stream_t;

static stream_t standard = {.end = &standard.first};

static int enqueue(stream_t *stream, const work_t *work)
{
    work_t *copy = malloc(sizeof(*copy));
    stream = stream == NULL ? &standard : stream;
    if (copy == NULL) {
        abort();
    }
    *copy = *work;
    copy->next = NULL;
    *stream->end = copy;
    stream->end = &copy->next;
    return SUCCESS;
}

static void run_kernel(const work_t *work)
{
    dame_grid_host_fn grid;
    const char *entry = (const char *) work->kernel->code + work->kernel->entry;
    const uint64_t *a = work->arguments;
    memcpy(&grid, &entry, sizeof(grid));
    for (int64_t piece = work->pieces; piece-- > 0;) {
        grid(a[0], a[1], (int64_t) a[2], (int64_t) a[3], a[4], work->log2_width, piece);
    }
}

static void do_work(const work_t *work)
{
    if (work->event != NULL) {
        *work->event = 1;
        return;
    }
    open_devices(PROT_READ | PROT_WRITE);
    if (work->kernel != NULL) {
        run_kernel(work);
    } else {
        for (size_t row = 0; row < work->rows + (work->rows == 0); row++) {
            memcpy((void *) (uintptr_t) (work->to + row * work->to_pitch),
                   (void *) (uintptr_t) (work->from + row * work->from_pitch), work->bytes);
        }
    }
    open_devices(PROT_NONE);
}

static void empty(stream_t *stream, int does_work)
{
    stream = stream == NULL ? &standard : stream;
    while (stream->first != NULL) {
        work_t *work = stream->first;
        if (does_work) {
            do_work(work);
        }
        stream->first = work->next;
        free(work);
    }
    stream->end = &stream->first;
}

void stand_in_wait(void *stream)
{
    empty(stream, 1);
}

/* Where it fails, work is lost, as with a device that is in error. */
int cuStreamSynchronize(void *stream)
{
    counts.waits++;
    const int error = fails(__func__);
    empty(stream, error == SUCCESS);
    return error;
}

void *stand_in_stream(int device)
{
    stream_t *stream = calloc(1, sizeof(*stream));
    (void) device;
    if (stream == NULL) {
        abort();
    }
    stream->end = &stream->first;
    return stream;
}

int cuStreamCreate(void **stream, unsigned flags)
{
    (void) flags;
    MAY_FAIL;
    *stream = stand_in_stream(current_device());
    counts.streams++;
    return SUCCESS;
}

int cuStreamDestroy_v2(void *stream)
{
    stand_in_wait(stream);
    free(stream);
    counts.streams--;
    return SUCCESS;
}

int cuMemcpyAsync(uint64_t to, uint64_t from, size_t bytes, void *stream)
{
    counts.copies++;
    MAY_FAIL;
    return enqueue(stream, &(work_t){.to = to, .from = from, .bytes = bytes});
}

int cuMemcpy2DAsync_v2(const cu_rows_t *rows, void *stream);

static uint64_t start_of(const cu_side_t *side)
{
    const uint64_t host = (uintptr_t) side->host;
    const int is_there = area_of(side->device) >= 0 && area_of(side->device) < STAND_IN_DEVICES;
    if (side->type != HOST && (side->type != DEVICE || !is_there)) {
        abort();
    }
    return side->type == HOST ? host : side->device;
}

int cuMemcpy2DAsync_v2(const cu_rows_t *rows, void *stream)
{
    counts.copies++;
    MAY_FAIL;
    if (rows->from.pitch < rows->width || rows->to.pitch < rows->width) {
        return INVALID_VALUE;
    }
    return enqueue(stream, &(work_t){.to = start_of(&rows->to),
                                     .from = start_of(&rows->from),
                                     .to_pitch = rows->to.pitch,
                                     .from_pitch = rows->from.pitch,
                                     .bytes = rows->width,
                                     .rows = rows->height});
}

int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                   void *stream, void **arguments, void **extra)
{
    work_t work = {.kernel = function, .pieces = (int64_t) grid_x * block_x};
    counts.launches++;
    MAY_FAIL;
    if (grid_x == 0 || grid_y * grid_z * block_y * block_z != 1 || shared != 0 || extra != NULL) {
        return INVALID_VALUE;
    }
    for (int i = 0; i < 5; i++) {
        memcpy(&work.arguments[i], arguments[i], sizeof(work.arguments[i]));
    }
    memcpy(&work.log2_width, arguments[5], sizeof(work.log2_width));
    return enqueue(stream, &work);
}

/* ---- For bench/device_worker ----------------------------------------------------------------- */

int cuInit(unsigned flags)
{
    return (int) flags;
}

int cuDeviceGet(int *device, int number)
{
    *device = number;
    return number < STAND_IN_DEVICES ? SUCCESS : INVALID_VALUE;
}

int cuDeviceGetName(char *name, int size, int device)
{
    snprintf(name, (size_t) size, "a stand-in for a device, number %d", device);
    return SUCCESS;
}

int cuCtxSetCurrent(void *context)
{
    counts.contexts = 0;
    return cuCtxPushCurrent_v2(context);
}

int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes)
{
    stand_in_put((void *) (uintptr_t) to, from, bytes);
    return SUCCESS;
}

int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes)
{
    stand_in_get(to, (const void *) (uintptr_t) from, bytes);
    return SUCCESS;
}

int cuEventCreate(void **event, unsigned flags)
{
    *event = stand_in_event();
    return (int) flags;
}

int cuEventElapsedTime(float *ms, void *from, void *to)
{
    *ms = 0;
    return stand_in_is_done(from) && stand_in_is_done(to) ? SUCCESS : INVALID_VALUE;
}

/* ---- Events --------------------------------------------------------------------------------- */

void *stand_in_event(void)
{
    return calloc(1, sizeof(int));
}

int stand_in_is_done(void *event)
{
    return *(int *) event;
}

int cuEventRecord(void *event, void *stream)
{
    MAY_FAIL;
    return enqueue(stream, &(work_t){.event = event});
}
