/* Messages that are cut into fragments, also inside elements. The runner sets the sizes of the
   cuts; this program takes care that message lengths fall on, before and after them. Needs two
   ranks. argv[1]: typed leaves out streams of MPI_PACKED, whose fragments end inside elements. Open
   MPI 4.1.4's own engine receives them wrongly when one fragment overtakes another, 4.1.0's in any
   order. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_check.h"
#include "tests.h"
#include "types.h"

static bool untyped;
static layout_t *chars, *shorts, *ints, *doubles, *quads, *packed;

/* From rank `from` to the other: sent with one layout, received with another of its signature. */
static void move(const layout_t *sent, int64_t count, const layout_t *received, int64_t room,
                 int from, const char *name)
{
    unsigned char *stream = stream_new(sent, count, (unsigned) count);

    if (my_rank == from) {
        message_t m = msg_new(sent, count);
        msg_fill(&m, stream);
        MPI_Send(m.buf, (int) count, sent->type, 1 - from, 1, MPI_COMM_WORLD);
        check(msg_holds(&m, stream, m.bytes), "%s, %ld elements: send buffer", name, (long) count);
        msg_free(&m);
    } else if (my_rank == 1 - from) {
        message_t m = msg_new(received, room);
        MPI_Status status;
        int n;
        msg_clear(&m);
        MPI_Recv(m.buf, (int) room, received->type, from, 1, MPI_COMM_WORLD, &status);
        check(msg_holds(&m, stream, count * sent->size), "%s, %ld elements, %ld bytes", name,
              (long) count, (long) (count * sent->size));
        MPI_Get_count(&status, sent->type, &n);
        check(n == count, "%s: Get_count gives %d, not %ld", name, n, (long) count);
        msg_free(&m);
    }
    free(stream);
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
    message_t in[MESSAGES], out[MESSAGES];
    MPI_Request r[2 * MESSAGES];

    lay_commit(l);
    for (int i = 0; my_rank < 2 && i < MESSAGES; i++) {
        unsigned char *stream = stream_new(l, 2 + i, (unsigned) (i + my_rank));
        in[i] = msg_new(l, 2 + i);
        out[i] = msg_new(l, 2 + i);
        msg_clear(&in[i]);
        msg_fill(&out[i], stream);
        MPI_Irecv(in[i].buf, 2 + i, l->type, 1 - my_rank, i, MPI_COMM_WORLD, &r[i]);
        MPI_Isend(out[i].buf, 2 + i, l->type, 1 - my_rank, i, MPI_COMM_WORLD, &r[MESSAGES + i]);
        free(stream);
    }
    for (int i = 0; my_rank < 2 && i < MESSAGES; i++) {
        unsigned char *stream = stream_new(l, 2 + i, (unsigned) (i + 1 - my_rank));
        MPI_Wait(&r[i], MPI_STATUS_IGNORE);
        check(msg_holds(&in[i], stream, in[i].bytes), "interleaved message %d", i);
        MPI_Wait(&r[MESSAGES + i], MPI_STATUS_IGNORE);
        msg_free(&in[i]);
        msg_free(&out[i]);
        free(stream);
    }
    lay_free(l);
}

int frags_main(int argc, char **argv)
{
    static const int uneven[] = {3, 1, 7, 2}, places[] = {20, 0, 5, 15};
    static const MPI_Aint at[] = {0, 4, 16, 40};

    check_init(&argc, &argv);
    untyped = argc < 2 || 0 != strcmp(argv[1], "typed");
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
