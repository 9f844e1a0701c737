/* SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "type.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dame/dame.h"
#include "shared/tool.h"

enum { BLOCKS = 1 << 22, LISTED = 6 };

/* ---- text ---- */

typedef struct printer {
    FILE *out;
    const char *name; /* of the basic datatype */
    int64_t size;     /* its bytes */
} printer_t;

static void print_type(printer_t *printer, const dame_prim_t *prim);

static void print_dense(printer_t *printer, int64_t bytes)
{
    fprintf(printer->out, "contiguous(%" PRId64 ", %s)", bytes / printer->size, printer->name);
}

static void print_vector(printer_t *printer, const dame_prim_t *prim)
{
    const dame_params_t *params = prim->params;
    if (params->op == DAME_OP_VECTORFINAL) {
        int whole = prim->step % printer->size == 0;
        fprintf(printer->out, "%s(%" PRId64 ", %" PRId64 ", %" PRId64 ", %s)",
                whole ? "vector" : "hvector", prim->count,
                params->blklen * params->size / printer->size,
                whole ? prim->step / printer->size : prim->step, printer->name);
        return;
    }
    fprintf(printer->out, "hvector(%" PRId64 ", 1, %" PRId64 ") of ", prim->count, prim->step);
    if (params->blklen > 1) {
        fprintf(printer->out, "hvector(%" PRId64 ", 1, %" PRId64 ") of ", params->blklen,
                params->extent);
    }
    print_type(printer, prim + 1);
}

static int whole_displacements(const printer_t *printer, const dame_prim_t *prim)
{
    for (int64_t i = 0; i < prim->count; i++) {
        if (dame_prim_disp(prim, i) % printer->size != 0) {
            return 0;
        }
    }
    return 1;
}

/* Of long lists only the first entries; the program has all. */
static void print_blocks(printer_t *printer, const dame_prim_t *prim)
{
    const dame_params_t *params = prim->params;
    int dense = params->op == DAME_OP_BLOCKINDEXFINAL;
    int64_t unit = dense && whole_displacements(printer, prim) ? printer->size : 1;
    fprintf(printer->out, "%s(%" PRId64 ": ",
            unit > 1 || (dense && printer->size == 1) ? "indexed_block" : "hindexed_block",
            prim->count);
    for (int64_t i = 0; i < prim->count && i < LISTED; i++) {
        fprintf(printer->out, "%s%" PRId64, i > 0 ? ", " : "", dame_prim_disp(prim, i) / unit);
    }
    fputs(prim->count > LISTED ? ", ...; " : "; ", printer->out);
    if (dense) {
        fprintf(printer->out, "%" PRId64 ", %s)", params->blklen * params->size / printer->size,
                printer->name);
    } else {
        fputs("1) of ", printer->out);
        if (params->op == DAME_OP_BLOCKINDEX && params->blklen > 1) {
            fprintf(printer->out, "hvector(%" PRId64 ", 1, %" PRId64 ") of ", params->blklen,
                    params->extent);
        }
        print_type(printer, prim + 1);
    }
}

static void print_index(printer_t *printer, const dame_prim_t *prim)
{
    int dense = prim->params->op == DAME_OP_INDEXFINAL;
    int64_t unit = dense ? printer->size : prim->params->size;
    fprintf(printer->out, "hindexed(%" PRId64 ": ", prim->count);
    for (int64_t i = 0; i < prim->count && i < LISTED; i++) {
        fprintf(printer->out, "%s{%" PRId64 ", %" PRId64 "}", i > 0 ? ", " : "",
                dame_prim_disp(prim, i), dame_iter_size(prim, i) / unit);
    }
    fputs(prim->count > LISTED ? ", ...; " : "; ", printer->out);
    if (dense) {
        fprintf(printer->out, "%s)", printer->name);
    } else {
        print_type(printer, prim + 1);
        fputc(')', printer->out);
    }
}

static void print_struct(printer_t *printer, const dame_prim_t *prim)
{
    const dame_params_t *params = prim->params;
    fprintf(printer->out, "struct(%" PRId64 ": ", prim->count);
    for (int64_t i = 0; i < prim->count && i < LISTED; i++) {
        const dame_prim_t *inner = prim + params->sub_deltas[i] + 1;
        fprintf(printer->out, "%s{%" PRId64 ", ", i > 0 ? ", " : "", dame_prim_disp(prim, i));
        if (inner->params->op == DAME_OP_CONTIGFINAL && params->extents[i] == inner->params->size) {
            print_dense(printer, params->blklens[i] * inner->params->size);
        } else {
            if (params->blklens[i] > 1) {
                fprintf(printer->out, "hvector(%" PRId64 ", 1, %" PRId64 ") of ",
                        params->blklens[i], params->extents[i]);
            }
            print_type(printer, inner);
        }
        fputc('}', printer->out);
    }
    fputs(prim->count > LISTED ? ", ...)" : ")", printer->out);
}

static void print_type(printer_t *printer, const dame_prim_t *prim)
{
    switch (prim->params->op) {
    case DAME_OP_CONTIGCHILD: /* the primitive above has said it */
        print_type(printer, prim + 1);
        break;
    case DAME_OP_CONTIG:
        fprintf(printer->out, "hvector(%" PRId64 ", 1, %" PRId64 ") of ", prim->count,
                prim->params->extent);
        print_type(printer, prim + 1);
        break;
    case DAME_OP_VECTOR:
    case DAME_OP_VECTOR1:
    case DAME_OP_VECTORFINAL:
        print_vector(printer, prim);
        break;
    case DAME_OP_BLOCKINDEX:
    case DAME_OP_BLOCKINDEX1:
    case DAME_OP_BLOCKINDEXFINAL:
        print_blocks(printer, prim);
        break;
    case DAME_OP_INDEX:
    case DAME_OP_INDEXFINAL:
        print_index(printer, prim);
        break;
    case DAME_OP_STRUCT:
        print_struct(printer, prim);
        break;
    default: /* CONTIGFINAL */
        print_dense(printer, prim->params->size);
    }
}

/* ---- blocks ---- */

typedef struct block {
    int64_t address, length;
} block_t;

static int by_address(const void *a, const void *b)
{
    int64_t x = ((const block_t *) a)->address, y = ((const block_t *) b)->address;
    return (x > y) - (x < y);
}

static int any_overlap(const block_t *blocks, int64_t n)
{
    block_t *sorted = malloc((size_t) n * sizeof(*sorted));
    int found = 0;
    if (sorted != NULL) {
        memcpy(sorted, blocks, (size_t) n * sizeof(*sorted));
        qsort(sorted, (size_t) n, sizeof(*sorted), by_address);
    }
    for (int64_t i = 1; sorted != NULL && i < n; i++) {
        found |= sorted[i].address < sorted[i - 1].address + sorted[i - 1].length;
    }
    free(sorted);
    return found;
}

static int64_t list_blocks(const record_message_t *message, int allocation, block_t *blocks)
{
    int64_t n = 0;
    for (int64_t r = 0; r < message->nruns; r++) {
        const record_run_t *run = &message->runs[r];
        int here = run->kind == RECORD_COPIED && run->allocation == allocation;
        for (int64_t i = 0; here && i < run->count; i++) {
            blocks[n++] = (block_t){run->address + i * run->step, run->length};
        }
    }
    return n;
}

/* ---- the datatype ---- */

typedef struct writer {
    const record_message_t *message;
    FILE *text, *program;
    int unlisted; /* too many blocks */
} writer_t;

static int build(writer_t *writer, const block_t *blocks, int64_t n, int printed)
{
    const record_message_t *message = writer->message;
    dame_tree_t *tree = dame_tree_new();
    int64_t *lengths = tree == NULL ? NULL : dame_tree_array(tree, n);
    int64_t *disps = tree == NULL ? NULL : dame_tree_array(tree, n);
    const dame_type_t *byte, *type;
    dame_program_t *program = NULL;
    dame_options_t options = *dame_options_default();
    options.passes = 1u << DAME_PASS_NORMALISE | 1u << DAME_PASS_MERGE;
    int in_elements = 1;
    dame_status_t status = lengths == NULL || disps == NULL ? DAME_ERR_NOMEM : DAME_OK;
    for (int64_t i = 0; status == DAME_OK && i < n; i++) {
        lengths[i] = blocks[i].length;
        disps[i] = blocks[i].address;
        in_elements &= blocks[i].length % message->element == 0;
    }
    if (status == DAME_OK) {
        status = dame_type_basic(tree, 1, &byte);
    }
    if (status == DAME_OK) {
        status = dame_type_index(tree, n, lengths, disps, byte, &type);
    }
    if (status == DAME_OK) {
        status = dame_program_build(type, &options, &program);
    }
    dame_tree_free(tree);
    if (status == DAME_ERR_LIMIT || status == DAME_ERR_RANGE) {
        writer->unlisted = 1;
        return TOOL_OK;
    }
    if (status != DAME_OK) {
        return tool_error(status == DAME_ERR_NOMEM ? TOOL_SYSTEM : TOOL_WRONG, "record: %s",
                          dame_status_text(status));
    }
    if (printed) {
        printer_t printer = {.out = writer->text,
                             .name = in_elements ? message->type : "MPI_BYTE",
                             .size = in_elements ? message->element : 1};
        print_type(&printer, &program->prims[1]);
    }
    int failed = dame_program_print(program, writer->program) != 0;
    dame_program_free(program);
    return failed ? tool_no_memory("record") : TOOL_OK;
}

/* Of several allocations, a struct; of many only the first entries, but all programs. */
static int write_texts(writer_t *writer, block_t *blocks, record_type_t *out)
{
    int several = out->allocations > 1, code = TOOL_OK;
    if (several) {
        fprintf(writer->text, "struct(%d: ", out->allocations);
    }
    for (int a = 0; code == TOOL_OK && a < out->allocations; a++) {
        int64_t n = list_blocks(writer->message, a, blocks);
        int printed = a < LISTED;
        if (n == 0) {
            return tool_error(TOOL_WRONG, "record: allocation %d has no blocks", a);
        }
        if (several && printed) {
            fprintf(writer->text, "%s{a[%d], ", a > 0 ? ", " : "", a);
        }
        out->overlaps |= any_overlap(blocks, n);
        code = build(writer, blocks, n, printed);
        if (several && printed) {
            fputc('}', writer->text);
        }
    }
    if (several) {
        fprintf(writer->text, "%s) at MPI_BOTTOM", out->allocations > LISTED ? ", ..." : "");
    }
    return code;
}

static int write_type(const record_message_t *message, block_t *blocks, record_type_t *out)
{
    size_t length;
    writer_t writer = {.message = message,
                       .text = open_memstream(&out->text, &length),
                       .program = open_memstream(&out->program, &length)};
    int code = TOOL_OK, failed = writer.text == NULL || writer.program == NULL;
    if (!failed) {
        code = write_texts(&writer, blocks, out);
    }
    failed |= writer.text != NULL && fclose(writer.text) != 0;
    failed |= writer.program != NULL && fclose(writer.program) != 0;
    if (code != TOOL_OK || failed || writer.unlisted) {
        free(out->text);
        free(out->program);
        out->text = out->program = NULL;
    }
    return code == TOOL_OK && failed ? tool_no_memory("record") : code;
}

int record_type_of(const record_message_t *message, record_type_t *out)
{
    int64_t n = 0;
    int before = 0;
    *out = (record_type_t){0};
    for (int64_t r = 0; r < message->nruns; r++) {
        const record_run_t *run = &message->runs[r];
        out->bytes[run->kind] += run->length * run->count;
        if (run->kind == RECORD_COPIED) {
            n += run->count;
            out->alternates |= run->allocation < before;
            before = run->allocation;
            out->allocations = before < out->allocations ? out->allocations : before + 1;
        }
    }
    if (n == 0 || n > BLOCKS || out->allocations == RECORD_ALLOCATIONS) {
        return TOOL_OK;
    }
    block_t *blocks = malloc((size_t) n * sizeof(*blocks));
    if (blocks == NULL) {
        return tool_no_memory("record");
    }
    int code = write_type(message, blocks, out);
    free(blocks);
    return code;
}

void record_type_free(record_type_t *type)
{
    free(type->text);
    free(type->program);
    *type = (record_type_t){0};
}
