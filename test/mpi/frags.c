/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages that are cut into fragments, also inside elements. The runner sets the sizes of the
   cuts; this program takes care that message lengths fall on, before and after them. Needs two
   ranks. argv[1]: typed leaves out streams of MPI_PACKED: their fragments end inside elements. Open
   MPI 4.1.4's own engine receives them wrongly when one fragment overtakes another, 4.1.0's in any
   order. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exchange.h"
#include "tests.h"
#include "types.h"

static bool untyped;
static layout_t *chars, *shorts, *ints, *doubles, *quads, *packed;

static void move(const layout_t *sent, int64_t count, const layout_t *received, int64_t room,
                 int from, const char *name)
{
    exchange(sent, count, received, room, SEND, RECV, from, name);
}

static void lengths(const layout_t *l, const char *name)
{
    layout_t *spread = lay_spread(l, 8);
    int from = 0;

    /* Derived datatypes are cut between elements; a stream of MPI_PACKED is cut anywhere. */
    lay_commit(spread);
    for (int64_t bytes = l->size; bytes < 300000; bytes += bytes / 3 + l->size) {
        int64_t n = bytes / l->size;
        move(l, n, l, n, from, name);
        move(l, n, spread, n + 1, 1 - from, name);
        move(spread, n, l, n, from, name);
        from = 1 - from;
    }
    for (int k = 8; k <= 17; k++) { /* around powers of two, and with headers of up to 100 bytes */
        for (int64_t bytes = (1 << k) - 104; bytes < (1 << k) + 40; bytes += 24) {
            int64_t n = bytes / l->size;
            if (n > 0) {
                move(l, n, spread, n, from, name);
                if (untyped) {
                    move(packed, n * l->size, l, n, from, name);
                }
                from = 1 - from;
            }
        }
    }
    lay_free(spread);
}

static void every_length(layout_t *l, const char *name)
{
    lay_commit(l);
    lengths(l, name);
    lay_free(l);
}

/* Several long messages at once: their fragments mix. */
static void interleaved(void)
{
    enum { MESSAGES = 6 };
    layout_t *l = lay_vector(5000, 3, 5, shorts);
    message_t m[2 * MESSAGES]; /* the second half is sent */
    unsigned char *streams[2 * MESSAGES];
    MPI_Request r[2 * MESSAGES];

    lay_commit(l);
    for (int i = 0; my_rank < 2 && i < 2 * MESSAGES; i++) {
        const int k = i % MESSAGES, from = i < MESSAGES ? 1 - my_rank : my_rank;
        streams[i] = stream_new(l, 2 + k, (unsigned) (k + from));
        m[i] = msg_new(l, 2 + k);
        if (i < MESSAGES) {
            msg_clear(&m[i]);
            MPI_Irecv(m[i].buf, 2 + k, l->type, 1 - my_rank, k, MPI_COMM_WORLD, &r[i]);
        } else {
            msg_fill(&m[i], streams[i]);
            MPI_Isend(m[i].buf, 2 + k, l->type, 1 - my_rank, k, MPI_COMM_WORLD, &r[i]);
        }
    }
    for (int i = 0; my_rank < 2 && i < 2 * MESSAGES; i++) {
        MPI_Wait(&r[i], MPI_STATUS_IGNORE);
        check(msg_holds(&m[i], streams[i], m[i].bytes), "interleaved message %d", i);
        msg_free(&m[i]);
        free(streams[i]);
    }
    lay_free(l);
}

int frags_main(int argc, char **argv)
{
    static const int uneven[] = {3, 1, 7, 2}, places[] = {20, 0, 5, 15};
    static const MPI_Aint at[] = {0, 4, 16, 40};

    check_init(&argc, &argv);
    untyped = argc < 2 || strcmp(argv[1], "typed") != 0;
    chars = lay_basic(MPI_CHAR, 1, 1);
    shorts = lay_basic(MPI_SHORT, 2, 2);
    ints = lay_basic(MPI_INT, 4, 4);
    doubles = lay_basic(MPI_DOUBLE, 8, 8);
    quads = lay_basic(MPI_LONG_DOUBLE, 16, 16);
    packed = lay_basic(MPI_PACKED, 1, 1);

    every_length(lay_vector(5, 1, 2, doubles), "doubles");
    every_length(lay_vector(3, 7, 9, chars), "blocks of 7 bytes");
    if (every_engine_is_right()) {
        every_length(lay_vector(3, 1, 2, quads), "long doubles");
    }
    every_length(lay_indexed(4, uneven, places, ints), "indexed, not in order");
    every_length(
        lay_struct(4, (int[]){3, 1, 2, 5}, at, (layout_t *[]){chars, ints, doubles, shorts}),
        "struct of 33 bytes");
    every_length(lay_vector(4, 100, 130, doubles), "blocks of 800 bytes");
    every_length(lay_vector(3, 6000, 6100, chars), "blocks of 6000 bytes");
    every_length(lay_resized(doubles, 0, 24), "elements with gaps between");
    every_length(lay_hvector(6, 2, -48, ints), "negative stride");
    interleaved();
    lay_free(chars);
    lay_free(shorts);
    lay_free(ints);
    lay_free(doubles);
    lay_free(quads);
    lay_free(packed);
    return check_finish();
}
