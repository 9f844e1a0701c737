/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages through a DAME that makes mistakes (broken_build.c). argv[1]: verify, when
 * dt_dame_verify must find and repair them; trust, when they must arrive. Needs two ranks.
 */
#include <stdlib.h>
#include <string.h>

#include "mpi_check.h"
#include "pvar.h"
#include "tests.h"

#include "opal-glue/abi/openmpi.h"

enum { MESSAGES = 4 };

static bool verify, native; /* is Open MPI's engine the broken one? */

/* From rank 0 to rank 1, `count` elements at once. `broken` is the rank with the engine that spoils
 * it. */
static void send_some(const layout_t *l, int count, int broken, const char *name)
{
    unsigned char *stream = stream_new(l, count, 7);
    message_t m = msg_new(l, count);

    for (int i = 0; i < MESSAGES; i++) {
        if (my_rank == 0) {
            msg_fill(&m, stream);
            MPI_Send(m.buf, count, l->type, 1, i, MPI_COMM_WORLD);
            check(msg_holds(&m, stream, m.bytes), "%s %d: the sender's memory", name, i);
        } else if (my_rank == 1) {
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
    check(verify && broken == my_rank ? found > 0 : found == 0, "%s: %lld differences", name,
          found);
    found = pvar_read("dt_dame_native_differences");
    check(native ? found == MESSAGES : found == 0, "%s: %lld differences of Open MPI's", name,
          found);
    found = pvar_read("dt_dame_declined_differs");
    check((verify && broken == my_rank ? 1 : 0) == found, "%s: %lld datatypes declined", name,
          found);
    found = pvar_read("dt_dame_messages_declined");
    check(verify && broken == my_rank ? MESSAGES - 1 == found : found == 0,
          "%s: %lld messages left", name, found);
}

/* From each rank to itself. */
static void copy_some(layout_t *l, const char *name)
{
    lay_commit(l);
    MPI_Type_set_name(l->type, name);
    const char *broken = getenv("BROKEN");
    const bool spoilt = pvar_start("dt_dame_") > 0 && broken != NULL && strcmp("code", broken) != 0;
    unsigned char *stream = stream_new(l, 2, 7);
    message_t from = msg_new(l, 2);
    message_t to = msg_new(l, 2);
    msg_fill(&from, stream);
    for (int i = 0; my_rank == 0 && i < MESSAGES; i++) {
        msg_clear(&to);
        MPI_Alltoall(from.buf, 2, l->type, to.buf, 2, l->type, MPI_COMM_SELF);
        bool same = msg_holds(&to, stream, to.bytes);
        check(same == (verify || !spoilt), "%s %d: %s", name, i, same ? "arrived" : "spoilt");
    }
    if (spoilt && my_rank == 0) {
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

/* A sender that is set to packed byte `position` and given `room` bytes: where it stands first, and
 * how much it packs. */
static void send_piece(layout_t *l, int count, size_t position, size_t room, const char *name,
                       size_t stands, size_t packs)
{
    char packed[128];
    opal_convertor_t c;
    struct iovec iov = {.iov_base = packed, .iov_len = room};
    uint32_t n = 1;
    size_t moved = 0;
    lay_commit(l);
    message_t m = msg_new(l, count);
    dt_object_construct(&c, &opal_convertor_t_class);
    dt_openmpi_same_peer(&c, ompi_mpi_local_convertor);
    (void) opal_convertor_prepare_for_send(&c, &l->type->super, (size_t) count, m.buf);
    (void) dt_openmpi_set_position(&c, &position);
    (void) opal_convertor_pack(&c, &iov, &n, &moved);
    check(stands == position, "%s: stands at %zu, not %zu", name, position, stands);
    check(packs == moved && packs == iov.iov_len && stands + packs == c.bConverted,
          "%s: packs %zu bytes, not %zu", name, moved, packs);
    dt_object_destruct(&c);
    msg_free(&m);
    lay_free(l);
}

int broken_main(int argc, char **argv)
{
    check_init(&argc, &argv);
    native = argc > 1 && strcmp(argv[1], "native") == 0;
    verify = native || (argc > 1 && strcmp(argv[1], "verify") == 0);
    if (native) {
        run(lay_vector(50, 1, 3, lay_basic(MPI_DOUBLE, 8, 8)), 1, -1, "right in DAME only");
        return check_finish();
    }
    layout_t *ints = lay_basic(MPI_INT, 4, 4);
    layout_t *doubles = lay_basic(MPI_DOUBLE, 8, 8);

    run(lay_vector(50, 1, 3, doubles), 1, 0, "spoilt in packing");
    run(lay_vector(50, 1, 3, ints), 1, 1, "spoilt in unpacking");
    run(lay_vector(50, 3, 7, ints), 1, -1, "sound");
    run(lay_vector(40000, 1, 3, doubles), 1, 0, "spoilt in fragments");
    copy_some(lay_vector(60, 1, 3, doubles), "spoilt in copying");
    if (my_rank == 0) {
        layout_t *shorts = lay_basic(MPI_SHORT, 2, 2);
        layout_t *doubles_and_ints = lay_pair(MPI_DOUBLE_INT, MPI_DOUBLE, 8);
        send_piece(doubles_and_ints, 20, 0, 113, "packs too little", 0, verify ? 113 : 108);
        send_piece(lay_vector(50, 3, 7, shorts), 1, 13, 100, "goes astray", verify ? 12 : 13,
                   verify ? 100 : 99);
        lay_free(shorts);
    }
    lay_free(ints);
    lay_free(doubles);
    return check_finish();
}
