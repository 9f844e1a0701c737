/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The hand-written loops, once for both ways; contracts are in hand.h. hand.c includes this file
 * with WAY(name), the function's head; PACKED and USER, const for the side that is read; MOVE,
 * MOVE_THREE and MOVE_BYTES, from the user's array into the packed stream or back; ROWS, a name.
 *
 * Where a block has a constant length, memcpy of that length and a loop over its elements were both
 * tried (gcc 12, AVX-512) and the faster one is used.
 */

/* ---- floats ---- */

/* Rows of a width known only at run time; halos are often three wide, and a loop of constant length
 * is twice as fast there. */
static PACKED float *ROWS(PACKED float *restrict stream, USER float *row, size_t n1, size_t n2,
                          size_t stride)
{
    if (n1 == 3) {
        for (size_t j = 0; j < n2; j++, stream += 3, row += stride) {
            MOVE(stream[0], row[0]);
            MOVE(stream[1], row[1]);
            MOVE(stream[2], row[2]);
        }
        return stream;
    }
    for (size_t j = 0; j < n2; j++, stream += n1, row += stride) {
        for (size_t i = 0; i < n1; i++) {
            MOVE(stream[i], row[i]);
        }
    }
    return stream;
}

void WAY(boxes_f32)
{
    const struct hand_boxes_f32 *p = plan;
    PACKED float *stream = packed;

    for (int b = 0; b < p->parts; b++) {
        for (size_t k = 0; k < p->part[b].n3; k++) {
            stream = ROWS(stream, p->part[b].start + k * p->part[b].stride3, p->part[b].n1,
                          p->part[b].n2, p->part[b].stride2);
        }
    }
}

void WAY(rows4_f32)
{
    const struct hand_rows4_f32 *p = plan;
    PACKED float *restrict stream = packed;

    for (size_t k = 0; k < p->n3; k++) {
        USER float *row = p->start + k * p->stride3;
        for (size_t j = 0; j < p->n2; j++) {
            for (int i = 0; i < 4; i++) {
                MOVE(stream[i], row[i]);
            }
            stream += 4;
            row += p->stride2;
        }
    }
}

/* n blocks of a constant length. */
#define BLOCKS(name, type, suffix, move)                                                           \
    void WAY(name)                                                                                 \
    {                                                                                              \
        const struct hand_blocks_##suffix *p = plan;                                               \
        USER type *user = p->start;                                                                \
        PACKED type *restrict stream = packed;                                                     \
        const size_t n = p->n, stride = p->stride;                                                 \
                                                                                                   \
        for (size_t i = 0; i < n; i++) {                                                           \
            move;                                                                                  \
        }                                                                                          \
    }
BLOCKS(blocks3_f32, float, f32, MOVE_THREE(stream + 3 * i, user + stride * i))
BLOCKS(blocks6_f32, float, f32, MOVE_BYTES(stream + 6 * i, user + stride * i, 6 * sizeof(float)))
BLOCKS(blocks5_f64, double, f64, MOVE_BYTES(stream + 5 * i, user + stride * i, 5 * sizeof(double)))
BLOCKS(blocks8_f64, double, f64, MOVE_BYTES(stream + 8 * i, user + stride * i, 8 * sizeof(double)))
#undef BLOCKS

/* Columns of single elements. */
#define COLUMNS(suffix, type)                                                                      \
    void WAY(columns_##suffix)                                                                     \
    {                                                                                              \
        const struct hand_columns_##suffix *p = plan;                                              \
        PACKED type *restrict stream = packed;                                                     \
        const size_t n1 = p->n1, stride1 = p->stride1;                                             \
                                                                                                   \
        for (size_t j = 0; j < p->n2; j++) {                                                       \
            USER type *column = p->start + j * p->stride2;                                         \
            for (size_t i = 0; i < n1; i++) {                                                      \
                MOVE(stream[i], column[stride1 * i]);                                              \
            }                                                                                      \
            stream += n1;                                                                          \
        }                                                                                          \
    }
COLUMNS(f64, double)
COLUMNS(c64, struct hand_complex)
#undef COLUMNS

/* ---- doubles ---- */

void WAY(rows_f64)
{
    const struct hand_rows_f64 *p = plan;
    PACKED double *restrict stream = packed;

    for (size_t k = 0; k < p->n3; k++) {
        USER double *row = p->start + k * p->stride3;
        for (size_t j = 0; j < p->n2; j++) {
            MOVE_BYTES(stream, row, p->n1 * sizeof(double));
            stream += p->n1;
            row += p->stride2;
        }
    }
}

/* ---- irregular ---- */

void WAY(gather_f32)
{
    const struct hand_gather_f32 *p = plan;
    PACKED float *restrict stream = packed;

    for (int l = 0; l < p->parts; l++) {
        USER float *user = p->part[l].start;
        const int *restrict index = p->part[l].index;
        const size_t n = p->part[l].n;
        for (size_t i = 0; i < n; i++) {
            MOVE(stream[i], user[index[i]]);
        }
        stream += n;
    }
}

void WAY(gather3_f32)
{
    const struct hand_gather_f32 *p = plan;
    PACKED float *restrict stream = packed;

    for (int l = 0; l < p->parts; l++) {
        USER float *start = p->part[l].start;
        const int *restrict index = p->part[l].index;
        const size_t n = p->part[l].n;
        for (size_t i = 0; i < n; i++) {
            USER float *user = start + index[i];
            MOVE(stream[3 * i], user[0]);
            MOVE(stream[3 * i + 1], user[1]);
            MOVE(stream[3 * i + 2], user[2]);
        }
        stream += 3 * n;
    }
}

void WAY(atoms)
{
    const struct hand_atoms *p = plan;
    const int *restrict index = p->index, *restrict index3 = p->index3;
    const size_t n = p->n;
    PACKED double *restrict stream = packed;

    for (size_t i = 0; i < n; i++) {
        USER double *x = p->x + index3[i];
        MOVE(stream[3 * i], x[0]);
        MOVE(stream[3 * i + 1], x[1]);
        MOVE(stream[3 * i + 2], x[2]);
    }
    stream += 3 * n;
    for (int a = 0; a < p->singles; a++) {
        USER double *user = p->single[a];
        for (size_t i = 0; i < n; i++) {
            MOVE(stream[i], user[index[i]]);
        }
        stream += n;
    }
}

void WAY(pieces)
{
    const struct hand_pieces *p = plan;
    PACKED char *stream = packed;

    for (int i = 0; i < p->parts; i++) {
        MOVE_BYTES(stream, p->part[i].start, p->part[i].size);
        stream += p->part[i].size;
    }
}

void WAY(runs_f64)
{
    const struct hand_runs_f64 *p = plan;
    PACKED double *restrict stream = packed;
    const size_t n = p->n;

    for (size_t r = 0; r < n; r++) {
        USER double *user = p->start + p->offset[r];
        const int length = p->length[r];
        for (int i = 0; i < length; i++) {
            MOVE(*stream++, user[i]);
        }
    }
}

/* ---- bytes and C structs ---- */

void WAY(odd_bytes)
{
    const struct hand_odd_bytes *p = plan;
    USER uint8_t *user = p->start;
    PACKED uint8_t *restrict stream = packed;
    const size_t n = p->n;

    for (size_t i = 0; i < n; i++) {
        MOVE(stream[i], user[2 * i]);
    }
}

void WAY(particles)
{
    const struct hand_structs *p = plan;
    USER struct hand_particle *s = p->start, *end = s + p->n;
    PACKED char *restrict stream = packed;

    for (; s < end; s++, stream += 29) {
        MOVE_BYTES(stream, &s->id, 4);
        MOVE_BYTES(stream + 4, s->v, 24);
        MOVE(stream[28], s->flag);
    }
}

void WAY(gappy)
{
    const struct hand_structs *p = plan;
    USER struct hand_gappy *s = p->start, *end = s + p->n;
    PACKED char *restrict stream = packed;

    for (; s < end; s++, stream += 31) {
        MOVE(stream[0], s->tag);
        MOVE_BYTES(stream + 1, &s->value, 8);
        MOVE_BYTES(stream + 9, &s->code, 2);
        MOVE_BYTES(stream + 11, s->direction, 12);
        MOVE_BYTES(stream + 23, &s->id, 8);
    }
}

void WAY(dense)
{
    const struct hand_structs *p = plan;

    MOVE_BYTES(packed, p->start, p->n * sizeof(struct hand_dense));
}

void WAY(dense_spread)
{
    const struct hand_structs *p = plan;
    USER struct hand_dense_spread *s = p->start;
    PACKED struct hand_dense *restrict stream = packed;

    for (size_t i = 0; i < p->n; i++) {
        MOVE(stream[i], s[i].dense);
    }
}
