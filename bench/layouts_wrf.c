/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * WRF: halos of a weather code. Nine separate float arrays: four 2-D (d1 × d3), three 3-D
 * (d1 × d2 × d3) and two 4-D (d1 × d2 × d3 × 2, of which only the second slab is sent); the first
 * index is the fastest. Of each the box s1 × s2 × s3 that begins at (is, ks, js) is moved.
 *
 * `vec` builds the boxes from vectors at absolute addresses of their first elements, `sa` from
 * subarrays of the whole arrays.
 *
 * parameter: d1, d3, is, js, s1, s3, 1 for sa.
 */
#include "hand.h"
#include "layouts_make.h"

enum { D2 = 65, S2 = 65, KS = 0 };
enum { ARRAYS_2D = 4, ARRAYS_3D = 3, ARRAYS_4D = 2, ARRAYS = ARRAYS_2D + ARRAYS_3D + ARRAYS_4D };

struct wrf {
    int d1, d3, is, js, s1, s3;
    bool subarray;
};

static struct wrf wrf_of(const struct layout *layout)
{
    const long *p = layout->spec->parameter;
    const struct wrf w = {(int) p[0], (int) p[1], (int) p[2], (int) p[3],
                          (int) p[4], (int) p[5], p[6] != 0};
    return w;
}

static int dimensions_of(int array)
{
    if (array < ARRAYS_2D) {
        return 2;
    }
    return array < ARRAYS_2D + ARRAYS_3D ? 3 : 4;
}

/* Elements of an array, and the number of the first element that is moved. */
static size_t elements_of(const struct wrf *w, int dimensions)
{
    const size_t plane = (size_t) w->d1 * (size_t) w->d3;

    if (dimensions == 2) {
        return plane;
    }
    return dimensions == 3 ? plane * D2 : plane * D2 * 2;
}

static size_t first_of(const struct wrf *w, int dimensions)
{
    const size_t d1 = (size_t) w->d1, is = (size_t) w->is, js = (size_t) w->js;

    if (dimensions == 2) {
        return is + d1 * js;
    }
    return is + d1 * (KS + D2 * js) + (dimensions == 4 ? d1 * D2 * (size_t) w->d3 : 0);
}

static void wrf_setup(struct layout *layout)
{
    const struct wrf w = wrf_of(layout);

    for (int side = 0; side < 2; side++) {
        struct hand_boxes_f32 plan = {.parts = ARRAYS};
        layout->bytes = 0;
        for (int a = 0; a < ARRAYS; a++) {
            const int dimensions = dimensions_of(a);
            float *array = layout_array(layout, side, 4 * elements_of(&w, dimensions));
            plan.part[a].start = array + first_of(&w, dimensions);
            plan.part[a].n1 = (size_t) w.s1;
            plan.part[a].n2 = dimensions == 2 ? 1 : S2;
            plan.part[a].n3 = (size_t) w.s3;
            plan.part[a].stride2 = (size_t) w.d1;
            plan.part[a].stride3 = (size_t) w.d1 * (dimensions == 2 ? 1 : D2);
            layout->bytes += 4 * plan.part[a].n1 * plan.part[a].n2 * plan.part[a].n3;
        }
        layout_hand(layout, side, &plan, sizeof(plan), hand_boxes_f32_pack, hand_boxes_f32_unpack);
        layout_use_absolute(layout, side);
    }
}

static void make_vec(const struct wrf *w, int dimensions, MPI_Datatype *type)
{
    MPI_Datatype made;

    if (dimensions == 2) {
        MPI_Type_vector(w->s3, w->s1, w->d1, MPI_FLOAT, type);
        return;
    }
    MPI_Type_vector(S2, w->s1, w->d1, MPI_FLOAT, type);
    MPI_Type_create_hvector(w->s3, 1, (MPI_Aint) w->d1 * D2 * 4, *type, &made);
    layout_replace(type, made);
    if (dimensions == 4) {
        MPI_Type_create_hvector(1, 1, (MPI_Aint) w->d1 * D2 * w->d3 * 4, *type, &made);
        layout_replace(type, made);
    }
}

static void make_sa(const struct wrf *w, int dimensions, MPI_Datatype *type)
{
    const int sizes2[] = {w->d3, w->d1}, subsizes2[] = {w->s3, w->s1}, starts2[] = {w->js, w->is};
    const int sizes[] = {2, w->d3, D2, w->d1};
    const int subsizes[] = {1, w->s3, S2, w->s1};
    const int starts[] = {1, w->js, KS, w->is};

    if (dimensions == 2) {
        MPI_Type_create_subarray(2, sizes2, subsizes2, starts2, MPI_ORDER_C, MPI_FLOAT, type);
    } else {
        MPI_Type_create_subarray(dimensions, sizes + 4 - dimensions, subsizes + 4 - dimensions,
                                 starts + 4 - dimensions, MPI_ORDER_C, MPI_FLOAT, type);
    }
}

static void wrf_type(const struct layout *layout, int side, MPI_Datatype *type)
{
    const struct wrf w = wrf_of(layout);
    MPI_Datatype box[5], boxes[ARRAYS];
    MPI_Aint displacements[ARRAYS];
    int ones[ARRAYS];

    for (int dimensions = 2; dimensions <= 4; dimensions++) {
        (w.subarray ? make_sa : make_vec)(&w, dimensions, &box[dimensions]);
    }
    for (int a = 0; a < ARRAYS; a++) {
        const int dimensions = dimensions_of(a);
        const float *array = (const float *) layout->side[side].array[a].bytes;
        ones[a] = 1;
        boxes[a] = box[dimensions];
        displacements[a] = layout_displacement(
            &layout->side[side], w.subarray ? array : array + first_of(&w, dimensions));
    }
    MPI_Type_create_struct(ARRAYS, ones, displacements, boxes, type);
    MPI_Type_commit(type);
    for (int dimensions = 2; dimensions <= 4; dimensions++) {
        MPI_Type_free(&box[dimensions]);
    }
}

#define WRF(axis, ranks, flags, ...)                                                               \
    {"WRF_" axis "_vec_" ranks, "WRF_" axis "_vec", flags, wrf_setup, wrf_type, {__VA_ARGS__, 0}}, \
    {                                                                                              \
        "WRF_" axis "_sa_" ranks, "WRF_" axis "_sa", (flags) & ~LAYOUT_ANCHOR, wrf_setup,          \
            wrf_type,                                                                              \
        {                                                                                          \
            __VA_ARGS__, 1                                                                         \
        }                                                                                          \
    }

const struct layout_spec layouts_wrf[] = {
    WRF("y", "2x2", LAYOUT_QUICK | LAYOUT_ANCHOR, 32, 52, 5, 7, 23, 3),
    WRF("y", "3x3", 0, 27, 41, 4, 7, 19, 3),
    WRF("y", "4x4", 0, 24, 34, 4, 7, 16, 3),
    WRF("y", "5x5", 0, 22, 30, 4, 7, 14, 3),
    WRF("y", "8x8", 0, 19, 24, 4, 7, 11, 3),
    WRF("x", "2x2", LAYOUT_QUICK | LAYOUT_ANCHOR, 32, 52, 22, 4, 3, 44),
    WRF("x", "4x4", 0, 24, 34, 14, 4, 3, 26),
    WRF("x", "8x8", 0, 19, 24, 9, 4, 3, 16),
    {0},
};
