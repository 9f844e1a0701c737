/* SPDX-License-Identifier: BSD-3-Clause */
/* The file in which perf inject looks for machine code. */
#define _GNU_SOURCE /* syscall */
#include "perf_dump.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/heap.h"
#include "base/machine.h"
#include "perf_file.h"
#include "provider.h"
#include "unwind.h"

enum { MAGIC = 0x4a695444, VERSION = 1, CODE_LOAD = 0, UNWINDING = 4, PAGE = 4096 };

/* ---- the format ---- */

typedef struct header {
    uint32_t magic, version, size, machine, padding, process;
    uint64_t time, flags;
} header_t;

typedef struct record {
    uint32_t id, size;
    uint64_t time;
} record_t;

/* Name, with its 0, and code follow. */
typedef struct load {
    record_t record;
    uint32_t process, thread;
    uint64_t address, code, code_size, index;
} load_t;

/* .eh_frame and .eh_frame_hdr follow; it comes before the code that it is of. */
typedef struct unwinding {
    record_t record;
    uint64_t size, header_size, mapped_size;
} unwinding_t;

/* Linux Standard Base 5.0, Core, 10.6.2: a table of one entry. */
typedef struct frame_header {
    uint8_t version, pointer_encoding, count_encoding, table_encoding;
    int32_t frames; /* from here to .eh_frame */
    uint32_t count;
    int32_t code, entry; /* from the start of this header */
} frame_header_t;

enum { PCREL_SDATA4 = 0x1b, UDATA4 = 0x03, DATAREL_SDATA4 = 0x3b };

_Static_assert(sizeof(header_t) == 40 && sizeof(load_t) == 56 && sizeof(unwinding_t) == 40 &&
                   sizeof(frame_header_t) == 20,
               "the format has no other padding");

static uint64_t perf_now(void)
{
    struct timespec time;
    (void) clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t) time.tv_sec * 1000000000u + (uint64_t) time.tv_nsec;
}

static size_t rounded(size_t size)
{
    return (size + 7) / 8 * 8;
}

/* ---- the file ---- */

struct dame_perf_dump {
    uint64_t index; /* of the next code */
    void *marker;   /* the mapping; NULL: no file yet; MAP_FAILED: there cannot be one */
    char *path;
};

dame_status_t dame_perf_dump_create(const char *directory, dame_perf_dump_t **out)
{
    dame_perf_dump_t *dump = dame_heap_zalloc(sizeof(*dump));
    if (dump == NULL || (dump->path = dame_perf_file_name(directory, "jit", "dump")) == NULL) {
        dame_perf_dump_destroy(dump);
        return DAME_ERR_NOMEM;
    }
    *out = dump;
    return DAME_OK;
}

void dame_perf_dump_destroy(dame_perf_dump_t *dump)
{
    if (dump != NULL) {
        if (dump->marker != NULL && dump->marker != MAP_FAILED) {
            (void) munmap(dump->marker, PAGE);
        }
        dame_heap_free(dump->path);
    }
    dame_heap_free(dump);
}

/* The file of an earlier process of this number goes. */
static int start_file(dame_perf_dump_t *dump)
{
    const header_t header = {.magic = MAGIC,
                             .version = VERSION,
                             .size = sizeof(header),
                             .machine = DAME_MACHINE_ELF,
                             .process = (uint32_t) getpid(),
                             .time = perf_now()};
    int error = dame_perf_file_remove(dump->path);
    if (error == 0) {
        error = dame_perf_file_append(dump->path, O_CREAT | O_EXCL, &header, sizeof(header));
    }
    if (error != 0) {
        return error;
    }
    const int file = open(dump->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    dump->marker =
        file < 0 ? MAP_FAILED : mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
    error = dump->marker == MAP_FAILED ? errno : 0;
    if (file >= 0) {
        (void) close(file);
    }
    if (error != 0) {
        (void) unlink(dump->path);
    }
    return error;
}

/* ---- records ---- */

/* Writes code and table to `to`, which is all 0, as perf lays them out: the table behind the code,
 * and behind it its header. Returns the bytes of the table without its header. */
static size_t put_table(char *to, const char *code, size_t instructions, size_t size,
                        uint32_t unwind)
{
    const size_t at = rounded(instructions);
    memcpy(to, code, instructions);
    size_t table = size - instructions;
    if (unwind != DAME_NO_UNWIND) {
        memcpy(to + at, code + unwind, table); /* it also lay at that distance after the code */
    } else {
        table = dame_unwind_leaf(to + at, to, instructions);
    }
    uint32_t first;
    memcpy(&first, to + at, sizeof(first));
    const size_t head = at + rounded(table);
    const frame_header_t header = {.version = 1,
                                   .pointer_encoding = PCREL_SDATA4,
                                   .count_encoding = UDATA4,
                                   .table_encoding = DATAREL_SDATA4,
                                   .frames = (int32_t) at - (int32_t) (head + 4),
                                   .count = 1,
                                   .code = -(int32_t) head,
                                   .entry = (int32_t) (at + 4 + first) - (int32_t) head};
    memcpy(to + head, &header, sizeof(header));
    return rounded(table);
}

int dame_perf_dump_add(dame_perf_dump_t *dump, const char *code, size_t size, uint32_t unwind,
                       const char *name)
{
    if (dump->marker == NULL) {
        const int error = start_file(dump);
        if (error != 0) {
            return error;
        }
    }
    if (dump->marker == MAP_FAILED) {
        return 0;
    }
    const size_t instructions = dame_instructions(size, unwind), name_size = strlen(name) + 1;
    const size_t most = rounded(size) + DAME_UNWIND_LEAF + sizeof(frame_header_t) + 16;
    char *both = dame_heap_zalloc(sizeof(unwinding_t) + sizeof(load_t) + name_size + 2 * most);
    char *scratch = dame_heap_zalloc(most);
    if (both == NULL || scratch == NULL) {
        dame_heap_free(both);
        dame_heap_free(scratch);
        return ENOMEM;
    }
    const size_t table = put_table(scratch, code, instructions, size, unwind);
    const size_t unwinding_size = table + sizeof(frame_header_t);
    const uint64_t time = perf_now();
    const unwinding_t unwinding = {
        .record = {UNWINDING, (uint32_t) (sizeof(unwinding) + rounded(unwinding_size)), time},
        .size = unwinding_size,
        .header_size = sizeof(frame_header_t),
        .mapped_size = rounded(unwinding_size)};
    const load_t load = {
        .record = {CODE_LOAD, (uint32_t) (sizeof(load) + name_size + instructions), time},
        .process = (uint32_t) getpid(),
        .thread = (uint32_t) syscall(SYS_gettid),
        .address = (uintptr_t) code,
        .code = (uintptr_t) code,
        .code_size = instructions,
        .index = dump->index++};
    char *to = both;
    memcpy(to, &unwinding, sizeof(unwinding));
    memcpy(to + sizeof(unwinding), scratch + rounded(instructions), unwinding_size);
    to += unwinding.record.size;
    memcpy(to, &load, sizeof(load));
    memcpy(to + sizeof(load), name, name_size);
    memcpy(to + sizeof(load) + name_size, code, instructions);
    to += load.record.size;
    const int error = dame_perf_file_append(dump->path, 0, both, (size_t) (to - both));
    dame_heap_free(both);
    dame_heap_free(scratch);
    return error;
}
