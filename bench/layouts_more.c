/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Small kernels: one shape each, to see one property of a datatype engine at a time. Both sides
 * have the same shape. The name says the shape; parameters are given at each table entry.
 */
#include "hand.h"
#include "layouts_make.h"

enum { SEED = 2017 };

/* ---- vectors ---- */

/* Every second byte. parameter: n. */
static void bytes_setup(struct layout *layout)
{
    const size_t n = (size_t) layout->spec->parameter[0];

    layout->bytes = n;
    for (int side = 0; side < 2; side++) {
        const struct hand_odd_bytes plan = {layout_array(layout, side, 2 * n), n};
        layout->side[side].base = plan.start;
        layout_hand(layout, side, &plan, sizeof(plan), hand_odd_bytes_pack, hand_odd_bytes_unpack);
    }
}

static void bytes_type(const struct layout *layout, int side, MPI_Datatype *type)
{
    (void) side;
    MPI_Type_vector((int) layout->spec->parameter[0], 1, 2, MPI_BYTE, type);
    MPI_Type_commit(type);
}

/* Blocks of 24 bytes, 28 bytes apart. parameter: number of blocks. */
enum { BLOCK24 = 24, STRIDE28 = 28 };

static void hvector_setup(struct layout *layout)
{
    const size_t n = (size_t) layout->spec->parameter[0];

    layout->bytes = BLOCK24 * n;
    for (int side = 0; side < 2; side++) {
        const struct hand_blocks_f32 plan = {layout_array(layout, side, STRIDE28 * n), n,
                                             STRIDE28 / sizeof(float)};
        layout->side[side].base = plan.start;
        layout_hand(layout, side, &plan, sizeof(plan), hand_blocks6_f32_pack,
                    hand_blocks6_f32_unpack);
    }
}

static void hvector_type(const struct layout *layout, int side, MPI_Datatype *type)
{
    MPI_Datatype made;

    (void) side;
    MPI_Type_contiguous(2, MPI_FLOAT, type);
    MPI_Type_create_hvector((int) layout->spec->parameter[0], 3, STRIDE28, *type, &made);
    layout_replace(type, made);
    MPI_Type_commit(type);
}

/* Vector of doubles. parameter: count, blocklength, stride. */
static void doubles_setup(struct layout *layout)
{
    const long *p = layout->spec->parameter;
    const size_t count = (size_t) p[0], stride = (size_t) p[2];

    layout->bytes = 8 * count * (size_t) p[1];
    for (int side = 0; side < 2; side++) {
        double *array = layout_array(layout, side, 8 * count * stride);
        const struct hand_columns_f64 singles = {array, count, 1, stride, 0};
        const struct hand_blocks_f64 blocks = {array, count, stride};
        const struct hand_rows_f64 rows = {array, (size_t) p[1], count, 1, stride, 0};
        layout->side[side].base = array;
        if (p[1] == 1) {
            layout_hand(layout, side, &singles, sizeof(singles), hand_columns_f64_pack,
                        hand_columns_f64_unpack);
        } else if (p[1] == 8) {
            layout_hand(layout, side, &blocks, sizeof(blocks), hand_blocks8_f64_pack,
                        hand_blocks8_f64_unpack);
        } else {
            layout_hand(layout, side, &rows, sizeof(rows), hand_rows_f64_pack,
                        hand_rows_f64_unpack);
        }
    }
}

static void doubles_type(const struct layout *layout, int side, MPI_Datatype *type)
{
    const long *p = layout->spec->parameter;

    (void) side;
    MPI_Type_vector((int) p[0], (int) p[1], (int) p[2], MPI_DOUBLE, type);
    MPI_Type_commit(type);
}

/* hvector(n) of vector(rows, 4, stride) float, planes one row further apart than rows × stride. */
static void nested_setup(struct layout *layout)
{
    const long *p = layout->spec->parameter;
    const size_t n = (size_t) p[0], rows = (size_t) p[1], stride = (size_t) p[2];

    layout->bytes = 16 * n * rows;
    for (int side = 0; side < 2; side++) {
        const struct hand_rows4_f32 plan = {layout_array(layout, side, 4 * n * (rows + 1) * stride),
                                            rows, n, stride, (rows + 1) * stride};
        layout->side[side].base = plan.start;
        layout_hand(layout, side, &plan, sizeof(plan), hand_rows4_f32_pack, hand_rows4_f32_unpack);
    }
}

static void nested_type(const struct layout *layout, int side, MPI_Datatype *type)
{
    const long *p = layout->spec->parameter;
    MPI_Datatype made;

    (void) side;
    MPI_Type_vector((int) p[1], 4, (int) p[2], MPI_FLOAT, type);
    MPI_Type_create_hvector((int) p[0], 1, (MPI_Aint) 4 * (p[1] + 1) * p[2], *type, &made);
    layout_replace(type, made);
    MPI_Type_commit(type);
}

/* parameter: bytes. */
static void contiguous_setup(struct layout *layout)
{
    layout->bytes = (size_t) layout->spec->parameter[0];
    for (int side = 0; side < 2; side++) {
        const struct hand_pieces plan = {
            1, {{layout_array(layout, side, layout->bytes), layout->bytes}}};
        layout->side[side].base = plan.part[0].start;
        layout_hand(layout, side, &plan, sizeof(plan), hand_pieces_pack, hand_pieces_unpack);
    }
}

static void contiguous_type(const struct layout *layout, int side, MPI_Datatype *type)
{
    (void) side;
    MPI_Type_contiguous((int) layout->bytes / 8, MPI_DOUBLE, type);
    MPI_Type_commit(type);
}

/* ---- index lists ---- */

/* Displacements and blocklengths in elements. */
struct lists {
    int *offset, *length;
};

/* n single floats, 2 to 4 floats apart. parameter: n. */
static void near_setup(struct layout *layout)
{
    const int n = (int) layout->spec->parameter[0];
    struct lists *lists = layout->recipe = layout_keep(layout, sizeof(*lists));
    uint32_t state = SEED;
    int end = 0;

    lists->offset = layout_keep(layout, (size_t) n * sizeof(int));
    for (int i = 0; i < n; i++) {
        lists->offset[i] = end;
        end += 2 + (int) (layout_random(&state) % 3);
    }
    layout->bytes = 4 * (size_t) n;
    for (int side = 0; side < 2; side++) {
        struct hand_gather_f32 plan = {.parts = 1};
        plan.part[0].start = layout_array(layout, side, 4 * (size_t) end);
        plan.part[0].index = lists->offset;
        plan.part[0].n = (size_t) n;
        layout->side[side].base = plan.part[0].start;
        layout_hand(layout, side, &plan, sizeof(plan), hand_gather_f32_pack,
                    hand_gather_f32_unpack);
    }
}

static void near_type(const struct layout *layout, int side, MPI_Datatype *type)
{
    const struct lists *lists = layout->recipe;

    (void) side;
    MPI_Type_create_indexed_block((int) layout->spec->parameter[0], 1, lists->offset, MPI_FLOAT,
                                  type);
    MPI_Type_commit(type);
}

/* n single floats in every second place, in no order. parameter: n. */
static void random_setup(struct layout *layout)
{
    const int n = (int) layout->spec->parameter[0];
    int *index = layout_shuffled(layout, n, SEED);

    for (int i = 0; i < n; i++) {
        index[i] *= 2;
    }
    layout->recipe = index;
    layout->bytes = 4 * (size_t) n;
    for (int side = 0; side < 2; side++) {
        struct hand_gather_f32 plan = {.parts = 1};
        plan.part[0].start = layout_array(layout, side, 8 * (size_t) n);
        plan.part[0].index = index;
        plan.part[0].n = (size_t) n;
        layout->side[side].base = plan.part[0].start;
        layout_hand(layout, side, &plan, sizeof(plan), hand_gather_f32_pack,
                    hand_gather_f32_unpack);
    }
}

static void random_type(const struct layout *layout, int side, MPI_Datatype *type)
{
    (void) side;
    MPI_Type_create_indexed_block((int) layout->spec->parameter[0], 1, layout->recipe, MPI_FLOAT,
                                  type);
    MPI_Type_commit(type);
}

/* n runs of 1 to 3 doubles with gaps of 1 to 3 doubles. parameter: n. */
static void runs_setup(struct layout *layout)
{
    const int n = (int) layout->spec->parameter[0];
    struct lists *lists = layout->recipe = layout_keep(layout, sizeof(*lists));
    uint32_t state = SEED;
    int end = 0;

    lists->offset = layout_keep(layout, (size_t) n * sizeof(int));
    lists->length = layout_keep(layout, (size_t) n * sizeof(int));
    for (int i = 0; i < n; i++) {
        lists->offset[i] = end;
        lists->length[i] = 1 + (int) (layout_random(&state) % 3);
        layout->bytes += 8 * (size_t) lists->length[i];
        end += lists->length[i] + 1 + (int) (layout_random(&state) % 3);
    }
    for (int side = 0; side < 2; side++) {
        const struct hand_runs_f64 plan = {layout_array(layout, side, 8 * (size_t) end),
                                           lists->offset, lists->length, (size_t) n};
        layout->side[side].base = plan.start;
        layout_hand(layout, side, &plan, sizeof(plan), hand_runs_f64_pack, hand_runs_f64_unpack);
    }
}

static void runs_type(const struct layout *layout, int side, MPI_Datatype *type)
{
    const struct lists *lists = layout->recipe;

    (void) side;
    MPI_Type_indexed((int) layout->spec->parameter[0], lists->length, lists->offset, MPI_DOUBLE,
                     type);
    MPI_Type_commit(type);
}

/* ---- C structs ---- */

enum { PARTICLE, GAPPY, DENSE, DENSE_SPREAD };

struct c_struct {
    size_t extent, packed;
    void (*pack)(const void *, void *);
    void (*unpack)(const void *, const void *);
    int fields;
    int count[5];
    MPI_Aint displacement[5];
};

#define AT(type, field) offsetof(struct hand_##type, field)
#define LOOPS(type)     hand_##type##_pack, hand_##type##_unpack
#define DENSE_FIELDS                                                                               \
    {1, 1, 1, 2, 4},                                                                               \
    {                                                                                              \
        AT(dense, value), AT(dense, id), AT(dense, weight), AT(dense, code), AT(dense, tag)        \
    }

/* clang-format off */
static const struct c_struct c_structs[] = {
    [PARTICLE] = {sizeof(struct hand_particle), 29, LOOPS(particles), 3, {1, 3, 1},
                  {AT(particle, id), AT(particle, v), AT(particle, flag)}},
    [GAPPY] = {sizeof(struct hand_gappy), 31, LOOPS(gappy), 5, {1, 1, 1, 3, 1},
               {AT(gappy, tag), AT(gappy, value), AT(gappy, code), AT(gappy, direction),
                AT(gappy, id)}},
    [DENSE] = {sizeof(struct hand_dense), 24, LOOPS(dense), 5, DENSE_FIELDS},
    [DENSE_SPREAD] = {sizeof(struct hand_dense_spread), 24, LOOPS(dense_spread), 5, DENSE_FIELDS},
};
/* clang-format on */

/* parameter: which struct, how many (the MPI count). */
static void struct_setup(struct layout *layout)
{
    const struct c_struct *c = &c_structs[layout->spec->parameter[0]];
    const size_t n = (size_t) layout->spec->parameter[1];

    layout->bytes = n * c->packed;
    for (int side = 0; side < 2; side++) {
        const struct hand_structs plan = {layout_array(layout, side, n * c->extent), n};
        layout->side[side].base = plan.start;
        layout->side[side].count = (int) n;
        layout_hand(layout, side, &plan, sizeof(plan), c->pack, c->unpack);
    }
}

static void struct_type(const struct layout *layout, int side, MPI_Datatype *type)
{
    const MPI_Datatype dense[] = {MPI_DOUBLE, MPI_INT, MPI_FLOAT, MPI_SHORT, MPI_CHAR};
    const MPI_Datatype fields[][5] = {
        [PARTICLE] = {MPI_INT, MPI_DOUBLE, MPI_CHAR, MPI_CHAR, MPI_CHAR},
        [GAPPY] = {MPI_CHAR, MPI_DOUBLE, MPI_SHORT, MPI_FLOAT, MPI_INT64_T},
    };
    const long which = layout->spec->parameter[0];
    const struct c_struct *c = &c_structs[which];
    MPI_Datatype made;

    (void) side;
    MPI_Type_create_struct(c->fields, c->count, c->displacement,
                           which >= DENSE ? dense : fields[which], type);
    MPI_Type_create_resized(*type, 0, (MPI_Aint) c->extent, &made);
    layout_replace(type, made);
    MPI_Type_commit(type);
}

/* ---- table ---- */

/* Six or so sizes of a shape. */
#define SHORT(name, kind, ...) LAYOUT("short_" name, "short", kind, LAYOUT_SHORT, __VA_ARGS__)

#define SERIES(name, family, kind, ...)                                                            \
    LAYOUT("series_" family "_" name, "series_" family, kind, LAYOUT_SERIES, __VA_ARGS__)

#define LAYOUT(name, family, kind, flags, ...)                                                     \
    {                                                                                              \
        name, family, flags, kind##_setup, kind##_type,                                            \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

const struct layout_spec layouts_more[] = {
    LAYOUT("byte_vector_1_of_2", "byte_vector", bytes, LAYOUT_QUICK | LAYOUT_ANCHOR, 65536),
    LAYOUT("byte_vector_4096", "byte_vector", bytes, 0, 4096),
    LAYOUT("hvector_24_of_28", "hvector", hvector, LAYOUT_QUICK | LAYOUT_ANCHOR, 2048),
    LAYOUT("vector_4096x1_64", "vector", doubles, LAYOUT_QUICK, 4096, 1, 64),
    LAYOUT("vector_16x1_64", "vector", doubles, LAYOUT_QUICK | LAYOUT_ANCHOR, 16, 1, 64),
    LAYOUT("vector_1024x8_32", "vector", doubles, LAYOUT_QUICK, 1024, 8, 32),
    LAYOUT("vector_1024x1_2", "vector", doubles, LAYOUT_QUICK, 1024, 1, 2),
    LAYOUT("vector_256x1_2", "vector", doubles, 0, 256, 1, 2),
    LAYOUT("vector_128x8_16", "vector", doubles, 0, 128, 8, 16),
    LAYOUT("vector_64x128_256", "vector", doubles, LAYOUT_QUICK, 64, 128, 256),
    LAYOUT("hvector_of_vector_64", "hvector_of_vector", nested, LAYOUT_QUICK, 64, 64, 64),
    LAYOUT("indexed_block_16384", "indexed_block", near, LAYOUT_QUICK, 16384),
    LAYOUT("indexed_1000000", "indexed", runs, 0, 1000000),
    LAYOUT("struct_particle_1000", "struct", struct, LAYOUT_QUICK, PARTICLE, 1000),
    LAYOUT("struct_gaps_1000", "struct", struct, LAYOUT_QUICK, GAPPY, 1000),
    LAYOUT("struct_dense_1000", "struct", struct, LAYOUT_QUICK, DENSE, 1000),
    LAYOUT("struct_dense_in_32_1000", "struct", struct, 0, DENSE_SPREAD, 1000),
    LAYOUT("contiguous_65536", "contiguous", contiguous, LAYOUT_QUICK, 65536),
    LAYOUT("contiguous_1048576", "contiguous", contiguous, 0, 1048576),
    SHORT("bytes_16", bytes, 16),
    SHORT("bytes_64", bytes, 64),
    SHORT("bytes_256", bytes, 256),
    SHORT("bytes_1024", bytes, 1024),
    SHORT("doubles_16", doubles, 2, 1, 8),
    SHORT("doubles_32", doubles, 4, 1, 8),
    SHORT("doubles_64", doubles, 8, 1, 8),
    SHORT("doubles_128", doubles, 16, 1, 8),
    SHORT("doubles_256", doubles, 32, 1, 8),
    SHORT("doubles_512", doubles, 64, 1, 8),
    SHORT("doubles_1024", doubles, 128, 1, 8),
    SHORT("blocks24_48", hvector, 2),
    SHORT("blocks24_120", hvector, 5),
    SHORT("blocks24_504", hvector, 21),
    SHORT("blocks24_1008", hvector, 42),
    SHORT("rows64_128", doubles, 2, 8, 16),
    SHORT("rows64_512", doubles, 8, 8, 16),
    SHORT("rows64_1024", doubles, 16, 8, 16),
    SHORT("rows16_64", nested, 2, 2, 8),
    SHORT("rows16_256", nested, 4, 4, 8),
    SHORT("rows16_1024", nested, 8, 8, 8),
    SHORT("list_16", near, 4),
    SHORT("list_64", near, 16),
    SHORT("list_256", near, 64),
    SHORT("list_1024", near, 256),
    SHORT("runs_3", runs, 3),
    SHORT("runs_16", runs, 16),
    SHORT("runs_60", runs, 60),
    SHORT("struct_1", struct, GAPPY, 1),
    SHORT("struct_4", struct, GAPPY, 4),
    SHORT("struct_16", struct, GAPPY, 16),
    SHORT("struct_33", struct, GAPPY, 33),
    /* Every second double, libpack's nested vectors, its random displacements, contiguous bytes. */
    SERIES("8", "size", doubles, 1, 1, 2),
    SERIES("64", "size", doubles, 8, 1, 2),
    SERIES("512", "size", doubles, 64, 1, 2),
    SERIES("4096", "size", doubles, 512, 1, 2),
    SERIES("32768", "size", doubles, 4096, 1, 2),
    SERIES("262144", "size", doubles, 32768, 1, 2),
    SERIES("2097152", "size", doubles, 262144, 1, 2),
    SERIES("16777216", "size", doubles, 2097152, 1, 2),
    SERIES("67108864", "size", doubles, 8388608, 1, 2),
    SERIES("2", "nested", nested, 2, 64, 64),
    SERIES("4", "nested", nested, 4, 64, 64),
    SERIES("8", "nested", nested, 8, 64, 64),
    SERIES("16", "nested", nested, 16, 64, 64),
    SERIES("32", "nested", nested, 32, 64, 64),
    SERIES("64", "nested", nested, 64, 64, 64),
    SERIES("128", "nested", nested, 128, 64, 64),
    SERIES("256", "nested", nested, 256, 64, 64),
    SERIES("16", "random", random, 16),
    SERIES("64", "random", random, 64),
    SERIES("256", "random", random, 256),
    SERIES("1024", "random", random, 1024),
    SERIES("4096", "random", random, 4096),
    SERIES("16384", "random", random, 16384),
    SERIES("65536", "random", random, 65536),
    SERIES("262144", "random", random, 262144),
    SERIES("8", "contiguous", contiguous, 8),
    SERIES("64", "contiguous", contiguous, 64),
    SERIES("512", "contiguous", contiguous, 512),
    SERIES("4096", "contiguous", contiguous, 4096),
    SERIES("32768", "contiguous", contiguous, 32768),
    SERIES("262144", "contiguous", contiguous, 262144),
    SERIES("2097152", "contiguous", contiguous, 2097152),
    {0},
};
