/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the dynamic section of a loaded object says about its GOT slots (System V ABI; RELA
 * relocations, as x86-64 and AArch64 have them).
 */
#ifndef DT_ELF_OBJECT_H
#define DT_ELF_OBJECT_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct dt_elf_object {
    uintptr_t base; /* load address */
    const char *strings;
    size_t strings_size;
    const ElfW(Sym) * symbols;
    const ElfW(Rela) * tables[2]; /* PLT and others */
    size_t counts[2];
    size_t n_relative;          /* of the second table, at its start: these are not slots */
    const uint32_t *hash;       /* DT_GNU_HASH; NULL if absent */
    uintptr_t relro, relro_end; /* pages that are read-only after relocation */
} dt_elf_object_t;

/* False when the object has no dynamic symbols of use. `info` is from dl_iterate_phdr(). */
bool dt_elf_read(dt_elf_object_t *object, const struct dl_phdr_info *info);

/* Returns whether the object has `address` in one of its segments. */
bool dt_elf_contains(const struct dl_phdr_info *info, uintptr_t address);

enum { DT_ELF_MOST_SYMBOLS = 16 };

/* Returns whether the object may have slots of one of the `n` <= DT_ELF_MOST_SYMBOLS symbols. */
bool dt_elf_may_have(const dt_elf_object_t *object, const char *const *symbols, size_t n);

/* Calls visit(slot, which, context) for every JUMP_SLOT and GLOB_DAT of symbols[which], of `n` <=
 * DT_ELF_MOST_SYMBOLS, until it is false. */
typedef bool (*dt_elf_visit_fn_t)(uintptr_t *slot, size_t which, void *context);
void dt_elf_slots(const dt_elf_object_t *object, const char *const *symbols, size_t n,
                  dt_elf_visit_fn_t visit, void *context);

/* Stores to a slot, through a moment of write permission where it was made read-only. False, and
 * nothing stored, when that is not permitted. */
bool dt_elf_write(const dt_elf_object_t *object, uintptr_t *slot, uintptr_t value);

#endif
