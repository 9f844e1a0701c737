/* SPDX-License-Identifier: BSD-3-Clause */
/* The file of a process: lines of words, for apps/suggest/record/read.c. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "layout.h"

enum { MODULES = 256 };

typedef struct writer {
    FILE *out;
    const void *modules[MODULES];
    int nmodules;
} writer_t;

/* " module:offset" of a program counter behind a call, " -" when unknown. Needs `module` lines. */
static int module_of(writer_t *writer, uintptr_t pc, uintptr_t *offset)
{
    Dl_info info;
    struct link_map *map = NULL;
    char self[4096] = "";
    if (pc == 0 || dladdr1((void *) (pc - 1), &info, (void **) &map, RTLD_DL_LINKMAP) == 0 ||
        map == NULL) {
        return -1;
    }
    *offset = pc - 1 - map->l_addr;
    for (int i = 0; i < writer->nmodules; i++) {
        if (writer->modules[i] == map) {
            return i;
        }
    }
    if (writer->nmodules == MODULES) {
        return -1;
    }
    const char *name = map->l_name;
    if (name[0] == '\0') {
        ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
        self[n > 0 ? n : 0] = '\0';
        name = self;
    }
    writer->modules[writer->nmodules] = map;
    fprintf(writer->out, "module %d %s\n", writer->nmodules, name);
    return writer->nmodules++;
}

static void declare(writer_t *writer, uintptr_t pc)
{
    uintptr_t offset;
    module_of(writer, pc, &offset);
}

static void write_place(writer_t *writer, uintptr_t pc)
{
    uintptr_t offset = 0;
    int module = module_of(writer, pc, &offset);
    if (module < 0) {
        fputs(" -", writer->out);
    } else {
        fprintf(writer->out, " %d:%" PRIxPTR, module, offset);
    }
}

static void write_layout(writer_t *writer, const layout_t *layout)
{
    uintptr_t late = record_site_pc(layout->late_site);
    declare(writer, layout->pc);
    declare(writer, late);
    declare(writer, layout->read_pc);
    for (int s = 0; s < layout->nsites; s++) {
        declare(writer, record_site_pc(layout->sites[s].site));
    }
    fprintf(writer->out, "%s %s %" PRId64 " %d %s %" PRId64, layout->receives ? "receive" : "send",
            layout->function, layout->bytes, layout->element, layout->type, layout->messages);
    write_place(writer, layout->pc);
    fprintf(writer->out, "\nchecks %" PRId64, layout->late);
    write_place(writer, late);
    fprintf(writer->out, " %" PRId64, layout->reads);
    write_place(writer, layout->read_pc);
    fprintf(writer->out, " %" PRId64 " %" PRId64 "\n", layout->changed, layout->twice);
    for (int s = 0; s < layout->nsites; s++) {
        fprintf(writer->out, "site %" PRId64 " %" PRId64, layout->sites[s].copied,
                layout->sites[s].computed);
        write_place(writer, record_site_pc(layout->sites[s].site));
        fputc('\n', writer->out);
    }
    for (int64_t r = 0; r < layout->runs_listed; r++) {
        const run_t *run = &layout->runs[r];
        fprintf(writer->out, "run %d %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %d\n",
                (int) run->kind, run->address, run->length, run->step, run->count, run->allocation);
    }
    fprintf(writer->out, "end %" PRId64 "\n", layout->nruns);
}

void record_write(int rank, int size, const char *library)
{
    static atomic_flag done = ATOMIC_FLAG_INIT;
    const char *prefix = getenv("DAME_RECORD");
    char path[4096];
    if (atomic_flag_test_and_set(&done)) {
        return;
    }
    message_close_all();
    snprintf(path, sizeof(path), "%s.%d", prefix == NULL ? "dame-record" : prefix, rank);
    writer_t writer = {.out = fopen(path, "w")};
    if (writer.out == NULL) {
        fprintf(stderr, "dame record: %s: %s\n", path, strerror(errno));
        return;
    }
    fprintf(writer.out, "dame-record 2\nrank %d size %d\nlibrary %s\nprogram %s\nlost", rank, size,
            library, program_invocation_name);
    for (int i = 0; i < LOST_KINDS; i++) {
        fprintf(writer.out, " %" PRId64, atomic_load(&record_lost[i]));
    }
    fputc('\n', writer.out);
    for (const layout_t *layout = layouts_first(); layout != NULL; layout = layout->next) {
        write_layout(&writer, layout);
    }
    fputs("complete\n", writer.out);
    if (ferror(writer.out) != 0) {
        fprintf(stderr, "dame record: %s: write error\n", path);
    }
    if (fclose(writer.out) == 0 && prefix == NULL && rank == 0) {
        fprintf(stderr, "dame record: 'dame record --read dame-record' prints what %d rank%s did\n",
                size, size == 1 ? "" : "s");
    }
}
