/*
 * Messages through a DAME that makes mistakes (broken_build.c). argv[1]: verify, when
 * dt_dame_verify must find and repair them; trust, when they must arrive. Needs two ranks.
 */
#include <stdlib.h>
#include <string.h>

#include "mpi_check.h"
#include "pvar.h"

enum { MESSAGES = 4 };

static bool verify;

/* From rank 0 to rank 1, `count` elements at once. `broken` is the rank whose engine spoils it. */
static void send_some(const layout_t *l, int count, int broken, const char *name)
{
    unsigned char *stream = stream_new(l, count, 7);
    message_t m = msg_new(l, count);

    for (int i = 0; i < MESSAGES; i++) {
        if (0 == my_rank) {
            msg_fill(&m, stream);
            MPI_Send(m.buf, count, l->type, 1, i, MPI_COMM_WORLD);
            check(msg_holds(&m, stream, m.bytes), "%s %d: the sender's memory", name, i);
        } else if (1 == my_rank) {
            unsigned char *arrived = must_malloc((size_t) m.bytes);
            int64_t at;
            msg_clear(&m);
            MPI_Recv(m.buf, count, l->type, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            lay_pack(l, count, m.zero, arrived);
            bool same = same_bytes(arrived, stream, m.bytes, &at);
            check(same == (verify || broken < 0), "%s %d: %s", name, i,
                  same ? "arrived" : "spoilt on the way");
            free(arrived);
        }
    }
    msg_free(&m);
    free(stream);
    /* The first fragment that differs is the last that DAME moves of this datatype, where messages
       have one; no other datatype is left to Open MPI's engine. */
    long long found = pvar_read("dt_dame_differences");
    check(verify && broken == my_rank ? found > 0 : 0 == found, "%s: %lld differences", name,
          found);
    found = pvar_read("dt_dame_declined_differs");
    check((verify && broken == my_rank ? 1 : 0) == found, "%s: %lld datatypes declined", name,
          found);
    found = pvar_read("dt_dame_messages_declined");
    check(verify && broken == my_rank ? MESSAGES - 1 == found : 0 == found,
          "%s: %lld messages left", name, found);
}

/* From each rank to itself. */
static void copy_some(layout_t *l, const char *name)
{
    lay_commit(l);
    MPI_Type_set_name(l->type, name);
    const char *broken = getenv("BROKEN");
    const bool spoilt = pvar_start("dt_dame_") > 0 && NULL != broken && 0 != strcmp("code", broken);
    unsigned char *stream = stream_new(l, 2, 7);
    message_t from = msg_new(l, 2);
    message_t to = msg_new(l, 2);
    msg_fill(&from, stream);
    for (int i = 0; 0 == my_rank && i < MESSAGES; i++) {
        msg_clear(&to);
        MPI_Alltoall(from.buf, 2, l->type, to.buf, 2, l->type, MPI_COMM_SELF);
        bool same = msg_holds(&to, stream, to.bytes);
        check(same == (verify || !spoilt), "%s %d: %s", name, i, same ? "arrived" : "spoilt");
    }
    if (spoilt && 0 == my_rank) {
        long long found = pvar_read("dt_dame_differences");
        check((verify ? 1 : 0) == found, "%s: %lld differences", name, found);
        found = pvar_read("dt_dame_messages_copied");
        check((verify ? 1 : MESSAGES) == found, "%s: %lld copies by DAME", name, found);
    }
    pvar_done();
    msg_free(&from);
    msg_free(&to);
    free(stream);
    lay_free(l);
}

static void run(layout_t *l, int count, int broken, const char *name)
{
    lay_commit(l);
    MPI_Type_set_name(l->type, name);
    if (pvar_start("dt_dame_") > 0 && my_rank < 2) {
        send_some(l, count, broken, name);
    }
    pvar_done();
    MPI_Barrier(MPI_COMM_WORLD);
    lay_free(l);
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    verify = argc > 1 && 0 == strcmp(argv[1], "verify");
    layout_t *ints = lay_basic(MPI_INT, 4, 4);
    layout_t *doubles = lay_basic(MPI_DOUBLE, 8, 8);

    run(lay_vector(50, 1, 3, doubles), 1, 0, "spoilt in packing");
    run(lay_vector(50, 1, 3, ints), 1, 1, "spoilt in unpacking");
    run(lay_vector(50, 3, 7, ints), 1, -1, "sound");
    run(lay_vector(40000, 1, 3, doubles), 1, 0, "spoilt in fragments");
    copy_some(lay_vector(50, 1, 3, doubles), "spoilt in copying");
    lay_free(ints);
    lay_free(doubles);
    return check_finish();
}
