/* SPDX-License-Identifier: BSD-3-Clause */
#include "describe.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "opal-glue/abi/abi.h"
#include "contents.h"

/* Entries of lists and calls, in all: a line of 64 KiB or so. */
enum { MOST_WRITTEN = 8192, DEEPEST = 100 };

typedef struct calls {
    dame_tree_t *tree;
    FILE *out;
    int64_t written;
    int depth;
} calls_t;

/* Where the next arguments of a call are. */
typedef struct arguments {
    const int *ints;
    const int64_t *aints;
    int64_t n; /* entries of lists */
} arguments_t;

static void write_order(FILE *out, int order)
{
    fputs(order == MPI_ORDER_C ? "C" : "Fortran", out);
}

static void write_entry(FILE *out, char letter, const arguments_t *arguments, int64_t i)
{
    if (letter == 'A') {
        fprintf(out, "%" PRId64, arguments->aints[i]);
        return;
    }
    int value = arguments->ints[i];
    if (letter == 'D') {
        fputs(value == MPI_DISTRIBUTE_BLOCK    ? "block"
              : value == MPI_DISTRIBUTE_CYCLIC ? "cyclic"
                                               : "none",
              out);
    } else if (letter == 'G' && value == MPI_DISTRIBUTE_DFLT_DARG) {
        fputs("default", out);
    } else {
        fprintf(out, "%d", value);
    }
}

static bool write_calls(calls_t *c, const opal_datatype_t *datatype);

/* The list of `letter`, which the next arguments are, with a comma behind it. */
static void write_list(FILE *out, char letter, arguments_t *arguments)
{
    fputc('[', out);
    for (int64_t i = 0; i < arguments->n; i++) {
        fputs(i == 0 ? "" : ", ", out);
        write_entry(out, letter, arguments, i);
    }
    fputs("], ", out);
    arguments->ints += 'A' == letter ? 0 : arguments->n;
    arguments->aints += 'A' == letter ? arguments->n : 0;
}

static bool write_struct(calls_t *c, const dt_contents_t *call)
{
    const int n = call->ints[0];
    bool good = true;
    arguments_t arguments = {.ints = call->ints + 1, .aints = call->aints, .n = n};
    write_list(c->out, 'I', &arguments);
    write_list(c->out, 'A', &arguments);
    fputc('[', c->out);
    for (int i = 0; i < n && good; i++) {
        fputs(i == 0 ? "" : ", ", c->out);
        good = write_calls(c, &call->types[i]->super);
    }
    fputs("])", c->out);
    return good;
}

/* The arguments before the old datatype, each with a comma; lists in full. */
static void write_all_arguments(FILE *out, const dt_contents_t *call)
{
    arguments_t arguments = {.ints = call->ints, .aints = call->aints};
    for (const char *p = call->params; *p != '\0'; p++) {
        if (*p == 'n') {
            arguments.n = *arguments.ints++;
            if (p[1] == '\0' || p[1] == 'i') { /* no list says it */
                fprintf(out, "%" PRId64 ", ", arguments.n);
            }
        } else if (*p == 'i') {
            fprintf(out, "%d, ", *arguments.ints++);
        } else if (*p == 'o') {
            write_order(out, *arguments.ints++);
            fputs(", ", out);
        } else if (*p == 'a') {
            fprintf(out, "%" PRId64 ", ", *arguments.aints++);
        } else {
            write_list(out, *p, &arguments);
        }
    }
}

static bool write_calls(calls_t *c, const opal_datatype_t *datatype)
{
    dt_contents_t call;
    dt_decline_t declined = DT_DECLINE_NONE;
    if (!dt_contents_read(c->tree, datatype, &call, &declined)) {
        const char *name = dt_contents_name(datatype);
        fputs(name, c->out);
        /* A program may have given it another name, with any bytes. */
        const size_t plain = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
        return declined == DT_DECLINE_NONE && strncmp(name, "MPI_", 4) == 0 && name[plain] == '\0';
    }
    c->written += 1 + (int64_t) call.n_ints + call.n_aints + call.n_types;
    if (c->written > MOST_WRITTEN || c->depth >= DEEPEST) {
        return false;
    }
    fprintf(c->out, "%s(", call.name);
    if (call.combiner == MPI_COMBINER_STRUCT) {
        c->depth++;
        const bool good = write_struct(c, &call);
        c->depth--;
        return good;
    }
    const bool old_first = call.combiner == MPI_COMBINER_RESIZED;
    if (!old_first) {
        write_all_arguments(c->out, &call);
    }
    c->depth++;
    const bool good = write_calls(c, &call.types[0]->super);
    c->depth--;
    if (old_first) {
        fprintf(c->out, ", %" PRId64 ", %" PRId64, call.aints[0], call.aints[1]);
    }
    fputc(')', c->out);
    return good;
}

bool dt_describe(dame_tree_t *tree, const opal_datatype_t *datatype, FILE *out)
{
    calls_t calls = {.tree = tree, .out = out};
    const bool good = write_calls(&calls, datatype);
    dame_tree_reset(tree);
    return good;
}
