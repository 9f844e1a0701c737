/*
 * A program as text: one primitive a line, indented by nesting.
 */
#include <inttypes.h>
#include <stddef.h>

#include "dame_program.h"
#include "ops.h"

/* Value of entry i of the list that `letter` stands for in dame_ops.def. */
static int64_t list_entry(const dame_prim_t *prim, char letter, int64_t i)
{
    int64_t bytes = NULL != prim->prefix ? prim->prefix[i + 1] - prim->prefix[i] : 0;
    switch (letter) {
    case 'B':
        return NULL != prim->blklens ? prim->blklens[i] : bytes / prim->size;
    case 'D':
        return prim->disps[i];
    case 'Z':
        return bytes / prim->blklens[i];
    default:
        return prim->extents[i];
    }
}

static int print_list(const dame_prim_t *prim, char letter, FILE *out)
{
    fputc('[', out);
    for (int64_t i = 0; i < prim->count; i++) {
        fprintf(out, "%s%" PRId64, 0 == i ? "" : ", ", list_entry(prim, letter, i));
    }
    return fputc(']', out);
}

static int64_t scalar(const dame_prim_t *prim, char letter)
{
    switch (letter) {
    case 'c':
        return prim->count;
    case 'b':
        return prim->blklen;
    case 's':
        return prim->step;
    case 'x':
        return prim->extent;
    default: /* z, n */
        return prim->size;
    }
}

/* CONTIGCHILD levels are not text, so text counts fewer primitives than the program has. */
static int64_t text_index(const dame_program_t *program, int64_t index)
{
    int64_t hidden = 0;
    for (int64_t i = 0; i < index; i++) {
        hidden += DAME_OP_CONTIGCHILD == program->prims[i].op;
    }
    return index - hidden;
}

static void print_prim(const dame_program_t *program, const dame_prim_t *prim, int depth, FILE *out)
{
    const char *params = dame_op_params(prim->op);
    fprintf(out, "%*s%s", 2 * depth, "", dame_op_name(prim->op));
    for (const char *p = params; '\0' != *p; p++) {
        fputs(p == params ? "(" : ", ", out);
        if ('r' == *p) {
            fprintf(out, "%" PRId64, text_index(program, prim->ret));
        } else if (*p >= 'A' && *p <= 'Z') {
            print_list(prim, *p, out);
        } else {
            fprintf(out, "%" PRId64, scalar(prim, *p));
        }
    }
    fputs('\0' == *params ? "\n" : ")\n", out);
}

/* Prints the Type that starts at primitive `i`; returns the index behind it. */
static int32_t print_type(const dame_program_t *program, int32_t i, int depth, FILE *out)
{
    const dame_prim_t *prim = &program->prims[i++];
    if (DAME_OP_CONTIGCHILD == prim->op) {
        return print_type(program, i, depth, out);
    }
    print_prim(program, prim, depth, out);
    switch (dame_op_class(prim->op)) {
    case DAME_CLASS_BASE:
    case DAME_CLASS_FINAL:
        return print_type(program, i, depth + 1, out);
    case DAME_CLASS_STRUCT:
        for (int64_t block = 0; block < prim->count; block++) {
            print_prim(program, &program->prims[i++], depth + 1, out); /* RETURNTO */
            i = print_type(program, i, depth + 2, out);
            print_prim(program, &program->prims[i++], depth + 1, out); /* BOTTOM */
        }
        return i;
    default:
        return i;
    }
}

int dame_program_print(const dame_program_t *program, FILE *out)
{
    print_prim(program, &program->prims[0], 0, out);
    int32_t bottom = print_type(program, 1, 1, out);
    print_prim(program, &program->prims[bottom], 0, out);
    return ferror(out) ? -1 : 0;
}
