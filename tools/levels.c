/* SPDX-License-Identifier: BSD-3-Clause */
#include "levels.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/text.h"

enum { MANY_BLOCKS = 16, MANY_STRUCTS = 2 };

typedef struct writer {
    const dame_program_t *program;
    FILE *out;
    int structs; /* around this level */
} writer_t;

static void write_type(const writer_t *writer, int32_t index);

/* Text of a Type as a string that the caller frees; NULL when memory is out. */
static char *type_text(const writer_t *writer, int32_t index)
{
    char *text = NULL;
    size_t length;
    writer_t inner = {writer->program, open_memstream(&text, &length), writer->structs + 1};
    if (inner.out == NULL) {
        return NULL;
    }
    write_type(&inner, index);
    if (fclose(inner.out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

/* Blocks that read alike are written once. */
static void write_struct(const writer_t *writer, int32_t index)
{
    const dame_prim_t *prim = &writer->program->prims[index];
    char number[TEXT_NUMBER];
    fprintf(writer->out, "STRUCT of %s %s", text_number(number, prim->count),
            text_plural(prim->count, "block", "blocks"));
    if (writer->structs >= MANY_STRUCTS) {
        fputs(" (...)", writer->out);
        return;
    }
    int64_t same = 0;
    char *before = NULL;
    fputs(" (", writer->out);
    for (int64_t i = 0; i <= prim->count; i++) {
        char *text = i < prim->count && i < MANY_BLOCKS
                         ? type_text(writer, index + prim->params->sub_deltas[i] + 1)
                         : NULL;
        if (before != NULL && (text == NULL || strcmp(text, before) != 0)) {
            fprintf(writer->out, "%" PRId64 " x [%s]%s", same, before, i < prim->count ? ", " : "");
            same = 0;
        }
        free(before);
        before = text;
        same++;
        if (text == NULL) {
            fputs(i < prim->count ? "...)" : ")", writer->out);
            return;
        }
    }
}

static int has(const dame_prim_t *prim, const char *name)
{
    return strncmp(dame_op_name(prim->params->op), name, strlen(name)) == 0;
}

static void write_level(const writer_t *writer, const dame_prim_t *prim)
{
    const dame_params_t *params = prim->params;
    char number[TEXT_NUMBER];
    const char *name = dame_op_name(params->op);
    size_t length = strlen(name);
    int final = length > 5 && strcmp(name + length - 5, "FINAL") == 0;
    fprintf(writer->out, "%s x %s", name, text_number(number, prim->count));
    if (has(prim, "INDEX")) {
        fputs(", lengths and places from lists", writer->out);
    } else if (final) {
        fprintf(writer->out, " of %s %s", text_number(number, params->blklen * params->size),
                text_plural(params->blklen * params->size, "byte", "bytes"));
    } else if (params->blklen > 1) {
        fprintf(writer->out, " of %s", text_number(number, params->blklen));
    }
    if (has(prim, "BLOCKINDEX")) {
        fputs(", places from a list", writer->out);
    } else if (!has(prim, "INDEX")) {
        int64_t step = has(prim, "CONTIG") ? params->extent : prim->step;
        fprintf(writer->out, ", %s bytes apart", text_number(number, step));
    }
    if (!final && !has(prim, "CONTIG") && (has(prim, "INDEX") || params->blklen > 1)) {
        fprintf(writer->out, ", in a block %s bytes apart", text_number(number, params->extent));
    }
}

static void write_type(const writer_t *writer, int32_t index)
{
    const dame_prim_t *prim = &writer->program->prims[index];
    const dame_params_t *params = prim->params;
    if (params->op == DAME_OP_STRUCT) {
        write_struct(writer, index);
    } else if (params->op == DAME_OP_CONTIGCHILD) { /* text leaves it out */
        write_type(writer, index + 1);
    } else if (params->op == DAME_OP_CONTIGFINAL) {
        char number[TEXT_NUMBER];
        fprintf(writer->out, "%s contiguous %s", text_number(number, params->size),
                text_plural(params->size, "byte", "bytes"));
    } else {
        write_level(writer, prim);
        if (prim[1].params->op != DAME_OP_CONTIGFINAL) {
            fputs(" > ", writer->out);
            write_type(writer, index + 1);
        }
    }
}

void levels_write(const dame_program_t *program, FILE *out)
{
    writer_t writer = {program, out, 0};
    if (program->size == 0) {
        fputs("nothing", out);
    } else {
        write_type(&writer, 1);
    }
}
