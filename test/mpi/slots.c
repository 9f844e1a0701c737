/* SPDX-License-Identifier: BSD-3-Clause */
/* Where Open MPI's calls of the convertor lead: into Open MPI, or into DAME's two components. Where
   Open MPI has the seam (doc/seam.md) no slot leads to DAME, and the seam does. argv[1]: native, or
   dame. More arguments: objects, such as mca_pml_ucx.so, that are loaded and
   call what DAME replaces. Needs one rank or more. */
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mpi_check.h"
#include "tests.h"

#if defined(__x86_64__)
#define RELOC_JUMP_SLOT R_X86_64_JUMP_SLOT
#define RELOC_GLOB_DAT  R_X86_64_GLOB_DAT
#elif defined(__aarch64__)
#define RELOC_JUMP_SLOT R_AARCH64_JUMP_SLOT
#define RELOC_GLOB_DAT  R_AARCH64_GLOB_DAT
#else
#error "relocation types of this CPU are not known here"
#endif

static const char *const watched[] = {"opal_convertor_prepare_for_send",
                                      "opal_convertor_prepare_for_recv",
                                      "opal_convertor_set_position_nocheck",
                                      "opal_convertor_raw",
                                      "opal_convertor_clone",
                                      "opal_convertor_pack",
                                      "opal_convertor_unpack",
                                      "opal_datatype_copy_content_same_ddt",
                                      "opal_datatype_commit",
                                      "dlopen",
                                      "MPI_Pack",
                                      "PMPI_Pack",
                                      "MPI_Unpack",
                                      "PMPI_Unpack",
                                      NULL};

/* Those that DAME replaces wherever they are called. */
static const char *const replaced[] = {
    "opal_convertor_prepare_for_send",     "opal_convertor_prepare_for_recv",
    "opal_convertor_set_position_nocheck", "opal_convertor_raw",
    "opal_datatype_copy_content_same_ddt", NULL};

/* From 6.0 on libmpi's implementation is in libopen_mpi. */
static const char *const libraries[] = {"/libmpi.so", "/libopen_mpi.so"};

enum { LIBRARIES = sizeof(libraries) / sizeof(libraries[0]), MOST_CALLERS = 8 };

/* Objects that must be there, with slots of what DAME replaces: libmpi, and those of argv. */
static const char *callers[MOST_CALLERS] = {"/libmpi.so"};
static int ncallers = 1;

/* What one walk over all objects found. */
typedef struct walk {
    int slots;               /* of watched functions */
    int foreign;             /* that lead into our components */
    int waiting;             /* .. for the first datatype */
    int calls[MOST_CALLERS]; /* a caller's slots of functions that DAME replaces */
    int astray;              /* of those of all objects, such as do not lead to DAME; the first: */
    char first_astray[160];
    bool takes;   /* the libraries' slots from DAME, except one function's */
    int takeable; /* .. those that are DAME's there, if it works */
    int taken;
} walk_t;

static bool ours(const char *object)
{
    return strstr(object, "mca_dt_dame.so") != NULL || strstr(object, "mca_hook_dt.so") != NULL;
}

/* The object an address lies in. */
typedef struct place {
    uintptr_t address;
    const char *object;
} place_t;

static int find_object(struct dl_phdr_info *info, size_t size, void *arg)
{
    place_t *p = arg;

    (void) size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *h = &info->dlpi_phdr[i];
        uintptr_t from = info->dlpi_addr + h->p_vaddr;
        if (h->p_type == PT_LOAD && p->address >= from && p->address < from + h->p_memsz) {
            p->object = info->dlpi_name;
            return 1;
        }
    }
    return 0;
}

static bool is_one_of(const char *symbol, const char *const *names)
{
    while (*names != NULL && strcmp(symbol, *names) != 0) {
        names++;
    }
    return *names != NULL;
}

static bool in_library(const char *object)
{
    for (int i = 0; i < LIBRARIES; i++) {
        if (strstr(object, libraries[i]) != NULL) {
            return true;
        }
    }
    return false;
}

/* What another interposer does. */
static void take(walk_t *w, uintptr_t *slot, const char *symbol)
{
    const uintptr_t page = (uintptr_t) sysconf(_SC_PAGESIZE);
    void *original = dlsym(RTLD_DEFAULT, symbol);
    if (original != NULL &&
        mprotect((void *) ((uintptr_t) slot & ~(page - 1)), page, PROT_READ | PROT_WRITE) == 0) {
        memcpy(slot, &original, sizeof(original));
        w->taken++;
    }
}

static void one_slot(walk_t *w, const char *object, const char *symbol, uintptr_t *slot)
{
    uintptr_t target;
    memcpy(&target, slot, sizeof(target));
    place_t p = {.address = target, .object = NULL};

    const bool recv = strcmp(symbol, "opal_convertor_prepare_for_recv") == 0;
    w->slots++;
    dl_iterate_phdr(find_object, &p);
    if (!check(p.object != NULL || target == 0, "%s: slot of %s leads nowhere", object, symbol)) {
        return;
    }
    const bool to_us = p.object != NULL && ours(p.object);
    w->foreign += to_us;
    w->waiting += to_us && strcmp(symbol, "opal_datatype_commit") == 0;
    if (w->takes && !recv && is_one_of(symbol, replaced) && in_library(object)) {
        w->takeable++;
        if (to_us) {
            take(w, slot, symbol);
        }
    }
    if (!is_one_of(symbol, replaced)) {
        return;
    }
    for (int i = 0; i < ncallers; i++) {
        w->calls[i] += NULL != strstr(object, callers[i]);
    }
    if (!to_us && w->astray++ == 0) {
        (void) snprintf(w->first_astray, sizeof(w->first_astray), "%s of %s", symbol, object);
    }
}

static void relocations(walk_t *w, const struct dl_phdr_info *info, const ElfW(Rela) * rela,
                        size_t bytes, const ElfW(Sym) * symbols, const char *strings)
{
    for (size_t i = 0; i < bytes / sizeof(*rela); i++) {
        unsigned long type = ELF64_R_TYPE(rela[i].r_info);
        const char *name = strings + symbols[ELF64_R_SYM(rela[i].r_info)].st_name;
        if ((type == RELOC_JUMP_SLOT || type == RELOC_GLOB_DAT) && is_one_of(name, watched)) {
            one_slot(w, info->dlpi_name, name, (uintptr_t *) (info->dlpi_addr + rela[i].r_offset));
        }
    }
}

static int one_object(struct dl_phdr_info *info, size_t size, void *arg)
{
    const ElfW(Dyn) *dyn = NULL;
    uintptr_t value[DT_JMPREL + 1] = {0}; /* by tag */

    (void) size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC) {
            dyn = (const ElfW(Dyn) *) (info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
        }
    }
    if (dyn == NULL || ours(info->dlpi_name) || strstr(info->dlpi_name, "vdso") != NULL) {
        return 0;
    }
    for (; dyn->d_tag != DT_NULL; dyn++) {
        if (dyn->d_tag > 0 && dyn->d_tag <= DT_JMPREL) {
            value[dyn->d_tag] = dyn->d_un.d_ptr; /* glibc has relocated addresses */
        }
    }
    const ElfW(Sym) *symbols = (const ElfW(Sym) *) value[DT_SYMTAB];
    const char *strings = (const char *) value[DT_STRTAB];
    if (symbols == NULL || strings == NULL || value[DT_STRTAB] < info->dlpi_addr) {
        return 0;
    }
    relocations(arg, info, (const ElfW(Rela) *) value[DT_RELA], value[DT_RELASZ], symbols, strings);
    relocations(arg, info, (const ElfW(Rela) *) value[DT_JMPREL], value[DT_PLTRELSZ], symbols,
                strings);
    return 0;
}

static walk_t walk(void)
{
    walk_t w = {0};
    dl_iterate_phdr(one_object, &w);
    return w;
}

/* Slots that someone else has taken stay theirs, and the others of that object are put back in
 * MPI_Finalize. There are three in 4.1, and in 5.0 and 6.0 four: of two objects in 6.0, where none
 * is for positions. Files make Open MPI load components, and so DAME look at all objects again. */
static void take_some(void)
{
    walk_t w = {.takes = true};
    MPI_File file;
    dl_iterate_phdr(one_object, &w);
    check(w.takeable >= 3 && w.taken == w.takeable, "%d of %d slots taken", w.taken, w.takeable);
    if (MPI_File_open(MPI_COMM_SELF, "/dev/null", MPI_MODE_RDONLY, MPI_INFO_NULL, &file) ==
        MPI_SUCCESS) {
        MPI_File_close(&file);
    }
}

/* So that Open MPI has done its lazy loading and resolving. */
static void some_traffic(void)
{
    layout_t *ints = lay_basic(MPI_INT, 4, 4), *l = lay_vector(10, 1, 2, ints);
    unsigned char *stream = stream_new(l, 1, 2);
    message_t out = msg_new(l, 1), in = msg_new(l, 1);

    lay_commit(l);
    msg_fill(&out, stream);
    msg_clear(&in);
    MPI_Sendrecv(out.buf, 1, l->type, my_rank, 0, in.buf, 1, l->type, my_rank, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    check(msg_holds(&in, stream, in.bytes), "message to itself");
    msg_free(&out);
    msg_free(&in);
    free(stream);
    lay_free(l);
    lay_free(ints);
}

/* Does DAME wait for the first derived datatype, and has replaced only what notices it? */
static bool waits(const walk_t *w)
{
    return w->waiting == 1 && w->foreign == 1;
}

static void check_native(const walk_t *w, const char *when)
{
    check(w->slots > 20, "%s: only %d slots seen", when, w->slots);
    check(w->foreign == 0, "%s: %d of %d slots lead into DAME", when, w->foreign, w->slots);
}

static void check_dame(const walk_t *w, const char *when)
{
    for (int i = 0; i < ncallers; i++) {
        check(w->calls[i] > 0, "%s: no object %s calls what DAME replaces", when, callers[i]);
    }
    check(w->astray == 0, "%s: %d slots do not lead to DAME, of which the first is %s", when,
          w->astray, w->first_astray);
}

/* Is there a seam? Then it asks DAME, or nobody. */
static bool check_seam(bool dame)
{
    void *const *engine = dlsym(RTLD_DEFAULT, "opal_dt");
    place_t p = {.address = engine == NULL ? 0 : (uintptr_t) *engine, .object = NULL};
    if (engine != NULL) {
        dl_iterate_phdr(find_object, &p);
        check((p.object != NULL && ours(p.object)) == dame, "the seam asks %s",
              p.address == 0     ? "no engine"
              : p.object == NULL ? "nowhere"
                                 : p.object);
    }
    return engine != NULL;
}

int slots_main(int argc, char **argv)
{
    bool dame = argc > 1 && strcmp(argv[1], "dame") == 0;

    for (int i = 2; i < argc && ncallers < MOST_CALLERS; i++) {
        callers[ncallers++] = argv[i];
    }
    check_init(&argc, &argv);
    if (check_seam(dame)) {
        dame = false; /* it replaces nothing */
    }
    walk_t first = walk();
    some_traffic();
    walk_t second = walk();
    const char *engine = getenv("OMPI_MCA_dt");
    if (!(engine != NULL && strcmp("dame", engine) == 0 && waits(&first))) {
        (dame ? check_dame : check_native)(&first, "after MPI_Init");
    }
    (dame ? check_dame : check_native)(&second, "after a message");
    check(second.waiting == 0, "still waiting after a message");
    if (dame) {
        take_some();
    }
    int code = check_finish();
    walk_t last = walk();
    check(last.foreign == 0, "after MPI_Finalize: %d of %d slots lead into DAME", last.foreign,
          last.slots);
    return code != 0 || check_failures() != 0;
}
