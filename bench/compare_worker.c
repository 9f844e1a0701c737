/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times one operation at a time, on request; one of the processes that take turns of a few
 * milliseconds in bench/compare.
 *
 *   compare_worker [--layout NAME]… [--quick] [--anchors] [--warm MILLISECONDS] [--list]
 *
 * Prints "ready". Then reads lines from its standard input and answers each with the nanoseconds of
 * one operation, the third fastest of eleven samples:
 *
 *   LAYOUT on|off pack|unpack FRAGMENT KIND
 *
 * FRAGMENT: bytes; 0: the whole message.
 * KIND: own     what the process uses, by MPI_Pack and MPI_Unpack where the message is whole
 *       dame    the same, always by Open MPI's convertor
 *       native  Open MPI's own engine by its convertor, whatever component is chosen
 *       hand    the hand-written loop
 *
 * When another row comes, the bytes of each kind are compared with those of the hand-written loop,
 * and own and dame run for --warm milliseconds before they are timed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fragments.h"
#include "layouts.h"
#include "options.h"

enum { SAMPLES = 11, THIRD = 2 };

static const double SAMPLE_SECONDS = 30e-6;

/* The present measurement. */
static struct layout *layout;
static struct layout_side *side;
static unsigned char *packed;
static size_t fragment; /* 0: the whole message */
static enum kind { OWN, DAME, NATIVE, HAND, KINDS } kind;

static void pack(void)
{
    size_t size = layout->bytes;
    const size_t cut = 0 == fragment ? size : fragment;
    int position = 0;

    if (HAND == kind) {
        side->pack(side->plan, packed);
    } else if (OWN == kind && 0 == fragment) {
        MPI_Pack(side->base, side->count, side->type, packed, (int) size, &position, MPI_COMM_SELF);
    } else if (0 != dt_fragments_pack(side->base, side->count, side->type, packed, cut, &size)) {
        bench_fail(layout, "dt_fragments_pack");
    }
}

static void unpack(void)
{
    const size_t cut = 0 == fragment ? layout->bytes : fragment;
    int position = 0;

    if (HAND == kind) {
        side->unpack(side->plan, packed);
    } else if (OWN == kind && 0 == fragment) {
        MPI_Unpack(packed, (int) layout->bytes, &position, side->base, side->count, side->type,
                   MPI_COMM_SELF);
    } else if (0 != dt_fragments_unpack(side->base, side->count, side->type, packed, layout->bytes,
                                        cut)) {
        bench_fail(layout, "dt_fragments_unpack");
    }
}

static void check(void)
{
    unsigned char *expected = layout_buffer(layout->bytes), *arrays;
    size_t offset;

    layout_fill(side, 1);
    side->pack(side->plan, expected);
    pack();
    if (0 != memcmp(expected, packed, layout->bytes)) {
        bench_fail(layout, "pack");
    }
    layout_clear(side);
    side->unpack(side->plan, packed);
    arrays = layout_snapshot(side);
    layout_clear(side);
    unpack();
    if (layout_differs(side, arrays, &offset) >= 0) {
        bench_fail(layout, "unpack");
    }
    free(arrays);
    free(expected);
}

static double time_of(void (*run)(void), long n)
{
    const double start = bench_now();

    for (long i = 0; i < n; i++) {
        run();
    }
    return bench_now() - start;
}

static double measure(void (*run)(void))
{
    double samples[SAMPLES];
    long n = 1;

    run();
    while (n < 1 << 20 && time_of(run, n) < SAMPLE_SECONDS) {
        n *= 2;
    }
    for (int i = 0; i < SAMPLES; i++) {
        samples[i] = time_of(run, n) / (double) n;
    }
    (void) bench_median(samples, SAMPLES); /* sorts them */
    return 1e9 * samples[THIRD];
}

static void make_layout(const struct layout_spec *spec, enum layout_place place)
{
    if (NULL != layout && spec == layout->spec && place == layout->place) {
        return;
    }
    if (NULL != layout) {
        layout_free(layout);
    }
    layout = layout_create(spec, place);
    side = &layout->side[LAYOUT_SEND];
    packed = layout_packed(layout, layout->bytes);
}

/* The layout of that name; ends the job if it does not exist. */
static const struct layout_spec *find(const char *name)
{
    for (int l = 0; l < layouts_count(); l++) {
        if (0 == strcmp(name, layouts_get(l)->name)) {
            return layouts_get(l);
        }
    }
    fprintf(stderr, "compare_worker: unknown layout '%s'\n", name);
    MPI_Abort(MPI_COMM_WORLD, 1);
    return NULL;
}

static enum kind find_kind(const char *name)
{
    static const char *const names[KINDS] = {"own", "dame", "native", "hand"};
    int k = 0;

    while (k < KINDS && 0 != strcmp(name, names[k])) {
        k++;
    }
    return (enum kind) k;
}

static void answer(char *line, double warming)
{
    static char before[128];
    static bool is_warm[KINDS];
    char name[64], place[4], direction[7], word[7];

    if (5 != sscanf(line, "%63s %3s %6s %zu %6s", name, place, direction, &fragment, word) ||
        KINDS == (kind = find_kind(word)) || 0 != dt_fragments_native(NATIVE == kind)) {
        fprintf(stderr, "compare_worker: unknown request, or no native engine: '%s'\n", line);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    void (*run)(void) = 0 == strcmp(direction, "unpack") ? unpack : pack;
    *strrchr(line, ' ') = '\0';
    if (0 != strcmp(line, before)) {
        make_layout(find(name), 0 == strcmp(place, "off") ? LAYOUT_OFF_LINE : LAYOUT_ON_LINE);
        memset(is_warm, 0, sizeof(is_warm));
        strcpy(before, line);
    }
    if (!is_warm[kind]) {
        check();
        for (const double start = bench_now(); kind < NATIVE && bench_now() - start < warming;) {
            run();
        }
        is_warm[kind] = true;
    }
    printf("%.2f\n", measure(run));
    fflush(stdout);
}

int main(int argc, char **argv)
{
    struct options options = {.places = OPTIONS_ON | OPTIONS_OFF};
    char line[128];

    MPI_Init(&argc, &argv);
    if (!options_read(&options, argc, argv)) {
        MPI_Finalize();
        return 2;
    }
    if (options.list) {
        options_list(&options);
    } else {
        printf("ready\n");
        fflush(stdout);
        while (NULL != fgets(line, sizeof(line), stdin)) {
            answer(line, 1e-3 * (double) options.warm);
        }
    }
    MPI_Finalize();
    return 0;
}
