/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dame_copy() between two vectors of other blocklengths, and dame_pack() in fragments: microseconds
 * for 64 KiB, the shortest of some rounds. `make -C build bench/between && build/bench/between`.
 *
 * The first table has blocks of the source down and of the target across; each pair of numbers is
 * dame_copy(), and dame_pack() with dame_unpack() through a buffer of the message's size.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "dame/datatype.h"

enum { TOTAL = 1 << 16, ROOM = 4 * TOTAL, ROUNDS = 50 };

static char source[ROOM], target[ROOM], packed[TOTAL];
static dame_context_t *context;
static dame_datatype_t *byte;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double) time.tv_sec * 1e6 + (double) time.tv_nsec / 1e3;
}

static void check(dame_status_t status)
{
    if (status != DAME_OK) {
        fprintf(stderr, "between: %s\n", dame_error_message());
        exit(EXIT_FAILURE);
    }
}

/* TOTAL bytes in blocks with gaps that are half a block long and 8 bytes. */
static dame_datatype_t *vector(int64_t block)
{
    dame_datatype_t *type;
    check(dame_datatype_hvector(TOTAL / block, block, block + block / 2 + 8, byte, &type));
    check(dame_datatype_commit(type));
    return type;
}

static void compare(const dame_datatype_t *from, const dame_datatype_t *to)
{
    double copy = 1e9, both = 1e9;
    for (int i = 0; i < ROUNDS; i++) {
        double start = now();
        check(dame_copy(from, 1, source, to, 1, target));
        double time = now() - start;
        copy = time < copy ? time : copy;
        start = now();
        check(dame_pack(from, 1, source, 0, packed, TOTAL, NULL));
        check(dame_unpack(to, 1, target, 0, packed, TOTAL, NULL));
        time = now() - start;
        both = time < both ? time : both;
    }
    printf(" %5.1f %5.1f |", copy, both);
}

static void fragments(int64_t length)
{
    dame_datatype_t *type = vector(8);
    double best = 1e9;
    for (int i = 0; i < ROUNDS; i++) {
        const double start = now();
        for (int64_t position = 0; position < TOTAL; position += length) {
            check(dame_pack(type, 1, source, position, packed, length, NULL));
        }
        const double time = (now() - start) * (double) length / TOTAL;
        best = time < best ? time : best;
    }
    printf("fragments of %6lld bytes: %7.1f ns each\n", (long long) length, best * 1000);
    dame_datatype_free(type);
}

int main(void)
{
    static const int64_t from[] = {4, 8, 16, 64, 512},
                         to[] = {4, 8, 64, 128, 256, 512, 1024, TOTAL};
    memset(source, 1, sizeof source);
    memset(target, 2, sizeof target);
    check(dame_context_new(NULL, &context));
    check(dame_datatype_basic(context, "byte", 0, &byte));
    printf("%6s", "");
    for (int k = 0; k < 8; k++) {
        printf(" %11lld |", (long long) to[k]);
    }
    for (int i = 0; i < 5; i++) {
        printf("\n%6lld", (long long) from[i]);
        for (int k = 0; k < 8; k++) {
            dame_datatype_t *one = vector(from[i]), *other = vector(to[k]);
            compare(one, other);
            dame_datatype_free(one);
            dame_datatype_free(other);
        }
    }
    printf("\n");
    for (int64_t length = 64; length <= TOTAL; length *= 4) {
        fragments(length);
    }
    dame_datatype_free(byte);
    dame_context_free(context);
    return EXIT_SUCCESS;
}
