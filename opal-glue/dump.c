/* SPDX-License-Identifier: BSD-3-Clause */
#include "dump.h"
#include "base/heap.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <search.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "opal-glue/abi/abi.h"
#include "opal-glue/import/contents.h"
#include "opal-glue/import/describe.h"
#include "directory.h"
#include "opal-glue/import/import_mpi.h"
#include "jit/jit.h"
#include "base/lock.h"
#include "base/machine.h"
#include "base/whole_file.h"
#include "log.h"
#include "name.h"
#include "program_text.h"

/* Bytes of a program's text: no file is longer than this and its header. */
enum { TEXT_LIMIT = 16 << 20, MOST_FILES = 10000 /* an application may make datatypes for ever */ };

/* A name that a file has, without what all files of a process begin with. */
typedef struct taken {
    int copies; /* files with this name and a number */
    char name[];
} taken_t;

static struct {
    char *directory;
    bool spawned; /* MPI_Comm_spawn started this job */
    bool codes;   /* also machine code */
    bool raw;     /* also programs before any pass */
    int files;
    int unnamed;   /* datatypes without a name of their own */
    void *taken;   /* tree of taken_t (search.h) */
    void *known;   /* tree of dt_dump_t by header */
    bool is_child; /* of fork(): the files are its parent's */
    atomic_bool complained;
} dumps;

/* A text that libc has made with malloc(), in memory that lives as long as a datatype; NULL when
 * memory is out. */
static char *moved(char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = dame_heap_alloc(size);
    if (copy != NULL) {
        memcpy(copy, text, size);
    }
    free(text);
    return copy;
}

/* ---- Names ---------------------------------------------------------------------------------- */

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const taken_t *) a)->name, ((const taken_t *) b)->name);
}

/* The name's place in the tree, new or not; NULL when memory is out. */
static taken_t *take_name(const char *name, bool *is_new)
{
    size_t size = strlen(name) + 1;
    taken_t *mine = dame_heap_alloc(sizeof(*mine) + size);
    if (mine == NULL) {
        return NULL;
    }
    mine->copies = 1;
    memcpy(mine->name, name, size);
    taken_t **found = tsearch(mine, &dumps.taken, compare_names);
    *is_new = found != NULL && mine == *found;
    if (!*is_new) {
        dame_heap_free(mine);
    }
    return found == NULL ? NULL : *found;
}

/* The name itself, or the first "name-2", "name-3" ... that no file has. NULL: out of memory. */
static const char *unused_name(const char *name)
{
    bool is_new;
    taken_t *first = take_name(name, &is_new);
    taken_t *taken = first;
    while (taken != NULL && !is_new) {
        char numbered[3 * MPI_MAX_OBJECT_NAME + 16];
        (void) snprintf(numbered, sizeof(numbered), "%s-%d", name, ++first->copies);
        taken = take_name(numbered, &is_new);
    }
    return taken == NULL ? NULL : taken->name;
}

/* The datatype's name, "" if it has no name. Copies of a datatype without a name are called "Dup "
 * by Open MPI. */
static const char *given_name(const opal_datatype_t *datatype)
{
    static const char copy[] = "Dup ";
    const char *name = dt_contents_name(datatype);
    const char *rest = name;
    while (strncmp(rest, copy, sizeof(copy) - 1) == 0) {
        rest += sizeof(copy) - 1;
    }
    return *rest == '\0' ? "" : name;
}

/* The name of a datatype's file, without the prefix: letters, digits, '.', '_' and '-' stay, other
 * bytes become "=2B", so that different names stay different. So does the dot of a last ".raw",
 * which is for raw programs. NULL: out of memory. */
static const char *file_name(const opal_datatype_t *datatype)
{
    const char *given = given_name(datatype);
    char name[3 * MPI_MAX_OBJECT_NAME + 1];
    size_t used = 0;
    for (const char *c = given; *c != '\0' && used + 4 < sizeof(name); c++) {
        const bool plain = (*c >= 'A' && *c <= 'Z') || (*c >= 'a' && *c <= 'z') ||
                           (*c >= '0' && *c <= '9') || *c == '_' || *c == '-' ||
                           (*c == '.' && strcmp(c, ".raw") != 0);
        used += (size_t) snprintf(name + used, sizeof(name) - used, plain ? "%c" : "=%02X",
                                  (unsigned char) *c);
    }
    if (used == 0) {
        (void) snprintf(name, sizeof(name), "%d", ++dumps.unnamed);
    }
    return unused_name(name);
}

/* The path of a datatype's file: its directory, "dame-", the rank in MPI_COMM_WORLD and the
 * datatype's name. Jobs that were spawned by another have ranks from 0 too, so that their number
 * comes before; other jobs need none, and without mpirun it is a hash, different in every run.
 * NULL: out of memory. */
static char *new_path(const opal_datatype_t *datatype)
{
    const opal_process_name_t me = opal_proc_local_get()->proc_name;
    const char *name = file_name(datatype);
    char number[16] = "";
    char *path;
    if (dumps.spawned) { /* the upper half identifies the mpirun */
        (void) snprintf(number, sizeof(number), "j%u-", (unsigned) me.jobid & 0xffff);
    }
    if (name == NULL || 0 > asprintf(&path, "%s/dame-%sr%u-%s.dame", dumps.directory, number,
                                     (unsigned) me.vpid, name)) {
        return NULL;
    }
    return moved(path);
}

/* ---- Files ---------------------------------------------------------------------------------- */

static void complain_of_dump(const char *path, int error)
{
    if (!atomic_exchange(&dumps.complained, true)) {
        opal_output(0,
                    "dt:dame: dump: %s: %s. The job goes on; this process says nothing about "
                    "other files that it cannot write.",
                    path, dame_file_error_text(error));
    }
}

/* A child of fork() leaves its parent's files alone. */
static void write_dump_file(const char *path, const void *bytes, size_t size)
{
    const int error = dumps.is_child ? 0 : dame_file_replace(AT_FDCWD, path, 0666, 0, bytes, size);
    if (error != 0) {
        complain_of_dump(path, error);
    }
}

/* Comments and a program, to a file. */
static void write_program(const char *path, const char *header, char *const code[2],
                          const dame_program_t *program)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out != NULL) {
        fputs(header, out);
        for (int dir = 0; code != NULL && dir < 2; dir++) {
            fputs(code[dir] == NULL ? "" : code[dir], out);
        }
        dt_program_text(program, TEXT_LIMIT, out);
    }
    if (out != NULL && fclose(out) == 0) {
        write_dump_file(path, text, size);
    } else {
        complain_of_dump(path, ENOMEM);
    }
    free(text);
}

/* ---- Datatypes ------------------------------------------------------------------------------ */

/* Comment lines about the datatype. The calls that made it tell datatypes apart, where they are not
 * too many to be written. */
static void write_header(dame_tree_t *tree, const opal_datatype_t *datatype, FILE *out,
                         bool *is_full)
{
    const char *name = given_name(datatype);
    char text[DT_NAME_TEXT], *calls = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&calls, &size);
    *is_full = memory != NULL && dt_describe(tree, datatype, memory);
    *is_full = memory != NULL && fclose(memory) == 0 && *is_full;
    fprintf(out, "# Datatype as DAME %d.%d.%d moves it\n# name: %s\n# rank: %u\n",
            DAME_MAJOR_VERSION, DAME_MINOR_VERSION, DAME_RELEASE_VERSION,
            dt_name_text(*name == '\0' ? "none" : name, text, sizeof(text)),
            (unsigned) opal_proc_local_get()->proc_name.vpid);
    if (*is_full) {
        fprintf(out, "# mpi: %s\n", calls);
    } else {
        fputs("# Made by more MPI calls than are written here, or not by MPI calls.\n", out);
    }
    fprintf(out, "# size: %zu\n# lb: %td\n# extent: %td\n# true_lb: %td\n# true_ub: %td\n",
            datatype->size, datatype->lb, datatype->ub - datatype->lb, datatype->true_lb,
            datatype->true_ub);
    free(calls);
}

/* The header, in memory of its own; NULL when memory is out. */
static char *new_header(dame_tree_t *tree, const opal_datatype_t *datatype, bool *is_full)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL) {
        return NULL;
    }
    write_header(tree, datatype, out, is_full);
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return moved(text);
}

static void free_dump(void *freed)
{
    dt_dump_t *dump = freed;
    for (int dir = 0; dir < 2; dir++) {
        dame_heap_free(dump->code[dir]);
    }
    dame_program_free(atomic_load_explicit(&dump->raw, memory_order_relaxed));
    dame_heap_free(dump->header);
    dame_heap_free(dump->path);
    dame_heap_free(dump);
}

/* Datatypes of which the calls are not written may differ. */
static int compare_dumps(const void *a, const void *b)
{
    const dt_dump_t *x = a, *y = b;
    const int order = strcmp(x->header, y->header);
    return order != 0 || x->is_full ? order : (x > y) - (x < y);
}

/* The program as it was imported, before any pass; NULL if absent or memory is out. */
static dame_program_t *raw_program(dame_tree_t *tree, const opal_datatype_t *datatype)
{
    const dame_type_t *type;
    dame_limit_t limit;
    dame_program_t *program = NULL;
    dame_options_t options = *dame_options_default();
    options.passes = DAME_PASSES_NONE;
    if (dt_import_mpi(tree, datatype, &limit, &type) == DT_DECLINE_NONE &&
        dame_program_build(type, &options, &program) != DAME_OK) {
        program = NULL;
    }
    dame_tree_reset(tree);
    return program;
}

/* One for a header without a file so far. */
static bool open_dump(dame_tree_t *tree, const opal_datatype_t *datatype, dt_dump_t *dump)
{
    if (dumps.files++ == MOST_FILES) {
        dt_log_once_a_job("dump: there are %d files, and other datatypes will get none.",
                          (int) MOST_FILES);
        return false;
    }
    dump->path = new_path(datatype);
    if (dump->path == NULL || tsearch(dump, &dumps.known, compare_dumps) == NULL) {
        complain_of_dump(dumps.directory, ENOMEM);
        return false;
    }
    if (dumps.raw) {
        atomic_store_explicit(&dump->raw, raw_program(tree, datatype), memory_order_relaxed);
    }
    return true;
}

/* The dump of the datatype's header, new or not. NULL: there are files enough, or memory is out. */
static dt_dump_t *dump_of(dame_tree_t *tree, const opal_datatype_t *datatype)
{
    dt_dump_t *dump = dame_heap_zalloc(sizeof(*dump));
    if (dump == NULL || (dump->header = new_header(tree, datatype, &dump->is_full)) == NULL) {
        complain_of_dump(dumps.directory, ENOMEM);
        dame_heap_free(dump);
        return NULL;
    }
    dt_dump_t **found = tfind(dump, &dumps.known, compare_dumps);
    if (found == NULL && dumps.files <= MOST_FILES && open_dump(tree, datatype, dump)) {
        return dump;
    }
    free_dump(dump);
    return found == NULL ? NULL : *found;
}

dt_dump_t *dt_dump_begin(dame_tree_t *tree, const opal_datatype_t *datatype)
{
    if (dumps.directory == NULL) {
        return NULL;
    }
    const int cancel_state = dame_cancel_defer();
    dt_dump_t *dump = dump_of(tree, datatype);
    dame_cancel_restore(cancel_state);
    return dump;
}

/* Beside the datatype's file: "name.pack.bin" for "name.dame". NULL: out of memory. */
static char *beside(const dt_dump_t *dump, const char *suffix)
{
    char *path;
    const int stem = (int) (strlen(dump->path) - strlen(".dame"));
    return 0 > asprintf(&path, "%.*s%s", stem, dump->path, suffix) ? NULL : path;
}

static void write_raw(dt_dump_t *dump)
{
    dame_program_t *raw = atomic_exchange(&dump->raw, NULL);
    char *path = raw == NULL ? NULL : beside(dump, ".raw.dame");
    if (path != NULL) {
        write_program(path, "# form: before any pass\n", NULL, raw);
    }
    free(path);
    dame_program_free(raw);
}

void dt_dump_write(dt_dump_t *dump, const dame_program_t *program)
{
    if (dump != NULL && !atomic_exchange(&dump->is_written, true)) {
        dame_lock(DAME_LOCK_OBSERVER);
        write_raw(dump);
        write_program(dump->path, dump->header, dump->code, program);
        dame_unlock(DAME_LOCK_OBSERVER);
    }
}

/* ---- Machine code --------------------------------------------------------------------------- */

/* Comment lines on machine code that is in the file `name`; NULL when memory is out. */
static char *new_code_lines(const dame_program_t *program, dame_dir_t dir, const char *name)
{
    char *text = NULL;
    size_t room = 0;
    FILE *out = open_memstream(&text, &room);
    if (out == NULL) {
        return NULL;
    }
    const void *code;
    size_t size = dame_jit_code(program, dir, &code);
    fprintf(out,
            "# machine code for %s, %zu bytes: objdump -D -b binary -m " DAME_MACHINE_OBJDUMP
            " %s\n",
            dir == DAME_PACK ? "packing" : "unpacking", size, name);
    for (int32_t i = 0; i < program->nprims; i++) {
        size_t offset = (uintptr_t) dame_prim_run(&program->prims[i], dir) - (uintptr_t) code;
        if (offset < size) {
            fprintf(out, "#   %zx: primitive %" PRId32 ", %s\n", offset, i,
                    dame_op_name(program->prims[i].params->op));
        }
    }
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return moved(text);
}

void dt_dump_code(dt_dump_t *dump, const dame_program_t *program, dame_dir_t dir)
{
    const void *code;
    const size_t size = dump == NULL || !dumps.codes ? 0 : dame_jit_code(program, dir, &code);
    if (size == 0) {
        return;
    }
    dame_lock(DAME_LOCK_OBSERVER);
    char *path = beside(dump, dir == DAME_PACK ? ".pack.bin" : ".unpack.bin");
    char *lines = path == NULL ? NULL : new_code_lines(program, dir, strrchr(path, '/') + 1);
    if (lines == NULL) {
        complain_of_dump(dump->path, ENOMEM);
    } else {
        write_dump_file(path, code, size);
        dame_heap_free(dump->code[dir]); /* after eviction there were others */
        dump->code[dir] = lines;
        write_program(dump->path, dump->header, dump->code, program);
    }
    free(path);
    dame_unlock(DAME_LOCK_OBSERVER);
}

static void write_missing(void *argument, const dame_program_t *program, dame_dir_t dir)
{
    dt_dump_t *dump = argument;
    dame_lock(DAME_LOCK_OBSERVER);
    const bool is_missing = dump->code[dir] == NULL;
    dame_unlock(DAME_LOCK_OBSERVER);
    if (is_missing) {
        dt_dump_code(dump, program, dir);
    }
}

void dt_dump_codes(dt_dump_t *dump, const dame_layout_t *layout)
{
    if (dump != NULL && dumps.codes) {
        dame_promoter_with_code(layout, dump, write_missing);
    }
}

/* ---- Start and stop ------------------------------------------------------------------------- */

static void dumps_in_child(void)
{
    dumps.is_child = true;
}

void dt_dump_start(const char *directory, bool codes, bool raw)
{
    /* From the root on, since the program may change its working directory. */
    char *working = *directory == '/' ? NULL : getcwd(NULL, 0);
    if (0 > asprintf(&dumps.directory, "%s%s%s", working == NULL ? "" : working,
                     working == NULL ? "" : "/", directory)) {
        dumps.directory = NULL;
        complain_of_dump(directory, ENOMEM);
    }
    free(working);
    const int error = dumps.directory == NULL ? 0 : dt_directory_error(dumps.directory);
    if (error != 0) {
        dt_log_once_a_node("dump: %s: %s. The job goes on, and no files are written.",
                           dumps.directory, strerror(error));
        free(dumps.directory);
        dumps.directory = NULL;
    }
    /* Open MPI itself knows by this that there is a parent (ompi/dpm/dpm.c). MPI_Comm_get_parent
       forgets a parent that is disconnected. */
    dumps.spawned = getenv("OMPI_PARENT_PORT") != NULL;
    dumps.codes = codes;
    dumps.raw = raw;
    (void) dame_lock_at_fork(DAME_LOCK_OBSERVER, dumps_in_child);
}

void dt_dump_stop(void)
{
    tdestroy(dumps.taken, dame_heap_free);
    tdestroy(dumps.known, free_dump);
    dumps.taken = dumps.known = NULL;
    free(dumps.directory);
    dumps.directory = NULL;
}
