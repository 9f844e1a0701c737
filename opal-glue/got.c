#define _GNU_SOURCE /* dl_iterate_phdr */
#include "got.h"

#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__)
#define RELOC_JUMP_SLOT R_X86_64_JUMP_SLOT
#define RELOC_GLOB_DAT R_X86_64_GLOB_DAT
#elif defined(__aarch64__)
#define RELOC_JUMP_SLOT R_AARCH64_JUMP_SLOT
#define RELOC_GLOB_DAT R_AARCH64_GLOB_DAT
#else
#error "no GOT relocation types known for this CPU"
#endif

/* A slot we wrote. */
typedef struct slot {
    uintptr_t *address;
    uintptr_t original;
    uintptr_t replacement;
    ElfW(Addr) object; /* load address of the object it is in */
} slot_t;

/* How often objects came and went: dlpi_adds and dlpi_subs. */
typedef struct generation {
    unsigned long long adds, subs;
} generation_t;

static struct {
    pthread_mutex_t lock;
    const dt_got_hook_t *hooks;
    size_t n_hooks;
    slot_t *slots;
    size_t n_slots, room_slots;
    ElfW(Addr) *scanned; /* load addresses of objects that need no second look */
    size_t n_scanned, room_scanned;
    generation_t seen; /* at the last scan */
    bool failed;
} got = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* What the dynamic section says of an object. */
typedef struct object {
    const struct dl_phdr_info *info;
    const char *strings;
    const ElfW(Sym) *symbols;
    const ElfW(Rela) *tables[2];
    size_t counts[2];
    uintptr_t relro, relro_end; /* read-only after relocation */
} object_t;

static void *grow(void *array, size_t used, size_t *room, size_t size)
{
    if (used < *room) {
        return array;
    }
    size_t more = 0 == *room ? 64 : 2 * *room;
    void *bigger = realloc(array, more * size);
    if (NULL != bigger) {
        *room = more;
    }
    return bigger;
}

static bool read_object(const struct dl_phdr_info *info, object_t *object)
{
    const ElfW(Dyn) *dynamic = NULL;
    *object = (object_t){.info = info};
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (PT_DYNAMIC == header->p_type) {
            dynamic = (const ElfW(Dyn) *) (info->dlpi_addr + header->p_vaddr);
        } else if (PT_GNU_RELRO == header->p_type) {
            object->relro = info->dlpi_addr + header->p_vaddr;
            object->relro_end = object->relro + header->p_memsz;
        }
    }
    if (NULL == dynamic) {
        return false;
    }
    bool rela = true;
    for (const ElfW(Dyn) *entry = dynamic; DT_NULL != entry->d_tag; entry++) {
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
            rela = DT_RELA == entry->d_un.d_val;
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
    /* glibc relocates these addresses in place, but not for the vDSO, which has nothing for us. */
    return rela && NULL != object->strings && NULL != object->symbols &&
           (uintptr_t) object->strings > info->dlpi_addr;
}

/* Stores to a slot, through a moment of write permission where it was made read-only. */
static bool write_slot(const object_t *object, uintptr_t *slot, uintptr_t value)
{
    uintptr_t address = (uintptr_t) slot;
    bool protected = address >= object->relro && address < object->relro_end;
    uintptr_t page = (uintptr_t) sysconf(_SC_PAGESIZE);
    void *start = (void *) (address & ~(page - 1));
    if (protected && 0 != mprotect(start, page, PROT_READ | PROT_WRITE)) {
        return false;
    }
    __atomic_store_n(slot, value, __ATOMIC_RELEASE);
    if (protected) {
        (void) mprotect(start, page, PROT_READ);
    }
    return true;
}

static bool hook_applies(const dt_got_hook_t *hook, const struct dl_phdr_info *info)
{
    const char *name = strrchr(info->dlpi_name, '/');
    name = NULL == name ? info->dlpi_name : name + 1;
    if (DT_GOT_EVERYWHERE == hook->where) {
        return true;
    }
    if ('\0' == hook->where[0]) {
        return '\0' == info->dlpi_name[0];
    }
    return 0 == strncmp(name, hook->where, strlen(hook->where));
}

static bool rewrite(const object_t *object, const ElfW(Rela) *relocation)
{
    unsigned type = (unsigned) ELF64_R_TYPE(relocation->r_info);
    if (RELOC_JUMP_SLOT != type && RELOC_GLOB_DAT != type) {
        return true;
    }
    const char *name =
        object->strings + object->symbols[ELF64_R_SYM(relocation->r_info)].st_name;
    for (size_t i = 0; i < got.n_hooks; i++) {
        const dt_got_hook_t *hook = &got.hooks[i];
        if (0 != strcmp(name, hook->symbol) || !hook_applies(hook, object->info)) {
            continue;
        }
        uintptr_t *slot = (uintptr_t *) (object->info->dlpi_addr + relocation->r_offset);
        if (hook->replacement == *slot) {
            return true;
        }
        slot_t *slots = grow(got.slots, got.n_slots, &got.room_slots, sizeof(*slots));
        if (NULL == slots) {
            return false;
        }
        got.slots = slots;
        got.slots[got.n_slots] =
            (slot_t){slot, *slot, hook->replacement, object->info->dlpi_addr};
        if (!write_slot(object, slot, hook->replacement)) {
            return false;
        }
        got.n_slots++;
        return true;
    }
    return true;
}

static bool contains(const struct dl_phdr_info *info, uintptr_t address)
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

static bool was_scanned(ElfW(Addr) address)
{
    for (size_t i = 0; i < got.n_scanned; i++) {
        if (got.scanned[i] == address) {
            return true;
        }
    }
    return false;
}

static int scan_object(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void) size;
    (void) unused;
    if (was_scanned(info->dlpi_addr)) {
        return 0;
    }
    ElfW(Addr) *scanned =
        grow(got.scanned, got.n_scanned, &got.room_scanned, sizeof(*scanned));
    if (NULL == scanned) {
        got.failed = true;
        return 1;
    }
    got.scanned = scanned;
    got.scanned[got.n_scanned++] = info->dlpi_addr;

    bool wanted = false;
    for (size_t i = 0; i < got.n_hooks; i++) {
        wanted |= hook_applies(&got.hooks[i], info);
    }
    object_t object;
    if (!wanted || contains(info, (uintptr_t) &scan_object) || !read_object(info, &object)) {
        return 0;
    }
    for (int table = 0; table < 2; table++) {
        for (size_t i = 0; i < object.counts[table]; i++) {
            if (!rewrite(&object, &object.tables[table][i])) {
                got.failed = true;
                return 1;
            }
        }
    }
    return 0;
}

static int read_generation(struct dl_phdr_info *info, size_t size, void *generation)
{
    (void) size;
    *(generation_t *) generation = (generation_t){info->dlpi_adds, info->dlpi_subs};
    return 1;
}

static void scan(void)
{
    generation_t now;
    (void) dl_iterate_phdr(read_generation, &now);
    if (now.adds == got.seen.adds && now.subs == got.seen.subs) {
        return;
    }
    if (now.subs != got.seen.subs) { /* an address may now be another object's: look again */
        got.n_scanned = 0;
    }
    (void) dl_iterate_phdr(scan_object, NULL);
    got.seen = now;
}

static int restore_object(struct dl_phdr_info *info, size_t size, void *unused)
{
    object_t object;
    (void) size;
    (void) unused;
    if (!read_object(info, &object)) {
        return 0;
    }
    for (size_t i = 0; i < got.n_slots; i++) {
        slot_t *slot = &got.slots[i];
        /* A slot that no longer holds what we wrote belongs to an object that was unloaded. */
        if (slot->object == info->dlpi_addr && contains(info, (uintptr_t) slot->address) &&
            slot->replacement == *slot->address) {
            (void) write_slot(&object, slot->address, slot->original);
        }
    }
    return 0;
}

static void restore(void)
{
    (void) dl_iterate_phdr(restore_object, NULL);
    free(got.slots);
    free(got.scanned);
    got.slots = NULL;
    got.scanned = NULL;
    got.n_slots = got.room_slots = got.n_scanned = got.room_scanned = 0;
    got.seen = (generation_t){0, 0};
    got.n_hooks = 0;
}

int dt_got_install(const dt_got_hook_t *hooks, size_t n)
{
    pthread_mutex_lock(&got.lock);
    got.hooks = hooks;
    got.n_hooks = n;
    got.failed = false;
    scan();
    int result = (int) got.n_slots;
    if (got.failed) {
        restore();
        result = -1;
    }
    pthread_mutex_unlock(&got.lock);
    return result;
}

void dt_got_rescan(void)
{
    pthread_mutex_lock(&got.lock);
    if (got.n_hooks > 0) {
        scan();
    }
    pthread_mutex_unlock(&got.lock);
}

void dt_got_restore(void)
{
    pthread_mutex_lock(&got.lock);
    restore();
    pthread_mutex_unlock(&got.lock);
}
