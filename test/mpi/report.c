/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Traffic with known counts, for the report at MPI_Finalize (report.sh), and the same counts
 * through MPI_T while the job runs. An even number of ranks; argv[1]: dame, native, "die": rank 1
 * dies before MPI_Finalize, "huge": packs and unpacks megabytes, "fragments": sends 400 kB at a
 * time, "killed": rank 1 kills all when
 * rank 0 has published its record, "working": rank 1 dies when the file argv[2] is there, or after
 * a minute, while messages go on, "long": messages of 1.5 s, "emptied": the same, after which MPI_T
 * empties the report's name, "tool": MPI_T is never finalized, or "names": the datatype's name is
 * hostile, "left": datatypes that are not imported. argv[2]: the job's namespace, as DAME sees it;
 * argv[3]: where its records are.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mpi_check.h"
#include "pvar.h"
#include "tests.h"

enum { FACES = 100, CORNERS = 10, ROWS = 500, COLUMNS = 8, CORNER = 3 };

static double sent[ROWS * COLUMNS], received[ROWS * COLUMNS];

static void exchange(MPI_Datatype type, int messages)
{
    const int other = my_rank ^ 1;
    for (int m = 0; m < messages; m++) {
        for (int i = 0; i < ROWS * COLUMNS; i++) {
            sent[i] = my_rank + 10 * m + 1000.0 * i;
            received[i] = -1;
        }
        MPI_Sendrecv(sent, 1, type, other, 0, received, 1, type, other, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        check(other + 10 * m == received[0] && received[1] == -1, "message %d", m);
    }
}

/* ---- MPI_T ---------------------------------------------------------------------------------- */

static MPI_T_pvar_session session;

/* A handle of a variable, bound to a datatype or, with NULL, to nothing. */
static MPI_T_pvar_handle handle_of(const char *name, MPI_Datatype *type)
{
    MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
    int index, count;
    const int code = MPI_T_pvar_get_index(name, MPI_T_PVAR_CLASS_COUNTER, &index);
    if (check(code == MPI_SUCCESS, "there is a variable %s", name)) {
        int name_room = 0, text_room = 0, verbosity, class, binding, readonly, continuous, atomic;
        MPI_Datatype datatype;
        MPI_T_enum values;
        MPI_T_pvar_get_info(index, NULL, &name_room, &verbosity, &class, &datatype, &values, NULL,
                            &text_room, &binding, &readonly, &continuous, &atomic);
        check((type == NULL ? MPI_T_BIND_NO_OBJECT : MPI_T_BIND_MPI_DATATYPE) == binding,
              "binding of %s", name);
        check(MPI_T_pvar_handle_alloc(session, index, type, &handle, &count) == MPI_SUCCESS,
              "handle of %s", name);
    }
    return handle;
}

static long long read_counter(MPI_T_pvar_handle handle)
{
    unsigned long long value = 0;
    return MPI_T_pvar_read(session, handle, &value) == MPI_SUCCESS ? (long long) value : -1;
}

/* Uses of packing are counted for each datatype, by what moved them; the process's are their sum.
 */
static void traffic(MPI_Datatype face, MPI_Datatype corner, bool reads)
{
    enum { FACE_INTERP, FACE_CODE, FACE_BYTES, CORNER_INTERP, ALL_CODE, HANDLES };
    MPI_T_pvar_handle handles[HANDLES];
    if (!reads) {
        exchange(face, FACES);
        exchange(corner, CORNERS);
        return;
    }
    MPI_T_pvar_session_create(&session);
    handles[FACE_INTERP] = handle_of("dt_dame_datatype_pack_interp_uses", &face);
    handles[FACE_CODE] = handle_of("dt_dame_datatype_pack_code_uses", &face);
    handles[FACE_BYTES] = handle_of("dt_dame_datatype_pack_code_bytes", &face);
    handles[CORNER_INTERP] = handle_of("dt_dame_datatype_pack_interp_uses", &corner);
    handles[ALL_CODE] = handle_of("dt_dame_pack_code_uses", NULL);
    exchange(face, FACES / 2);
    const long long half = read_counter(handles[FACE_INTERP]) + read_counter(handles[FACE_CODE]);
    check(FACES / 2 == half, "half of the faces: %lld", half);
    check(read_counter(handles[CORNER_INTERP]) == 0, "no corner yet");
    exchange(face, FACES / 2);
    exchange(corner, CORNERS);
    /* dt_dame_promotion_threshold is 20 */
    check(read_counter(handles[FACE_INTERP]) == 19, "faces by the interpreter: %lld",
          read_counter(handles[FACE_INTERP]));
    check(FACES - 19 == read_counter(handles[FACE_CODE]), "faces by machine code: %lld",
          read_counter(handles[FACE_CODE]));
    check((FACES - 19) * ROWS * 8LL == read_counter(handles[FACE_BYTES]), "their bytes: %lld",
          read_counter(handles[FACE_BYTES]));
    check(read_counter(handles[CORNER_INTERP]) == CORNERS, "corners: %lld",
          read_counter(handles[CORNER_INTERP]));
    check(FACES - 19 == read_counter(handles[ALL_CODE]), "all by machine code: %lld",
          read_counter(handles[ALL_CODE]));
    MPI_T_pvar_session_free(&session);
}

/* Whole messages of two megabytes, packed and unpacked. */
static void pack_huge(void)
{
    enum { BLOCKS = 1 << 17, MESSAGES = 40, BYTES = BLOCKS * 16 };
    double *from = calloc(3 * BLOCKS, sizeof(double)), *to = calloc(3 * BLOCKS, sizeof(double));
    char *packed = malloc(BYTES);
    MPI_Datatype type;
    bool same = true;
    for (int i = 0; i < 3 * BLOCKS; i++) {
        from[i] = my_rank + i;
    }
    MPI_Type_vector(BLOCKS, 2, 3, MPI_DOUBLE, &type);
    MPI_Type_set_name(type, "huge");
    MPI_Type_commit(&type);
    for (int m = 0; m < MESSAGES; m++) {
        int end = 0, start = 0;
        memset(to, 0, 3 * BLOCKS * sizeof(double));
        MPI_Pack(from, 1, type, packed, BYTES, &end, MPI_COMM_WORLD);
        MPI_Unpack(packed, BYTES, &start, to, 1, type, MPI_COMM_WORLD);
        for (int i = 0; i < 3 * BLOCKS; i++) {
            same = same && to[i] == (2 == i % 3 ? 0 : from[i]);
        }
    }
    check(same, "each message arrived");
    MPI_Type_free(&type);
    free(from);
    free(to);
    free(packed);
}

/* Messages of several fragments in any transport. */
static void send_long(void)
{
    enum { BLOCKS = 50000, MESSAGES = 300 };
    double *from = calloc(2 * BLOCKS, sizeof(double)), *to = calloc(2 * BLOCKS, sizeof(double));
    MPI_Datatype type;
    MPI_Type_vector(BLOCKS, 1, 2, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    int wrong = 0;
    for (int m = 0; m < MESSAGES; m++) {
        for (int i = 0; i < BLOCKS; i++) {
            from[2 * i] = i + 3.0 * m;
        }
        MPI_Sendrecv(from, 1, type, my_rank ^ 1, 0, to, 1, type, my_rank ^ 1, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        for (int i = 0; i < BLOCKS; i++) {
            wrong += i + 3.0 * m != to[2 * i] || to[2 * i + 1] != 0;
        }
    }
    check(wrong == 0, "%d wrong elements or gaps", wrong);
    MPI_Type_free(&type);
    free(from);
    free(to);
}

/* Faces that DAME moves, and rows of long blocks, and a block used once, which it leaves. */
static void leave_rows(MPI_Datatype face)
{
    MPI_Datatype rows, small;
    MPI_Type_vector(6, 64, 66, MPI_DOUBLE, &rows);
    MPI_Type_set_name(rows, "rows");
    MPI_Type_commit(&rows);
    MPI_Type_vector(5, 1, 3, MPI_DOUBLE, &small);
    MPI_Type_commit(&small);
    for (int i = 0; i < FACES;
         i++) { /* before faces: once those repay their import, rows are tried */
        MPI_Sendrecv(sent, 1, rows, my_rank ^ 1, 0, received, 1, rows, my_rank ^ 1, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    exchange(face, FACES);
    MPI_Sendrecv(sent, 1, small, 0, 0, received, 1, small, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPI_Type_free(&rows);
    MPI_Type_free(&small);
}

/* Rank 1 kills all when rank 0 is inside MPI_Finalize, and waits: some releases of mpirun take
 * seconds to do that, in which rank 0 would report without rank 1. */
static void kill_all(const char *directory)
{
    enum { RANKS = 16 };
    int pids[RANKS], size, pid = (int) getpid();
    char path[256];
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    check(size <= RANKS, "at most %d ranks", RANKS);
    MPI_Allgather(&pid, 1, MPI_INT, pids, 1, MPI_INT, MPI_COMM_WORLD);
    if (my_rank != 1) {
        return;
    }
    snprintf(path, sizeof(path), "%s/rank-0", directory);
    while (access(path, F_OK) != 0) {
        usleep(1000);
    }
    for (int rank = 0; rank < size; rank++) {
        if (rank != my_rank) {
            kill(pids[rank], SIGKILL);
        }
    }
    raise(SIGKILL);
}

static void work_until(MPI_Datatype face, const char *file)
{
    const double start = MPI_Wtime();
    for (int there = 0; there == 0;) {
        exchange(face, FACES);
        there = access(file, F_OK) == 0 || MPI_Wtime() - start > 60;
        MPI_Bcast(&there, 1, MPI_INT, 1, MPI_COMM_WORLD);
    }
    if (my_rank == 1) {
        raise(SIGKILL);
    }
    exchange(face, FACES); /* does not return: the job is killed */
}

/* While there is a report by then. */
static void empty_name(void)
{
    char text[4] = "-";
    int provided, index, count;
    MPI_T_cvar_handle handle;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    check(MPI_T_cvar_get_index("dt_dame_report_file", &index) == MPI_SUCCESS &&
              MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) == MPI_SUCCESS,
          "there is dt_dame_report_file");
    check(MPI_T_cvar_write(handle, "") == MPI_SUCCESS, "it can be emptied");
    MPI_T_cvar_handle_free(&handle);
    check(cvar_read("dt_dame_report_file", text, sizeof(text)) && *text == '\0', "it is empty");
    MPI_T_finalize();
}

int report_main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    const bool dame = strcmp(mode, "dame") == 0;
    const bool tool = strcmp(mode, "tool") == 0;
    MPI_Datatype face, corner;
    int provided;
    check_init(&argc, &argv);
    if (dame || tool) {
        MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    }
    MPI_Type_vector(ROWS, 1, COLUMNS, MPI_DOUBLE, &face);
    MPI_Type_set_name(face,
                      strcmp(mode, "names") == 0 ? "a\n\x1b[31mb\xc3\xa9\x9b\\" : "face \"x\"");
    MPI_Type_commit(&face);
    MPI_Type_vector(CORNER, 1, COLUMNS, MPI_DOUBLE, &corner);
    MPI_Type_commit(&corner);
    if (strcmp(mode, "fragments") == 0) {
        send_long();
    } else if (strcmp(mode, "huge") == 0) {
        pack_huge();
    } else if (strcmp(mode, "long") == 0 || strcmp(mode, "emptied") == 0) {
        for (const double start = MPI_Wtime(); MPI_Wtime() - start < 1.5;) {
            sent[COLUMNS] = MPI_Wtime();
            MPI_Sendrecv(sent, 1, face, my_rank, 0, received, 1, face, my_rank, 0, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
        }
        check(sent[COLUMNS] == received[COLUMNS], "the last message");
        if (strcmp(mode, "emptied") == 0) {
            empty_name();
        }
    } else if (strcmp(mode, "left") == 0) {
        leave_rows(face);
    } else if (strcmp(mode, "working") == 0 && argc > 2) {
        work_until(face, argv[2]);
    } else {
        traffic(face, corner, dame);
    }
    MPI_Type_free(&face);
    MPI_Type_free(&corner);
    if (argc > 2) {
        setenv("PMIX_NAMESPACE", argv[2], 1);
        unsetenv("PMIX_SERVER_TMPDIR"); /* as where no session's directory is cleaned up */
    }
    if (strcmp(mode, "killed") == 0 && argc > 3) {
        kill_all(argv[3]);
        return MPI_Finalize() != MPI_SUCCESS; /* check_finish() would wait for rank 1 before */
    }
    if (strcmp(mode, "die") == 0 && my_rank == 1) {
        raise(SIGKILL);
    }
    if (dame) {
        MPI_T_finalize();
    }
    return check_finish();
}
