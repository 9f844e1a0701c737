/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Unstructured meshes and particles: index lists in no order.
 *
 * LAMMPS_full, LAMMPS_atomic: doubles x[3(n+k)] and 5 (atomic: 3) arrays of [n+k]; k of the first n
 *     atoms are sent, and received as atoms n … n+k-1. parameter: n, k, number of single arrays.
 *
 * SPECFEM3D_oc: k of n floats. parameter: n, k.
 *
 * SPECFEM3D_cm: k1 of n1 and k2 of n2 points of 3 floats, two arrays. parameter: n1, n2, k1, k2.
 *
 * SPECFEM3D_mt: the first of two vectors of 3 floats in m points; received without gaps.
 *     parameter: m.
 */
#include "hand.h"
#include "layouts_make.h"

/* The displacement lists of a layout's datatypes; also used by the hand loops. */
struct lists {
    int *list[2];  /* indices */
    int *list3[2]; /* 3 × the index */
};

enum { SEED = 2012 };

static void make_lists(struct layout *layout, struct lists *lists, int which, int n, int k,
                       uint32_t seed)
{
    lists->list[which] = layout_shuffled(layout, n, seed);
    lists->list3[which] = layout_keep(layout, (size_t) k * sizeof(int));
    for (int i = 0; i < k; i++) {
        lists->list3[which][i] = 3 * lists->list[which][i];
    }
}

/* ---- LAMMPS ---- */

static void lammps_setup(struct layout *layout)
{
    const long *p = layout->spec->parameter;
    const int n = (int) p[0], k = (int) p[1], singles = (int) p[2];
    struct lists *lists = layout->recipe = layout_keep(layout, sizeof(*lists));
    const size_t all = (size_t) (n + k), moved = (size_t) k * sizeof(double);

    make_lists(layout, lists, 0, n, k, SEED);
    layout->bytes = (size_t) (3 + singles) * moved;
    for (int side = 0; side < 2; side++) {
        double *x = layout_array(layout, side, 3 * all * sizeof(double));
        struct hand_atoms atoms = {x, singles, {0}, lists->list[0], lists->list3[0], (size_t) k};
        struct hand_pieces tail = {1 + singles, {{x + 3 * n, 3 * moved}}};
        for (int s = 0; s < singles; s++) {
            atoms.single[s] = layout_array(layout, side, all * sizeof(double));
            tail.part[1 + s].start = atoms.single[s] + n;
            tail.part[1 + s].size = moved;
        }
        layout_use_absolute(layout, side);
        if (side == LAYOUT_SEND) {
            layout_hand(layout, side, &atoms, sizeof(atoms), hand_atoms_pack, hand_atoms_unpack);
        } else {
            layout_hand(layout, side, &tail, sizeof(tail), hand_pieces_pack, hand_pieces_unpack);
        }
    }
}

static void lammps_type(const struct layout *layout, int side, MPI_Datatype *type)
{
    const long *p = layout->spec->parameter;
    const int n = (int) p[0], k = (int) p[1], arrays = 1 + (int) p[2];
    const struct lists *lists = layout->recipe;
    MPI_Datatype three, one, types[6];
    MPI_Aint displacements[6];
    int ones[6];

    if (side == LAYOUT_SEND) {
        MPI_Type_create_indexed_block(k, 3, lists->list3[0], MPI_DOUBLE, &three);
        MPI_Type_create_indexed_block(k, 1, lists->list[0], MPI_DOUBLE, &one);
    } else {
        MPI_Type_contiguous(3 * k, MPI_DOUBLE, &three);
        MPI_Type_contiguous(k, MPI_DOUBLE, &one);
    }
    for (int a = 0; a < arrays; a++) {
        const double *array = (const double *) layout->side[side].array[a].bytes;
        const long first = side == LAYOUT_SEND ? 0 : (a == 0 ? 3 * n : n);
        ones[a] = 1;
        types[a] = a == 0 ? three : one;
        displacements[a] = layout_displacement(&layout->side[side], array + first);
    }
    MPI_Type_create_struct(arrays, ones, displacements, types, type);
    MPI_Type_commit(type);
    MPI_Type_free(&three);
    MPI_Type_free(&one);
}

/* ---- SPECFEM3D ---- */

static void oc_setup(struct layout *layout)
{
    const int n = (int) layout->spec->parameter[0], k = (int) layout->spec->parameter[1];
    struct lists *lists = layout->recipe = layout_keep(layout, sizeof(*lists));

    layout->bytes = 4 * (size_t) k;
    for (int side = 0; side < 2; side++) {
        struct hand_gather_f32 plan = {.parts = 1};
        lists->list[side] = layout_shuffled(layout, n, SEED + (uint32_t) side);
        plan.part[0].start = layout_array(layout, side, 4 * (size_t) n);
        plan.part[0].index = lists->list[side];
        plan.part[0].n = (size_t) k;
        layout->side[side].base = plan.part[0].start;
        layout_hand(layout, side, &plan, sizeof(plan), hand_gather_f32_pack,
                    hand_gather_f32_unpack);
    }
}

static void oc_type(const struct layout *layout, int side, MPI_Datatype *type)
{
    const struct lists *lists = layout->recipe;

    MPI_Type_create_indexed_block((int) layout->spec->parameter[1], 1, lists->list[side], MPI_FLOAT,
                                  type);
    MPI_Type_commit(type);
}

static void cm_setup(struct layout *layout)
{
    const long *p = layout->spec->parameter;
    struct lists *lists = layout->recipe = layout_keep(layout, sizeof(*lists));

    layout->bytes = 12 * (size_t) (p[2] + p[3]);
    for (int l = 0; l < 2; l++) {
        make_lists(layout, lists, l, (int) p[l], (int) p[2 + l], SEED + (uint32_t) l);
    }
    for (int side = 0; side < 2; side++) {
        struct hand_gather_f32 plan = {.parts = 2};
        for (int l = 0; l < 2; l++) {
            plan.part[l].start = layout_array(layout, side, 12 * (size_t) p[l]);
            plan.part[l].index = lists->list3[l];
            plan.part[l].n = (size_t) p[2 + l];
        }
        layout_use_absolute(layout, side);
        layout_hand(layout, side, &plan, sizeof(plan), hand_gather3_f32_pack,
                    hand_gather3_f32_unpack);
    }
}

static void cm_type(const struct layout *layout, int side, MPI_Datatype *type)
{
    const struct lists *lists = layout->recipe;
    MPI_Datatype types[2];
    MPI_Aint displacements[2];
    const int ones[2] = {1, 1};

    for (int l = 0; l < 2; l++) {
        MPI_Type_create_indexed_block((int) layout->spec->parameter[2 + l], 3, lists->list3[l],
                                      MPI_FLOAT, &types[l]);
        displacements[l] =
            layout_displacement(&layout->side[side], layout->side[side].array[l].bytes);
    }
    MPI_Type_create_struct(2, ones, displacements, types, type);
    MPI_Type_commit(type);
    for (int l = 0; l < 2; l++) {
        MPI_Type_free(&types[l]);
    }
}

static void mt_setup(struct layout *layout)
{
    const size_t m = (size_t) layout->spec->parameter[0];
    const struct hand_blocks_f32 plan = {layout_array(layout, LAYOUT_SEND, 24 * m), m, 6};
    const struct hand_pieces flat = {1, {{layout_array(layout, LAYOUT_RECV, 24 * m), 12 * m}}};

    layout->bytes = 12 * m;
    layout->side[LAYOUT_SEND].base = plan.start;
    layout->side[LAYOUT_RECV].base = flat.part[0].start;
    layout_hand(layout, LAYOUT_SEND, &plan, sizeof(plan), hand_blocks3_f32_pack,
                hand_blocks3_f32_unpack);
    layout_hand(layout, LAYOUT_RECV, &flat, sizeof(flat), hand_pieces_pack, hand_pieces_unpack);
}

static void mt_type(const struct layout *layout, int side, MPI_Datatype *type)
{
    const int m = (int) layout->spec->parameter[0];
    MPI_Datatype made;

    if (side == LAYOUT_SEND) {
        MPI_Type_contiguous(3, MPI_FLOAT, type);
        MPI_Type_vector(m, 1, 2, *type, &made);
        layout_replace(type, made);
    } else {
        MPI_Type_contiguous(3 * m, MPI_FLOAT, type);
    }
    MPI_Type_commit(type);
}

/* ---- table ---- */

#define LAMMPS(kind, singles, n, k, flags)                                                         \
    {                                                                                              \
        "LAMMPS_" kind "_" #k, "LAMMPS_" kind, flags, lammps_setup, lammps_type,                   \
        {                                                                                          \
            n, k, singles                                                                          \
        }                                                                                          \
    }
#define OC(n, k, flags)                                                                            \
    {                                                                                              \
        "SPECFEM3D_oc_" #k, "SPECFEM3D_oc", flags, oc_setup, oc_type,                              \
        {                                                                                          \
            n, k                                                                                   \
        }                                                                                          \
    }
#define CM(n1, n2, k1, k2, flags)                                                                  \
    {                                                                                              \
        "SPECFEM3D_cm_" #k1, "SPECFEM3D_cm", flags, cm_setup, cm_type,                             \
        {                                                                                          \
            n1, n2, k1, k2                                                                         \
        }                                                                                          \
    }
#define MT(m, flags)                                                                               \
    {                                                                                              \
        "SPECFEM3D_mt_" #m, "SPECFEM3D_mt", flags, mt_setup, mt_type,                              \
        {                                                                                          \
            m                                                                                      \
        }                                                                                          \
    }

const struct layout_spec layouts_indexed[] = {
    LAMMPS("full", 5, 3534, 3062, LAYOUT_QUICK | LAYOUT_ANCHOR),
    LAMMPS("full", 5, 2597, 2243, 0),
    LAMMPS("full", 5, 1907, 1662, 0),
    LAMMPS("atomic", 3, 4084, 243, LAYOUT_QUICK),
    LAMMPS("atomic", 3, 2157, 145, 0),
    LAMMPS("atomic", 3, 1217, 114, 0),
    OC(88881, 3225, LAYOUT_QUICK | LAYOUT_ANCHOR),
    OC(38585, 1897, 0),
    OC(12857, 877, 0),
    OC(3697, 493, LAYOUT_QUICK),
    CM(834917, 51153, 11797, 3009, 0),
    CM(396849, 22477, 7125, 1729, 0),
    CM(152001, 7209, 3801, 801, 0),
    CM(39929, 1225, 1957, 245, LAYOUT_QUICK | LAYOUT_ANCHOR),
    MT(7600, 0),
    MT(6400, 0),
    MT(5600, 0),
    MT(6200, LAYOUT_QUICK | LAYOUT_ANCHOR),
    {0},
};
