/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * FFT2: the transposition of an n × n complex matrix that is spread by rows over p = 2 ranks. Each
 * rank has h = n/p rows of n numbers. `gather` sends h × h blocks; `scatter` puts arriving numbers
 * into columns. Both are resized, so that each item of a message lies h numbers behind the last.
 *
 * FFT2_gather_n and FFT2_scatter_n move one item, as each pair of ranks does in the MPI_Alltoall;
 * FFT2_gather_all_n and FFT2_scatter_all_n move p items, the whole of a rank's rows. A gather is
 * received by a scatter and the other way round.
 *
 * parameter: n, items, 1 when the sender scatters.
 */
#include "hand.h"
#include "layouts_make.h"

enum { RANKS = 2, COMPLEX_BYTES = 16 };

static bool side_scatters(const struct layout *layout, int side)
{
    return (layout->spec->parameter[2] != 0) == (side == LAYOUT_SEND);
}

static void fft_setup(struct layout *layout)
{
    const size_t n = (size_t) layout->spec->parameter[0], h = n / RANKS;
    const size_t items = (size_t) layout->spec->parameter[1];

    layout->bytes = items * h * h * COMPLEX_BYTES;
    for (int side = 0; side < 2; side++) {
        void *matrix = layout_array(layout, side, h * n * COMPLEX_BYTES);
        const struct hand_columns_c64 columns = {matrix, h, items * h, n, 1};
        const struct hand_rows_f64 rows = {matrix, 2 * h, h, items, 2 * n, 2 * h};
        layout->side[side].base = matrix;
        layout->side[side].count = (int) items;
        if (side_scatters(layout, side)) {
            layout_hand(layout, side, &columns, sizeof(columns), hand_columns_c64_pack,
                        hand_columns_c64_unpack);
        } else {
            layout_hand(layout, side, &rows, sizeof(rows), hand_rows_f64_pack,
                        hand_rows_f64_unpack);
        }
    }
}

static void fft_type(const struct layout *layout, int side, MPI_Datatype *type)
{
    const int n = (int) layout->spec->parameter[0], h = n / RANKS;
    MPI_Datatype made;

    MPI_Type_contiguous(2, MPI_DOUBLE, type);
    if (side_scatters(layout, side)) {
        MPI_Type_vector(h, 1, n, *type, &made);
        layout_replace(type, made);
        MPI_Type_create_resized(*type, 0, COMPLEX_BYTES, &made);
        layout_replace(type, made);
        MPI_Type_contiguous(h, *type, &made);
    } else {
        MPI_Type_vector(h, h, n, *type, &made);
        layout_replace(type, made);
        MPI_Type_create_resized(*type, 0, (MPI_Aint) h * COMPLEX_BYTES, &made);
    }
    layout_replace(type, made);
    MPI_Type_commit(type);
}

#define FFT(kind, scatters, n, flags)                                                              \
    {"FFT2_" kind "_" #n, "FFT2_" kind, flags, fft_setup, fft_type, {n, 1, scatters}},             \
    {                                                                                              \
        "FFT2_" kind "_all_" #n, "FFT2_" kind "_all", 0, fft_setup, fft_type,                      \
        {                                                                                          \
            n, RANKS, scatters                                                                     \
        }                                                                                          \
    }

const struct layout_spec layouts_fft[] = {
    FFT("gather", 0, 256, LAYOUT_QUICK),
    FFT("gather", 0, 512, 0),
    FFT("gather", 0, 768, 0),
    FFT("gather", 0, 1024, 0),
    FFT("gather", 0, 1536, 0),
    FFT("scatter", 1, 256, LAYOUT_QUICK),
    FFT("scatter", 1, 512, LAYOUT_ANCHOR),
    FFT("scatter", 1, 768, 0),
    FFT("scatter", 1, 1024, 0),
    FFT("scatter", 1, 1536, 0),
    {0},
};
