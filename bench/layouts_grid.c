/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Faces of regular grids. The first index of an array is the fastest.
 *
 * MILC_su3_zdown: a 4-D lattice L1 × L2 × L3 × L4 of 3-vectors of complex floats (su3, 24 B), sites
 *     sorted into two halves (even and odd). parameter: L1, L2, L3, L4.
 *
 * NAS_LU_x, NAS_LU_y: double 5 × (n+2) × (n+2); one row of points with 5 doubles each.
 *     parameter: n, 1 for x.
 *
 * NAS_MG_x, NAS_MG_y, NAS_MG_z: double a × b × c; a face without its rim.
 *     parameter: a, b, c, axis 0 … 2.
 */
#include "hand.h"
#include "layouts_make.h"

/* ---- MILC ---- */

enum { SU3_FLOATS = 6, SU3_BYTES = 24 };

static void milc_setup(struct layout *layout)
{
    const long *l = layout->spec->parameter;
    const size_t block = (size_t) (l[0] * l[1] / 2), stride = block * (size_t) l[2];
    const size_t half = stride * (size_t) l[3];

    layout->bytes = 2 * (size_t) l[3] * block * SU3_BYTES;
    for (int side = 0; side < 2; side++) {
        struct hand_boxes_f32 plan = {.parts = 1};
        plan.part[0].start = layout_array(layout, side, 2 * half * SU3_BYTES);
        plan.part[0].n1 = block * SU3_FLOATS;
        plan.part[0].n2 = (size_t) l[3];
        plan.part[0].n3 = 2;
        plan.part[0].stride2 = stride * SU3_FLOATS;
        plan.part[0].stride3 = half * SU3_FLOATS;
        layout->side[side].base = plan.part[0].start;
        layout_hand(layout, side, &plan, sizeof(plan), hand_boxes_f32_pack, hand_boxes_f32_unpack);
    }
}

static void milc_type(const struct layout *layout, int side, MPI_Datatype *type)
{
    const long *l = layout->spec->parameter;
    MPI_Datatype made;

    (void) side;
    MPI_Type_contiguous(SU3_FLOATS, MPI_FLOAT, type);
    MPI_Type_vector((int) l[3], (int) (l[0] * l[1] / 2), (int) (l[0] * l[1] * l[2] / 2), *type,
                    &made);
    layout_replace(type, made);
    MPI_Type_create_hvector(2, 1, (MPI_Aint) SU3_BYTES * l[0] * l[1] * l[2] * l[3] / 2, *type,
                            &made);
    layout_replace(type, made);
    MPI_Type_commit(type);
}

/* ---- NAS LU ---- */

static void lu_setup(struct layout *layout)
{
    const size_t n = (size_t) layout->spec->parameter[0], width = n + 2;
    const bool is_x = layout->spec->parameter[1] != 0;

    layout->bytes = 40 * n;
    for (int side = 0; side < 2; side++) {
        double *array = layout_array(layout, side, 40 * width * width);
        const size_t fixed = side == LAYOUT_SEND ? n : 0;
        if (is_x) {
            const struct hand_pieces plan = {1, {{array + 5 * (1 + width * fixed), 40 * n}}};
            layout->side[side].base = plan.part[0].start;
            layout_hand(layout, side, &plan, sizeof(plan), hand_pieces_pack, hand_pieces_unpack);
        } else {
            const struct hand_blocks_f64 plan = {array + 5 * (fixed + width), n, 5 * width};
            layout->side[side].base = plan.start;
            layout_hand(layout, side, &plan, sizeof(plan), hand_blocks5_f64_pack,
                        hand_blocks5_f64_unpack);
        }
    }
}

static void lu_type(const struct layout *layout, int side, MPI_Datatype *type)
{
    const int n = (int) layout->spec->parameter[0];
    MPI_Datatype made;

    (void) side;
    if (layout->spec->parameter[1] != 0) {
        MPI_Type_contiguous(5 * n, MPI_DOUBLE, type);
    } else {
        MPI_Type_contiguous(5, MPI_DOUBLE, type);
        MPI_Type_vector(n, 1, n + 2, *type, &made);
        layout_replace(type, made);
    }
    MPI_Type_commit(type);
}

/* ---- NAS MG ---- */

static void mg_hand(struct layout *layout, int side, double *array)
{
    const long *p = layout->spec->parameter;
    const size_t a = (size_t) p[0], b = (size_t) p[1], c = (size_t) p[2], axis = (size_t) p[3];
    const size_t move = side == LAYOUT_RECV;

    if (axis == 0) {
        const struct hand_columns_f64 plan = {array + (a - 2 + move) + a + a * b, b - 2, c - 2, a,
                                              a * b};
        layout->bytes = 8 * (b - 2) * (c - 2);
        layout->side[side].base = plan.start;
        layout_hand(layout, side, &plan, sizeof(plan), hand_columns_f64_pack,
                    hand_columns_f64_unpack);
    } else {
        const bool is_y = axis == 1;
        const struct hand_rows_f64 plan = {is_y ? array + 1 + a * (b - 2 + move) + a * b
                                                : array + 1 + a + a * b * (1 - move),
                                           a - 2,
                                           (is_y ? c : b) - 2,
                                           1,
                                           is_y ? a * b : a,
                                           0};
        layout->bytes = 8 * plan.n1 * plan.n2;
        layout->side[side].base = plan.start;
        layout_hand(layout, side, &plan, sizeof(plan), hand_rows_f64_pack, hand_rows_f64_unpack);
    }
}

static void mg_setup(struct layout *layout)
{
    const long *p = layout->spec->parameter;

    for (int side = 0; side < 2; side++) {
        mg_hand(layout, side, layout_array(layout, side, 8 * (size_t) (p[0] * p[1] * p[2])));
    }
}

static void mg_type(const struct layout *layout, int side, MPI_Datatype *type)
{
    const long *p = layout->spec->parameter;
    const int a = (int) p[0], b = (int) p[1], c = (int) p[2];
    MPI_Datatype made;

    (void) side;
    if (p[3] == 0) {
        MPI_Type_vector(b - 2, 1, a, MPI_DOUBLE, type);
        MPI_Type_create_hvector(c - 2, 1, (MPI_Aint) 8 * a * b, *type, &made);
        layout_replace(type, made);
    } else if (p[3] == 1) {
        MPI_Type_vector(c - 2, a - 2, a * b, MPI_DOUBLE, type);
    } else {
        MPI_Type_vector(b - 2, a - 2, a, MPI_DOUBLE, type);
    }
    MPI_Type_commit(type);
}

/* ---- table ---- */

#define MILC(size, flags, ...)                                                                     \
    {                                                                                              \
        "MILC_su3_zdown_" size, "MILC_su3_zdown", flags, milc_setup, milc_type,                    \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define LU(axis, n, flags)                                                                         \
    {                                                                                              \
        "NAS_LU_" #axis "_" #n, "NAS_LU_" #axis, flags, lu_setup, lu_type,                         \
        {                                                                                          \
            n, #axis[0] == 'x'                                                                     \
        }                                                                                          \
    }
#define MG(axis, a, b, c, flags)                                                                   \
    {                                                                                              \
        "NAS_MG_" #axis "_" #a "x" #b "x" #c, "NAS_MG_" #axis, flags, mg_setup, mg_type,           \
        {                                                                                          \
            a, b, c, #axis[0] - 'x'                                                                \
        }                                                                                          \
    }

/* libpack's figure of many MILC datatypes. */
#define SERIES(a, b, c, d)                                                                         \
    {                                                                                              \
        "series_milc_" #a "x" #b "x" #c "x" #d, "series_milc", LAYOUT_SERIES, milc_setup,          \
            milc_type,                                                                             \
        {                                                                                          \
            a, b, c, d                                                                             \
        }                                                                                          \
    }
#define SERIES_4(a, b, c)                                                                          \
    SERIES(a, b, c, 4), SERIES(a, b, c, 8), SERIES(a, b, c, 16), SERIES(a, b, c, 32)
#define SERIES_16(a, b) SERIES_4(a, b, 4), SERIES_4(a, b, 8), SERIES_4(a, b, 16), SERIES_4(a, b, 32)

const struct layout_spec layouts_grid[] = {
    MILC("16x16x16x16", LAYOUT_QUICK | LAYOUT_ANCHOR, 16, 16, 16, 16),
    MILC("8x16x16x16", 0, 8, 16, 16, 16),
    MILC("8x8x16x16", 0, 8, 8, 16, 16),
    MILC("8x8x8x16", 0, 8, 8, 8, 16),
    MILC("8x8x8x8", LAYOUT_QUICK, 8, 8, 8, 8),
    LU(x, 12, 0),
    LU(x, 33, 0),
    LU(x, 64, 0),
    LU(x, 102, 0),
    LU(x, 162, LAYOUT_QUICK),
    LU(x, 408, 0),
    LU(x, 1020, 0),
    LU(y, 12, LAYOUT_QUICK),
    LU(y, 33, 0),
    LU(y, 64, 0),
    LU(y, 102, 0),
    LU(y, 162, LAYOUT_QUICK | LAYOUT_ANCHOR),
    LU(y, 408, 0),
    LU(y, 1020, LAYOUT_ANCHOR),
    MG(x, 34, 18, 18, LAYOUT_QUICK),
    MG(x, 130, 66, 66, LAYOUT_QUICK | LAYOUT_ANCHOR),
    MG(x, 258, 130, 130, LAYOUT_ANCHOR),
    MG(x, 514, 258, 258, 0),
    MG(y, 34, 18, 18, 0),
    MG(y, 130, 66, 66, LAYOUT_QUICK),
    MG(y, 258, 130, 130, 0),
    MG(y, 514, 258, 258, 0),
    MG(z, 34, 18, 18, 0),
    MG(z, 130, 66, 66, LAYOUT_QUICK),
    MG(z, 258, 130, 130, 0),
    MG(z, 514, 258, 258, 0),
    SERIES_16(4, 4),
    SERIES_16(4, 8),
    SERIES_16(8, 8),
    SERIES_16(8, 16),
    SERIES_16(16, 16),
    SERIES_16(16, 32),
    {0},
};
