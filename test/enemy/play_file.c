/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_File: each rank has a view of its tiles of a file, and memory with gaps. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "play.h"

enum { MOST_PIECES = 6, HEADER = 24 };

/* The file is rows of one tile a rank; of a tile some pieces are seen: counts of periods. */
typedef struct view {
    int pieces, lengths[MOST_PIECES], places[MOST_PIECES];
    int tile, seen; /* periods in a tile, and of them in its pieces */
    int64_t unit;   /* bytes of a period */
    MPI_Datatype etype, filetype;
    char path[512];
} view_t;

static view_t view_new(play_t *p)
{
    view_t v = {.pieces = 1 + (int) pick(p, MOST_PIECES), .unit = period_size(p->program)};
    MPI_Datatype members[MOST_BASICS], tile;
    MPI_Aint at[MOST_BASICS], places[MOST_PIECES];
    int ones[MOST_BASICS], n = p->program->nbasics;

    for (int64_t i = 0, bytes = 0; i < n; i++) {
        members[i] = basic_type(p->program->basics[i]);
        at[i] = bytes;
        ones[i] = 1;
        bytes += basic_size(p->program->basics[i]);
    }
    if (n == 1) {
        MPI_Type_dup(members[0], &v.etype);
    } else {
        MPI_Type_create_struct(n, ones, at, members, &tile);
        MPI_Type_create_resized(tile, 0, v.unit, &v.etype);
        MPI_Type_free(&tile);
    }
    MPI_Type_commit(&v.etype);
    for (int i = 0; i < v.pieces; i++) {
        v.places[i] = v.tile + (int) pick(p, 4);
        v.lengths[i] = 1 + (int) pick(p, 20);
        v.tile = v.places[i] + v.lengths[i];
        v.seen += v.lengths[i];
    }
    v.tile += (int) pick(p, 3);
    for (int i = 0; i < v.pieces; i++) {
        places[i] = (v.places[i] + (int64_t) p->rank * v.tile) * v.unit;
    }
    MPI_Type_create_hindexed(v.pieces, v.lengths, places, v.etype, &tile);
    MPI_Type_create_resized(tile, 0, (MPI_Aint) p->size * v.tile * v.unit, &v.filetype);
    MPI_Type_free(&tile);
    MPI_Type_commit(&v.filetype);
    snprintf(v.path, sizeof v.path, "%s/enemy-file", rules.directory);
    return v;
}

/* Moves `n` bytes of a rank's stream from period `first` of its view on, to or from the file's
 * bytes. */
static void walk_view(const play_t *p, const view_t *v, unsigned char *file, int rank,
                      int64_t first, int64_t n, unsigned char *stream)
{
    for (int64_t at = first; n > 0; at++, n -= v->unit, stream += v->unit) {
        int64_t k = at % v->seen, piece = 0;
        for (; k >= v->lengths[piece]; piece++) {
            k -= v->lengths[piece];
        }
        const int64_t row = at / v->seen * p->size + rank;
        memcpy(file + HEADER + (row * v->tile + v->places[piece] + k) * v->unit, stream,
               (size_t) v->unit);
    }
}

static void blank(play_t *p, const view_t *v, int64_t bytes)
{
    if (p->rank == 0) {
        unsigned char *memory = must(malloc((size_t) bytes));
        FILE *f = fopen(v->path, "wb");
        memset(memory, 0x33, (size_t) bytes);
        same(p, f != NULL && fwrite(memory, 1, (size_t) bytes, f) == (size_t) bytes,
             "%s cannot be written", v->path);
        if (f != NULL) {
            fclose(f);
        }
        free(memory);
    }
    MPI_Barrier(p->comm);
}

static void check_file(play_t *p, const view_t *v, const unsigned char *expected, int64_t bytes)
{
    if (p->rank == 0) {
        unsigned char *memory = must(calloc((size_t) bytes + 1, 1));
        FILE *f = fopen(v->path, "rb");
        same(p, f != NULL && fread(memory, 1, (size_t) bytes, f) == (size_t) bytes,
             "the file cannot be read");
        if (f != NULL) {
            fclose(f);
        }
        int64_t at = 0;
        while (at < bytes && memory[at] == expected[at]) {
            at++;
        }
        same(p, at == bytes, "byte %lld of the file's %lld is %02x and not %02x", (long long) at,
             (long long) bytes, memory[at], at < bytes ? expected[at] : 0);
        free(memory);
    }
    MPI_Barrier(p->comm);
}

static int write_it(MPI_File f, int way, MPI_Offset at, const void *buf, int n, MPI_Datatype type,
                    MPI_Status *status)
{
    MPI_Request request;
    int code;
    switch (way) {
    case 0:
        return MPI_File_write_at(f, at, buf, n, type, status);
    case 1:
        return MPI_File_write_at_all(f, at, buf, n, type, status);
    case 2:
        MPI_File_seek(f, at, MPI_SEEK_SET);
        return MPI_File_write_all(f, buf, n, type, status);
    case 3:
        MPI_File_write_at_all_begin(f, at, buf, n, type);
        return MPI_File_write_at_all_end(f, buf, status);
    default:
        code = MPI_File_iwrite_at(f, at, buf, n, type, &request);
        MPI_Wait(&request, status);
        return code;
    }
}

static int read_it(MPI_File f, int way, MPI_Offset at, void *buf, int n, MPI_Datatype type,
                   MPI_Status *status)
{
    MPI_Request request;
    int code;
    switch (way) {
    case 0:
        return MPI_File_read_at(f, at, buf, n, type, status);
    case 1:
        return MPI_File_read_at_all(f, at, buf, n, type, status);
    case 2:
        MPI_File_seek(f, at, MPI_SEEK_SET);
        return MPI_File_read_all(f, buf, n, type, status);
    case 3:
        MPI_File_read_at_all_begin(f, at, buf, n, type);
        return MPI_File_read_at_all_end(f, buf, status);
    default:
        code = MPI_File_iread_at(f, at, buf, n, type, &request);
        MPI_Wait(&request, status);
        return code;
    }
}

/* What a write or read says that it has moved. */
static void check_status(const play_t *p, const MPI_Status *status, MPI_Datatype type, int n,
                         int64_t bytes, const char *what)
{
    int count = -1, elements = -1;
    MPI_Get_count(status, type, &count);
    MPI_Get_elements(status, type, &elements);
    same(p, count == n && elements == basics_in(p->program, bytes),
         "%s: MPI_Get_count %d and not %d, MPI_Get_elements %d and not %lld", what, count, n,
         elements, (long long) basics_in(p->program, bytes));
}

void op_file(play_t *p)
{
    if (rules.directory == NULL ||
        p->program->shapes[p->step->a].size == 0) { /* ompio divides by the size */
        return;
    }
    view_t v = view_new(p);
    const shape_t *a = &p->program->shapes[p->step->a], *b = &p->program->shapes[p->step->b];
    const int n = p->step->count, m = (int) (b->size ? n * a->size / b->size : n);
    const int64_t bytes = n * a->size, first = pick(p, 30);
    const int write_way = (int) pick(p, 5), read_way = (int) pick(p, 5);
    const int64_t size =
        HEADER + ((first + bytes / v.unit) / v.seen + 1) * p->size * v.tile * v.unit;
    unsigned char *file = must(malloc((size_t) size)), *stream;
    buffer_t out = buffer_of(p, a, n), in = buffer_of(p, b, m);
    MPI_Status status;
    MPI_File f;

    buffer_fill(&out, mixed(p->step->seed, 1, (uint64_t) p->rank));
    buffer_fill(&in, mixed(p->step->seed, 2, (uint64_t) p->rank));
    memset(file, 0x33, (size_t) size);
    for (int k = 0; k < p->size; k++) {
        stream = stream_of(p, a, n, mixed(p->step->seed, 1, (uint64_t) k));
        walk_view(p, &v, file, k, first, bytes, stream);
        free(stream);
    }
    blank(p, &v, size);
    if (succeeded(p, MPI_File_open(p->comm, v.path, MPI_MODE_RDWR, MPI_INFO_NULL, &f),
                  "MPI_File_open")) {
        MPI_File_set_view(f, HEADER, v.etype, v.filetype, "native", MPI_INFO_NULL);
        succeeded(
            p, write_it(f, write_way, first, out.parts[0].zero, n, p->types[p->step->a], &status),
            "writing");
        check_status(p, &status, p->types[p->step->a], n, bytes, "writing");
        MPI_File_sync(f);
        MPI_Barrier(p->comm);
        check_file(p, &v, file, size);
        succeeded(p,
                  read_it(f, read_way, first, in.parts[0].zero, m, p->types[p->step->b], &status),
                  "reading");
        check_status(p, &status, p->types[p->step->b], m, m * b->size, "reading");
        MPI_File_close(&f);
        stream = stream_at(&out, 0, 0, n);
        expect(&in, 0, 0, stream, m * b->size);
        free(stream);
        buffer_check(p, &in, "read from the file");
        buffer_check(p, &out, "written to the file");
    }
    MPI_Barrier(p->comm);
    if (p->rank == 0) {
        unlink(v.path);
    }
    MPI_Type_free(&v.etype);
    MPI_Type_free(&v.filetype);
    free(file);
    buffer_free(&in);
    buffer_free(&out);
}
