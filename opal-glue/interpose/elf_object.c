#define _GNU_SOURCE /* struct dl_phdr_info */
#include "elf_object.h"

#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__)
#define RELOC_JUMP_SLOT R_X86_64_JUMP_SLOT
#define RELOC_GLOB_DAT  R_X86_64_GLOB_DAT
#elif defined(__aarch64__)
#define RELOC_JUMP_SLOT R_AARCH64_JUMP_SLOT
#define RELOC_GLOB_DAT  R_AARCH64_GLOB_DAT
#else
#error "no GOT relocation types known for this CPU"
#endif

static uintptr_t page_of(uintptr_t address)
{
    return address & ~((uintptr_t) sysconf(_SC_PAGESIZE) - 1);
}

static void read_dynamic(dt_elf_object_t *object, const ElfW(Dyn) * entry, bool *rela)
{
    for (; DT_NULL != entry->d_tag; entry++) {
        switch (entry->d_tag) {
        case DT_STRTAB:
            object->strings = (const char *) entry->d_un.d_ptr;
            break;
        case DT_SYMTAB:
            object->symbols = (const ElfW(Sym) *) entry->d_un.d_ptr;
            break;
        case DT_JMPREL:
            object->tables[0] = (const ElfW(Rela) *) entry->d_un.d_ptr;
            break;
        case DT_PLTRELSZ:
            object->counts[0] = entry->d_un.d_val / sizeof(ElfW(Rela));
            break;
        case DT_PLTREL:
            *rela = DT_RELA == entry->d_un.d_val;
            break;
        case DT_RELA:
            object->tables[1] = (const ElfW(Rela) *) entry->d_un.d_ptr;
            break;
        case DT_RELASZ:
            object->counts[1] = entry->d_un.d_val / sizeof(ElfW(Rela));
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
        if (PT_DYNAMIC == header->p_type) {
            dynamic = (const ElfW(Dyn) *) (info->dlpi_addr + header->p_vaddr);
        } else if (PT_GNU_RELRO == header->p_type) { /* ld.so protects whole pages only */
            object->relro = page_of(info->dlpi_addr + header->p_vaddr);
            object->relro_end = page_of(info->dlpi_addr + header->p_vaddr + header->p_memsz);
        }
    }
    if (NULL == dynamic) {
        return false;
    }
    bool rela = true;
    read_dynamic(object, dynamic, &rela);
    /* glibc relocates these addresses in place, but not for the vDSO, which has nothing for us. */
    return rela && NULL != object->strings && NULL != object->symbols &&
           (uintptr_t) object->strings > info->dlpi_addr;
}

bool dt_elf_contains(const struct dl_phdr_info *info, uintptr_t address)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + header->p_vaddr;
        if (PT_LOAD == header->p_type && address >= start && address < start + header->p_memsz) {
            return true;
        }
    }
    return false;
}

bool dt_elf_slots(const dt_elf_object_t *object, dt_elf_visit_fn_t visit, void *context)
{
    for (int table = 0; table < 2; table++) {
        for (size_t i = 0; i < object->counts[table]; i++) {
            const ElfW(Rela) *relocation = &object->tables[table][i];
            unsigned type = (unsigned) ELF64_R_TYPE(relocation->r_info);
            if (RELOC_JUMP_SLOT != type && RELOC_GLOB_DAT != type) {
                continue;
            }
            const ElfW(Sym) *symbol = &object->symbols[ELF64_R_SYM(relocation->r_info)];
            if (!visit((uintptr_t *) (object->base + relocation->r_offset),
                       object->strings + symbol->st_name, context)) {
                return false;
            }
        }
    }
    return true;
}

bool dt_elf_write(const dt_elf_object_t *object, uintptr_t *slot, uintptr_t value)
{
    uintptr_t address = (uintptr_t) slot;
    bool is_protected = address >= object->relro && address < object->relro_end;
    size_t page = (size_t) sysconf(_SC_PAGESIZE);
    void *start = (void *) page_of(address);
    if (is_protected && 0 != mprotect(start, page, PROT_READ | PROT_WRITE)) {
        return false;
    }
    __atomic_store_n(slot, value, __ATOMIC_RELEASE);
    if (is_protected) {
        (void) mprotect(start, page, PROT_READ);
    }
    return true;
}
