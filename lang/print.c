/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program as text: one primitive a line, indented by nesting.
 */
#include <inttypes.h>
#include <stddef.h>

#include "dame/text.h"
#include "granule.h"
#include "ops.h"

/* Value of entry i of the list of `letter` in dame/ops.def. */
static int64_t list_entry(const dame_prim_t *prim, char letter, int64_t i)
{
    const dame_params_t *params = prim->params;
    int64_t bytes = prim->prefix != NULL ? prim->prefix[i + 1] - prim->prefix[i] : 0;
    switch (letter) {
    case 'B':
        return params->blklens != NULL ? params->blklens[i] : bytes / params->size;
    case 'D':
        return dame_prim_disp(prim, i);
    case 'Z':
        return bytes / params->blklens[i];
    default:
        return params->extents[i];
    }
}

static int64_t scalar(const dame_prim_t *prim, char letter)
{
    dame_prim_t copy = {.count = prim->count, .step = prim->step};
    return *dame_op_scalar(&copy, prim->params, letter);
}

static int print_list(const dame_prim_t *prim, char letter, FILE *out)
{
    fputc('[', out);
    for (int64_t i = 0; i < prim->count && !ferror(out); i++) {
        fprintf(out, "%s%" PRId64, i == 0 ? "" : ", ", list_entry(prim, letter, i));
    }
    return fputc(']', out);
}

/* CONTIGCHILD levels are not text, and shared subprograms are text as often as they are used, so
 * text has its own count of primitives. */
typedef struct printer {
    const dame_program_t *program;
    FILE *out;
    int64_t printed;
} printer_t;

/* `ret` is the text index of the STRUCT that a RETURNTO names. */
static void print_prim(printer_t *printer, const dame_prim_t *prim, int depth, int64_t ret)
{
    FILE *out = printer->out;
    const char *params = dame_op_params(prim->params->op);
    fprintf(out, "%*s%s", 2 * depth, "", dame_op_name(prim->params->op));
    for (const char *p = params; *p != '\0'; p++) {
        fputs(p == params ? "(" : ", ", out);
        if (*p == 'r') {
            fprintf(out, "%" PRId64, ret);
        } else if (dame_op_is_list(*p)) {
            print_list(prim, *p, out);
        } else {
            fprintf(out, "%" PRId64, scalar(prim, *p));
        }
    }
    fputs(*params == '\0' ? "\n" : ")\n", out);
    printer->printed++;
}

static int32_t print_type(printer_t *printer, int32_t i, int depth);

/* Prints a STRUCT and the subprogram of every block; returns the index behind the last. */
static int32_t print_struct(printer_t *printer, int32_t self, int depth)
{
    const dame_prim_t *prims = printer->program->prims;
    int64_t ret = printer->printed;
    int32_t behind = self + 1;
    print_prim(printer, &prims[self], depth, 0);
    /* Shared subprograms can make a text without end: only `out` knows when it is too long. */
    for (int64_t block = 0; block < prims[self].count && !ferror(printer->out); block++) {
        int32_t i = self + prims[self].params->sub_deltas[block];
        print_prim(printer, &prims[i], depth + 1, ret); /* RETURNTO */
        i = print_type(printer, i + 1, depth + 2);
        print_prim(printer, &prims[i], depth + 1, 0); /* BOTTOM */
        behind = i + 1 > behind ? i + 1 : behind;
    }
    return behind;
}

/* Prints the Type that starts at primitive `i`; returns the index behind it. */
static int32_t print_type(printer_t *printer, int32_t i, int depth)
{
    const dame_prim_t *prim = &printer->program->prims[i];
    if (prim->params->op == DAME_OP_CONTIGCHILD) {
        return print_type(printer, i + 1, depth);
    }
    switch (dame_op_class(prim->params->op)) {
    case DAME_CLASS_STRUCT:
        return print_struct(printer, i, depth);
    case DAME_CLASS_BASE:
    case DAME_CLASS_FINAL:
        print_prim(printer, prim, depth, 0);
        return print_type(printer, i + 1, depth + 1);
    default:
        print_prim(printer, prim, depth, 0);
        return i + 1;
    }
}

/* EXIT, with the parameters that a text without them would not mean. */
static void print_exit(printer_t *printer)
{
    const dame_program_t *program = printer->program;
    fputs(dame_op_name(DAME_OP_EXIT), printer->out);
    if (program->granule != dame_granule_of_leaves(program)) {
        fprintf(printer->out, "(%" PRId64 ", %" PRId64 ")", program->extent,
                program->granule == DAME_NO_GRANULE ? 0 : program->granule);
    } else if (program->extent != program->true_ub - program->true_lb) {
        fprintf(printer->out, "(%" PRId64 ")", program->extent);
    }
    fputc('\n', printer->out);
    printer->printed++;
}

int dame_program_print(const dame_program_t *program, FILE *out)
{
    printer_t printer = {.program = program, .out = out};
    print_exit(&printer);
    int32_t bottom = print_type(&printer, 1, 1);
    print_prim(&printer, &program->prims[bottom], 0, 0);
    return ferror(out) ? -1 : 0;
}
