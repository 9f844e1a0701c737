/* SPDX-License-Identifier: BSD-3-Clause */
#include "type_expression.h"

#include <inttypes.h>

static void write_list(FILE *out, const int64_t *list, int64_t n)
{
    putc('[', out);
    for (int64_t i = 0; i < n; i++) {
        fprintf(out, "%s%" PRId64, i == 0 ? "" : ", ", list[i]);
    }
    fputs("], ", out);
}

/* Its size is what matters. */
static void write_basic(FILE *out, int64_t size)
{
    static const char *const names[] = {[1] = "MPI_BYTE",
                                        [2] = "MPI_INT16_T",
                                        [4] = "MPI_INT32_T",
                                        [8] = "MPI_INT64_T",
                                        [16] = "MPI_C_DOUBLE_COMPLEX"};
    if (size > 0 && size <= 16 && names[size] != NULL) {
        fputs(names[size], out);
    } else {
        fprintf(out, "contiguous(%" PRId64 ", MPI_BYTE)", size);
    }
}

static void write_children(FILE *out, const dame_type_t *type)
{
    fputs("struct(", out);
    write_list(out, type->blklens, type->count);
    write_list(out, type->disps, type->count);
    putc('[', out);
    for (int64_t i = 0; i < type->count; i++) {
        fputs(i == 0 ? "" : ", ", out);
        type_expression(type->children[i], out);
    }
    fputs("])", out);
}

void type_expression(const dame_type_t *type, FILE *out)
{
    switch (type->kind) {
    case DAME_BASIC:
        write_basic(out, type->size);
        return;
    case DAME_STRUCT:
        write_children(out, type);
        return;
    case DAME_RESIZED:
        fputs("resized(", out);
        type_expression(type->child, out);
        fprintf(out, ", %" PRId64 ", %" PRId64 ")", type->lb, type->extent);
        return;
    case DAME_CONTIG:
        fprintf(out, "contiguous(%" PRId64 ", ", type->count);
        break;
    case DAME_VECTOR:
        fprintf(out, "hvector(%" PRId64 ", %" PRId64 ", %" PRId64 ", ", type->count, type->blklen,
                type->stride);
        break;
    case DAME_BLOCKINDEX:
        fprintf(out, "hindexed_block(%" PRId64 ", ", type->blklen);
        write_list(out, type->disps, type->count);
        break;
    case DAME_INDEX:
        fputs("hindexed(", out);
        write_list(out, type->blklens, type->count);
        write_list(out, type->disps, type->count);
        break;
    }
    type_expression(type->child, out);
    putc(')', out);
}
