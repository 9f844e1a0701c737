/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whole messages that measured promotion leaves to Open MPI's own engine: while it is tried, some
 * of each datatype's are. Needs two ranks and dt_dame_explore 100, so that it is tried early.
 * argv[1]: how often: always, if that engine is the only choice besides the interpreter, never, if
 * it is none, or often. argv[2]: faster, if DAME's passes are off.
 */
#include <stdlib.h>
#include <string.h>

#include "mpi_check.h"
#include "pvar.h"
#include "tests.h"
#include "types.h"

enum { COUNT = 3, PACKED = 1000, STARTS = 200 };

static long long left(void)
{
    return pvar_read("dt_dame_messages_native");
}

/* A request that is started again begins where it ended: both engines must notice. */
static void persistent(const type_case_t *c)
{
    const layout_t *l = c->layout;
    unsigned char *stream = stream_new(l, COUNT, 5);
    message_t m = msg_new(l, COUNT);
    MPI_Request request;
    const bool sends = my_rank == 0;
    int bad = 0;

    if (sends) {
        msg_fill(&m, stream);
        MPI_Send_init(m.buf, COUNT, l->type, 1, 3, MPI_COMM_WORLD, &request);
    } else {
        MPI_Recv_init(m.buf, COUNT, l->type, 0, 3, MPI_COMM_WORLD, &request);
    }
    for (int i = 0; i < STARTS; i++) {
        if (!sends) {
            msg_clear(&m);
        }
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        bad += !msg_holds(&m, stream, m.bytes);
    }
    check(bad == 0, "%s: %d of %d starts of one request", c->name, bad, STARTS);
    MPI_Request_free(&request);
    msg_free(&m);
    free(stream);
}

static void packed(const type_case_t *c)
{
    int bad = 0;
    for (int i = 0; i < PACKED; i++) {
        bad += !moves_right(c->layout, 1 + i % COUNT);
    }
    check(bad == 0, "%s: %d of %d times packed and unpacked", c->name, bad, PACKED);
}

/* Blocks that touch, which Open MPI's engine joins, and DAME not without its passes: several times
 * as fast there. */
static void chosen(void)
{
    enum { GROUPS = 40, TOUCHING = 32, BLOCKS = GROUPS * TOUCHING, MESSAGES = 6000, LAST = 1000 };
    int lengths[BLOCKS], displacements[BLOCKS], bad = 0;
    long long before = 0;
    layout_t *doubles = lay_basic(MPI_DOUBLE, 8, 8);
    for (int i = 0; i < BLOCKS; i++) {
        lengths[i] = 1;
        displacements[i] = i + i / TOUCHING * (3 + i / TOUCHING % 5);
    }
    layout_t *l = lay_indexed(BLOCKS, lengths, displacements, doubles);
    lay_commit(l);
    for (int i = 0; i < MESSAGES; i++) {
        before = MESSAGES - LAST == i ? left() : before;
        bad += !moves_right(l, 1);
    }
    const long long last = left() - before;
    check(bad == 0, "%d of %d times packed and unpacked", bad, MESSAGES);
    check(last >= 2 * LAST * 8 / 10, "%lld of %d are left to the engine that is faster", last,
          2 * LAST);
    lay_free(l);
    lay_free(doubles);
}

int native_main(int argc, char **argv)
{
    check_init(&argc, &argv);
    check(pvar_start("dt_dame_") > 0, "the counters of DAME");
    types_t *types = types_new();
    long long of_requests = 0;
    for (int i = 0; i < types_count(types); i++) {
        const type_case_t *c = types_at(types, i);
        if (!c->send_only) {
            const long long before = left();
            persistent(c);
            of_requests += left() - before;
            packed(c);
        }
    }
    if (argc > 2 && strcmp(argv[2], "faster") == 0) {
        chosen();
    }
    const char *expected = argc > 1 ? argv[1] : "often";
    const bool always = strcmp(expected, "always") == 0, never = strcmp(expected, "never") == 0;
    const int least = always ? 4 * types_count(types) : never ? 0 : 1;
    check(left() >= least && (!never || left() == 0),
          "%lld messages were left to Open MPI's own engine, %d expected", left(), least);
    check(!always || of_requests > 0, "%lld of persistent requests", of_requests);
    types_free(types);
    pvar_done();
    return check_finish();
}
