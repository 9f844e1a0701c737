/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs a random MPI program; buffers, expected bytes, verdicts. */
#include "play.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EDGE = 96, MOST_LINES = 40 };

rules_t rules;

static const struct {
    const char *name;
    void (*run)(play_t *p);
} ops[] = {
    {"message", op_message},
    {"partitioned", op_partitioned},
    {"interleaved", op_interleaved},
    {"threads", op_threads},
    {"collective", op_collective},
    {"alltoallw", op_alltoallw},
    {"neighbours", op_neighbours},
    {"reduction", op_reduction},
    {"pack", op_pack},
    {"external", op_external},
    {"self", op_self},
    {"attributes", op_attributes},
    {"children", op_children},
    {"window", op_window},
    {"file", op_file},
};

static _Atomic long differences, lines;

void *must(void *memory)
{
    if (memory == NULL) {
        fprintf(stderr, "out of memory\n");
        exit(3);
    }
    return memory;
}

uint64_t mixed(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t z = a * 0x9e3779b97f4a7c15u + b * 0xd1342543de82ef95u + c * 0x2545f4914f6cdd1du + 1;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

int64_t pick(play_t *p, int64_t n)
{
    p->random = mixed(p->random, 1, 2);
    return (int64_t) (p->random % (uint64_t) n);
}

bool same(const play_t *p, bool ok, const char *format, ...)
{
    if (!ok) {
        char text[300];
        va_list args;
        va_start(args, format);
        vsnprintf(text, sizeof text, format, args);
        va_end(args);
        differences++;
        if (lines++ < MOST_LINES) {
            fprintf(stderr, "DIFFERS %s step %d (%s) rank %d: %s\n", p->name, p->number,
                    p->step->op, p->rank, text);
        }
    }
    return ok;
}

long play_differences(void)
{
    return differences;
}

bool succeeded(const play_t *p, int code, const char *function)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;
    if (code != MPI_SUCCESS) {
        MPI_Error_string(code, text, &length);
    }
    return same(p, code == MPI_SUCCESS, "%s: %s", function, text);
}

int near_shape(const play_t *p, int shape)
{
    const shape_t *s = &p->program->shapes[shape];
    return s->true_lb > -NEAR && s->true_ub < NEAR ? shape : NEAR_SHAPE;
}

int forward_shape(const play_t *p, int shape)
{
    shape = near_shape(p, shape);
    for (int i = NEAR_SHAPE; p->program->shapes[shape].extent < 0 && i < p->program->nshapes; i++) {
        shape = i;
    }
    return p->program->shapes[shape].extent < 0 ? -1 : shape;
}

bool is_contiguous(const shape_t *shape)
{
    return shape->size == shape->true_ub - shape->true_lb && shape->size == shape->extent;
}

int64_t period_size(const program_t *program)
{
    int64_t size = 0;
    for (int i = 0; i < program->nbasics; i++) {
        size += basic_size(program->basics[i]);
    }
    return size;
}

int64_t basics_in(const program_t *program, int64_t bytes)
{
    return bytes / period_size(program) * program->nbasics;
}

/* ---- bytes ---- */

static void fill(unsigned char *bytes, int64_t n, uint64_t seed)
{
    uint64_t x = seed | 1;
    for (int64_t i = 0; i < n; i += 8) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        memcpy(bytes + i, &x, (size_t) (n - i < 8 ? n - i : 8));
    }
}

/* Each run of the first `bytes` packed bytes: to or from the stream. */
static void walk(const shape_t *s, unsigned char *zero, int64_t bytes, unsigned char *stream,
                 bool pack)
{
    for (; bytes > 0; zero += s->extent) {
        for (int64_t i = 0; i < s->nruns && bytes > 0; i++) {
            const int64_t length = s->runs[2 * i + 1], n = length < bytes ? length : bytes;
            unsigned char *memory = zero + s->runs[2 * i];
            memcpy(pack ? stream : memory, pack ? memory : stream, (size_t) n);
            stream += n;
            bytes -= n;
        }
    }
}

void shape_pack(const shape_t *shape, const unsigned char *zero, int64_t bytes,
                unsigned char *stream)
{
    walk(shape, (unsigned char *) zero, bytes, stream, true);
}

void shape_unpack(const shape_t *shape, unsigned char *zero, int64_t bytes,
                  const unsigned char *stream)
{
    walk(shape, zero, bytes, (unsigned char *) stream, false);
}

/* ---- buffers ---- */

static void span(const shape_t *s, int64_t count, int64_t *low, int64_t *high)
{
    const int64_t reach = count > 0 ? (count - 1) * s->extent : 0;
    *low = s->true_lb + (reach < 0 ? reach : 0);
    *high = s->true_ub + (reach > 0 ? reach : 0);
    if (count == 0 || s->size == 0) {
        *low = *high = 0;
    } else if (-NEAR < *low && *low < NEAR) { /* with displacement 0 */
        *low = *low < 0 ? *low : 0;
        *high = *high > 0 ? *high : 0;
    }
}

buffer_t buffer_new(const play_t *p, int n, const shape_t *const *shapes, const int64_t *counts)
{
    const uint64_t seed = p->step->seed;
    buffer_t b = {.nparts = n, .bytes = EDGE + (int64_t) (seed % 61)};
    int64_t zeros[MOST_RANKS + 1];

    for (int i = 0; i < n; i++) {
        int64_t low, high;
        span(shapes[i], counts[i], &low, &high);
        zeros[i] = b.bytes - low;
        b.bytes += high - low + (int64_t) (mixed(seed, 7, (uint64_t) i) % 40);
    }
    b.bytes += EDGE;
    b.block = must(malloc((size_t) b.bytes));
    b.want = must(malloc((size_t) b.bytes));
    for (int i = 0; i < n; i++) {
        b.parts[i] = (part_t){shapes[i], counts[i], b.block + zeros[i]};
    }
    return b;
}

buffer_t buffer_of(const play_t *p, const shape_t *shape, int64_t count)
{
    return buffer_new(p, 1, &shape, &count);
}

void buffer_fill(buffer_t *b, uint64_t seed)
{
    fill(b->block, b->bytes, seed);
    memcpy(b->want, b->block, (size_t) b->bytes);
}

void buffer_free(buffer_t *b)
{
    free(b->block);
    free(b->want);
}

static const char *kind_of_byte(const buffer_t *b, int64_t at, char *text, size_t room)
{
    for (int i = 0; i < b->nparts; i++) {
        const part_t *part = &b->parts[i];
        for (int64_t k = 0; k < part->count; k++) {
            const int64_t offset = b->block + at - part->zero - k * part->shape->extent;
            for (int64_t r = 0; r < part->shape->nruns; r++) {
                const int64_t from = part->shape->runs[2 * r];
                if (offset >= from && offset < from + part->shape->runs[2 * r + 1]) {
                    snprintf(text, room, "data of part %d, element %lld, offset %lld", i,
                             (long long) k, (long long) offset);
                    return text;
                }
            }
        }
    }
    return "no data";
}

bool buffer_check(const play_t *p, const buffer_t *b, const char *what)
{
    char text[100];
    int64_t at = 0;
    if (memcmp(b->block, b->want, (size_t) b->bytes) == 0) {
        return true;
    }
    while (b->block[at] == b->want[at]) {
        at++;
    }
    return same(p, false, "%s: byte %lld of %lld is %02x and not %02x: %s", what, (long long) at,
                (long long) b->bytes, b->block[at], b->want[at],
                kind_of_byte(b, at, text, sizeof text));
}

void expect(buffer_t *b, int part, int64_t first, const unsigned char *stream, int64_t bytes)
{
    const part_t *t = &b->parts[part];
    unsigned char *zero = b->want + (t->zero - b->block) + first * t->shape->extent;
    shape_unpack(t->shape, zero, bytes, stream);
}

unsigned char *stream_at(const buffer_t *b, int part, int64_t first, int64_t count)
{
    const part_t *t = &b->parts[part];
    const int64_t bytes = count * t->shape->size;
    unsigned char *stream = must(malloc((size_t) bytes + 1));
    shape_pack(t->shape, b->want + (t->zero - b->block) + first * t->shape->extent, bytes, stream);
    return stream;
}

unsigned char *stream_of(const play_t *p, const shape_t *shape, int64_t count, uint64_t seed)
{
    buffer_t b = buffer_of(p, shape, count);
    buffer_fill(&b, seed);
    unsigned char *stream = stream_at(&b, 0, 0, count);
    buffer_free(&b);
    return stream;
}

/* ---- programs ---- */

static void one_step(play_t *p, int i)
{
    p->step = &p->program->steps[i];
    p->number = i;
    p->random = p->step->seed;
    for (size_t k = 0; k < sizeof ops / sizeof ops[0]; k++) {
        if (strcmp(p->step->op, ops[k].name) == 0) {
            ops[k].run(p);
            return;
        }
    }
    same(p, false, "no such operation");
}

long play(const program_t *program, uint64_t mask, const char *name)
{
    play_t p = {.program = program, .comm = MPI_COMM_WORLD, .name = name};

    differences = lines = 0;
    MPI_Comm_rank(p.comm, &p.rank);
    MPI_Comm_size(p.comm, &p.size);
    for (int i = 0; i < program->nshapes; i++) {
        p.types[i] = datatype_made(&program->shapes[i]);
    }
    for (int i = 0; i < program->nsteps; i++) {
        if (mask >> i & 1) {
            one_step(&p, i);
        }
    }
    for (int i = 0; i < program->nshapes; i++) {
        MPI_Type_free(&p.types[i]);
    }
    return differences;
}
