/* SPDX-License-Identifier: BSD-3-Clause */
#include "type_expression.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "basic.h"

typedef struct writer {
    FILE *out;
    size_t most;
} writer_t;

static void write_type(const writer_t *writer, const dame_type_t *type);

static int is_full(const writer_t *writer)
{
    return (size_t) ftell(writer->out) > writer->most;
}

static void write_list(const writer_t *writer, const int64_t *list, int64_t n)
{
    putc('[', writer->out);
    for (int64_t i = 0; i < n && !is_full(writer); i++) {
        fprintf(writer->out, "%s%" PRId64, i == 0 ? "" : ", ", list[i]);
    }
    fputs("], ", writer->out);
}

static void write_basic(const writer_t *writer, int64_t size)
{
    const basic_t *basic = basic_of_bytes(size);
    if (size == 1 || basic->size == size || basic != basic_of_bytes(1)) {
        fputs(basic->mpi, writer->out);
    } else {
        fprintf(writer->out, "contiguous(%" PRId64 ", MPI_BYTE)", size);
    }
}

static void write_children(const writer_t *writer, const dame_type_t *type)
{
    fputs("struct(", writer->out);
    write_list(writer, type->blklens, type->count);
    write_list(writer, type->disps, type->count);
    putc('[', writer->out);
    for (int64_t i = 0; i < type->count && !is_full(writer); i++) {
        fputs(i == 0 ? "" : ", ", writer->out);
        write_type(writer, type->children[i]);
    }
    fputs("])", writer->out);
}

static void write_type(const writer_t *writer, const dame_type_t *type)
{
    switch (type->kind) {
    case DAME_BASIC:
        write_basic(writer, type->size);
        return;
    case DAME_STRUCT:
        write_children(writer, type);
        return;
    case DAME_RESIZED:
        fputs("resized(", writer->out);
        write_type(writer, type->child);
        fprintf(writer->out, ", %" PRId64 ", %" PRId64 ")", type->lb, type->extent);
        return;
    case DAME_CONTIG:
        fprintf(writer->out, "contiguous(%" PRId64 ", ", type->count);
        break;
    case DAME_VECTOR:
        fprintf(writer->out, "hvector(%" PRId64 ", %" PRId64 ", %" PRId64 ", ", type->count,
                type->blklen, type->stride);
        break;
    case DAME_BLOCKINDEX:
        fprintf(writer->out, "hindexed_block(%" PRId64 ", ", type->blklen);
        write_list(writer, type->disps, type->count);
        break;
    case DAME_INDEX:
        fputs("hindexed(", writer->out);
        write_list(writer, type->blklens, type->count);
        write_list(writer, type->disps, type->count);
        break;
    }
    write_type(writer, type->child);
    putc(')', writer->out);
}

char *type_expression(const dame_type_t *type, size_t most)
{
    char *text = NULL;
    size_t length = 0;
    const writer_t writer = {open_memstream(&text, &length), most};
    if (writer.out == NULL) {
        return NULL;
    }
    write_type(&writer, type);
    if (fclose(writer.out) != 0 || length > most) {
        free(text);
        return NULL;
    }
    return text;
}
