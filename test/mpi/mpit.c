/* SPDX-License-Identifier: BSD-3-Clause */
/* DAME's parameters and counters as MPI_T variables. Needs two ranks; argv[1]: dame, or native when
   DAME must not have moved anything. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_check.h"
#include "pvar.h"
#include "tests.h"

enum { MESSAGES = 10, BLOCKS = 1000 };

static void traffic(const layout_t *l)
{
    unsigned char *stream = stream_new(l, 1, 1);
    message_t m = msg_new(l, 1);

    for (int i = 0; my_rank < 2 && i < MESSAGES; i++) {
        if (my_rank == i % 2) {
            msg_fill(&m, stream);
            MPI_Send(m.buf, 1, l->type, 1 - my_rank, 0, MPI_COMM_WORLD);
        } else {
            msg_clear(&m);
            MPI_Recv(m.buf, 1, l->type, 1 - my_rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            check(msg_holds(&m, stream, m.bytes), "message %d", i);
        }
    }
    msg_free(&m);
    free(stream);
}

static void control_variables(void)
{
    static const char *const names[] = {"dt_dame_priority", "dt_dame_passes", "dt_dame_verify",
                                        "dt_dame_dump"};
    char text[256] = "";

    for (int i = 0; i < 4; i++) {
        check(cvar_read(names[i], text, sizeof(text)), "control variable %s", names[i]);
    }
    for (int i = 0; i < 4; i++) {
        char after[256] = "";
        cvar_read(names[i], text, sizeof(text));
        check(cvar_write(names[i], 1) == MPI_T_ERR_CVAR_SET_NEVER &&
                  cvar_read(names[i], after, sizeof(after)) && strcmp(text, after) == 0,
              "%s can be written: %s, %s", names[i], text, after);
    }
    check(cvar_write("dt_dame_verbose", 1) == MPI_SUCCESS &&
              cvar_read("dt_dame_verbose", text, sizeof(text)) && strcmp(text, "1") == 0 &&
              cvar_write("dt_dame_verbose", 101) != MPI_SUCCESS &&
              cvar_read("dt_dame_verbose", text, sizeof(text)) && strcmp(text, "1") == 0,
          "verbose can be set to 1, not to 101: %s", text);
    (void) cvar_write("dt_dame_verbose", 0);
    static const char *const changing[] = {"dt_dame_report", "dt_dame_last_run", "dt_dame_explore"};
    for (int i = 0; i < 3; i++) {
        const int before = cvar_read(changing[i], text, sizeof(text)) ? atoi(text) : -1;
        const int other = before == 1 ? 0 : 1;
        check(cvar_write(changing[i], other) == MPI_SUCCESS &&
                  cvar_read(changing[i], text, sizeof(text)) && other == atoi(text),
              "%s can be set to %d: %s", changing[i], other, text);
        (void) cvar_write(changing[i], before);
    }
    check(cvar_read("dt", text, sizeof(text)) && strcmp(text, "dame") == 0,
          "control variable dt is \"%s\"", text);
}

/* Packs two neighbouring columns of doubles. */
static void pack_columns(int rows)
{
    enum { COLUMNS_OF_MATRIX = 64 };
    MPI_Datatype column, columns;
    int position = 0;
    const int size = 2 * rows * (int) sizeof(double);
    double *matrix = calloc((size_t) rows * COLUMNS_OF_MATRIX, sizeof(double));
    char *packed = malloc((size_t) size);
    MPI_Type_vector(rows, 1, COLUMNS_OF_MATRIX, MPI_DOUBLE, &column);
    MPI_Type_create_hvector(2, 1, sizeof(double), column, &columns);
    MPI_Type_commit(&columns);
    MPI_Pack(matrix, 1, columns, packed, size, &position, MPI_COMM_SELF);
    MPI_Type_free(&columns);
    MPI_Type_free(&column);
    free(packed);
    free(matrix);
}

/* A column of 1024 doubles is a quarter of a fragment of 32 KiB. */
static void wide_columns_are_counted(void)
{
    pack_columns(1024);
    check(pvar_read("dt_dame_types_wide_columns") == 0, "four columns fit a fragment");
    pack_columns(1025);
    check(pvar_read("dt_dame_types_wide_columns") == 1, "four columns exceed a fragment");
}

enum { LAYOUTS = 100, OFTEN = 3, USES = 2500, FEW_USES = 30 };

/* A few layouts often, and by turns more than a thread counts on their own. Returns the bytes. */
static long long pack_and_unpack_many(void)
{
    static double memory[32 * 32], packed[32];
    MPI_Datatype types[LAYOUTS];
    long long bytes = 0;
    for (int i = 0; i < LAYOUTS; i++) {
        MPI_Type_vector(2 + i % 10, 1, 3 + i / 10, MPI_DOUBLE, &types[i]);
        MPI_Type_commit(&types[i]);
    }
    for (int use = 0; use < USES; use++) {
        for (int i = 0; i < (use < FEW_USES ? LAYOUTS : OFTEN); i++) {
            int at = 0;
            MPI_Pack(memory, 1, types[i], packed, sizeof(packed), &at, MPI_COMM_SELF);
            at = 0;
            MPI_Unpack(packed, sizeof(packed), &at, memory, 1, types[i], MPI_COMM_SELF);
            bytes += (2 + i % 10) * (long long) sizeof(double);
        }
    }
    for (int i = 0; i < LAYOUTS; i++) {
        MPI_Type_free(&types[i]);
    }
    return bytes;
}

static void *pack_in_thread(void *bytes)
{
    *(long long *) bytes = pack_and_unpack_many();
    return NULL;
}

static void check_counts(const char *where, const long long before[4], int times, long long bytes)
{
    static const char *const works[] = {"pack", "unpack"};
    const long long messages = times * (OFTEN * USES + (LAYOUTS - OFTEN) * FEW_USES);
    for (int work = 0; work < 2; work++) {
        char interp[64], code[64], all[64];
        (void) snprintf(interp, sizeof(interp), "dt_dame_%s_interp_uses", works[work]);
        (void) snprintf(code, sizeof(code), "dt_dame_%s_code_uses", works[work]);
        (void) snprintf(all, sizeof(all), "dt_dame_messages_%sed", works[work]);
        check(messages == pvar_read(all) - before[work] &&
                  pvar_read(all) == pvar_read(interp) + pvar_read(code),
              "%s: %lld messages, %s: %lld, in tallies %lld and %lld", where, messages, all,
              pvar_read(all) - before[work], pvar_read(interp), pvar_read(code));
        (void) snprintf(interp, sizeof(interp), "dt_dame_%s_interp_bytes", works[work]);
        (void) snprintf(code, sizeof(code), "dt_dame_%s_code_bytes", works[work]);
        (void) snprintf(all, sizeof(all), "dt_dame_bytes_%sed", works[work]);
        check(bytes == pvar_read(all) - before[2 + work] &&
                  pvar_read(all) == pvar_read(interp) + pvar_read(code),
              "%s: %lld bytes, %s: %lld", where, bytes, all, pvar_read(all) - before[2 + work]);
    }
}

/* While this thread counts them, after another has ended, and when both have. */
static void every_message_is_counted(void)
{
    const long long before[] = {
        pvar_read("dt_dame_messages_packed"), pvar_read("dt_dame_messages_unpacked"),
        pvar_read("dt_dame_bytes_packed"), pvar_read("dt_dame_bytes_unpacked")};
    pthread_t thread;
    long long of_thread = 0;
    const long long bytes = pack_and_unpack_many();
    check_counts("one thread", before, 1, bytes);
    pthread_create(&thread, NULL, pack_in_thread, &of_thread);
    pthread_join(thread, NULL);
    check_counts("a thread that ended", before, 2, 2 * bytes);
    check(bytes == of_thread, "both pack as much");
}

int mpit_main(int argc, char **argv)
{
    bool dame = argc > 1 && strcmp(argv[1], "dame") == 0;

    check_init(&argc, &argv);
    layout_t *doubles = lay_basic(MPI_DOUBLE, 8, 8);
    layout_t *l = lay_vector(BLOCKS, 2, 5, doubles);
    lay_commit(l);

    int n = pvar_start("dt_dame_");
    traffic(l);
    if (dame && my_rank < 2) {
        check(n >= 8, "%d performance variables dt_dame_*", n);
        check(MESSAGES / 2 == pvar_read("dt_dame_messages_packed"), "messages packed: %lld",
              pvar_read("dt_dame_messages_packed"));
        check(MESSAGES / 2 == pvar_read("dt_dame_messages_unpacked"), "messages unpacked: %lld",
              pvar_read("dt_dame_messages_unpacked"));
        check((long long) MESSAGES * l->size == pvar_sum("_bytes_"), "bytes: %lld",
              pvar_sum("_bytes_"));
        check(pvar_read("dt_dame_types_imported") == 1, "types imported: %lld",
              pvar_read("dt_dame_types_imported"));
        check(pvar_read("dt_dame_differences") == 0, "differences");
        control_variables();
        wide_columns_are_counted();
        every_message_is_counted();
    } else {
        check(pvar_sum("messages_") == 0, "DAME moved messages");
    }
    pvar_done();
    lay_free(l);
    lay_free(doubles);
    return check_finish();
}
