/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every layout of the corpus (bench/layouts.h) through MPI, against pack and unpack written by
 * hand.
 *
 *   corpus [--once] [NAME …]     all layouts, or those that a NAME selects
 *
 * MPI_Pack against the hand-written pack and MPI_Unpack against the hand-written unpack, both sides
 * of each layout. With two or more ranks also real messages between ranks 0 and 1, send type to
 * receive type, packed bytes to receive type and send type to packed bytes. All comparisons cover
 * every byte of all arrays, so that a byte written between the blocks is an error too. Everything
 * is done twice: with buffers on cache lines, and off them. Of two ranks, one packs and unpacks
 * with the former and the other with the latter. With --once, every second layout on cache lines,
 * and the others off them.
 *
 * One line per failure; the last line is exactly "N passed, M failed", summed over the ranks. Exit
 * code 0 when nothing failed, 1 when something did, 2 when a NAME selects nothing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/layouts.h"

enum { GUARD = 64, GUARD_BYTE = 0x5C, TAG = 7 };

static int rank;
static long passed, failed;

static const char *const side_name[] = {"send", "receive"};

static void verdict(bool good, const struct layout *layout, int side, const char *what)
{
    if (good) {
        passed++;
        return;
    }
    failed++;
    printf("rank %d: %s, buffers %s cache lines, %s type: %s\n", rank, layout->spec->name,
           layout->place == LAYOUT_OFF_LINE ? "off" : "on", side_name[side], what);
}

/* Compares n packed bytes and says in one line where they differ. */
static void check_bytes(const struct layout *layout, int side, const char *what,
                        const unsigned char *got, const unsigned char *expected)
{
    char text[160];
    size_t at = 0;

    while (at < layout->bytes && got[at] == expected[at])
        at++;
    snprintf(text, sizeof(text), "%s: packed byte %zu of %zu is wrong", what, at, layout->bytes);
    verdict(at == layout->bytes, layout, side, text);
}

/* Compares all arrays of a side with a snapshot. */
static void check_arrays(const struct layout *layout, int side, const char *what,
                         const unsigned char *expected)
{
    char text[160];
    size_t offset = 0;
    const int array = layout_differs(&layout->side[side], expected, &offset);

    snprintf(text, sizeof(text), "%s: byte %zu of array %d is wrong", what, offset, array);
    verdict(array < 0, layout, side, text);
}

/* A packed buffer with a guard behind it. */
static unsigned char *packed_buffer(struct layout *layout)
{
    unsigned char *buffer = layout_packed(layout, layout->bytes + GUARD);

    memset(buffer, GUARD_BYTE, layout->bytes + GUARD);
    return buffer;
}

static void check_guard(const struct layout *layout, int side, const char *what,
                        const unsigned char *buffer)
{
    bool intact = true;

    for (int i = 0; i < GUARD; i++)
        intact = intact && buffer[layout->bytes + (size_t) i] == GUARD_BYTE;
    verdict(intact, layout, side, what);
}

/* The arrays of a side after the hand-written unpack of `packed` into cleared arrays. */
static unsigned char *expected_arrays(struct layout_side *side, const unsigned char *packed)
{
    layout_clear(side);
    side->unpack(side->plan, packed);
    return layout_snapshot(side);
}

static void test_pack(struct layout *layout, int side)
{
    struct layout_side *s = &layout->side[side];
    unsigned char *expected = packed_buffer(layout), *got = packed_buffer(layout), *source;
    int position = 0, size = 0;

    layout_fill(s, 1);
    source = layout_snapshot(s);
    s->pack(s->plan, expected);
    check_guard(layout, side, "hand pack writes past the end", expected);
    MPI_Pack_size(s->count, s->type, MPI_COMM_WORLD, &size);
    verdict((size_t) size >= layout->bytes, layout, side, "MPI_Pack_size is too small");
    MPI_Pack(s->base, s->count, s->type, got, (int) layout->bytes, &position, MPI_COMM_WORLD);
    verdict((size_t) position == layout->bytes, layout, side, "MPI_Pack: wrong position");
    check_bytes(layout, side, "MPI_Pack", got, expected);
    check_guard(layout, side, "MPI_Pack writes past the end", got);
    check_arrays(layout, side, "MPI_Pack changes the source", source);
    free(source);
}

static void test_unpack(struct layout *layout, int side)
{
    struct layout_side *s = &layout->side[side];
    unsigned char *packed = packed_buffer(layout), *again = packed_buffer(layout), *expected;
    int position = 0;

    layout_fill_bytes(packed, layout->bytes, 2);
    expected = expected_arrays(s, packed);
    s->pack(s->plan, again);
    check_bytes(layout, side, "hand unpack, then hand pack", again, packed);
    layout_clear(s);
    MPI_Unpack(packed, (int) layout->bytes, &position, s->base, s->count, s->type, MPI_COMM_WORLD);
    verdict((size_t) position == layout->bytes, layout, side, "MPI_Unpack: wrong position");
    check_arrays(layout, side, "MPI_Unpack", expected);
    free(expected);
}

/* ---- two ranks ---- */

/* What the peer packs: its send side filled with its seed. Uses our own send side for it. */
static void peer_packed(struct layout *layout, int peer, unsigned char *packed)
{
    struct layout_side *s = &layout->side[LAYOUT_SEND];

    layout_fill(s, 10 + (uint32_t) peer);
    s->pack(s->plan, packed);
    layout_fill(s, 10 + (uint32_t) rank);
}

/* Rank 0 sends first, then rank 1. */
static void exchange(const void *out, int out_count, MPI_Datatype out_type, void *in, int in_count,
                     MPI_Datatype in_type)
{
    const int peer = 1 - rank;

    if (rank == 0)
        MPI_Send(out, out_count, out_type, peer, TAG, MPI_COMM_WORLD);
    MPI_Recv(in, in_count, in_type, peer, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1)
        MPI_Send(out, out_count, out_type, peer, TAG, MPI_COMM_WORLD);
}

static void test_messages(struct layout *layout)
{
    struct layout_side *send = &layout->side[LAYOUT_SEND], *recv = &layout->side[LAYOUT_RECV];
    const int bytes = (int) layout->bytes;
    unsigned char *packed = packed_buffer(layout), *mine = packed_buffer(layout);
    unsigned char *got = packed_buffer(layout), *expected;
    MPI_Request request;

    peer_packed(layout, 1 - rank, packed);
    send->pack(send->plan, mine);
    expected = expected_arrays(recv, packed);

    layout_clear(recv);
    exchange(send->base, send->count, send->type, recv->base, recv->count, recv->type);
    check_arrays(layout, LAYOUT_RECV, "Send/Recv", expected);

    layout_clear(recv);
    MPI_Irecv(recv->base, recv->count, recv->type, 1 - rank, TAG, MPI_COMM_WORLD, &request);
    MPI_Send(send->base, send->count, send->type, 1 - rank, TAG, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check_arrays(layout, LAYOUT_RECV, "Irecv/Send in both directions at once", expected);

    layout_clear(recv);
    exchange(mine, bytes, MPI_PACKED, recv->base, recv->count, recv->type);
    check_arrays(layout, LAYOUT_RECV, "packed bytes to receive type", expected);

    exchange(send->base, send->count, send->type, got, bytes, MPI_PACKED);
    check_bytes(layout, LAYOUT_SEND, "send type to packed bytes", got, packed);
    check_guard(layout, LAYOUT_SEND, "receive writes past the end", got);
    free(expected);
}

static void test_layout(const struct layout_spec *spec, enum layout_place place, int ranks)
{
    struct layout *layout = layout_create(spec, place);

    for (int side = 0; side < 2 && (ranks == 1 || rank % 2 == (place == LAYOUT_OFF_LINE)); side++) {
        test_pack(layout, side);
        test_unpack(layout, side);
    }
    if (ranks >= 2 && rank < 2)
        test_messages(layout);
    layout_free(layout);
}

/* ---- main ---- */

static bool selected(const struct layout_spec *spec, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (layouts_match(spec, argv[i]))
            return true;
    return argc < 2 && (spec->flags & LAYOUT_SERIES) == 0;
}

static int check_arguments(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        bool known = false;
        for (int l = 0; l < layouts_count(); l++)
            known = known || layouts_match(layouts_get(l), argv[i]);
        if (!known) {
            if (rank == 0)
                fprintf(stderr, "corpus: no layout is called '%s'\n", argv[i]);
            return 2;
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    long mine[2], all[2] = {0, 0};
    int ranks, code;
    const bool once = argc > 1 && strcmp(argv[1], "--once") == 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    argc -= once;
    argv += once;
    code = check_arguments(argc, argv);
    for (int l = 0; code == 0 && l < layouts_count(); l++) {
        if (!selected(layouts_get(l), argc, argv))
            continue;
        if (!once || l % 2 == 0)
            test_layout(layouts_get(l), LAYOUT_ON_LINE, ranks);
        if (!once || l % 2 == 1)
            test_layout(layouts_get(l), LAYOUT_OFF_LINE, ranks);
    }
    mine[0] = passed;
    mine[1] = failed;
    fflush(stdout);
    MPI_Reduce(mine, all, 2, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Bcast(all, 2, MPI_LONG, 0, MPI_COMM_WORLD);
    if (rank == 0 && code == 0)
        printf("%ld passed, %ld failed\n", all[0], all[1]);
    MPI_Finalize();
    return code != 0 ? code : all[1] > 0;
}
