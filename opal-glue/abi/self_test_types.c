/* SPDX-License-Identifier: BSD-3-Clause */
#include "self_test_types.h"

#include <string.h>

/* ---- Both at once: Open MPI's datatype, and the list of pieces ------------------------------ */

/* Open MPI's description of a datatype is made for this many items. */
enum { ITEMS = 64 };

static bool begin_type(dt_self_test_type_t *type, const char *name, size_t count)
{
    memset(type, 0, sizeof(*type));
    type->name = name;
    type->count = count;
    type->native = opal_datatype_create(ITEMS);
    return type->native != NULL;
}

static void add_piece(dt_self_test_type_t *type, ptrdiff_t disp, size_t size)
{
    const ptrdiff_t end = disp + (ptrdiff_t) size;
    type->true_lb = type->n == 0 || disp < type->true_lb ? disp : type->true_lb;
    type->true_ub = type->n == 0 || end > type->true_ub ? end : type->true_ub;
    type->pieces[type->n].disp = disp;
    type->pieces[type->n++].size = size;
    type->size += size;
}

/* `count` integers of `size` (1, 2, 4, 8) bytes, `extent` bytes apart. */
static bool add_ints(dt_self_test_type_t *type, size_t size, size_t count, ptrdiff_t disp,
                     ptrdiff_t extent)
{
    const int index = size == 1   ? OPAL_DATATYPE_INT1
                      : size == 2 ? OPAL_DATATYPE_INT2
                      : size == 4 ? OPAL_DATATYPE_INT4
                                  : OPAL_DATATYPE_INT8;
    for (size_t i = 0; i < count; i++) {
        add_piece(type, disp + (ptrdiff_t) i * extent, size);
    }
    return opal_datatype_add(type->native, opal_datatype_basicDatatypes[index], count, disp,
                             extent) == OPAL_SUCCESS;
}

/* `count` times `part`, `extent` bytes apart. */
static bool add_type(dt_self_test_type_t *type, const dt_self_test_type_t *part, size_t count,
                     ptrdiff_t disp, ptrdiff_t extent)
{
    for (size_t i = 0; i < count; i++) {
        for (int p = 0; p < part->n; p++) {
            add_piece(type, disp + (ptrdiff_t) i * extent + part->pieces[p].disp,
                      part->pieces[p].size);
        }
    }
    return opal_datatype_add(type->native, part->native, count, disp, extent) == OPAL_SUCCESS;
}

/* `count` blocks of `length` integers, `stride` bytes apart. */
static bool add_blocks(dt_self_test_type_t *type, size_t size, size_t length, size_t count,
                       ptrdiff_t disp, ptrdiff_t stride)
{
    dt_self_test_type_t block;
    const bool made = begin_type(&block, "", 1) &&
                      add_ints(&block, size, length, 0, (ptrdiff_t) size) &&
                      add_type(type, &block, count, disp, stride);
    dt_self_test_type_free(&block);
    return made;
}

/* ---- The dozen ------------------------------------------------------------------------------ */

enum { CONTIGUOUS = 0, GAPS_AROUND = 11 };

/* A structure of integers that fill 20 of its 24 bytes. */
static bool add_struct(dt_self_test_type_t *type)
{
    return add_ints(type, 1, 1, 0, 1) && add_ints(type, 8, 2, 8, 8) && add_ints(type, 2, 1, 4, 2);
}

/* `rows` times what `add_row` adds, `stride` bytes apart. */
static bool add_rows(dt_self_test_type_t *type, bool (*add_row)(dt_self_test_type_t *), size_t rows,
                     ptrdiff_t stride)
{
    dt_self_test_type_t row;
    const bool made =
        begin_type(&row, "", 1) && add_row(&row) && add_type(type, &row, rows, 0, stride);
    dt_self_test_type_free(&row);
    return made;
}

static bool add_vector(dt_self_test_type_t *type)
{
    return add_blocks(type, 4, 2, 3, 0, 20);
}

static bool add_list(dt_self_test_type_t *type)
{
    static const short disps[] = {40, 0, 12, 100, 64};
    for (size_t i = 0; i < sizeof(disps) / sizeof(disps[0]); i++) {
        if (!add_ints(type, 4, i + 1, disps[i], 4)) {
            return false;
        }
    }
    return true;
}

static bool add_contents(dt_self_test_type_t *type, int which)
{
    switch (which) {
    case CONTIGUOUS:
        return begin_type(type, "contiguous", 3) && add_ints(type, 4, 5, 0, 4);
    case 1:
        return begin_type(type, "1 of 2 ints", 3) && add_ints(type, 4, 7, 0, 8);
    case 2:
        return begin_type(type, "2 of 5 longs", 2) && add_blocks(type, 8, 2, 4, 0, 40);
    case 3:
        return begin_type(type, "3 of 7 bytes", 5) && add_blocks(type, 1, 3, 9, 0, 7);
    case 4:
        return begin_type(type, "a structure", 4) && add_struct(type);
    case 5:
        return begin_type(type, "negative displacements", 3) && add_ints(type, 4, 2, -8, 4) &&
               add_ints(type, 8, 1, 16, 8);
    case 6:
        return begin_type(type, "vectors of vectors", 2) && add_rows(type, add_vector, 4, 96);
    case 7:
        return begin_type(type, "a list", 3) && add_list(type);
    case 8:
        return begin_type(type, "structures with gaps", 2) && add_rows(type, add_struct, 5, 40);
    case 9:
        return begin_type(type, "lists of blocks", 2) && add_rows(type, add_list, 3, 240);
    case 10:
        return begin_type(type, "falling displacements", 2) && add_ints(type, 2, 6, 80, -12);
    case GAPS_AROUND:
        return begin_type(type, "ints with gaps around", 3) && add_ints(type, 4, 2, 0, 4) &&
               opal_datatype_resize(type->native, -4, 20) == OPAL_SUCCESS;
    default:
        return begin_type(type, "shorts and longs", 1) && add_ints(type, 2, 10, 0, 6) &&
               add_blocks(type, 8, 3, 5, 64, 48);
    }
}

bool dt_self_test_type_new(dt_self_test_type_t *type, int which)
{
    const bool made = add_contents(type, which);
    type->no_gaps = which == CONTIGUOUS;
    type->contiguous = which == CONTIGUOUS || which == GAPS_AROUND;
    return made && opal_datatype_commit(type->native) == OPAL_SUCCESS;
}

void dt_self_test_type_free(dt_self_test_type_t *type)
{
    if (type->native != NULL) {
        (void) opal_datatype_destroy(&type->native);
    }
}
