/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ping-pong of layouts between two ranks.
 *
 *   pingpong [--ways] [--layout NAME]… [--quick] [--anchors] [--list]
 *
 * Rank 0 sends one message of the layout's send type, rank 1 receives it with the receive type and
 * sends one back. Before timing, and in the last turn (lib/turns.h) after it, every byte of the
 * receiver's arrays is compared with the hand-written result, gaps included. Prints per layout
 *
 *   result NAME BYTES MICROSECONDS right|WRONG
 *
 * in each turn, with the lower quartile of half a round trip. With --ways, more ways take turns
 * with it, in lines that begin with "hand", the message packed and unpacked by the hand-written
 * loops; "contiguous", as many bytes that need neither; and "limit", an empty message before and
 * after which both ends touch their cache lines once (limit.h), up to 1 MiB. Exit code 1 when a
 * byte is wrong.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layouts.h"
#include "bench/lib/turns.h"
#include "limit.h"
#include "options.h"

enum { ROUND_TRIPS = 200, TAG = 3 };
enum { LEAST_WARM = 20, MOST_WARM = 5000 }; /* round trips */
enum { MOST_LIMITED = 1 << 20 };            /* bytes; lists of more lines take too long */
static const double TIME_LIMIT = 0.3, TURN_LIMIT = 4e-3; /* seconds for one way of a layout */
static const double WARMING = 0.1;

static int rank;

typedef enum way { TYPES, HAND, CONTIGUOUS, LIMIT, WAYS } way_t;
static const char *const way_names[WAYS] = {"result", "hand", "contiguous", "limit"};
static bool all_ways;
static int ways = 1; /* of this layout */

static unsigned char *buffer; /* of packed bytes */

/* NULL: not measured */
static limit_t *send_limit, *receive_limit;

static void send(const struct layout *layout, way_t way)
{
    const struct layout_side *s = &layout->side[LAYOUT_SEND];

    if (way == TYPES) {
        MPI_Send(s->base, s->count, s->type, 1 - rank, TAG, MPI_COMM_WORLD);
        return;
    }
    if (way == HAND) {
        s->pack(s->plan, buffer);
    }
    if (way == LIMIT) {
        limit_pack(send_limit);
    }
    MPI_Send(buffer, way == LIMIT ? 0 : (int) layout->bytes, MPI_BYTE, 1 - rank, TAG,
             MPI_COMM_WORLD);
}

static void receive(const struct layout *layout, way_t way)
{
    const struct layout_side *s = &layout->side[LAYOUT_RECV];

    if (way == TYPES) {
        MPI_Recv(s->base, s->count, s->type, 1 - rank, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return;
    }
    MPI_Recv(buffer, (int) layout->bytes, MPI_BYTE, 1 - rank, TAG, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    if (way == HAND) {
        s->unpack(s->plan, buffer);
    }
    if (way == LIMIT) {
        limit_unpack(receive_limit);
    }
}

static void round_trip(const struct layout *layout, way_t way)
{
    if (rank == 0) {
        send(layout, way);
        receive(layout, way);
    } else {
        receive(layout, way);
        send(layout, way);
    }
}

/* What the arrays of the receive side must hold, by the hand-written loops alone. */
static unsigned char *expected_arrays(struct layout *layout)
{
    struct layout_side *from = &layout->side[LAYOUT_SEND], *to = &layout->side[LAYOUT_RECV];
    unsigned char *packed = layout_buffer(layout->bytes), *expected;

    layout_fill(from, 1 + (uint32_t) (1 - rank)); /* as the peer fills its arrays */
    from->pack(from->plan, packed);
    layout_fill(from, 1 + (uint32_t) rank);
    layout_clear(to);
    to->unpack(to->plan, packed);
    expected = layout_snapshot(to);
    free(packed);
    return expected;
}

static bool one_is_right(struct layout *layout, way_t way, const unsigned char *expected)
{
    size_t offset;

    layout_clear(&layout->side[LAYOUT_RECV]);
    round_trip(layout, way);
    return layout_differs(&layout->side[LAYOUT_RECV], expected, &offset) < 0;
}

/* Rank 0 tells. */
static int within(double seconds, double one, int least, int most)
{
    int n = seconds / one > most ? most : (int) (seconds / one);
    n = n < least ? least : n;
    MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return n;
}

/* Until measured promotion is over. Returns the number of messages to time, of each way. */
static int warm_up(const struct layout *layout)
{
    double start, one;
    MPI_Barrier(MPI_COMM_WORLD);
    start = bench_now();
    for (int i = 0; i < 3; i++) {
        round_trip(layout, TYPES);
    }
    one = (bench_now() - start) / 3 + 1e-9;
    for (int n = within(WARMING, one, LEAST_WARM, MOST_WARM); n > 0; n--) {
        round_trip(layout, TYPES);
    }
    return within(turns_count() > 1 ? TURN_LIMIT : TIME_LIMIT, one, 3, ROUND_TRIPS);
}

/* Seconds of a message of each way. */
static void time_messages(const struct layout *layout, int n, double seconds[WAYS])
{
    double samples[WAYS][ROUND_TRIPS], start;

    round_trip(layout, TYPES); /* caches hold another job's code */
    for (int i = 0; i < n; i++) {
        for (int way = 0; way < ways; way++) {
            start = bench_now();
            round_trip(layout, (way_t) way);
            samples[way][i] = (bench_now() - start) / 2;
        }
    }
    for (int way = 0; way < ways; way++) {
        seconds[way] = bench_undisturbed(samples[way], n);
    }
}

static void choose_ways(const struct layout *layout)
{
    int limited;

    ways = all_ways ? WAYS : 1;
    send_limit = receive_limit = NULL;
    if (!all_ways) {
        return;
    }
    if (layout->bytes <= MOST_LIMITED) {
        send_limit = limit_new(layout, LAYOUT_SEND, buffer);
        receive_limit = limit_new(layout, LAYOUT_RECV, buffer);
    }
    limited = send_limit != NULL && receive_limit != NULL;
    MPI_Allreduce(MPI_IN_PLACE, &limited, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    ways = limited ? WAYS : LIMIT;
}

/* Returns true when all bytes were right on both ranks. */
static bool run(const struct layout_spec *spec)
{
    struct layout *layout = layout_create(spec, LAYOUT_ON_LINE);
    unsigned char *expected;
    int good = true, all_good;
    double seconds[WAYS];

    buffer = layout_packed(layout, layout->bytes);
    choose_ways(layout); /* it writes into the arrays */
    expected = expected_arrays(layout);
    for (int way = 0; way < ways && way != CONTIGUOUS; way++) {
        good = one_is_right(layout, (way_t) way, expected) && good;
    }
    const int n = warm_up(layout);
    turns_next();
    for (int turn = 0; turn < turns_count(); turn++) {
        time_messages(layout, n, seconds);
        for (int way = 0; turns_count() - 1 == turn && way < ways && way != CONTIGUOUS; way++) {
            good = one_is_right(layout, (way_t) way, expected) && good;
        }
        MPI_Allreduce(&good, &all_good, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
        for (int way = 0; rank == 0 && way < ways; way++) {
            printf("%s %s %zu %.2f %s\n", way_names[way], spec->name, layout->bytes,
                   1e6 * seconds[way], all_good ? "right" : "WRONG");
        }
        turns_next();
    }
    limit_free(send_limit);
    limit_free(receive_limit);
    free(expected);
    layout_free(layout);
    return all_good;
}

int main(int argc, char **argv)
{
    struct options options = {0};
    int ranks, code = 0;

    MPI_Init(&argc, &argv);
    if (argc > 1 && strcmp(argv[1], "--ways") == 0) {
        all_ways = true;
        argv[1] = argv[0];
        argv++;
        argc--;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    turns_join(rank, ranks);
    if (ranks != 2) {
        if (rank == 0) {
            fprintf(stderr, "pingpong: needs two ranks\n");
        }
        code = 2;
    } else if (!options_read(&options, argc, argv)) {
        code = 2;
    } else if (options.list) {
        if (rank == 0) {
            options_list(&options);
        }
    } else {
        for (int l = 0; l < layouts_count(); l++) {
            if (options_select(&options, layouts_get(l)) && !run(layouts_get(l))) {
                code = 1;
            }
        }
    }
    turns_leave();
    MPI_Finalize();
    return code;
}
