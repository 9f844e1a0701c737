/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes .eh_frame tables, and registers them with libgcc. */
#define _GNU_SOURCE
#include "unwind.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>

#include "base/heap.h"
#include "base/machine.h"

static const unsigned char at_entry[] = {DAME_MACHINE_AT_ENTRY};

enum {
    PCREL_SDATA8 = 0x1c, /* how tables refer to code: DW_EH_PE_pcrel | DW_EH_PE_sdata8 */
    DATA_UNIT = 0x78,    /* offsets count in -8 bytes, as SLEB128 */
    ADVANCE_1 = 0x02,
    ADVANCE_4 = 0x04
};

/* ---- writing tables ---- */

void dame_unwind_byte(dame_unwind_t *table, unsigned byte)
{
    *table->at++ = (char) byte;
}

static void put_32(dame_unwind_t *table, uint32_t value)
{
    memcpy(table->at, &value, sizeof(value));
    table->at += sizeof(value);
}

static void put_64(dame_unwind_t *table, uint64_t value)
{
    memcpy(table->at, &value, sizeof(value));
    table->at += sizeof(value);
}

/* Pads an entry, and sets its first field to the bytes behind that field. */
static void close_entry(dame_unwind_t *table, char *entry)
{
    while ((table->at - entry) % 8 != 0) {
        dame_unwind_byte(table, 0); /* DW_CFA_nop */
    }
    const uint32_t size = (uint32_t) (table->at - entry) - 4;
    memcpy(entry, &size, sizeof(size));
}

void dame_unwind_begin(dame_unwind_t *table, char *start)
{
    *table = (dame_unwind_t){.start = start, .at = start};
    if (DAME_MACHINE_RETURN < 0) {
        return;
    }
    put_32(table, 0);           /* size */
    put_32(table, 0);           /* this entry says what others have in common (CIE) */
    dame_unwind_byte(table, 1); /* version */
    memcpy(table->at, "zR", 3);
    table->at += 3;
    dame_unwind_byte(table, 1); /* code counts in bytes */
    dame_unwind_byte(table, DATA_UNIT);
    dame_unwind_byte(table, DAME_MACHINE_RETURN);
    dame_unwind_byte(table, 1); /* bytes of what the letter R announces */
    dame_unwind_byte(table, PCREL_SDATA8);
    memcpy(table->at, at_entry, sizeof(at_entry));
    table->at += sizeof(at_entry);
    close_entry(table, start);
}

static void end_function(dame_unwind_t *table)
{
    if (table->function != NULL) {
        close_entry(table, table->function);
    }
    table->function = NULL;
}

void dame_unwind_function(dame_unwind_t *table, const char *code, size_t size)
{
    end_function(table);
    if (DAME_MACHINE_RETURN < 0) {
        return;
    }
    table->function = table->at;
    put_32(table, 0);                                     /* size */
    put_32(table, (uint32_t) (table->at - table->start)); /* back to the first entry */
    put_64(table, (uintptr_t) code - (uintptr_t) table->at);
    put_64(table, size);
    dame_unwind_byte(table, 0); /* no other fields */
}

void dame_unwind_advance(dame_unwind_t *table, uint32_t bytes)
{
    if (bytes < 256) {
        dame_unwind_byte(table, ADVANCE_1);
        dame_unwind_byte(table, bytes);
    } else {
        dame_unwind_byte(table, ADVANCE_4);
        put_32(table, bytes);
    }
}

size_t dame_unwind_end(dame_unwind_t *table)
{
    end_function(table);
    put_32(table, 0);
    return (size_t) (table->at - table->start);
}

size_t dame_unwind_leaf(char *start, const char *code, size_t size)
{
    dame_unwind_t table;
    dame_unwind_begin(&table, start);
    dame_unwind_function(&table, code, size);
    return dame_unwind_end(&table);
}

/* ---- reading tables ---- */

/* How the entries that an entry's first field leads to refer to code, or -1. `cie` is behind its
 * size and id. */
static int encoding_of(const char *cie)
{
    enum { VERSION = 0, AUGMENTATION = 1, SDATA4 = 0x1b };
    const unsigned char *at = (const unsigned char *) cie;
    if (at[VERSION] != 1 || strcmp(cie + AUGMENTATION, "zR") != 0) {
        return -1;
    }
    at += AUGMENTATION + sizeof("zR");
    for (int numbers = 0; numbers < 2; numbers++) { /* what code and data count in, as LEB128 */
        while (*at++ & 0x80) {
        }
    }
    at += 2; /* the register of the return address; the bytes of what the letter R announces */
    return *at == PCREL_SDATA8 || *at == SDATA4 ? *at : -1;
}

/*
 * Makes a copy of a table refer to what the original referred to; `moved` is how many bytes behind
 * the original it lies. Returns 0 when it cannot: its distances have 32 bits and are too long.
 */
static int refer_again(char *table, int64_t moved)
{
    uint32_t size;
    for (char *entry = table; memcpy(&size, entry, sizeof(size)), size != 0; entry += 4 + size) {
        uint32_t back;
        memcpy(&back, entry + 4, sizeof(back));
        if (back == 0) {
            continue; /* what others have in common */
        }
        const int encoding = encoding_of(entry + 4 - back + 8);
        if (encoding == PCREL_SDATA8) {
            int64_t distance;
            memcpy(&distance, entry + 8, sizeof(distance));
            distance -= moved;
            memcpy(entry + 8, &distance, sizeof(distance));
        } else {
            int32_t distance;
            memcpy(&distance, entry + 8, sizeof(distance));
            const int64_t longer = distance - moved;
            distance = (int32_t) longer;
            if (encoding < 0 || distance != longer) {
                return 0;
            }
            memcpy(entry + 8, &distance, sizeof(distance));
        }
    }
    return 1;
}

/* ---- telling ---- */

/* libgcc's, whatever other unwinders the process has: theirs of these names take other arguments.
 * These take memory of the caller's; __register_frame() calls malloc() and does not look whether
 * that failed. */
typedef void add_fn(const void *table, void *object);
typedef void *take_fn(const void *table);
typedef const void *find_fn(void *address, void *bases[3]);

static _Atomic(add_fn *) add_table;
static _Atomic(take_fn *) take_table;
static _Atomic(find_fn *) find_entry;
static atomic_int is_prepared;

struct dame_unwind_registration {
    void *object[16]; /* libgcc's: 6 to 8 words, as its crtstuff.c has them */
    char table[];
};

void dame_unwind_prepare(void)
{
    if (atomic_load(&is_prepared) || DAME_MACHINE_RETURN < 0) {
        return;
    }
    /* Never closed. backtrace(3) loads the same when it is first called. */
    void *library = dlopen("libgcc_s.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (library != NULL) {
        void *symbols[] = {dlsym(library, "__register_frame_info"),
                           dlsym(library, "__deregister_frame_info"),
                           dlsym(library, "_Unwind_Find_FDE")};
        if (symbols[0] != NULL && symbols[1] != NULL && symbols[2] != NULL) {
            add_fn *add;
            take_fn *take;
            find_fn *find;
            memcpy(&add, &symbols[0], sizeof(add));
            memcpy(&take, &symbols[1], sizeof(take));
            memcpy(&find, &symbols[2], sizeof(find));
            atomic_store(&find_entry, find);
            atomic_store(&take_table, take);
            atomic_store(&add_table, add);
        }
    }
    atomic_store(&is_prepared, 1); /* threads that come here at once load it twice */
}

/* A handler that unwinds, such as a profiler's, would wait for the lock that its thread holds. */
static void block_signals(sigset_t *before)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, before);
}

dame_unwind_registration_t *dame_unwind_register(const char *table, size_t size, const char *code)
{
    add_fn *add = atomic_load(&add_table);
    if (add == NULL) {
        return NULL;
    }
    dame_unwind_registration_t *registration = dame_heap_zalloc(sizeof(*registration) + size);
    if (registration == NULL) {
        return NULL;
    }
    memcpy(registration->table, table, size);
    if (!refer_again(registration->table,
                     (int64_t) ((uintptr_t) registration->table - (uintptr_t) table))) {
        dame_heap_free(registration);
        return NULL;
    }
    void *bases[3];
    sigset_t before;
    block_signals(&before);
    add(registration->table, registration->object);
    /* libgcc before 13 sorts a new table, with malloc(), when it next looks anything up: now, and
     * not in a handler that interrupts malloc(). */
    (void) atomic_load(&find_entry)((void *) (uintptr_t) code, bases);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return registration;
}

void dame_unwind_deregister(dame_unwind_registration_t *registration)
{
    sigset_t before;
    block_signals(&before);
    (void) atomic_load(&take_table)(registration->table);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    dame_heap_free(registration);
}
