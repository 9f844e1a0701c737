/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Data in a device's memory, in an Open MPI that was built without devices, on a stand-in for
 * CUDA's driver (test/lib/cuda.h): memory that faults when the host touches it. Needs two ranks.
 * argv[1]: the stand-in; argv[2]:
 *   kernels, copies   all ways of moving data, with kernels or without; the driver is loaded
 *                     when messages of the host have been moved
 *   copy              a local copy is the first that is on a device
 *   early             the same as kernels, but the driver is loaded before MPI_Init
 *   threads           several threads at once
 *   off               dt_dame_devices is 0: nobody asks the driver anything
 *   error             the driver reports an error, which ends the job
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_check.h"
#include "pvar.h"
#include "test/lib/cuda.h"
#include "tests.h"
#include "types.h"

/* ---- The driver ----------------------------------------------------------------------------- */

static struct {
    __typeof__(&stand_in_alloc) alloc;
    __typeof__(&stand_in_put) put;
    __typeof__(&stand_in_get) get;
    __typeof__(&stand_in_fail) fail;
    __typeof__(&stand_in_counts) counts;
} cuda;

static void *function(void *driver, const char *name)
{
    void *found = dlsym(driver, name);
    if (found == NULL) {
        fprintf(stderr, "devices: %s\n", dlerror());
        exit(EXIT_FAILURE);
    }
    return found;
}

/* As CUDA's runtime does. */
static void load_driver(const char *path)
{
    void *driver = dlopen(path, RTLD_NOW);
    if (driver == NULL) {
        fprintf(stderr, "devices: %s\n", dlerror());
        exit(EXIT_FAILURE);
    }
    *(void **) &cuda.alloc = function(driver, "stand_in_alloc");
    *(void **) &cuda.put = function(driver, "stand_in_put");
    *(void **) &cuda.get = function(driver, "stand_in_get");
    *(void **) &cuda.fail = function(driver, "stand_in_fail");
    *(void **) &cuda.counts = function(driver, "stand_in_counts");
}

/* The stand-in takes long where much memory was touched: the same is used again and again. */
enum { POOL = 32 << 20, ALIGNED = 512 };
static struct {
    unsigned char *memory;
    size_t used;
    int users;
} pool;

static void *pool_take(int64_t bytes)
{
    if (pool.memory == NULL) {
        pool.memory = cuda.alloc(0, POOL);
    }
    unsigned char *memory = pool.memory + pool.used;
    pool.used += ((size_t) bytes + ALIGNED - 1) / ALIGNED * ALIGNED;
    pool.users++;
    if (pool.used > POOL) {
        abort();
    }
    return memory;
}

static void pool_give(const void *memory)
{
    pool.users -= NULL != memory;
    pool.used = pool.users == 0 ? 0 : pool.used;
}

/* ---- A message somewhere -------------------------------------------------------------------- */

typedef struct place {
    message_t m; /* the host's, or a copy of the device's */
    unsigned char *memory;
    void *buf; /* what MPI is given */
} place_t;

static place_t place_new(const layout_t *layout, int64_t count, bool there)
{
    place_t p = {.m = msg_new(layout, count)};
    p.buf = p.m.buf;
    if (there) {
        p.memory = pool_take(p.m.block_size);
        p.buf = p.memory + ((unsigned char *) p.m.buf - p.m.block);
    }
    return p;
}

static void to_place(const place_t *p)
{
    if (p->memory != NULL) {
        cuda.put(p->memory, p->m.block, (size_t) p->m.block_size);
    }
}

static void from_place(const place_t *p)
{
    if (p->memory != NULL) {
        cuda.get(p->m.block, p->memory, (size_t) p->m.block_size);
    }
}

static void place_free(place_t *p)
{
    msg_free(&p->m);
    pool_give(p->memory);
}

/* On a device, Open MPI alone moves contiguous data, and absolute layouts are the host's. */
static bool may_be_there(const layout_t *l, int64_t count)
{
    int64_t low, high;
    lay_span(l, 1, &low, &high);
    const bool contiguous = high - low == l->size && (count == 1 || lay_extent(l) == l->size);
    return l->arena == NULL && l->size != 0 && !contiguous;
}

/* ---- Messages ------------------------------------------------------------------------------- */

static void send_by(MPI_Request *persistent, const place_t *p, int how)
{
    const int count = (int) p->m.count, to = 1 - my_rank;
    const MPI_Datatype type = p->m.layout->type;
    MPI_Request request;
    if (persistent != NULL) {
        MPI_Start(persistent);
        MPI_Wait(persistent, MPI_STATUS_IGNORE);
    } else if (how == 0) {
        MPI_Send(p->buf, count, type, to, how, MPI_COMM_WORLD);
    } else if (how == 1) {
        MPI_Ssend(p->buf, count, type, to, how, MPI_COMM_WORLD);
    } else {
        MPI_Isend(p->buf, count, type, to, how, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

enum { WAYS = 3, TIMES = 3 };

static void send_message(const type_case_t *c, int64_t count, bool there, int how, bool again)
{
    place_t p = place_new(c->layout, count, there);
    MPI_Request request = MPI_REQUEST_NULL;
    if (again) {
        MPI_Send_init(p.buf, (int) count, c->layout->type, 1 - my_rank, how, MPI_COMM_WORLD,
                      &request);
    }
    for (int i = 0; i < (again ? TIMES : 1); i++) {
        unsigned char *stream = stream_new(c->layout, count, (unsigned) (count + i));
        msg_fill(&p.m, stream);
        message_t before = msg_shadow(&p.m);
        memcpy(before.block, p.m.block, (size_t) p.m.block_size);
        to_place(&p);
        send_by(again ? &request : NULL, &p, how);
        from_place(&p);
        check(msg_equal(&p.m, &before), "%s, %lld: the sender's buffer", c->name,
              (long long) count);
        msg_free(&before);
        free(stream);
    }
    if (again) {
        MPI_Request_free(&request);
    }
    place_free(&p);
}

static void receive_message(const type_case_t *c, int64_t count, bool there, int how, bool again)
{
    layout_t *spread = c->send_only ? lay_spread(c->layout, 8) : NULL;
    const layout_t *layout = c->layout;
    if (spread != NULL) {
        lay_commit(spread);
        layout = spread;
    }
    place_t p = place_new(layout, count, there);
    for (int i = 0; i < (again ? TIMES : 1); i++) {
        unsigned char *stream = stream_new(c->layout, count, (unsigned) (count + i));
        msg_clear(&p.m);
        to_place(&p);
        MPI_Recv(p.buf, (int) count, layout->type, 1 - my_rank, how, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        from_place(&p);
        check(msg_holds(&p.m, stream, p.m.bytes), "%s, %lld, %s: received", c->name,
              (long long) count, there ? "on a device" : "on the host");
        free(stream);
    }
    place_free(&p);
    lay_free(spread);
}

/* From a device to a device, and between a device and the host. */
static void messages(const types_t *types, int64_t longest)
{
    for (int i = 0, turn = 0; i < types_count(types); i++) {
        const type_case_t *c = types_at(types, i);
        const int64_t counts[] = {1, 3, 1 + longest / (1 + c->layout->size)};
        for (int k = 0; k < 3; k++, turn++) {
            if (!may_be_there(c->layout, counts[k])) {
                continue;
            }
            const bool sender_there = 0 != turn % 3, receiver_there = 1 != turn % 3;
            const bool again = 0 == turn % 5;
            const int how = turn % WAYS;
            if (turn / 3 % 2 == my_rank) {
                send_message(c, counts[k], sender_there, how, again);
            } else {
                receive_message(c, counts[k], receiver_there, how, again);
            }
        }
    }
}

/* Fragments of many messages take turns. */
static void in_flight(const layout_t *layout, int64_t count)
{
    enum { FLYING = 8 };
    place_t sent[FLYING], received[FLYING];
    MPI_Request requests[2 * FLYING];
    for (int i = 0; i < FLYING; i++) {
        unsigned char *stream = stream_new(layout, count, (unsigned) (i + FLYING * my_rank));
        sent[i] = place_new(layout, count, true);
        received[i] = place_new(layout, count, true);
        msg_fill(&sent[i].m, stream);
        msg_clear(&received[i].m);
        to_place(&sent[i]);
        to_place(&received[i]);
        free(stream);
    }
    for (int i = 0; i < FLYING; i++) {
        MPI_Irecv(received[i].buf, (int) count, layout->type, 1 - my_rank, i, MPI_COMM_WORLD,
                  &requests[i]);
    }
    for (int i = FLYING; i-- > 0;) {
        MPI_Isend(sent[i].buf, (int) count, layout->type, 1 - my_rank, i, MPI_COMM_WORLD,
                  &requests[FLYING + i]);
    }
    MPI_Waitall(2 * FLYING, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < FLYING; i++) {
        unsigned char *stream = stream_new(layout, count, (unsigned) (i + FLYING * (1 - my_rank)));
        from_place(&received[i]);
        check(msg_holds(&received[i].m, stream, received[i].m.bytes), "message %d in flight", i);
        free(stream);
        place_free(&sent[i]);
        place_free(&received[i]);
    }
}

/* ---- MPI_Pack, MPI_Unpack, local copies ----------------------------------------------------- */

static void packs(const type_case_t *c, int64_t count, bool packed_there)
{
    const layout_t *l = c->layout;
    place_t p = place_new(l, count, true);
    unsigned char *stream = stream_new(l, count, 1), *is = must_calloc(1, (size_t) p.m.bytes);
    void *packed = packed_there ? pool_take(p.m.bytes) : is;
    int at = 0;
    msg_fill(&p.m, stream);
    to_place(&p);
    MPI_Pack(p.buf, (int) count, l->type, packed, (int) p.m.bytes, &at, MPI_COMM_WORLD);
    if (packed_there) {
        cuda.get(is, packed, (size_t) p.m.bytes);
    }
    check(at == p.m.bytes && memcmp(is, stream, (size_t) p.m.bytes) == 0, "MPI_Pack of %s",
          c->name);
    if (!c->send_only) {
        msg_clear(&p.m);
        to_place(&p);
        at = 0;
        MPI_Unpack(packed, (int) p.m.bytes, &at, p.buf, (int) count, l->type, MPI_COMM_WORLD);
        from_place(&p);
        check(msg_holds(&p.m, stream, p.m.bytes), "MPI_Unpack of %s", c->name);
    }
    if (packed_there) {
        pool_give(packed);
    }
    free(stream);
    free(is);
    place_free(&p);
}

/* A collective operation of one rank copies. */
static void copies(const type_case_t *c, int64_t count, bool from_there, bool to_there)
{
    const layout_t *l = c->layout;
    place_t from = place_new(l, count, from_there), to = place_new(l, count, to_there);
    unsigned char *stream = stream_new(l, count, 2);
    msg_fill(&from.m, stream);
    msg_clear(&to.m);
    to_place(&from);
    to_place(&to);
    MPI_Allgather(from.buf, (int) count, l->type, to.buf, (int) count, l->type, MPI_COMM_SELF);
    from_place(&to);
    check(msg_holds(&to.m, stream, to.m.bytes), "a copy of %s", c->name);
    free(stream);
    place_free(&from);
    place_free(&to);
}

static void local(const types_t *types)
{
    for (int i = 0; i < types_count(types); i++) {
        const type_case_t *c = types_at(types, i);
        for (int64_t count = 1; count < 20; count += 6) {
            if (!may_be_there(c->layout, count)) {
                continue;
            }
            packs(c, count, 0 == (i + count) % 3);
            if (!c->send_only) {
                copies(c, count, true, 0 != i % 3);
                copies(c, count, 0 == i % 3, true);
            }
        }
    }
}

/* ---- Modes ---------------------------------------------------------------------------------- */

/* Of the host, before and after there are devices. */
static void host_moves_right(const types_t *types)
{
    for (int i = 0; i < types_count(types); i++) {
        const layout_t *l = types_at(types, i)->layout;
        check(types_at(types, i)->send_only || moves_right(l, 2), "%s, of the host",
              types_at(types, i)->name);
    }
}

static const type_case_t *one_of(const types_t *types)
{
    int i = 0;
    while (types_at(types, i)->send_only || !may_be_there(types_at(types, i)->layout, 1)) {
        i++;
    }
    return types_at(types, i);
}

static void every_way(const types_t *types, bool by_kernels)
{
    const int64_t longest = by_kernels ? 300000 : 1000; /* the stand-in takes long for a block */
    const bool watched = pvar_start("dt_dame_device") > 0;
    messages(types, longest);
    local(types);
    in_flight(one_of(types)->layout, 1 + longest / one_of(types)->layout->size);
    host_moves_right(types);
    const long long launches = pvar_read("dt_dame_device_launches");
    const long long copies = pvar_read("dt_dame_device_copies");
    check(watched && pvar_read("dt_dame_device_moves") > 0 && pvar_read("dt_dame_device_bytes") > 0,
          "it is counted");
    check((launches > 0) == by_kernels && copies > 0, "%lld launches, %lld copies", launches,
          copies);
    pvar_done();
}

static void *send_often(void *argument)
{
    enum { OFTEN = 50 };
    const place_t *places = argument;
    const int tag = (int) places[0].m.count;
    for (int i = 0; i < OFTEN; i++) {
        MPI_Sendrecv(places[0].buf, tag, places[0].m.layout->type, 1 - my_rank, tag, places[1].buf,
                     tag, places[1].m.layout->type, 1 - my_rank, tag, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    }
    return NULL;
}

static void threads(const types_t *types)
{
    enum { THREADS = 4 };
    place_t places[THREADS][2];
    pthread_t running[THREADS];
    const type_case_t *c = one_of(types);
    unsigned char *stream = stream_new(c->layout, THREADS + 1, 3);
    for (int i = 0; i < THREADS; i++) {
        for (int k = 0; k < 2; k++) {
            places[i][k] = place_new(c->layout, i + 2, true);
            msg_clear(&places[i][k].m);
        }
        msg_fill(&places[i][0].m, stream);
        to_place(&places[i][0]);
        to_place(&places[i][1]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&running[i], NULL, send_often, places[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(running[i], NULL);
    }
    for (int i = 0; i < THREADS; i++) {
        from_place(&places[i][1]);
        check(msg_holds(&places[i][1].m, stream, places[i][1].m.bytes), "thread %d", i);
        place_free(&places[i][0]);
        place_free(&places[i][1]);
    }
    free(stream);
}

int devices_main(int argc, char **argv)
{
    const char *driver = argc > 1 ? argv[1] : "", *mode = argc > 2 ? argv[2] : "";
    const bool is_early = strcmp("early", mode) == 0;
    if (is_early) {
        load_driver(driver);
    }
    if (strcmp("threads", mode) == 0) {
        check_init_thread(&argc, &argv, MPI_THREAD_MULTIPLE);
    } else {
        check_init(&argc, &argv);
    }
    types_t *types = types_new();
    if (!is_early) {
        check(moves_right(types_at(types, 0)->layout, 2), "before there are devices");
        load_driver(driver);
    }
    if (strcmp("copy", mode) == 0) {
        copies(one_of(types), 3, true, true);
    } else if (strcmp("off", mode) == 0) {
        host_moves_right(types);
        check(cuda.counts().questions == 0, "%lld questions to the driver",
              (long long) cuda.counts().questions);
    } else if (strcmp("threads", mode) == 0) {
        threads(types);
    } else if (strcmp("error", mode) == 0) {
        packs(one_of(types), 1, false);
        cuda.fail("cuStreamSynchronize", 700);
        packs(one_of(types), 1, false);
    } else {
        every_way(types, strcmp("copies", mode) != 0);
    }
    types_free(types);
    return check_finish();
}
