/* SPDX-License-Identifier: BSD-3-Clause */
/* GDB's JIT interface: an ELF object in memory for each program's code. */
#include "gdb.h"

#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <string.h>

#include "base/heap.h"
#include "base/machine.h"
#include "provider.h"
#include "unwind.h"

/* ---- what GDB looks for; the names and shapes are its own ---- */

enum { JIT_NOACTION = 0, JIT_REGISTER_FN, JIT_UNREGISTER_FN };

struct jit_code_entry {
    struct jit_code_entry *next_entry;
    struct jit_code_entry *prev_entry;
    const char *symfile_addr;
    uint64_t symfile_size;
};

struct jit_descriptor {
    uint32_t version;
    uint32_t action_flag;
    struct jit_code_entry *relevant_entry;
    struct jit_code_entry *first_entry;
};

struct jit_descriptor __jit_debug_descriptor = {.version = 1};

/* GDB has a breakpoint here. Not exported: LLVM, in the same process, has its own. */
void __attribute__((noinline)) __jit_debug_register_code(void);
void __jit_debug_register_code(void)
{
    __asm__ volatile("" ::: "memory"); /* or the compiler would leave the calls out */
}

/* ---- the object ---- */

enum { SECTION_NONE, SECTION_TEXT, SECTION_UNWIND, SECTION_SYMBOLS, SECTION_NAMES, SECTIONS };

static const char section_names[] = "\0.text\0.symtab\0.strtab\0.eh_frame";
enum {
    NAME_TEXT = 1,
    NAME_SYMTAB = 7,
    NAME_STRTAB = 15,
    NAME_EH_FRAME = 23,
    NAME_SYMBOL = sizeof(section_names)
};

typedef struct image {
    ElfW(Ehdr) header;
    ElfW(Shdr) sections[SECTIONS];
    ElfW(Sym) symbols[2]; /* the first one is always empty */
    _Alignas(8) char leaf[DAME_UNWIND_LEAF];
    char names[]; /* of sections, then of the symbol */
} image_t;

struct dame_gdb_object {
    struct jit_code_entry entry;
    image_t image;
};

static void describe_header(ElfW(Ehdr) * header)
{
    memcpy(header->e_ident, ELFMAG, SELFMAG);
    header->e_ident[EI_CLASS] = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
    header->e_ident[EI_DATA] =
        __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
    header->e_ident[EI_VERSION] = EV_CURRENT;
    header->e_type = ET_REL;
    header->e_machine = DAME_MACHINE_ELF;
    header->e_version = EV_CURRENT;
    header->e_shoff = offsetof(image_t, sections);
    header->e_ehsize = sizeof(ElfW(Ehdr));
    header->e_shentsize = sizeof(ElfW(Shdr));
    header->e_shnum = SECTIONS;
    header->e_shstrndx = SECTION_NAMES;
}

/* The table is the code's own, which is copied behind the names, or that of a leaf. */
static void describe_unwind(image_t *image, const char *start, size_t size, uint32_t unwind,
                            size_t names)
{
    ElfW(Shdr) *section = &image->sections[SECTION_UNWIND];
    *section = (ElfW(Shdr)){.sh_name = NAME_EH_FRAME,
                            .sh_type = SHT_PROGBITS,
                            .sh_flags = SHF_ALLOC,
                            .sh_addralign = 8};
    if (unwind != DAME_NO_UNWIND) {
        section->sh_addr = (uintptr_t) start + unwind;
        section->sh_offset = offsetof(image_t, names) + names;
        section->sh_size = size - unwind;
        memcpy(image->names + names, start + unwind, size - unwind);
    } else {
        section->sh_addr = (uintptr_t) image->leaf;
        section->sh_offset = offsetof(image_t, leaf);
        section->sh_size = dame_unwind_leaf(image->leaf, start, size);
    }
}

static void describe_sections(ElfW(Shdr) * sections, const void *start, size_t size, size_t names)
{
    sections[SECTION_TEXT] = (ElfW(Shdr)){.sh_name = NAME_TEXT,
                                          .sh_type = SHT_NOBITS, /* it is in place already */
                                          .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
                                          .sh_addr = (uintptr_t) start,
                                          .sh_size = size,
                                          .sh_addralign = 1};
    sections[SECTION_SYMBOLS] = (ElfW(Shdr)){.sh_name = NAME_SYMTAB,
                                             .sh_type = SHT_SYMTAB,
                                             .sh_offset = offsetof(image_t, symbols),
                                             .sh_size = 2 * sizeof(ElfW(Sym)),
                                             .sh_link = SECTION_NAMES,
                                             .sh_info = 1, /* the first that is not local */
                                             .sh_addralign = sizeof(void *),
                                             .sh_entsize = sizeof(ElfW(Sym))};
    sections[SECTION_NAMES] = (ElfW(Shdr)){.sh_name = NAME_STRTAB,
                                           .sh_type = SHT_STRTAB,
                                           .sh_offset = offsetof(image_t, names),
                                           .sh_size = names,
                                           .sh_addralign = 1};
}

dame_gdb_object_t *dame_gdb_add(const char *start, size_t size, uint32_t unwind, const char *name)
{
    const size_t names = sizeof(section_names) + strlen(name) + 1;
    const size_t table = unwind != DAME_NO_UNWIND ? size - unwind : 0;
    dame_gdb_object_t *object = dame_heap_zalloc(sizeof(*object) + names + table);
    if (object == NULL) {
        return NULL;
    }
    image_t *image = &object->image;
    describe_header(&image->header);
    const size_t instructions = dame_instructions(size, unwind);
    describe_sections(image->sections, start, instructions, names);
    image->symbols[1] = (ElfW(Sym)){.st_name = NAME_SYMBOL,
                                    .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
                                    .st_shndx = SECTION_TEXT,
                                    .st_size = instructions};
    memcpy(image->names, section_names, sizeof(section_names));
    memcpy(image->names + NAME_SYMBOL, name, strlen(name) + 1);
    describe_unwind(image, start, size, unwind, names);

    struct jit_code_entry *entry = &object->entry;
    entry->symfile_addr = (const char *) image;
    entry->symfile_size = sizeof(*image) + names + table;
    entry->next_entry = __jit_debug_descriptor.first_entry;
    if (entry->next_entry != NULL) {
        entry->next_entry->prev_entry = entry;
    }
    __jit_debug_descriptor.first_entry = entry;
    __jit_debug_descriptor.relevant_entry = entry;
    __jit_debug_descriptor.action_flag = JIT_REGISTER_FN;
    __jit_debug_register_code();
    return object;
}

void dame_gdb_remove(dame_gdb_object_t *object)
{
    if (object == NULL) {
        return;
    }
    struct jit_code_entry *entry = &object->entry;
    if (entry->prev_entry != NULL) {
        entry->prev_entry->next_entry = entry->next_entry;
    } else {
        __jit_debug_descriptor.first_entry = entry->next_entry;
    }
    if (entry->next_entry != NULL) {
        entry->next_entry->prev_entry = entry->prev_entry;
    }
    __jit_debug_descriptor.relevant_entry = entry;
    __jit_debug_descriptor.action_flag = JIT_UNREGISTER_FN;
    __jit_debug_register_code();
    dame_heap_free(object);
}
