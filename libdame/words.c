/* SPDX-License-Identifier: BSD-3-Clause */
/* Datatypes as text: in the DAME language, and in English. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* fopencookie() */
#endif
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "dame/text.h"
#include "lib.h"
#include "signature.h"

/* Blocks of a struct may share a subprogram, which text repeats: a short program can have a text
 * that is too long for memory. */
enum { LONGEST_TEXT = 256 << 20, MOST_MEMBERS = 8, DEEPEST = 12 };

/* A text that grows. */
typedef struct paper {
    char *text;
    size_t length;
    size_t room;
    dame_status_t status;
} paper_t;

static ssize_t write_paper(void *cookie, const char *bytes, size_t n)
{
    paper_t *paper = cookie;
    if (n > LONGEST_TEXT - paper->length) {
        paper->status = DAME_ERR_LIMIT;
        return 0;
    }
    if (paper->length + n >= paper->room) {
        const size_t room = 2 * (paper->length + n) + 1;
        char *text = realloc(paper->text, room);
        if (text == NULL) {
            paper->status = DAME_ERR_NOMEM;
            return 0;
        }
        paper->text = text;
        paper->room = room;
    }
    memcpy(paper->text + paper->length, bytes, n);
    paper->length += n;
    paper->text[paper->length] = '\0';
    return (ssize_t) n;
}

/* ---- in English ---- */

static void indent(FILE *out, int depth)
{
    fprintf(out, "%*s", 2 * depth, "");
}

/* "1 block", "2 blocks". */
static void say(FILE *out, const char *before, int64_t n, const char *what, const char *behind)
{
    fprintf(out, "%s%" PRId64 " %s%s%s", before, n, what, n == 1 ? "" : "s", behind);
}

/* One line: the constructor. */
static void name_constructor(FILE *out, const dame_datatype_t *type)
{
    const dame_type_t *node = &type->node;
    switch (node->kind) {
    case DAME_BASIC:
        fprintf(out, "%s, ", type->basic.name);
        say(out, "", type->basic.size, "byte", "");
        break;
    case DAME_CONTIG:
        say(out, "contiguous: ", node->count, "element", " of");
        break;
    case DAME_VECTOR:
        say(out, "vector: ", node->count, "block", ", ");
        say(out, "", node->stride, "byte", " from start to start, each of ");
        say(out, "", node->blklen, "element", " of");
        break;
    case DAME_BLOCKINDEX:
        say(out, "indexed: ", node->count, "block", "");
        if (node->count == 1) {
            fprintf(out, " at byte %" PRId64, node->disps[0]);
        }
        say(out, ", each of ", node->blklen, "element", " of");
        break;
    case DAME_INDEX:
        say(out, "indexed: ", node->count, "block", " of several lengths, of elements of");
        break;
    case DAME_STRUCT:
        say(out, "struct: ", node->count, "block", "");
        break;
    case DAME_RESIZED:
        fprintf(out, "resized: lower bound %" PRId64 ", extent %" PRId64, node->lb, node->extent);
        break;
    }
    fputc('\n', out);
}

static void outline(FILE *out, const dame_datatype_t *type, int depth)
{
    const dame_type_t *node = &type->node;
    const int64_t members = dame_members(type);
    indent(out, depth);
    if (depth == DEEPEST) {
        fprintf(out, "... and %d more constructors inside each other\n", type->nested + 1);
        return;
    }
    name_constructor(out, type);
    for (int64_t i = 0; i < members && i < MOST_MEMBERS; i++) {
        if (node->kind == DAME_STRUCT) {
            indent(out, depth + 1);
            fprintf(out, "at byte %" PRId64 ", ", node->disps[i]);
            say(out, "", node->blklens[i], "element", " of\n");
        }
        outline(out, dame_member(type, i).child, depth + 1 + (node->kind == DAME_STRUCT));
    }
    if (members > MOST_MEMBERS) {
        indent(out, depth + 1);
        fprintf(out, "... and %" PRId64 " more\n", members - MOST_MEMBERS);
    }
}

static void explain(FILE *out, const dame_datatype_t *type)
{
    const dame_type_t *node = &type->node;
    const dame_mover_t *mover = atomic_load_explicit(&type->mover, memory_order_acquire);
    char signature[400];
    dame_signature_text(&type->signature, 1, signature, sizeof(signature));
    outline(out, type, 0);
    say(out, "packed: ", node->size, "byte", ": ");
    fprintf(out, "%s\n", signature);
    fprintf(out,
            "in memory: bytes %" PRId64 " to %" PRId64 "; lower bound %" PRId64 ", extent %" PRId64
            "\n",
            node->true_lb, node->true_ub - (node->size > 0), node->lb, node->extent);
    if (mover == NULL) {
        fprintf(out, "not committed\n");
    } else {
        fprintf(out, "program:\n");
        dame_program_print(dame_mover_program(mover), out);
    }
}

static void print_words(FILE *out, const dame_datatype_t *type)
{
    dame_program_print(dame_mover_program(atomic_load_explicit(&type->mover, memory_order_acquire)),
                       out);
}

/* ---- */

/* What `write` writes. Streams may be cancellation points. */
static dame_status_t text_of(const char *who, void (*write)(FILE *, const dame_datatype_t *),
                             const dame_datatype_t *type, char **text)
{
    int state, failed = 1;
    paper_t paper = {.status = DAME_ERR_NOMEM};
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    FILE *out = fopencookie(&paper, "w", (cookie_io_functions_t){.write = write_paper});
    if (out != NULL) {
        paper.status = DAME_OK;
        write(out, type);
        failed = ferror(out);
        failed |= fclose(out) != 0;
    }
    pthread_setcancelstate(state, NULL);
    if (failed) {
        free(paper.text);
        return paper.status == DAME_ERR_LIMIT
                   ? dame_fail(DAME_ERR_LIMIT, who, "the text has more than %d bytes", LONGEST_TEXT)
                   : dame_fail(DAME_ERR_NOMEM, who, "out of memory");
    }
    *text = paper.text;
    return DAME_OK;
}

dame_status_t dame_datatype_print(const dame_datatype_t *type, char **text)
{
    int64_t bytes;
    if (text == NULL) {
        return dame_fail(DAME_ERR_ARGUMENT, __func__, "text is NULL");
    }
    dame_status_t status = dame_check_message(__func__, "type", type, "count", 0, &bytes);
    return status == DAME_OK ? text_of(__func__, print_words, type, text) : status;
}

dame_status_t dame_datatype_explain(const dame_datatype_t *type, char **text)
{
    if (type == NULL || text == NULL) {
        return dame_fail(DAME_ERR_ARGUMENT, __func__, "%s is NULL", type == NULL ? "type" : "text");
    }
    return text_of(__func__, explain, type, text);
}
