/* SPDX-License-Identifier: BSD-3-Clause */
/* Datatypes die early, die often, and leave their address to others. Needs two ranks.
   argv[1]: short, for slow runs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exchange.h"
#include "tests.h"
#include "types.h"

enum { CHURN = 100000, SHORT_CHURN = 3000, MOST_GROWTH_KIB = 2048 };

/* A vector of many elements, of a shape that depends on k only. */
static layout_t *shape(int k, const layout_t *ints)
{
    layout_t *l = lay_vector(3000 + 500 * k, 1 + k % 3, 4 + k % 2, ints);
    lay_commit(l);
    return l;
}

/* MPI_Type_free between Isend (Irecv) and Wait; meanwhile the address serves other types. */
static void freed_in_flight(void)
{
    enum { MESSAGES = 12 };
    layout_t *ints = lay_basic(MPI_INT, 4, 4);

    for (int round = 0; my_rank < 2 && round < 10; round++) {
        layout_t *l[MESSAGES], *other[MESSAGES], *dups[MESSAGES];
        message_t m[MESSAGES];
        unsigned char *streams[MESSAGES];
        MPI_Request r[MESSAGES];
        bool sends = round % 2 == my_rank;
        for (int k = 0; k < MESSAGES; k++) {
            l[k] = shape(k, ints);
            streams[k] = stream_new(l[k], 2, (unsigned) (k + round));
            m[k] = msg_new(l[k], 2);
            if (sends) {
                msg_fill(&m[k], streams[k]);
                MPI_Isend(m[k].buf, 2, l[k]->type, 1 - my_rank, k, MPI_COMM_WORLD, &r[k]);
            } else {
                msg_clear(&m[k]);
                MPI_Irecv(m[k].buf, 2, l[k]->type, 1 - my_rank, k, MPI_COMM_WORLD, &r[k]);
            }
            dups[k] = k % 3 ? NULL : lay_dup(l[k]);
            MPI_Type_free(&l[k]->type);
            lay_release(l[k]);
        }
        for (int k = 0; k < MESSAGES; k++) {
            other[k] = shape(MESSAGES - k, ints); /* used in full while the first are under way */
            check(moves_right(other[k], 1), "moved while others are in flight");
        }
        for (int k = MESSAGES - 1; k >= 0; k--) {
            MPI_Wait(&r[k], MPI_STATUS_IGNORE);
            check(msg_holds(&m[k], streams[k], m[k].bytes), "type freed before Wait, %s, shape %d",
                  sends ? "sender" : "receiver", k);
            msg_free(&m[k]);
            free(streams[k]);
            lay_free(l[k]);
            lay_free(dups[k]);
            lay_free(other[k]);
        }
    }
    lay_free(ints);
}

/* The same with a persistent request: started several times after the type is gone. */
static void freed_persistent(void)
{
    layout_t *ints = lay_basic(MPI_INT, 4, 4), *l = shape(5, ints);
    unsigned char *stream = stream_new(l, 3, 3);
    message_t m = msg_new(l, 3);
    MPI_Request r;

    if (my_rank < 2) {
        if (my_rank == 0) {
            MPI_Send_init(m.buf, 3, l->type, 1, 9, MPI_COMM_WORLD, &r);
        } else {
            MPI_Recv_init(m.buf, 3, l->type, 0, 9, MPI_COMM_WORLD, &r);
        }
        MPI_Type_free(&l->type);
        lay_release(l);
        layout_t *other = shape(6, ints);
        for (int i = 0; i < 4; i++) {
            if (my_rank == 0) {
                msg_fill(&m, stream);
            } else {
                msg_clear(&m);
            }
            MPI_Start(&r);
            MPI_Wait(&r, MPI_STATUS_IGNORE);
            check(msg_holds(&m, stream, m.bytes), "persistent, type freed, start %d", i);
        }
        MPI_Request_free(&r);
        lay_free(other);
    }
    msg_free(&m);
    free(stream);
    lay_free(l);
    lay_free(ints);
}

/* A dup of a committed type is committed; it outlives the type, used before or not. */
static void duplicates(const types_t *types)
{
    for (int i = 0; i < types_count(types); i++) {
        const type_case_t *c = types_at(types, i);
        if (c->send_only || c->layout->arena != NULL) {
            continue;
        }
        layout_t *first = lay_dup(c->layout);
        check(moves_right(first, 3), "dup of %s", c->name);
        layout_t *second = lay_dup(first);
        lay_free(first);
        check(moves_right(second, 3), "dup of a freed dup of %s", c->name);
        layout_t *third = lay_dup(second), *fourth = lay_dup(third);
        lay_free(third);
        lay_free(second);
        check(moves_right(fourth, 3), "dup of freed unused dup of %s", c->name);
        check(moves_right(c->layout, 3), "%s after its dups are freed", c->name);
        lay_free(fourth);
    }
}

/* ---- 100,000 datatypes of one shape, one after the other ---- */

enum { BLOCKS = 4, SPAN = 256 }; /* ints */

/* Fills displacements (ints) with different places, in any order. */
static void places(uint64_t *state, int *at)
{
    for (int i = 0; i < BLOCKS; i++) {
        at[i] = i * (SPAN / BLOCKS) + (int) (random_next(state) % (SPAN / BLOCKS - 2));
    }
    int a = (int) (random_next(state) % BLOCKS), b = (int) (random_next(state) % BLOCKS);
    int c = at[a];
    at[a] = at[b];
    at[b] = c;
}

static MPI_Datatype make(const int *at, const int *memory, bool absolute)
{
    MPI_Datatype type;

    if (absolute) {
        MPI_Aint where[BLOCKS];
        for (int i = 0; i < BLOCKS; i++) {
            MPI_Get_address(memory + at[i], &where[i]);
        }
        MPI_Type_create_hindexed_block(BLOCKS, 2, where, MPI_INT, &type);
    } else {
        MPI_Type_create_indexed_block(BLOCKS, 2, at, MPI_INT, &type);
    }
    MPI_Type_commit(&type);
    return type;
}

static bool one_life(uint64_t *state, int *memory, int k)
{
    int at[BLOCKS], packed[2 * BLOCKS], position = 0;
    bool absolute = 0 == k % 3, ok = true;

    places(state, at);
    MPI_Datatype type = make(at, memory, absolute);
    void *buf = absolute ? MPI_BOTTOM : memory;
    if (0 == k % 7) { /* committed, never used */
        MPI_Type_free(&type);
        return true;
    }
    if (0 == k % 2) {
        MPI_Pack(buf, 1, type, packed, sizeof(packed), &position, MPI_COMM_SELF);
    } else {
        for (int i = 0; i < 2 * BLOCKS; i++) {
            packed[i] = k * 16 + i;
        }
        MPI_Unpack(packed, sizeof(packed), &position, buf, 1, type, MPI_COMM_SELF);
    }
    for (int i = 0; i < BLOCKS; i++) {
        ok = ok && packed[2 * i] == memory[at[i]] && packed[2 * i + 1] == memory[at[i] + 1];
    }
    MPI_Type_free(&type);
    return ok;
}

void churn(int lives)
{
    int *memory = must_malloc((SPAN + 2) * sizeof(int));
    uint64_t state = 77 + (uint64_t) my_rank;
    long wrong = 0, first_wrong = -1, before = 0;

    for (int i = 0; i < SPAN + 2; i++) {
        memory[i] = 1000000 + i;
    }
    for (int k = 0; k < lives; k++) {
        if (lives / 10 == k) {
            before = resident_kib();
        }
        if (!one_life(&state, memory, k)) {
            first_wrong = wrong++ ? first_wrong : k;
        }
    }
    long after = resident_kib();
    check(wrong == 0, "%ld of %d lives wrong, the first is %ld", wrong, lives, first_wrong);
    check(after - before < MOST_GROWTH_KIB, "resident size grew from %ld to %ld KiB", before,
          after);
    free(memory);
}

/* The same between two ranks, with messages long enough to be cut. */
static void churn_messages(void)
{
    layout_t *ints = lay_basic(MPI_INT, 4, 4);
    uint64_t state = 3;

    for (int k = 0; my_rank < 2 && k < 400; k++) {
        int at[BLOCKS], from = k % 2;
        places(&state, at);
        layout_t *small = lay_indexed_block(BLOCKS, 2, at, ints);
        layout_t *l = lay_contiguous(k % 4 ? 20 : 600, small);
        lay_commit(l);
        exchange(l, 1, l, 1, SEND, RECV, from, "a type of its own");
        lay_free(l);
        lay_free(small);
    }
    lay_free(ints);
}

/* Uses of the ending datatype by a delete callback, and other datatypes that it may free
 * meanwhile. */
typedef struct last_use {
    const layout_t *layout; /* the shape of the datatype that ends */
    MPI_Datatype other;     /* to be freed, or MPI_DATATYPE_NULL */
    bool makes_another;
    int calls, wrong;
} last_use_t;

static int use_for_the_last_time(MPI_Datatype type, int key, void *value, void *extra)
{
    last_use_t *use = value;
    (void) key;
    (void) extra;
    use->calls++;
    use->wrong += !packs_as(type, use->layout);
    if (use->other != MPI_DATATYPE_NULL) {
        MPI_Type_free(&use->other);
        use->wrong += !packs_as(type, use->layout);
    }
    if (use->makes_another) {
        MPI_Datatype another;
        MPI_Type_dup(use->layout->type, &another);
        use->wrong += !packs_as(another, use->layout);
        MPI_Type_free(&another);
        use->wrong += !packs_as(type, use->layout);
    }
    return MPI_SUCCESS;
}

/* Attributes are deleted while their datatype ends: its address then serves another. */
static void used_while_they_end(void)
{
    enum { ROUNDS = 300 };
    layout_t *ints = lay_basic(MPI_INT, 4, 4);
    int key, calls = 0, wrong = 0, wrong_after = 0, reused = 0;

    MPI_Type_create_keyval(MPI_TYPE_DUP_FN, use_for_the_last_time, &key, NULL);
    for (int round = 0; round < ROUNDS; round++) {
        layout_t *model = lay_vector(20 + round % 5, 1, 3, ints);
        layout_t *other = lay_vector(40, 1, 2, ints);
        MPI_Datatype first, second = MPI_DATATYPE_NULL, inner;
        last_use_t inner_use = {.layout = other, .other = MPI_DATATYPE_NULL};
        last_use_t use = {model, MPI_DATATYPE_NULL, 0 == round % 4, 0, 0};
        lay_commit(model);
        lay_commit(other);
        MPI_Type_dup(model->type, &first);
        MPI_Type_set_attr(first, key, &use);
        if (0 == round % 2) {
            wrong += !packs_as(first, model); /* known before */
        }
        if (0 == round % 3) { /* with the attribute */
            MPI_Type_dup(first, &second);
        }
        if (0 == round % 5) { /* ends in the midst of the first one's end */
            MPI_Type_dup(other->type, &inner);
            MPI_Type_set_attr(inner, key, &inner_use);
            use.other = inner;
        }
        uintptr_t address = (uintptr_t) first;
        MPI_Type_free(&first);
        layout_t *next = lay_vector(30, 2, 5, ints);
        lay_commit(next);
        reused += (uintptr_t) next->type == address;
        wrong_after += !packs_as(next->type, next);
        if (second != MPI_DATATYPE_NULL) {
            MPI_Type_free(&second);
        }
        layout_t *last = lay_vector(35, 1, 6, ints);
        lay_commit(last);
        wrong_after += !packs_as(last->type, last);
        calls += use.calls + inner_use.calls;
        wrong += use.wrong + inner_use.wrong;
        lay_free(last);
        lay_free(next);
        lay_free(other);
        lay_free(model);
    }
    MPI_Type_free_keyval(&key);
    check(ROUNDS + ROUNDS / 3 + ROUNDS / 5 == calls, "%d delete callbacks", calls);
    check(wrong == 0, "delete callbacks pack %d times wrong", wrong);
    check(wrong_after == 0, "%d of %d datatypes after them pack wrong, %d at an address of before",
          wrong_after, 2 * ROUNDS, reused);
    lay_free(ints);
}

int lifetime_main(int argc, char **argv)
{
    check_init(&argc, &argv);
    types_t *types = types_new();

    freed_in_flight();
    freed_persistent();
    duplicates(types);
    used_while_they_end();
    churn_messages();
    churn(argc > 1 && strcmp(argv[1], "short") == 0 ? SHORT_CHURN : CHURN);
    types_free(types);
    return check_finish();
}
