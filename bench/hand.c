/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The hand-written loops; contracts are in hand.h.
 *
 * Where a block has a constant length, memcpy of that length and a loop over its elements were both
 * tried (gcc 12, AVX-512) and the faster one is used.
 */
#include "hand.h"

#include <string.h>

/* ---- floats ---- */

/* Rows of a width known only at run time; halos are often three wide, and a loop of constant length
 * is twice as fast there. */
static float *pack_rows(float *restrict out, const float *row, size_t n1, size_t n2, size_t stride)
{
    if (3 == n1) {
        for (size_t j = 0; j < n2; j++, out += 3, row += stride) {
            out[0] = row[0];
            out[1] = row[1];
            out[2] = row[2];
        }
        return out;
    }
    for (size_t j = 0; j < n2; j++, out += n1, row += stride)
        for (size_t i = 0; i < n1; i++)
            out[i] = row[i];
    return out;
}

static const float *unpack_rows(const float *restrict in, float *row, size_t n1, size_t n2,
                                size_t stride)
{
    if (3 == n1) {
        for (size_t j = 0; j < n2; j++, in += 3, row += stride) {
            row[0] = in[0];
            row[1] = in[1];
            row[2] = in[2];
        }
        return in;
    }
    for (size_t j = 0; j < n2; j++, in += n1, row += stride)
        for (size_t i = 0; i < n1; i++)
            row[i] = in[i];
    return in;
}

void hand_boxes_f32_pack(const void *plan, void *packed)
{
    const struct hand_boxes_f32 *p = plan;
    float *out = packed;

    for (int b = 0; b < p->parts; b++)
        for (size_t k = 0; k < p->part[b].n3; k++)
            out = pack_rows(out, p->part[b].start + k * p->part[b].stride3, p->part[b].n1,
                            p->part[b].n2, p->part[b].stride2);
}

void hand_boxes_f32_unpack(const void *plan, const void *packed)
{
    const struct hand_boxes_f32 *p = plan;
    const float *in = packed;

    for (int b = 0; b < p->parts; b++)
        for (size_t k = 0; k < p->part[b].n3; k++)
            in = unpack_rows(in, p->part[b].start + k * p->part[b].stride3, p->part[b].n1,
                             p->part[b].n2, p->part[b].stride2);
}

void hand_rows4_f32_pack(const void *plan, void *packed)
{
    const struct hand_rows4_f32 *p = plan;
    float *restrict out = packed;

    for (size_t k = 0; k < p->n3; k++) {
        const float *row = p->start + k * p->stride3;
        for (size_t j = 0; j < p->n2; j++) {
            for (int i = 0; i < 4; i++)
                out[i] = row[i];
            out += 4;
            row += p->stride2;
        }
    }
}

void hand_rows4_f32_unpack(const void *plan, const void *packed)
{
    const struct hand_rows4_f32 *p = plan;
    const float *restrict in = packed;

    for (size_t k = 0; k < p->n3; k++) {
        float *row = p->start + k * p->stride3;
        for (size_t j = 0; j < p->n2; j++) {
            for (int i = 0; i < 4; i++)
                row[i] = in[i];
            in += 4;
            row += p->stride2;
        }
    }
}

void hand_blocks3_f32_pack(const void *plan, void *packed)
{
    const struct hand_blocks_f32 *p = plan;
    const float *in = p->start;
    float *restrict out = packed;
    const size_t n = p->n, stride = p->stride;

    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < 3; c++)
            out[3 * i + c] = in[stride * i + c];
}

void hand_blocks3_f32_unpack(const void *plan, const void *packed)
{
    const struct hand_blocks_f32 *p = plan;
    float *out = p->start;
    const float *restrict in = packed;
    const size_t n = p->n, stride = p->stride;

    for (size_t i = 0; i < n; i++)
        memcpy(out + stride * i, in + 3 * i, 3 * sizeof(float));
}

void hand_blocks6_f32_pack(const void *plan, void *packed)
{
    const struct hand_blocks_f32 *p = plan;
    const float *in = p->start;
    float *restrict out = packed;
    const size_t n = p->n, stride = p->stride;

    for (size_t i = 0; i < n; i++)
        memcpy(out + 6 * i, in + stride * i, 6 * sizeof(float));
}

void hand_blocks6_f32_unpack(const void *plan, const void *packed)
{
    const struct hand_blocks_f32 *p = plan;
    float *out = p->start;
    const float *restrict in = packed;
    const size_t n = p->n, stride = p->stride;

    for (size_t i = 0; i < n; i++)
        memcpy(out + stride * i, in + 6 * i, 6 * sizeof(float));
}

/* ---- doubles ---- */

void hand_rows_f64_pack(const void *plan, void *packed)
{
    const struct hand_rows_f64 *p = plan;
    double *restrict out = packed;

    for (size_t k = 0; k < p->n3; k++) {
        const double *row = p->start + k * p->stride3;
        for (size_t j = 0; j < p->n2; j++) {
            memcpy(out, row, p->n1 * sizeof(double));
            out += p->n1;
            row += p->stride2;
        }
    }
}

void hand_rows_f64_unpack(const void *plan, const void *packed)
{
    const struct hand_rows_f64 *p = plan;
    const double *restrict in = packed;

    for (size_t k = 0; k < p->n3; k++) {
        double *row = p->start + k * p->stride3;
        for (size_t j = 0; j < p->n2; j++) {
            memcpy(row, in, p->n1 * sizeof(double));
            in += p->n1;
            row += p->stride2;
        }
    }
}

void hand_blocks5_f64_pack(const void *plan, void *packed)
{
    const struct hand_blocks_f64 *p = plan;
    const double *in = p->start;
    double *restrict out = packed;
    const size_t n = p->n, stride = p->stride;

    for (size_t i = 0; i < n; i++)
        memcpy(out + 5 * i, in + stride * i, 5 * sizeof(double));
}

void hand_blocks5_f64_unpack(const void *plan, const void *packed)
{
    const struct hand_blocks_f64 *p = plan;
    double *out = p->start;
    const double *restrict in = packed;
    const size_t n = p->n, stride = p->stride;

    for (size_t i = 0; i < n; i++)
        memcpy(out + stride * i, in + 5 * i, 5 * sizeof(double));
}

void hand_blocks8_f64_pack(const void *plan, void *packed)
{
    const struct hand_blocks_f64 *p = plan;
    const double *in = p->start;
    double *restrict out = packed;
    const size_t n = p->n, stride = p->stride;

    for (size_t i = 0; i < n; i++)
        memcpy(out + 8 * i, in + stride * i, 8 * sizeof(double));
}

void hand_blocks8_f64_unpack(const void *plan, const void *packed)
{
    const struct hand_blocks_f64 *p = plan;
    double *out = p->start;
    const double *restrict in = packed;
    const size_t n = p->n, stride = p->stride;

    for (size_t i = 0; i < n; i++)
        memcpy(out + stride * i, in + 8 * i, 8 * sizeof(double));
}

void hand_columns_f64_pack(const void *plan, void *packed)
{
    const struct hand_columns_f64 *p = plan;
    double *restrict out = packed;
    const size_t n1 = p->n1, stride1 = p->stride1;

    for (size_t j = 0; j < p->n2; j++) {
        const double *column = p->start + j * p->stride2;
        for (size_t i = 0; i < n1; i++)
            out[i] = column[stride1 * i];
        out += n1;
    }
}

void hand_columns_f64_unpack(const void *plan, const void *packed)
{
    const struct hand_columns_f64 *p = plan;
    const double *restrict in = packed;
    const size_t n1 = p->n1, stride1 = p->stride1;

    for (size_t j = 0; j < p->n2; j++) {
        double *column = p->start + j * p->stride2;
        for (size_t i = 0; i < n1; i++)
            column[stride1 * i] = in[i];
        in += n1;
    }
}

void hand_columns_c64_pack(const void *plan, void *packed)
{
    const struct hand_columns_c64 *p = plan;
    struct hand_complex *restrict out = packed;
    const size_t n1 = p->n1, stride1 = p->stride1;

    for (size_t j = 0; j < p->n2; j++) {
        const struct hand_complex *column = p->start + j * p->stride2;
        for (size_t i = 0; i < n1; i++)
            out[i] = column[stride1 * i];
        out += n1;
    }
}

void hand_columns_c64_unpack(const void *plan, const void *packed)
{
    const struct hand_columns_c64 *p = plan;
    const struct hand_complex *restrict in = packed;
    const size_t n1 = p->n1, stride1 = p->stride1;

    for (size_t j = 0; j < p->n2; j++) {
        struct hand_complex *column = p->start + j * p->stride2;
        for (size_t i = 0; i < n1; i++)
            column[stride1 * i] = in[i];
        in += n1;
    }
}

/* ---- irregular ---- */

void hand_gather_f32_pack(const void *plan, void *packed)
{
    const struct hand_gather_f32 *p = plan;
    float *restrict out = packed;

    for (int l = 0; l < p->parts; l++) {
        const float *in = p->part[l].start;
        const int *restrict index = p->part[l].index;
        const size_t n = p->part[l].n;
        for (size_t i = 0; i < n; i++)
            out[i] = in[index[i]];
        out += n;
    }
}

void hand_gather_f32_unpack(const void *plan, const void *packed)
{
    const struct hand_gather_f32 *p = plan;
    const float *restrict in = packed;

    for (int l = 0; l < p->parts; l++) {
        float *out = p->part[l].start;
        const int *restrict index = p->part[l].index;
        const size_t n = p->part[l].n;
        for (size_t i = 0; i < n; i++)
            out[index[i]] = in[i];
        in += n;
    }
}

void hand_gather3_f32_pack(const void *plan, void *packed)
{
    const struct hand_gather_f32 *p = plan;
    float *restrict out = packed;

    for (int l = 0; l < p->parts; l++) {
        const float *start = p->part[l].start;
        const int *restrict index = p->part[l].index;
        const size_t n = p->part[l].n;
        for (size_t i = 0; i < n; i++) {
            const float *in = start + index[i];
            out[3 * i] = in[0];
            out[3 * i + 1] = in[1];
            out[3 * i + 2] = in[2];
        }
        out += 3 * n;
    }
}

void hand_gather3_f32_unpack(const void *plan, const void *packed)
{
    const struct hand_gather_f32 *p = plan;
    const float *restrict in = packed;

    for (int l = 0; l < p->parts; l++) {
        float *start = p->part[l].start;
        const int *restrict index = p->part[l].index;
        const size_t n = p->part[l].n;
        for (size_t i = 0; i < n; i++) {
            float *out = start + index[i];
            out[0] = in[3 * i];
            out[1] = in[3 * i + 1];
            out[2] = in[3 * i + 2];
        }
        in += 3 * n;
    }
}

void hand_atoms_pack(const void *plan, void *packed)
{
    const struct hand_atoms *p = plan;
    const int *restrict index = p->index, *restrict index3 = p->index3;
    const size_t n = p->n;
    double *restrict out = packed;

    for (size_t i = 0; i < n; i++) {
        const double *x = p->x + index3[i];
        out[3 * i] = x[0];
        out[3 * i + 1] = x[1];
        out[3 * i + 2] = x[2];
    }
    out += 3 * n;
    for (int a = 0; a < p->singles; a++) {
        const double *in = p->single[a];
        for (size_t i = 0; i < n; i++)
            out[i] = in[index[i]];
        out += n;
    }
}

void hand_atoms_unpack(const void *plan, const void *packed)
{
    const struct hand_atoms *p = plan;
    const int *restrict index = p->index, *restrict index3 = p->index3;
    const size_t n = p->n;
    const double *restrict in = packed;

    for (size_t i = 0; i < n; i++) {
        double *x = p->x + index3[i];
        x[0] = in[3 * i];
        x[1] = in[3 * i + 1];
        x[2] = in[3 * i + 2];
    }
    in += 3 * n;
    for (int a = 0; a < p->singles; a++) {
        double *out = p->single[a];
        for (size_t i = 0; i < n; i++)
            out[index[i]] = in[i];
        in += n;
    }
}

void hand_pieces_pack(const void *plan, void *packed)
{
    const struct hand_pieces *p = plan;
    char *out = packed;

    for (int i = 0; i < p->parts; i++) {
        memcpy(out, p->part[i].start, p->part[i].size);
        out += p->part[i].size;
    }
}

void hand_pieces_unpack(const void *plan, const void *packed)
{
    const struct hand_pieces *p = plan;
    const char *in = packed;

    for (int i = 0; i < p->parts; i++) {
        memcpy(p->part[i].start, in, p->part[i].size);
        in += p->part[i].size;
    }
}

void hand_runs_f64_pack(const void *plan, void *packed)
{
    const struct hand_runs_f64 *p = plan;
    double *restrict out = packed;
    const size_t n = p->n;

    for (size_t r = 0; r < n; r++) {
        const double *in = p->start + p->offset[r];
        const int length = p->length[r];
        for (int i = 0; i < length; i++)
            *out++ = in[i];
    }
}

void hand_runs_f64_unpack(const void *plan, const void *packed)
{
    const struct hand_runs_f64 *p = plan;
    const double *restrict in = packed;
    const size_t n = p->n;

    for (size_t r = 0; r < n; r++) {
        double *out = p->start + p->offset[r];
        const int length = p->length[r];
        for (int i = 0; i < length; i++)
            out[i] = *in++;
    }
}

/* ---- bytes and C structs ---- */

void hand_odd_bytes_pack(const void *plan, void *packed)
{
    const struct hand_odd_bytes *p = plan;
    const uint8_t *in = p->start;
    uint8_t *restrict out = packed;
    const size_t n = p->n;

    for (size_t i = 0; i < n; i++)
        out[i] = in[2 * i];
}

void hand_odd_bytes_unpack(const void *plan, const void *packed)
{
    const struct hand_odd_bytes *p = plan;
    uint8_t *out = p->start;
    const uint8_t *restrict in = packed;
    const size_t n = p->n;

    for (size_t i = 0; i < n; i++)
        out[2 * i] = in[i];
}

void hand_particles_pack(const void *plan, void *packed)
{
    const struct hand_structs *p = plan;
    const struct hand_particle *s = p->start, *end = s + p->n;
    char *restrict out = packed;

    for (; s < end; s++, out += 29) {
        memcpy(out, &s->id, 4);
        memcpy(out + 4, s->v, 24);
        out[28] = s->flag;
    }
}

void hand_particles_unpack(const void *plan, const void *packed)
{
    const struct hand_structs *p = plan;
    struct hand_particle *s = p->start, *end = s + p->n;
    const char *restrict in = packed;

    for (; s < end; s++, in += 29) {
        memcpy(&s->id, in, 4);
        memcpy(s->v, in + 4, 24);
        s->flag = in[28];
    }
}

void hand_gappy_pack(const void *plan, void *packed)
{
    const struct hand_structs *p = plan;
    const struct hand_gappy *s = p->start, *end = s + p->n;
    char *restrict out = packed;

    for (; s < end; s++, out += 31) {
        out[0] = s->tag;
        memcpy(out + 1, &s->value, 8);
        memcpy(out + 9, &s->code, 2);
        memcpy(out + 11, s->direction, 12);
        memcpy(out + 23, &s->id, 8);
    }
}

void hand_gappy_unpack(const void *plan, const void *packed)
{
    const struct hand_structs *p = plan;
    struct hand_gappy *s = p->start, *end = s + p->n;
    const char *restrict in = packed;

    for (; s < end; s++, in += 31) {
        s->tag = in[0];
        memcpy(&s->value, in + 1, 8);
        memcpy(&s->code, in + 9, 2);
        memcpy(s->direction, in + 11, 12);
        memcpy(&s->id, in + 23, 8);
    }
}

void hand_dense_pack(const void *plan, void *packed)
{
    const struct hand_structs *p = plan;

    memcpy(packed, p->start, p->n * sizeof(struct hand_dense));
}

void hand_dense_unpack(const void *plan, const void *packed)
{
    const struct hand_structs *p = plan;

    memcpy(p->start, packed, p->n * sizeof(struct hand_dense));
}

void hand_dense_spread_pack(const void *plan, void *packed)
{
    const struct hand_structs *p = plan;
    const struct hand_dense_spread *s = p->start;
    struct hand_dense *restrict out = packed;

    for (size_t i = 0; i < p->n; i++)
        out[i] = s[i].dense;
}

void hand_dense_spread_unpack(const void *plan, const void *packed)
{
    const struct hand_structs *p = plan;
    struct hand_dense_spread *s = p->start;
    const struct hand_dense *restrict in = packed;

    for (size_t i = 0; i < p->n; i++)
        s[i].dense = in[i];
}
