/* Writes .eh_frame tables, and registers them with libgcc. */
#define _GNU_SOURCE
#include "unwind.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

/* DWARF's numbers of registers: System V ABI, AMD64 supplement, figure 3.36; DWARF for the Arm
 * 64-bit Architecture, 4.1. */
#if defined(__x86_64__)
enum { RETURN_ADDRESS = 16 };
static const unsigned char at_entry[] = {0x0c, 7, 8,  /* DW_CFA_def_cfa rsp + 8 */
                                         0x90, 0x01}; /* DW_CFA_offset: the address at CFA - 8 */
#elif defined(__aarch64__)
enum { RETURN_ADDRESS = 30 };
static const unsigned char at_entry[] = {0x0c, 31, 0}; /* DW_CFA_def_cfa sp */
#else
enum { RETURN_ADDRESS = -1 };
static const unsigned char at_entry[] = {0};
#endif

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
    if (RETURN_ADDRESS < 0) {
        return;
    }
    put_32(table, 0);           /* size */
    put_32(table, 0);           /* this entry says what others have in common (CIE) */
    dame_unwind_byte(table, 1); /* version */
    memcpy(table->at, "zR", 3);
    table->at += 3;
    dame_unwind_byte(table, 1); /* code counts in bytes */
    dame_unwind_byte(table, DATA_UNIT);
    dame_unwind_byte(table, RETURN_ADDRESS);
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
    if (RETURN_ADDRESS < 0) {
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

/* ---- telling ---- */

/* libgcc's, whatever other unwinders the process has: theirs of this name take other arguments. */
typedef void (*tell_fn)(const void *table);

static _Atomic(tell_fn) add_table;
static _Atomic(tell_fn) take_table;

static tell_fn find(void *library, const char *name)
{
    tell_fn function = NULL;
    void *symbol = dlsym(library, name);
    memcpy(&function, &symbol, sizeof(function));
    return function;
}

void dame_unwind_prepare(void)
{
    if (atomic_load(&add_table) != NULL || RETURN_ADDRESS < 0) {
        return;
    }
    /* Never closed. backtrace(3) loads the same when it is first called. */
    void *library = dlopen("libgcc_s.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (library == NULL) {
        return;
    }
    const tell_fn add = find(library, "__register_frame");
    const tell_fn take = find(library, "__deregister_frame");
    if (add != NULL && take != NULL) {
        atomic_store(&take_table, take);
        atomic_store(&add_table, add);
    }
}

int dame_unwind_register(const char *table)
{
    const tell_fn add = atomic_load(&add_table);
    if (add != NULL) {
        add(table);
    }
    return add != NULL;
}

void dame_unwind_deregister(const char *table)
{
    const tell_fn take = atomic_load(&take_table);
    take(table);
}
