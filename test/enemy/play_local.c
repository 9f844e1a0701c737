/* SPDX-License-Identifier: BSD-3-Clause */
/* What needs no other rank: MPI_Pack at any position, external32, local copies, attributes,
 * children. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "play.h"

/* A piece of each shape behind the other, and back with other shapes and in other pieces. */
void op_pack(play_t *p)
{
    const shape_t *a = &p->program->shapes[p->step->a], *b = &p->program->shapes[p->step->b];
    const MPI_Datatype ta = p->types[p->step->a], tb = p->types[p->step->b];
    const int n = p->step->count, start = (int) pick(p, 30), whole = (int) (n * a->size);
    const int room = (int) (b->size ? whole / b->size : n), first = (int) pick(p, room + 1);
    buffer_t out = buffer_of(p, a, n), in = buffer_of(p, b, room);
    unsigned char *packed = must(malloc((size_t) (start + whole) + 40));
    unsigned char *expected = must(malloc((size_t) (start + whole) + 40));

    for (int round = 0; round < p->step->rounds; round++) {
        const int half = n > 0 ? (int) pick(p, n + 1) : 0;
        int at = start, size = start + whole;
        buffer_fill(&out, mixed(p->step->seed, (uint64_t) round, (uint64_t) p->rank));
        buffer_fill(&in, mixed(p->step->seed, (uint64_t) round, 1000));
        memset(packed, 0x5a, (size_t) size + 40);
        memset(expected, 0x5a, (size_t) size + 40);
        shape_pack(a, out.parts[0].zero, whole, expected + start);
        succeeded(p, MPI_Pack(out.parts[0].zero, half, ta, packed, size, &at, p->comm), "MPI_Pack");
        same(p, at == start + half * a->size, "MPI_Pack: position %d", at);
        succeeded(p,
                  MPI_Pack(out.parts[0].zero + half * a->extent, n - half, ta, packed, size, &at,
                           p->comm),
                  "MPI_Pack");
        same(p, at == size, "MPI_Pack: position %d and not %d", at, size);
        same(p, memcmp(packed, expected, (size_t) size + 40) == 0,
             "packed bytes, %d and %d elements", half, n - half);
        at = start;
        succeeded(p, MPI_Unpack(packed, size, &at, in.parts[0].zero, first, tb, p->comm),
                  "MPI_Unpack");
        same(p, at == start + first * b->size, "MPI_Unpack: position %d", at);
        succeeded(p,
                  MPI_Unpack(packed, size, &at, in.parts[0].zero + first * b->extent, room - first,
                             tb, p->comm),
                  "MPI_Unpack");
        same(p, at == start + room * b->size, "MPI_Unpack: position %d", at);
        expect(&in, 0, 0, expected + start, room * b->size);
        buffer_check(p, &in, "unpacked");
        buffer_check(p, &out, "packed from");
    }
    free(packed);
    free(expected);
    buffer_free(&in);
    buffer_free(&out);
}

/* external32 is big-endian; our basic datatypes have the same sizes there. */
static void turn(const program_t *program, unsigned char *bytes, int64_t n)
{
    for (int64_t at = 0, i = 0; at < n; i++) {
        const int basic = program->basics[i % program->nbasics], unit = basic_unit(basic);
        for (int k = 0; k < basic_size(basic); k += unit) {
            for (int l = 0; l < unit / 2; l++) {
                unsigned char *x = bytes + at + k, y = x[l];
                x[l] = x[unit - 1 - l];
                x[unit - 1 - l] = y;
            }
        }
        at += basic_size(basic);
    }
}

void op_external(play_t *p)
{
    const shape_t *a = &p->program->shapes[p->step->a], *b = &p->program->shapes[p->step->b];
    const int n = p->step->count;
    const int64_t bytes = n * a->size, room = b->size ? bytes / b->size : n;
    buffer_t out = buffer_of(p, a, n), in = buffer_of(p, b, room);
    unsigned char *packed = must(calloc((size_t) bytes + 8, 1)), *stream;
    MPI_Aint at = 0, size = -1;

    buffer_fill(&out, mixed(p->step->seed, 1, (uint64_t) p->rank));
    buffer_fill(&in, mixed(p->step->seed, 2, (uint64_t) p->rank));
    stream = stream_at(&out, 0, 0, n);
    turn(p->program, stream, bytes);
    MPI_Pack_external_size("external32", n, p->types[p->step->a], &size);
    same(p, size == bytes, "MPI_Pack_external_size %lld and not %lld", (long long) size,
         (long long) bytes);
    succeeded(p,
              MPI_Pack_external("external32", out.parts[0].zero, n, p->types[p->step->a], packed,
                                bytes, &at),
              "MPI_Pack_external");
    same(p, at == bytes && memcmp(packed, stream, (size_t) bytes) == 0,
         "MPI_Pack_external: bytes, or position %lld", (long long) at);
    at = 0;
    succeeded(p,
              MPI_Unpack_external("external32", packed, bytes, &at, in.parts[0].zero, (int) room,
                                  p->types[p->step->b]),
              "MPI_Unpack_external");
    same(p, at == room * b->size, "MPI_Unpack_external: position %lld", (long long) at);
    turn(p->program, stream, bytes);
    expect(&in, 0, 0, stream, room * b->size);
    buffer_check(p, &in, "unpacked from external32");
    buffer_check(p, &out, "packed from");
    free(packed);
    free(stream);
    buffer_free(&in);
    buffer_free(&out);
}

/* From one datatype to another one within the process, by each call that does so. */
static int copy_to_self(int way, void *out, int n, MPI_Datatype a, void *in, int m, MPI_Datatype b)
{
    int zero = 0;
    MPI_Request requests[2];
    switch (way) {
    case 0:
        return MPI_Sendrecv(out, n, a, 0, 1, in, m, b, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    case 1:
        return MPI_Allgather(out, n, a, in, m, b, MPI_COMM_SELF);
    case 2:
        return MPI_Alltoallw(out, &n, &zero, &a, in, &m, &zero, &b, MPI_COMM_SELF);
    case 3:
        return MPI_Gather(out, n, a, in, m, b, 0, MPI_COMM_SELF);
    case 4:
        return MPI_Scatterv(out, &n, &zero, a, in, m, b, 0, MPI_COMM_SELF);
    default:
        MPI_Irecv(in, m, b, 0, 2, MPI_COMM_SELF, &requests[0]);
        MPI_Isend(out, n, a, 0, 2, MPI_COMM_SELF, &requests[1]);
        return MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
}

void op_self(play_t *p)
{
    const int b = p->step->b;
    const int a =
        p->program->shapes[p->step->a].size == p->program->shapes[b].size ? p->step->a : b;
    const int n = p->step->count, way = (int) pick(p, 6);
    buffer_t out = buffer_of(p, &p->program->shapes[a], n),
             in = buffer_of(p, &p->program->shapes[b], n);
    static const char *const names[] = {"MPI_Sendrecv", "MPI_Allgather", "MPI_Alltoallw",
                                        "MPI_Gather",   "MPI_Scatterv",  "MPI_Isend"};

    for (int round = 0; round < p->step->rounds; round++) {
        buffer_fill(&out, mixed(p->step->seed, (uint64_t) round, (uint64_t) p->rank));
        buffer_fill(&in, mixed(p->step->seed, (uint64_t) round, 1000));
        succeeded(
            p,
            copy_to_self(way, out.parts[0].zero, n, p->types[a], in.parts[0].zero, n, p->types[b]),
            names[way]);
        unsigned char *stream = stream_at(&out, 0, 0, n);
        expect(&in, 0, 0, stream, n * out.parts[0].shape->size);
        free(stream);
        buffer_check(p, &in, names[way]);
        buffer_check(p, &out, "send buffer");
    }
    buffer_free(&in);
    buffer_free(&out);
}

/* ---- attributes with callbacks that use the datatype ---- */

typedef struct seen {
    play_t *p;
    int copies, ends;
} seen_t;

static void use(play_t *p, MPI_Datatype type, const char *when)
{
    const shape_t *s = &p->program->shapes[p->step->b];
    buffer_t out = buffer_of(p, s, 2);
    unsigned char *packed = must(malloc((size_t) s->size * 2 + 1)), *stream;
    int at = 0;
    buffer_fill(&out, p->step->seed);
    stream = stream_at(&out, 0, 0, 2);
    succeeded(p,
              MPI_Pack(out.parts[0].zero, 2, type, packed, (int) s->size * 2, &at, MPI_COMM_SELF),
              when);
    same(p, at == 2 * s->size && memcmp(packed, stream, (size_t) at) == 0, "packed bytes, %s",
         when);
    free(packed);
    free(stream);
    buffer_free(&out);
}

static int copied(MPI_Datatype old, int key, void *state, void *value, void *out, int *flag)
{
    seen_t *seen = state;
    (void) key;
    seen->copies++;
    use(seen->p, old, "in the callback that copies an attribute");
    *(void **) out = value;
    *flag = 1;
    return MPI_SUCCESS;
}

static int ends(MPI_Datatype type, int key, void *value, void *state)
{
    seen_t *seen = state;
    (void) key;
    (void) value;
    seen->ends++;
    use(seen->p, type, "in the callback that deletes an attribute");
    return MPI_SUCCESS;
}

void op_attributes(play_t *p)
{
    seen_t seen = {.p = p};
    MPI_Datatype type = datatype_made(&p->program->shapes[p->step->b]), dup;
    int key;

    MPI_Type_create_keyval(copied, ends, &key, &seen);
    MPI_Type_set_attr(type, key, &seen);
    use(p, type, "before MPI_Type_dup");
    MPI_Type_dup(type, &dup);
    MPI_Type_commit(&dup);
    MPI_Type_free(&type);
    use(p, dup, "after MPI_Type_dup");
    MPI_Type_free(&dup);
    same(p, seen.copies == 1 && seen.ends == 2, "%d copies and %d ends of attributes", seen.copies,
         seen.ends);
    MPI_Type_free_keyval(&key);
}

/* ---- children ---- */

enum { PACKS, PACKS_AND_LIVES_ON, RUNS, RUNS_AT_ONCE, CHILDREN };

/* Children that pack, or become another program, while the parent goes on packing. */
void op_children(play_t *p)
{
    const int kind = (int) pick(p, CHILDREN);
    const long before = play_differences();
    int status = -1;
    if (!rules.forks) {
        return;
    }
    const pid_t child = kind == RUNS_AT_ONCE ? vfork() : fork();
    if (child == 0) {
        if (kind == RUNS || kind == RUNS_AT_ONCE) {
            execl("/bin/true", "true", (char *) NULL);
            _exit(3);
        }
        for (int i = 0; i < (kind == PACKS ? 1 : 20); i++) {
            use(p, p->types[p->step->b], "in a child");
        }
        _exit(play_differences() != before);
    }
    use(p, p->types[p->step->b], "beside a child");
    same(p, child > 0 && waitpid(child, &status, 0) == child && status == 0,
         "a child, kind %d, ends with %d", kind, status);
}
