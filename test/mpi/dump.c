/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files of dt_dame_dump. argv[1]: the directory; argv[2]: what to do there.
 *
 *   files    all sorts of datatypes, and what their files must say; ends with one datatype alive.
 *            Needs two ranks. The working directory changes meanwhile.
 *   threads  datatypes of many threads
 *   count N  datatypes are used from another working directory, and this process finds N files
 *            of its own
 *   full     no file can be written for a while
 *   killed   the process is killed while a datatype is in use
 *   spawn    the ranks use a datatype, and so does a job that they start (spawned)
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "dump_constructors.h"
#include "dump_file.h"
#include "mpi_check.h"
#include "pvar.h"
#include "types.h"

static const char *directory;
static int files_expected;
static int shared; /* files less than datatypes, as a negative number */

static long long counter(const char *name)
{
    char full[64];

    snprintf(full, sizeof(full), "dt_dame_%s", name);
    return pvar_read(full);
}

/* ---- every type of the common set ----------------------------------------------------------- */

/* Packs and unpacks `count` elements as often as told; returns whether MPI moved the right bytes.
 */
static bool use(const layout_t *l, message_t *m, const unsigned char *stream, int packs,
                int unpacks)
{
    unsigned char *packed = must_malloc((size_t) m->bytes);
    bool ok = true;
    int64_t bad;

    for (int i = 0; i < packs; i++) {
        int at = 0;
        MPI_Pack(m->buf, (int) m->count, l->type, packed, (int) m->bytes, &at, MPI_COMM_WORLD);
        ok = ok && same_bytes(packed, stream, m->bytes, &bad);
    }
    for (int i = 0; i < unpacks; i++) {
        int at = 0;
        MPI_Unpack(stream, (int) m->bytes, &at, m->buf, (int) m->count, l->type, MPI_COMM_WORLD);
        ok = ok && msg_holds(m, stream, m->bytes);
    }
    free(packed);
    return ok;
}

/* Open MPI itself names copies: "Dup " and the original's name. */
static bool has_name(MPI_Datatype type)
{
    char name[MPI_MAX_OBJECT_NAME];
    int length;

    MPI_Type_get_name(type, name, &length);
    return length > 0 && strcmp(name, "Dup ") != 0;
}

static void one_of_the_set(const type_case_t *c, int i, int *unnamed)
{
    enum { COUNT = 3 };
    layout_t *l = c->layout;
    int packs = 1 + i % 3, unpacks = c->send_only ? 0 : i % 4;
    unsigned char *stream = stream_new(l, COUNT, (unsigned) i);
    message_t m = msg_new(l, COUNT);
    char name[MPI_MAX_OBJECT_NAME];
    long long types = counter("types_imported");

    snprintf(name, sizeof(name), "%s", c->name);
    bool named = 0 != i % 3 || has_name(l->type);
    if (named) {
        MPI_Type_set_name(l->type, name);
    }
    msg_fill(&m, stream);
    check(use(l, &m, stream, packs, unpacks), "%s: moved", c->name);
    bool imported = counter("types_imported") > types;
    if (!named && imported) {
        snprintf(name, sizeof(name), "%d", ++*unnamed);
    }
    dump_file_t file = dump_read(directory, name);
    check(imported == (file.text != NULL), "%s: %s is there while in use", c->name, file.path);
    if (imported) {
        check(dump_has(&file, "# name: %s", named ? name : "none"), "%s: name", c->name);
        check(dump_is_of(&file, l, m.buf, COUNT, stream), "%s: the program of %s", c->name,
              file.path);
    }
    dump_free(&file);
    MPI_Type_free(&l->type);
    lay_release(l);
    msg_free(&m);
    free(stream);
}

static void the_common_set(void)
{
    types_t *types = types_new();
    int unnamed = 0;
    long long imported = counter("types_imported");

    for (int i = 0; i < types_count(types); i++) {
        const type_case_t *c = types_at(types, i);
        if (!c->layout->predefined && c->layout->size > 0) {
            one_of_the_set(c, i, &unnamed);
        }
    }
    check(counter("types_imported") - imported > 50 && unnamed > 10, "%d files without a name",
          unnamed);
    types_free(types);
}

/* ---- names ---------------------------------------------------------------------------------- */

/* A datatype that has been used once. */
static MPI_Datatype used_strided(const char *name, int stride)
{
    static _Thread_local int memory[30000];
    int packed[4], at = 0;
    MPI_Datatype type;

    MPI_Type_vector(3, 1, stride, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Type_set_name(type, name);
    MPI_Pack(memory, 1, type, packed, (int) sizeof(packed), &at, MPI_COMM_WORLD);
    return type;
}

static MPI_Datatype used(const char *name)
{
    return used_strided(name, 3);
}

static void is_named(const char *name, const char *in_file_name, const char *in_header)
{
    MPI_Datatype type = used(name);
    dump_file_t file = dump_read(directory, in_file_name);

    check(dump_has(&file, "# name: %s", in_header), "\"%s\" is called %s", name, file.path);
    dump_free(&file);
    MPI_Type_free(&type);
}

/* Datatypes of one name and the same calls share a file; others of that name do not. */
static void shared_and_not(void)
{
    MPI_Datatype first = used("same"), second = used("same"), other = used_strided("same", 4);

    MPI_Type_free(&first);
    MPI_Type_free(&second);
    first = used("same");
    MPI_Type_free(&first);
    MPI_Type_free(&other);
    dump_file_t file = dump_read(directory, "same");
    check(dump_has(&file, "# mpi: vector(3, 1, 3, MPI_INT)"), "%s is that of three", file.path);
    dump_free(&file);
    file = dump_read(directory, "same-2");
    check(dump_has(&file, "# mpi: vector(3, 1, 4, MPI_INT)"), "%s is the other's", file.path);
    dump_free(&file);
    file = dump_read(directory, "same-3");
    check(file.text == NULL, "%s is not there", file.path);
    shared -= 2;
}

static void names(void)
{
    enum { LONGEST = MPI_MAX_OBJECT_NAME - 1 };
    char longest[LONGEST + 1], plain[3 * LONGEST + 1];

    is_named("halo x", "halo=20x", "halo x");
    is_named("halo_x", "halo_x", "halo_x");
    is_named("halo_x+", "halo_x=2B", "halo_x+");
    is_named("halo_x-", "halo_x-", "halo_x-");
    is_named("halo_x=2B", "halo_x=3D2B", "halo_x=2B");
    is_named("../../etc/a\nb", "..=2F..=2Fetc=2Fa=0Ab", "../../etc/a\\nb");
    is_named("..", "..", "..");
    is_named("T.raw", "T=2Eraw", "T.raw");
    is_named("T.raw.2", "T.raw.2", "T.raw.2");
    is_named("b\xc3\xa9ta", "b=C3=A9ta", "b\xc3\xa9ta");
    is_named("%s%n", "=25s=25n", "%s%n");
    memset(longest, '~', LONGEST);
    longest[LONGEST] = '\0';
    for (int i = 0; i < LONGEST; i++) {
        memcpy(plain + 3 * i, "=7E", 4);
    }
    is_named(longest, plain, longest);
    shared_and_not();
}

/* ---- the edges ------------------------------------------------------------------------------ */

/* A list with a text that is longer than files may be. */
static void too_long(void)
{
    enum { BLOCKS = 3000000 };
    int *displacements = must_malloc(BLOCKS * sizeof(int));
    char *memory = must_calloc(8 * BLOCKS, 1), *packed = must_malloc(BLOCKS);
    uint64_t state = 1;
    int at = 0;
    MPI_Datatype type;

    for (int i = 0; i < BLOCKS; i++) {
        displacements[i] = 8 * i + (int) (random_next(&state) % 7);
    }
    MPI_Type_create_indexed_block(BLOCKS, 1, displacements, MPI_CHAR, &type);
    MPI_Type_commit(&type);
    MPI_Type_set_name(type, "too_long");
    MPI_Pack(memory, 1, type, packed, BLOCKS, &at, MPI_COMM_WORLD);
    MPI_Type_free(&type);
    dump_file_t file = dump_read(directory, "too_long");
    check(dump_has(&file, "# The program is left out: its text is longer than 16777216 bytes.") &&
              file.length < 2000,
          "%s says why it has no program", file.path);
    unlink(file.path);
    dump_free(&file);
    free(displacements);
    free(memory);
    free(packed);
}

/* Structs that contain the last one three times, with something else after each: a million blocks;
 * their text and constructors are not written in full. Nothing is moved. */
static void shared_structs(void)
{
    enum { LEVELS = 12, MEMBERS = 6 };
    static const MPI_Datatype between[] = {MPI_CHAR, MPI_SHORT, MPI_INT};
    MPI_Datatype type;
    char packed[1];
    int at = 0;

    MPI_Type_vector(2, 1, 2, MPI_INT, &type);
    for (int level = 0; level < LEVELS; level++) {
        MPI_Datatype members[MEMBERS], next;
        MPI_Aint places[MEMBERS], lb, extent;
        int ones[MEMBERS];
        MPI_Type_get_extent(type, &lb, &extent);
        for (int i = 0; i < MEMBERS; i++) {
            ones[i] = 1;
            members[i] = i % 2 ? between[i / 2] : type;
            places[i] = (i + 1) / 2 * (extent + 4 * i) + 16 * (i / 2) + 8;
        }
        MPI_Type_create_struct(MEMBERS, ones, places, members, &next);
        MPI_Type_free(&type);
        type = next;
    }
    MPI_Type_commit(&type);
    MPI_Type_set_name(type, "shared_structs");
    long long types = counter("types_imported");
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    (void) MPI_Pack(packed, 1, type, packed, 1, &at, MPI_COMM_SELF);
    check(types + 1 == counter("types_imported"), "shared structs: imported");
    MPI_Type_free(&type);
    dump_file_t file = dump_read(directory, "shared_structs");
    check(dump_has(&file, "# The program is left out: its text is longer than 16777216 bytes.") &&
              file.length > 100 && file.length < 100000,
          "%s says why it has no program", file.path);
    unlink(file.path);
    dump_free(&file);
}

static void files_are(int files)
{
    dump_totals_t totals = dump_total(directory);

    check(files == totals.files, "%d files, expected %d", totals.files, files);
    check(totals.bad == 0 && totals.others == 0, "%d files cannot be read, %d are something else",
          totals.bad, totals.others);
}

static void files(void)
{
    check(chdir("/") == 0, "another working directory");
    the_common_set();
    constructors_are_said(directory);
    names();
    files_are((int) counter("types_imported") + shared);
    too_long();
    shared_structs();
    (void) used("left alive"); /* the caller looks at its file */
}

/* ---- threads -------------------------------------------------------------------------------- */

enum { THREADS = 4, ROUNDS = 100, SHARED_ROUNDS = 20000 };

static MPI_Datatype shared_type;

static void *work(void *arg)
{
    int number = (int) (intptr_t) arg, memory[10] = {0}, packed[4];

    for (int round = 0; round < ROUNDS; round++) {
        MPI_Datatype type = used(round % 2 ? "everybody's" : "");
        MPI_Type_free(&type);
    }
    for (int round = 0; round < SHARED_ROUNDS; round++) {
        int at = 0;
        if (round % 4 < number) {
            MPI_Unpack(packed, 12, &at, memory, 1, shared_type, MPI_COMM_SELF);
        } else {
            MPI_Pack(memory, 1, shared_type, packed, 12, &at, MPI_COMM_SELF);
        }
    }
    return NULL;
}

static void threads(void)
{
    pthread_t all[THREADS];

    shared_type = used("shared");
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&all[i], NULL, work, (void *) (intptr_t) i);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(all[i], NULL);
    }
    MPI_Type_free(&shared_type);
    files_are(3);
}

/* ---- few files or none ---------------------------------------------------------------------- */

static void use_some(int n)
{
    for (int i = 0; i < n; i++) {
        MPI_Datatype type = used_strided(i % 2 ? "some" : "", 3 + i);
        MPI_Type_free(&type);
    }
    check(n == counter("types_imported"), "DAME moves them");
}

static void count(void)
{
    check(chdir("/") == 0, "another working directory");
    use_some(files_expected <= 10 ? 10 : files_expected + 1);
    dump_totals_t totals = dump_total(directory);
    check(files_expected == totals.files && totals.others == 0, "%d files",
          totals.files + totals.others);
}

static void full(void)
{
    struct rlimit limit, none;

    getrlimit(RLIMIT_FSIZE, &limit);
    none = limit;
    none.rlim_cur = 0;
    check(setrlimit(RLIMIT_FSIZE, &none) == 0, "a limit for files");
    use_some(10);
    MPI_Datatype type = used("late");
    setrlimit(RLIMIT_FSIZE, &limit);
    dump_totals_t totals = dump_total(directory);
    check(totals.files == 0 && totals.others == 0, "%d files, %d pieces of files", totals.files,
          totals.others);
    MPI_Type_free(&type);
    type = used_strided("later", 7);
    MPI_Type_free(&type);
    totals = dump_total(directory);
    check(totals.files == 1 && totals.bad == 0, "%d files once there is room again", totals.files);
}

static void killed(void)
{
    (void) used("in use");
    dump_file_t file = dump_read(directory, "in=20use");
    check(file.text != NULL, "%s is there", file.path);
    dump_free(&file);
    raise(SIGKILL);
}

static const char *program_path;

static void spawn(void)
{
    char *arguments[] = {(char *) (uintptr_t) directory, "spawned", NULL};
    MPI_Comm child;

    (void) used("twins");
    MPI_Comm_spawn(program_path, arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &child,
                   MPI_ERRCODES_IGNORE);
    MPI_Comm_disconnect(&child);
    check(true, "spawned");
}

static void spawned(void)
{
    MPI_Comm parent;

    MPI_Comm_get_parent(&parent);
    if (check(parent != MPI_COMM_NULL, "this job was spawned")) {
        (void) used("twins");
        MPI_Comm_disconnect(&parent);
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } modes[] = {{"files", files},   {"threads", threads}, {"count", count},    {"full", full},
                 {"killed", killed}, {"spawn", spawn},     {"spawned", spawned}};
    bool known = false;

    check_init_thread(&argc, &argv, MPI_THREAD_MULTIPLE);
    program_path = argv[0];
    directory = argc > 2 ? argv[1] : "";
    files_expected = argc > 3 ? atoi(argv[3]) : 0;
    pvar_start("dt_dame_");
    for (size_t i = 0; argc > 2 && i < sizeof(modes) / sizeof(modes[0]); i++) {
        if (strcmp(argv[2], modes[i].name) == 0) {
            known = true;
            modes[i].run();
        }
    }
    check(known, "dump DIRECTORY files|threads|count N|full|killed|spawn");
    pvar_done();
    return check_finish();
}
