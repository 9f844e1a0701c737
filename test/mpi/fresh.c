/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * New datatypes: Open MPI's own engine moves them until importing their layout pays. Two ranks.
 * argv[1]: pays, the default; or N, the message at which layouts are imported.
 */
#include <stdlib.h>
#include <string.h>

#include "mpi_check.h"
#include "pvar.h"
#include "tests.h"

enum { ENTRIES = 3000, STRIDE = 4, MOST_USES = 2000 };

static double memory[ENTRIES * STRIDE], packed[ENTRIES], received[ENTRIES * STRIDE];
static int list[ENTRIES];
static unsigned state = 1;

/* One that no earlier datatype has: entry i in the i-th stretch of STRIDE. */
static void draw_list(void)
{
    for (int i = 0; i < ENTRIES; i++) {
        state = state * 1103515245u + 12345u;
        list[i] = i * STRIDE + (int) (state >> 16) % STRIDE;
    }
}

static MPI_Datatype make_list(void)
{
    MPI_Datatype type;
    MPI_Type_create_indexed_block(ENTRIES, 1, list, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    return type;
}

static bool packs_right(MPI_Datatype type)
{
    int at = 0, wrong = 0;
    memset(packed, 0, sizeof(packed));
    MPI_Pack(memory, 1, type, packed, sizeof(packed), &at, MPI_COMM_SELF);
    for (int i = 0; i < ENTRIES; i++) {
        wrong += packed[i] != memory[list[i]];
    }
    return wrong == 0 && sizeof(packed) == at;
}

static long long waited(void)
{
    return pvar_read("dt_dame_messages_before_import");
}

static long long imported(void)
{
    return pvar_read("dt_dame_layouts_imported");
}

/* Packs until a counter changes; returns the uses that it took, 0: all right ones were not
 * enough.
 */
static int uses_until(MPI_Datatype type, const char *counter)
{
    const long long before = pvar_read(counter);
    for (int use = 1; use <= MOST_USES; use++) {
        if (!packs_right(type)) {
            return 0;
        }
        if (before != pvar_read(counter)) {
            return use;
        }
    }
    return 0;
}

static void a_list_that_is_used_once_is_not_imported(void)
{
    const long long before = imported(), messages = waited();
    int right = 0;
    for (int i = 0; i < 100; i++) {
        draw_list();
        MPI_Datatype type = make_list();
        right += packs_right(type);
        MPI_Type_free(&type);
    }
    check(right == 100, "%d of 100 packed right", right);
    check(before == imported(), "%lld layouts were imported", imported() - before);
    check(messages + 100 == waited(), "%lld messages were counted", waited() - messages);
}

static void a_list_that_is_used_often_is_imported(void)
{
    draw_list();
    MPI_Datatype type = make_list();
    const int uses = uses_until(type, "dt_dame_layouts_imported");
    check(uses > 1, "imported at use %d", uses);
    long long before = pvar_read("dt_dame_messages_packed");
    check(packs_right(type) && before + 1 == pvar_read("dt_dame_messages_packed"),
          "from then on DAME packs");
    MPI_Type_free(&type);
    type = make_list();
    before = imported();
    const int found = uses_until(type, "dt_dame_messages_packed");
    check(0 < found && before == imported(),
          "and another datatype of that layout, with no import, at use %d", found);
    MPI_Type_free(&type);
}

static void lives_of_one_use_add_up(void)
{
    const long long before = imported();
    int lives = 0;
    draw_list();
    while (before == imported() && lives < MOST_USES) {
        MPI_Datatype type = make_list();
        check(packs_right(type), "packed");
        MPI_Type_free(&type);
        lives++;
    }
    check(1 < lives && lives < MOST_USES, "%d lives of one use", lives);
}

/* Their fingerprints are alike, their layouts are not: what some have gained pays for one import
 * only.
 */
static void lists_that_look_alike_are_imported_now_and_then(void)
{
    enum { LIVES = 300 };
    const long long before = imported();
    int right = 0;
    draw_list();
    for (int i = 0; i < LIVES; i++) {
        list[ENTRIES / 3 + i] ^= 1;
        MPI_Datatype type = make_list();
        right += packs_right(type);
        MPI_Type_free(&type);
    }
    check(right == LIVES, "%d of %d packed right", right, LIVES);
    check(imported() - before <= LIVES / 2, "%lld of %d were imported", imported() - before, LIVES);
}

/* Fewer uses than the import of a small datatype takes: most of its messages are not even looked
 * at. */
static void small_datatypes_are_imported_when_they_are_used_often(void)
{
    enum { USES = 5, OFTEN = 1000 };
    const long long before = imported(), messages = waited();
    MPI_Datatype type;
    for (int i = 0; i < 100; i++) {
        MPI_Type_create_indexed_block(3, 1, (int[]){0, 2 + i, 5 + 3 * i}, MPI_DOUBLE, &type);
        MPI_Type_commit(&type);
        for (int use = 0; use < USES + (i == 99) * OFTEN; use++) {
            double three[3];
            int at = 0;
            MPI_Pack(memory, 1, type, three, sizeof(three), &at, MPI_COMM_SELF);
            check(three[1] == memory[2 + i] && three[2] == memory[5 + 3 * i], "packed");
        }
        MPI_Type_free(&type);
    }
    check(imported() - before == 1, "%lld imported", imported() - before);
    check(waited() - messages < 100 * USES + OFTEN, "and its later messages are DAME's");
}

/* A request keeps its convertor: one that began with Open MPI's engine must not stay with it. */
static void persistent_requests_come_to_dame(void)
{
    enum { STARTS = 300 };
    MPI_Request request;
    int wrong = 0;
    draw_list();
    MPI_Datatype type = make_list();
    const char *counter = my_rank == 0 ? "dt_dame_messages_packed" : "dt_dame_messages_unpacked";
    const long long before = pvar_read(counter);
    if (my_rank == 0) {
        MPI_Send_init(memory, 1, type, 1, 1, MPI_COMM_WORLD, &request);
    } else {
        MPI_Recv_init(received, 1, type, 0, 1, MPI_COMM_WORLD, &request);
    }
    for (int i = 0; i < STARTS; i++) {
        memset(received, 0, sizeof(received));
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        for (int k = 0; my_rank == 1 && k < ENTRIES; k++) {
            wrong += received[list[k]] != memory[list[k]];
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    check(wrong == 0, "%d wrong elements", wrong);
    check(pvar_read(counter) - before > STARTS / 2, "%lld of %d by DAME",
          pvar_read(counter) - before, STARTS);
    MPI_Request_free(&request);
    MPI_Type_free(&type);
}

/* Used until its layout is imported, in the middle of other messages of it. */
static void messages_under_way_stay_right(void)
{
    enum { REQUESTS = 40 };
    static double many[REQUESTS][ENTRIES * STRIDE];
    MPI_Request requests[REQUESTS];
    int wrong = 0;
    draw_list();
    MPI_Datatype type = make_list();
    for (int i = 0; i < REQUESTS; i++) {
        if (my_rank == 0) {
            MPI_Isend(memory, 1, type, 1, i, MPI_COMM_WORLD, &requests[i]);
        } else {
            MPI_Irecv(many[i], 1, type, 0, i, MPI_COMM_WORLD, &requests[i]);
        }
    }
    MPI_Type_free(&type);
    MPI_Waitall(REQUESTS, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; my_rank == 1 && i < REQUESTS; i++) {
        for (int k = 0; k < ENTRIES; k++) {
            wrong += many[i][list[k]] != memory[list[k]];
        }
    }
    check(wrong == 0, "%d wrong elements", wrong);
}

static void what_one_use_repays_is_imported_at_once(void)
{
    const long long before = imported();
    MPI_Datatype type;
    int at = 0;
    MPI_Type_vector(ENTRIES, 1, STRIDE, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    MPI_Pack(memory, 1, type, packed, sizeof(packed), &at, MPI_COMM_SELF);
    check(before + 1 == imported(), "a vector");
    MPI_Type_free(&type);
}

static void imported_at_message(int n)
{
    for (int i = 0; i < 3; i++) {
        draw_list();
        MPI_Datatype type = make_list();
        const int use = uses_until(type, "dt_dame_layouts_imported");
        check(n == use, "at message %d", use);
        MPI_Type_free(&type);
    }
}

int fresh_main(int argc, char **argv)
{
    check_init(&argc, &argv);
    for (int i = 0; i < ENTRIES * STRIDE; i++) {
        memory[i] = i + 0.5;
    }
    check(pvar_start("dt_dame_") > 0, "DAME counts");
    if (argc == 2 && strcmp("pays", argv[1]) != 0) {
        imported_at_message(atoi(argv[1]));
    } else {
        what_one_use_repays_is_imported_at_once();
        a_list_that_is_used_once_is_not_imported();
        a_list_that_is_used_often_is_imported();
        lives_of_one_use_add_up();
        lists_that_look_alike_are_imported_now_and_then();
        small_datatypes_are_imported_when_they_are_used_often();
        persistent_requests_come_to_dame();
        messages_under_way_stay_right();
    }
    pvar_done();
    return check_finish();
}
