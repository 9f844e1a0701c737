/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* struct dl_phdr_info */
#include "elf_object.h"

#include <elf.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/machine.h"

static uintptr_t page_of(uintptr_t address)
{
    return address & ~((uintptr_t) sysconf(_SC_PAGESIZE) - 1);
}

static void read_dynamic(dt_elf_object_t *object, const ElfW(Dyn) * entry, bool *rela)
{
    for (; entry->d_tag != DT_NULL; entry++) {
        switch (entry->d_tag) {
        case DT_STRTAB:
            object->strings = (const char *) entry->d_un.d_ptr;
            break;
        case DT_STRSZ:
            object->strings_size = entry->d_un.d_val;
            break;
        case DT_SYMTAB:
            object->symbols = (const ElfW(Sym) *) entry->d_un.d_ptr;
            break;
        case DT_GNU_HASH:
            object->hash = (const uint32_t *) entry->d_un.d_ptr;
            break;
        case DT_JMPREL:
            object->tables[0] = (const ElfW(Rela) *) entry->d_un.d_ptr;
            break;
        case DT_PLTRELSZ:
            object->counts[0] = entry->d_un.d_val / sizeof(ElfW(Rela));
            break;
        case DT_PLTREL:
            *rela = entry->d_un.d_val == DT_RELA;
            break;
        case DT_RELA:
            object->tables[1] = (const ElfW(Rela) *) entry->d_un.d_ptr;
            break;
        case DT_RELASZ:
            object->counts[1] = entry->d_un.d_val / sizeof(ElfW(Rela));
            break;
        case DT_RELACOUNT:
            object->n_relative = entry->d_un.d_val;
            break;
        default:
            break;
        }
    }
}

bool dt_elf_read(dt_elf_object_t *object, const struct dl_phdr_info *info)
{
    const ElfW(Dyn) *dynamic = NULL;
    *object = (dt_elf_object_t){.base = info->dlpi_addr};
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type == PT_DYNAMIC) {
            dynamic = (const ElfW(Dyn) *) (info->dlpi_addr + header->p_vaddr);
        } else if (header->p_type == PT_GNU_RELRO) { /* ld.so protects whole pages only */
            object->relro = page_of(info->dlpi_addr + header->p_vaddr);
            object->relro_end = page_of(info->dlpi_addr + header->p_vaddr + header->p_memsz);
        }
    }
    if (dynamic == NULL) {
        return false;
    }
    bool rela = true;
    read_dynamic(object, dynamic, &rela);
    /* glibc relocates these addresses in place, but not for the vDSO, which has nothing for us. */
    return rela && object->strings != NULL && object->symbols != NULL &&
           (uintptr_t) object->strings > info->dlpi_addr;
}

bool dt_elf_contains(const struct dl_phdr_info *info, uintptr_t address)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + header->p_vaddr;
        if (header->p_type == PT_LOAD && address >= start && address < start + header->p_memsz) {
            return true;
        }
    }
    return false;
}

/* DT_GNU_HASH: the symbols that the object defines, which are the last ones of its table. */
typedef struct defined {
    uint32_t first; /* symbol */
    uint32_t n_buckets;
    uint32_t n_filters;
    uint32_t shift;
    const ElfW(Addr) * filters;
    const uint32_t *buckets; /* of the first symbol each, 0: none */
    const uint32_t *chains;  /* from the first symbol on: hashes, the lowest bit ends a chain */
} defined_t;

static defined_t defined_symbols(const uint32_t *table)
{
    defined_t defined = {
        .n_buckets = table[0], .first = table[1], .n_filters = table[2], .shift = table[3]};
    defined.filters = (const ElfW(Addr) *) (table + 4);
    defined.buckets = (const uint32_t *) (defined.filters + defined.n_filters);
    defined.chains = defined.buckets + defined.n_buckets;
    return defined;
}

static bool is_named(const dt_elf_object_t *object, size_t symbol, const char *name)
{
    const char *found = object->strings + object->symbols[symbol].st_name;
    return *found == *name && strcmp(found, name) == 0;
}

/* Numbers of the symbols that an object has slots of; 0: it has not. */
typedef struct wanted {
    const char *const *names;
    size_t n;
    uint32_t numbers[DT_ELF_MOST_SYMBOLS];
} wanted_t;

/* The first bytes of names, up to their end: of the many names that an object has, few begin like
 * one of those wanted. */
typedef struct starts {
    size_t n;
    uint64_t start[DT_ELF_MOST_SYMBOLS];
    uint64_t mask[DT_ELF_MOST_SYMBOLS];
} starts_t;

static starts_t starts_of(const wanted_t *wanted)
{
    starts_t starts = {.n = 0};
    for (size_t i = 0; i < wanted->n; i++) {
        const size_t length = strlen(wanted->names[i]) + 1;
        const size_t bytes = length < sizeof(uint64_t) ? length : sizeof(uint64_t);
        uint64_t start = 0, mask = 0;
        memcpy(&start, wanted->names[i], bytes);
        memset(&mask, 0xff, bytes);
        size_t same = 0;
        while (same < starts.n && (start != starts.start[same] || mask != starts.mask[same])) {
            same++;
        }
        starts.start[same] = start;
        starts.mask[same] = mask;
        starts.n += same == starts.n;
    }
    return starts;
}

/* Returns whether the symbol can have a wanted name. */
static inline bool begins_like(const dt_elf_object_t *object, const starts_t *starts,
                               uint32_t symbol)
{
    const size_t name = object->symbols[symbol].st_name;
    uint64_t start;
    if (name + sizeof(start) > object->strings_size) {
        return true;
    }
    memcpy(&start, object->strings + name, sizeof(start));
    for (size_t i = 0; i < starts->n; i++) {
        if (starts->start[i] == (start & starts->mask[i])) {
            return true;
        }
    }
    return false;
}

static bool find_undefined(const dt_elf_object_t *object, const defined_t *defined,
                           wanted_t *wanted)
{
    const starts_t starts = starts_of(wanted);
    bool found = false;
    for (uint32_t symbol = 1; symbol < defined->first; symbol++) {
        const size_t n = begins_like(object, &starts, symbol) ? wanted->n : 0;
        for (size_t i = 0; i < n; i++) {
            if (is_named(object, symbol, wanted->names[i])) {
                wanted->numbers[i] = symbol;
                found = true;
            }
        }
    }
    return found;
}

/* The number of a symbol, 0: it is not defined here. */
static uint32_t find_defined(const dt_elf_object_t *object, const defined_t *defined,
                             const char *name)
{
    enum { BITS = 8 * sizeof(ElfW(Addr)) };
    uint32_t hash = 5381;
    for (const char *c = name; *c != '\0'; c++) {
        hash = hash * 33 + (unsigned char) *c;
    }
    const ElfW(Addr) filter = defined->filters[hash / BITS % defined->n_filters];
    if ((filter >> hash % BITS & filter >> (hash >> defined->shift) % BITS & 1) == 0) {
        return 0;
    }
    uint32_t symbol = defined->buckets[hash % defined->n_buckets];
    if (symbol < defined->first) {
        return 0;
    }
    for (;; symbol++) {
        const uint32_t found = defined->chains[symbol - defined->first];
        if ((found | 1) == (hash | 1) && is_named(object, symbol, name)) {
            return symbol;
        }
        if ((found & 1) != 0) {
            return 0;
        }
    }
}

/* Returns whether the numbers of all wanted symbols are known, if they have one. */
static bool find_symbols(const dt_elf_object_t *object, wanted_t *wanted, bool *any)
{
    *any = true;
    if (object->hash == NULL) {
        return false;
    }
    const defined_t defined = defined_symbols(object->hash);
    if (defined.first <= 1) { /* linkers write so when none is defined, and others may follow */
        return false;
    }
    *any = find_undefined(object, &defined, wanted);
    for (size_t i = 0; i < wanted->n; i++) {
        if (wanted->numbers[i] == 0) {
            wanted->numbers[i] = find_defined(object, &defined, wanted->names[i]);
            *any |= wanted->numbers[i] != 0;
        }
    }
    return true;
}

bool dt_elf_may_have(const dt_elf_object_t *object, const char *const *symbols, size_t n)
{
    wanted_t wanted = {.names = symbols, .n = n};
    bool any;
    return !find_symbols(object, &wanted, &any) || any;
}

/* Which of the wanted symbols this is; n: none. */
static size_t which_symbol(const dt_elf_object_t *object, const wanted_t *wanted, uint32_t symbol,
                           bool by_number)
{
    size_t i = 0;
    while (i < wanted->n && (by_number ? symbol != wanted->numbers[i]
                                       : !is_named(object, symbol, wanted->names[i]))) {
        i++;
    }
    return i;
}

/* Libraries have thousands of slots, most of them of symbols of their own: so symbols are looked
 * for first, among those that are not defined and in the hash table of the others. */
void dt_elf_slots(const dt_elf_object_t *object, const char *const *symbols, size_t n,
                  dt_elf_visit_fn_t visit, void *context)
{
    wanted_t wanted = {.names = symbols, .n = n};
    bool any;
    const bool by_number = find_symbols(object, &wanted, &any);
    for (int table = 0; any && table < 2; table++) {
        for (size_t i = table == 0 ? 0 : object->n_relative; i < object->counts[table]; i++) {
            const ElfW(Rela) *relocation = &object->tables[table][i];
            unsigned type = (unsigned) ELF64_R_TYPE(relocation->r_info);
            if (type != DAME_MACHINE_JUMP_SLOT && type != DAME_MACHINE_GLOB_DAT) {
                continue;
            }
            const size_t which = which_symbol(
                object, &wanted, (uint32_t) ELF64_R_SYM(relocation->r_info), by_number);
            if (which < n &&
                !visit((uintptr_t *) (object->base + relocation->r_offset), which, context)) {
                return;
            }
        }
    }
}

bool dt_elf_write(const dt_elf_object_t *object, uintptr_t *slot, uintptr_t value)
{
    uintptr_t address = (uintptr_t) slot;
    bool is_protected = address >= object->relro && address < object->relro_end;
    size_t page = (size_t) sysconf(_SC_PAGESIZE);
    void *start = (void *) page_of(address);
    if (is_protected && mprotect(start, page, PROT_READ | PROT_WRITE) != 0) {
        return false;
    }
    __atomic_store_n(slot, value, __ATOMIC_RELEASE);
    if (is_protected) {
        (void) mprotect(start, page, PROT_READ);
    }
    return true;
}
