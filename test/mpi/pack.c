/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_Pack and MPI_Unpack, native and external32. Needs one rank. argv[1]:
 * listed or sorted, the order in which the blocks of a list must be visited; without it any will
 * do.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_check.h"
#include "pvar.h"
#include "tests.h"
#include "types.h"

enum { SPARE = 64, SPARE_BYTE = 0x5c };

static bool spare_untouched(const unsigned char *at)
{
    for (int i = 0; i < SPARE; i++) {
        if (at[i] != SPARE_BYTE) {
            return false;
        }
    }
    return true;
}

static unsigned char *packed_new(int64_t bytes)
{
    unsigned char *p = must_malloc((size_t) bytes + SPARE);
    memset(p, SPARE_BYTE, (size_t) bytes + SPARE);
    return p;
}

static void whole(const type_case_t *c, int count)
{
    const layout_t *l = c->layout;
    unsigned char *stream = stream_new(l, count, (unsigned) count);
    message_t m = msg_new(l, count);
    unsigned char *packed = packed_new(m.bytes);
    int room, at = 0;
    int64_t bad;

    MPI_Pack_size(count, l->type, MPI_COMM_WORLD, &room);
    check(room >= m.bytes, "%s: Pack_size of %d is %d", c->name, count, room);
    msg_fill(&m, stream);
    MPI_Pack(m.buf, count, l->type, packed, (int) m.bytes, &at, MPI_COMM_WORLD);
    check(at == m.bytes, "%s: Pack of %d leaves position %d", c->name, count, at);
    check(same_bytes(packed, stream, m.bytes, &bad) && spare_untouched(packed + m.bytes),
          "%s: Pack of %d", c->name, count);
    check(msg_holds(&m, stream, m.bytes), "%s: Pack changed its input", c->name);
    if (!c->send_only) {
        at = 0;
        msg_clear(&m);
        MPI_Unpack(stream, (int) m.bytes, &at, m.buf, count, l->type, MPI_COMM_WORLD);
        check(at == m.bytes, "%s: Unpack of %d leaves position %d", c->name, count, at);
        check(msg_holds(&m, stream, m.bytes), "%s: Unpack of %d", c->name, count);
    }
    msg_free(&m);
    free(packed);
    free(stream);
}

static void external32(const type_case_t *c, int count)
{
    const layout_t *l = c->layout;
    unsigned char *stream = stream_new(l, count, 3), *big = stream_new(l, count, 3);
    message_t m = msg_new(l, count);
    unsigned char *packed = packed_new(m.bytes);
    MPI_Aint room, at = 0;
    int64_t bad;

    lay_swap(l, count, big);
    MPI_Pack_external_size("external32", count, l->type, &room);
    check(room == m.bytes, "%s: Pack_external_size of %d is %ld", c->name, count, (long) room);
    msg_fill(&m, stream);
    MPI_Pack_external("external32", m.buf, count, l->type, packed, m.bytes, &at);
    check(at == m.bytes && same_bytes(packed, big, m.bytes, &bad) &&
              spare_untouched(packed + m.bytes),
          "%s: Pack_external of %d", c->name, count);
    if (!c->send_only) {
        at = 0;
        msg_clear(&m);
        MPI_Unpack_external("external32", big, m.bytes, &at, m.buf, count, l->type);
        check(at == m.bytes && msg_holds(&m, stream, m.bytes), "%s: Unpack_external of %d", c->name,
              count);
    }
    msg_free(&m);
    free(packed);
    free(big);
    free(stream);
}

/* A longer message than any block of Open MPI's, and one with very many small blocks. */
static void large(void)
{
    layout_t *doubles = lay_basic(MPI_DOUBLE, 8, 8), *chars = lay_basic(MPI_CHAR, 1, 1);
    type_case_t wide = {.name = "4 MiB vector", .layout = lay_vector(1 << 19, 1, 2, doubles)};
    type_case_t fine = {.name = "bytes", .layout = lay_vector(100000, 1, 2, chars)};

    lay_commit(wide.layout);
    lay_commit(fine.layout);
    whole(&wide, 1);
    whole(&fine, 3);
    lay_free(wide.layout);
    lay_free(fine.layout);
    lay_free(doubles);
    lay_free(chars);
}

/* MPI forbids to unpack blocks that overlap. Here it shows which one was written last. */
static void order_of_visits(bool sorted)
{
    enum { BLOCKS = 64, INTS = BLOCKS + 1 };
    int displacements[BLOCKS], block_at[BLOCKS], packed[2 * BLOCKS];
    int memory[INTS] = {0}, expected[INTS] = {0}, at = 0;
    uint64_t state = 1;
    MPI_Datatype type;

    for (int i = 0; i < BLOCKS; i++) { /* a permutation */
        int j = (int) (random_next(&state) % (uint64_t) (i + 1));
        displacements[i] = displacements[j];
        displacements[j] = i;
    }
    for (int i = 0; i < BLOCKS; i++) {
        block_at[displacements[i]] = i;
        packed[2 * i] = packed[2 * i + 1] = i + 1;
    }
    for (int i = 0; i < BLOCKS; i++) {
        int block = sorted ? block_at[i] : i;
        expected[displacements[block]] = expected[displacements[block] + 1] = block + 1;
    }
    MPI_Type_create_indexed_block(BLOCKS, 2, displacements, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Unpack(packed, (int) sizeof(packed), &at, memory, 1, type, MPI_COMM_WORLD);
    MPI_Type_free(&type);
    check(memcmp(memory, expected, sizeof(memory)) == 0, "a list is visited as it is %s",
          sorted ? "sorted" : "listed");
}

/*
 * MPI forbids packed bytes within the data. Open MPI's own engine copies block after block, which
 * gives the right bytes when packing to the beginning of the data. Unpacking there gives what its
 * release gives, the same each time. A program that relies on it goes on working, whichever engine
 * has machine code for the datatype by then.
 */
static void in_place(MPI_Datatype element, int size, int length, int gap)
{
    enum { BLOCKS = 16, TIMES = 300, MOST = 2048 };
    const int block = length * size, step = (length + gap) * size, bytes = BLOCKS * block;
    char data[MOST], first[MOST];
    MPI_Datatype type;
    int packed_wrongly = 0, changed = 0;
    MPI_Type_vector(BLOCKS, length, length + gap, element, &type);
    MPI_Type_commit(&type);
    for (int i = 0; i < TIMES; i++) {
        int at = 0;
        for (int k = 0; k < MOST; k++) {
            data[k] = (char) (7 * k + i);
        }
        MPI_Pack(data, 1, type, data, bytes, &at, MPI_COMM_SELF);
        for (int k = 0; k < bytes; k++) {
            packed_wrongly += data[k] != (char) (7 * (k / block * step + k % block) + i);
        }
        for (int k = 0; k < MOST; k++) {
            data[k] = (char) (7 * k);
        }
        at = 0;
        MPI_Unpack(data, bytes, &at, data, 1, type, MPI_COMM_SELF);
        changed += i > 0 && memcmp(data, first, sizeof(data)) != 0;
        memcpy(first, data, sizeof(data));
    }
    check(
        packed_wrongly == 0 && changed == 0,
        "%d blocks of %d x %d bytes in place: %d bytes packed wrongly, %d times unpacked otherwise",
        BLOCKS, length, size, packed_wrongly, changed);
    MPI_Type_free(&type);
}

/* Packed bytes in a gap of the data are legal, and DAME's; only those that overlap are left. */
static void in_a_gap(void)
{
    enum { BLOCKS = 20, FAR = 100 };
    int memory[3 * FAR], at = 0, wrong = 0;
    MPI_Datatype half, both;
    MPI_Type_vector(BLOCKS, 1, 2, MPI_INT, &half);
    MPI_Type_create_hvector(2, 1, 2 * FAR * sizeof(int), half, &both);
    MPI_Type_commit(&both);
    for (int i = 0; i < 3 * FAR; i++) {
        memory[i] = i;
    }
    const bool counts = pvar_start("dt_dame_") > 0;
    const long long before = pvar_read("dt_dame_declined_overlap");
    MPI_Pack(memory, 1, both, memory + FAR, 2 * BLOCKS * sizeof(int), &at, MPI_COMM_SELF);
    for (int i = 0; i < 2 * BLOCKS; i++) {
        wrong += memory[FAR + i] != i / BLOCKS * 2 * FAR + i % BLOCKS * 2;
    }
    check(wrong == 0, "packed in a gap: %d of %d wrong", wrong, 2 * BLOCKS);
    check(!counts || before == pvar_read("dt_dame_declined_overlap"), "a gap is not an overlap");
    at = 0;
    MPI_Pack(memory, 1, both, memory, 2 * BLOCKS * sizeof(int), &at, MPI_COMM_SELF);
    check(!counts || before + 1 == pvar_read("dt_dame_declined_overlap"), "an overlap is counted");
    pvar_done();
    MPI_Type_free(&half);
    MPI_Type_free(&both);
}

static void all_in_place(void)
{
    in_a_gap();
    const MPI_Datatype elements[] = {MPI_CHAR, MPI_SHORT, MPI_INT, MPI_DOUBLE};
    for (int i = 0; i < 4; i++) {
        for (int length = 1; length < 4; length++) {
            in_place(elements[i], 1 << i, length, 2);
        }
    }
}

int pack_main(int argc, char **argv)
{
    static const int counts[] = {0, 1, 2, 3, 16, 40};

    check_init(&argc, &argv);
    if (argc > 1) {
        order_of_visits(strcmp("sorted", argv[1]) == 0);
    }
    types_t *types = types_new();

    for (int i = 0; i < types_count(types); i++) {
        const type_case_t *c = types_at(types, i);
        for (int k = 0; k < 6; k++) {
            whole(c, counts[k]);
            if (c->external) {
                external32(c, counts[k]);
            }
        }
    }
    large();
    all_in_place();
    types_free(types);
    return check_finish();
}
