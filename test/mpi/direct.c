/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_Pack and MPI_Unpack with the direct entry and without: bytes, positions, errors, counters,
 * and that a profiling library sees each call. Needs one rank. argv[1]:
 *   direct     most calls must not go through Open MPI's convertor
 *   convertor  all must
 *   fortran all must, except those from Fortran, most of which must not
 *   measured   DAME decides, by time
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_check.h"
#include "opal-glue/abi/abi.h"
#include "pvar.h"
#include "types.h"

/* ---- What libmpi calls in a call that goes through Open MPI --------------------------------- */

static int converted;

typedef int32_t (*advance_t)(opal_convertor_t *, struct iovec *, uint32_t *, size_t *);

int32_t opal_convertor_pack(opal_convertor_t *convertor, struct iovec *iov, uint32_t *n,
                            size_t *bytes)
{
    converted++;
    return ((advance_t) dlsym(RTLD_NEXT, "opal_convertor_pack"))(convertor, iov, n, bytes);
}

int32_t opal_convertor_unpack(opal_convertor_t *convertor, struct iovec *iov, uint32_t *n,
                              size_t *bytes)
{
    converted++;
    return ((advance_t) dlsym(RTLD_NEXT, "opal_convertor_unpack"))(convertor, iov, n, bytes);
}

/* ---- Calls ---------------------------------------------------------------------------------- */

static bool direct, fortran_direct, measured; /* argv[1] */
static int *wrapped;                          /* the profiling library's count; NULL if absent */
static int calls; /* that this program has made and the library could see */
static MPI_Comm comms[4];
enum { COMMS = sizeof(comms) / sizeof(comms[0]) };

static int pack(const void *from, int count, MPI_Datatype type, void *to, int size, int *position,
                MPI_Comm comm)
{
    calls++;
    return MPI_Pack(from, count, type, to, size, position, comm);
}

static int unpack(const void *from, int size, int *position, void *to, int count, MPI_Datatype type,
                  MPI_Comm comm)
{
    calls++;
    return MPI_Unpack(from, size, position, to, count, type, comm);
}

/* ---- Every datatype, often ------------------------------------------------------------------ */

enum { USES = 40, BEFORE = 13, BEHIND = 64, SPARE_BYTE = 0x5c };

static bool is_spare(const unsigned char *bytes, int n)
{
    while (n > 0 && bytes[n - 1] == SPARE_BYTE) {
        n--;
    }
    return n == 0;
}

/* One use; `size`: passed to MPI, not less than needed. */
static void use(const type_case_t *c, message_t *m, const unsigned char *stream,
                unsigned char *packed, int size, MPI_Comm comm)
{
    const layout_t *l = c->layout;
    const int count = (int) m->count, bytes = (int) m->bytes;
    int64_t bad;
    int at = BEFORE;
    memset(packed, SPARE_BYTE, (size_t) bytes + BEFORE + BEHIND);
    msg_fill(m, stream);
    const int packs = pack(m->buf, count, l->type, packed, size, &at, comm);
    check(packs == MPI_SUCCESS && BEFORE + bytes == at, "%s of %d: position %d", c->name, count,
          at);
    check(same_bytes(packed + BEFORE, stream, bytes, &bad) && is_spare(packed, BEFORE) &&
              is_spare(packed + BEFORE + bytes, BEHIND),
          "%s of %d: packed", c->name, count);
    check(msg_holds(m, stream, bytes), "%s of %d: the bytes packed", c->name, count);
    if (c->send_only) {
        return;
    }
    at = BEFORE;
    msg_clear(m);
    const int unpacks = unpack(packed, size, &at, m->buf, count, l->type, comm);
    check(unpacks == MPI_SUCCESS && BEFORE + bytes == at, "%s of %d: position %d", c->name, count,
          at);
    check(msg_holds(m, stream, bytes), "%s of %d: unpacked", c->name, count);
}

static void often(const type_case_t *c, int count)
{
    unsigned char *stream = stream_new(c->layout, count, (unsigned) count);
    message_t m = msg_new(c->layout, count);
    unsigned char *packed = must_malloc((size_t) m.bytes + BEFORE + BEHIND);
    for (int i = 0; i < USES; i++) {
        use(c, &m, stream, packed, BEFORE + (int) m.bytes + i % 2, comms[i % COMMS]);
    }
    msg_free(&m);
    free(packed);
    free(stream);
}

static void every_type(void)
{
    static const int counts[] = {0, 1, 2, 3, 16};
    types_t *types = types_new();
    for (int i = 0; i < types_count(types); i++) {
        for (size_t k = 0; k < sizeof(counts) / sizeof(counts[0]); k++) {
            often(types_at(types, i), counts[k]);
        }
    }
    types_free(types);
}

/* Datatypes that come and go at the same addresses. */
static void lives(void)
{
    layout_t *doubles = lay_basic(MPI_DOUBLE, 8, 8);
    for (int i = 0; i < 200; i++) {
        type_case_t c = {.name = "a life",
                         .layout = lay_vector(2 + i % 7, 1 + i % 3, 4 + i % 11, doubles)};
        lay_commit(c.layout);
        often(&c, 1 + i % 2);
        lay_free(c.layout);
    }
    lay_free(doubles);
}

/* ---- Ways and counts ------------------------------------------------------------------------ */

enum { BLOCKS = 16, STEP = 3, BYTES = BLOCKS * 8, REPEATS = 2000 };

static MPI_Datatype new_vector(void)
{
    MPI_Datatype type;
    MPI_Type_vector(BLOCKS, 1, STEP, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    return type;
}

/* Takes both directions of a datatype often enough for it to be DAME's. */
static void warm(MPI_Datatype type)
{
    double matrix[BLOCKS * STEP] = {0};
    char packed[BYTES];
    for (int i = 0; i < REPEATS; i++) {
        int at = 0, from = 0;
        pack(matrix, 1, type, packed, BYTES, &at, MPI_COMM_SELF);
        unpack(packed, BYTES, &from, matrix, 1, type, MPI_COMM_SELF);
    }
}

/* Calls since `before`: the first ones of a datatype, and those that DAME times, are Open MPI's. */
static void check_way(bool expected, int before, int n, const char *from)
{
    const int through = converted - before;
    check(measured || (expected ? through < n / 10 : through >= n),
          "%d of %d calls from %s went through Open MPI's convertor", through, n, from);
}

static void ways(MPI_Datatype type)
{
    const int before = converted;
    warm(type);
    check_way(direct, before, 2 * REPEATS, "C");
}

/* DAME has its counters; without DAME they are absent. */
static void counts(MPI_Datatype type)
{
    if (pvar_start("dt_dame_") == 0) {
        check(!fortran_direct, "there are no counters");
        return;
    }
    static const char *const dirs[] = {"packed", "unpacked"};
    warm(type);
    for (int i = 0; i < 2; i++) {
        char messages[64], bytes[64];
        (void) snprintf(messages, sizeof(messages), "dt_dame_messages_%s", dirs[i]);
        (void) snprintf(bytes, sizeof(bytes), "dt_dame_bytes_%s", dirs[i]);
        check(pvar_read(messages) == REPEATS, "%lld %s", pvar_read(messages), messages);
        check((long long) REPEATS * BYTES == pvar_read(bytes), "%lld %s", pvar_read(bytes), bytes);
    }
    pvar_done();
}

/* ---- Errors --------------------------------------------------------------------------------- */

/* Open MPI's own functions, not through a slot that may be DAME's. */
static __typeof__(&MPI_Pack) own_pack;
static __typeof__(&MPI_Unpack) own_unpack;

static int handled; /* errors, by the handler of a communicator */

static void handler(MPI_Comm *comm, int *code, ...)
{
    (void) comm;
    (void) code;
    handled++;
}

/* Arguments of a call; values that differ from `right` are wrong. */
typedef struct arguments {
    const char *name;
    int class; /* of the error, by the standard and by Open MPI's manual pages */
    void *user;
    int count;
    MPI_Datatype type;
    void *packed;
    int size;
    int *position;
    int at;
    MPI_Comm comm;
} arguments_t;

/* What a call leaves behind. */
typedef struct result {
    int class;
    int at;
    int handled;
    double user[BLOCKS * STEP];
    char packed[BYTES + 1];
} result_t;

static result_t run(arguments_t a, bool packs, bool own)
{
    static double user[BLOCKS * STEP];
    static char packed[BYTES + 1];
    static int position;
    const int before = handled;
    result_t result = {.class = MPI_SUCCESS};
    for (int i = 0; i < BLOCKS * STEP; i++) {
        user[i] = packs ? i + 1 : -1;
    }
    for (int i = 0; i <= BYTES; i++) {
        packed[i] = (char) (packs ? SPARE_BYTE : i);
    }
    position = a.at;
    a.user = a.user == NULL ? NULL : user;
    a.packed = a.packed == NULL ? NULL : packed;
    a.position = a.position == NULL ? NULL : &position;
    int rc;
    if (packs) {
        rc = (own ? own_pack : pack)(a.user, a.count, a.type, a.packed, a.size, a.position, a.comm);
    } else {
        rc = (own ? own_unpack : unpack)(a.packed, a.size, a.position, a.user, a.count, a.type,
                                         a.comm);
    }
    if (rc != MPI_SUCCESS) {
        MPI_Error_class(rc, &result.class);
    }
    result.at = position;
    result.handled = handled - before;
    memcpy(result.user, user, sizeof(user));
    memcpy(result.packed, packed, sizeof(packed));
    return result;
}

static void compare(const arguments_t *a, bool packs)
{
    const char *what = packs ? "MPI_Pack" : "MPI_Unpack";
    const result_t own = run(*a, packs, true), dame = run(*a, packs, false);
    check(a->class == dame.class, "%s, %s: class %d instead of %d", what, a->name, dame.class,
          a->class);
    check(own.class == dame.class, "%s, %s: class %d, Open MPI's %d", what, a->name, dame.class,
          own.class);
    check(own.at == dame.at, "%s, %s: position %d, Open MPI's %d", what, a->name, dame.at, own.at);
    check(own.handled == dame.handled && (a->class == MPI_SUCCESS) == (dame.handled == 0),
          "%s, %s: %d errors handled, by Open MPI %d", what, a->name, dame.handled, own.handled);
    check(memcmp(own.user, dame.user, sizeof(own.user)) == 0 &&
              memcmp(own.packed, dame.packed, sizeof(own.packed)) == 0,
          "%s, %s: other bytes than Open MPI's", what, a->name);
}

/* In MPI_Unpack, Open MPI takes a size below 1 for nothing to do, and says nothing. */
static void sizes(arguments_t right, bool packs)
{
    right.name = "a negative size";
    right.class = packs ? MPI_ERR_ARG : MPI_SUCCESS;
    right.size = -1;
    compare(&right, packs);
    right.name = "no room at all";
    right.class = packs ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
    right.size = 0;
    compare(&right, packs);
}

static void errors_of(arguments_t right, bool packs, MPI_Datatype uncommitted)
{
    char any;
    right.user = right.packed = &any; /* not NULL: run() has the memory */
    right.position = &right.at;
    enum { CASES = 13 };
    arguments_t wrong[CASES];
    for (int i = 0; i < CASES; i++) {
        wrong[i] = right;
    }
#define WRONG(i, text, error, field, value)                                                        \
    wrong[i].name = (text), wrong[i].class = (error), wrong[i].field = (value)
    WRONG(0, "nothing wrong", MPI_SUCCESS, size, BYTES);
    WRONG(1, "a byte too short", MPI_ERR_TRUNCATE, size, BYTES - 1);
    WRONG(2, "a byte too far", MPI_ERR_TRUNCATE, at, 1);
    WRONG(3, "a position far before the buffer", MPI_ERR_TRUNCATE, at, -1 - BYTES);
    WRONG(4, "the null communicator", MPI_ERR_COMM, comm, MPI_COMM_NULL);
    WRONG(5, "no communicator", MPI_ERR_COMM, comm, (MPI_Comm) 0);
    WRONG(6, "no packed buffer", MPI_ERR_ARG, packed, NULL);
    WRONG(7, "no position", MPI_ERR_ARG, position, NULL);
    WRONG(8, "a negative count", MPI_ERR_COUNT, count, -1);
    WRONG(9, "no elements", MPI_SUCCESS, count, 0);
    WRONG(10, "the null datatype", MPI_ERR_TYPE, type, MPI_DATATYPE_NULL);
    WRONG(11, "a datatype that is not committed", MPI_ERR_TYPE, type, uncommitted);
    WRONG(12, "no user buffer", MPI_ERR_BUFFER, user, NULL);
#undef WRONG
    /* From 5.0 on, Open MPI does not look at that, and reads there. */
    const int n = OMPI_MAJOR_VERSION < 5 ? CASES : CASES - 1;
    for (int i = 0; i < n; i++) {
        compare(&wrong[i], packs);
    }
    sizes(right, packs);
}

static void errors(MPI_Datatype type)
{
    MPI_Errhandler keeps;
    MPI_Datatype uncommitted;
    own_pack = (__typeof__(own_pack)) dlsym(RTLD_NEXT, "PMPI_Pack");
    own_unpack = (__typeof__(own_unpack)) dlsym(RTLD_NEXT, "PMPI_Unpack");
    MPI_Type_vector(BLOCKS, 1, STEP, MPI_DOUBLE, &uncommitted);
    MPI_Comm_create_errhandler(handler, &keeps);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, keeps); /* also of what has no communicator */
    MPI_Comm_set_errhandler(MPI_COMM_SELF, keeps);
    for (int i = 0; i < COMMS; i++) {
        arguments_t right = {.count = 1, .type = type, .size = BYTES, .comm = comms[i]};
        MPI_Comm_set_errhandler(comms[i], keeps);
        warm(type);
        errors_of(right, true, uncommitted);
        errors_of(right, false, uncommitted);
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
    MPI_Errhandler_free(&keeps);
    MPI_Type_free(&uncommitted);
}

/* ---- From Fortran --------------------------------------------------------------------------- */

typedef void (*fortran_pack_t)(void *, MPI_Fint *, MPI_Fint *, void *, MPI_Fint *, MPI_Fint *,
                               MPI_Fint *, MPI_Fint *);

static void *open_fortran(void)
{
    return dlopen("libmpi_mpifh.so.40", RTLD_LAZY | RTLD_LOCAL);
}

static void from_fortran(void *library, MPI_Datatype type)
{
    fortran_pack_t mpi_pack =
        (fortran_pack_t) (library == NULL ? NULL : dlsym(library, "mpi_pack_"));
    double matrix[BLOCKS * STEP], packed[BLOCKS];
    const int before = converted;
    if (mpi_pack == NULL) {
        printf("there is no Fortran\n");
        return;
    }
    for (int i = 0; i < BLOCKS * STEP; i++) {
        matrix[i] = i;
    }
    MPI_Fint one = 1, fortran_type = MPI_Type_c2f(type), size = BYTES, error = -1,
             comm = MPI_Comm_c2f(MPI_COMM_WORLD);
    for (int i = 0; i < REPEATS; i++) {
        MPI_Fint at = 0;
        memset(packed, 0, sizeof(packed));
        mpi_pack(matrix, &one, &fortran_type, packed, &size, &at, &comm, &error);
        bool same = error == 0 && at == BYTES;
        for (int k = 0; k < BLOCKS; k++) {
            same = same && STEP * k == packed[k];
        }
        check(same, "from Fortran, %d", i);
    }
    check_way(fortran_direct, before, REPEATS, "Fortran");
}

/* ---- All ------------------------------------------------------------------------------------ */

static void make_comms(void)
{
    comms[0] = MPI_COMM_WORLD;
    comms[1] = MPI_COMM_SELF;
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[2]);
    MPI_Comm_split(MPI_COMM_WORLD, my_rank, 0, &comms[3]);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    direct = strcmp("direct", mode) == 0;
    fortran_direct = direct || strcmp("fortran", mode) == 0;
    measured = strcmp("measured", mode) == 0;
    wrapped = dlsym(RTLD_DEFAULT, "wrapper_calls");
    void *fortran = open_fortran();
    check_init(&argc, &argv);
    make_comms();
    MPI_Datatype type = new_vector();
    warm(type);
    ways(type);
    counts(type);
    errors(type);
    every_type();
    lives();
    from_fortran(fortran, type);
    ways(type);
    if (wrapped != NULL) {
        check(calls == *wrapped, "the profiling library has seen %d of %d calls", *wrapped, calls);
    } else {
        check(getenv("LD_PRELOAD") == NULL, "the profiling library was not loaded");
    }
    MPI_Type_free(&type);
    MPI_Comm_free(&comms[2]);
    MPI_Comm_free(&comms[3]);
    return check_finish();
}
