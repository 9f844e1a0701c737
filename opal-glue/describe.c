/* SPDX-License-Identifier: BSD-3-Clause */
#include "describe.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "abi/abi.h"
#include "contents.h"
#include "name.h"

/* Most constructor calls, entries of a list and members of a struct that are written in full. Of
 * more than these, some of the first, and of a list the last. */
enum { MAX_CALLS = 200, MAX_ENTRIES = 8, FIRST_ENTRIES = 4, MAX_MEMBERS = 16, FIRST_MEMBERS = 8 };

/* Structs in structs: no more than the importer follows. */
enum { MAX_NESTING = 32, INDENT = 2 };

typedef struct describer {
    dame_tree_t *tree;
    const char *prefix; /* of every line */
    FILE *out;
    int calls; /* written so far */
} describer_t;

/* Where the next arguments of a call are. */
typedef struct arguments {
    const int *ints;
    const int64_t *aints;
    int64_t n; /* entries of lists */
} arguments_t;

static void describe_type(describer_t *d, const opal_datatype_t *datatype, int indent);

static void begin_line(describer_t *d, int indent)
{
    fprintf(d->out, "\n%s%*s", d->prefix, indent, "");
}

static void write_order(FILE *out, int order)
{
    fputs(MPI_ORDER_C == order ? "C" : "Fortran", out);
}

static void write_entry(FILE *out, char letter, const arguments_t *arguments, int64_t i)
{
    if ('A' == letter) {
        fprintf(out, "%" PRId64, arguments->aints[i]);
        return;
    }
    int value = arguments->ints[i];
    if ('D' == letter) {
        fputs(MPI_DISTRIBUTE_BLOCK == value    ? "block"
              : MPI_DISTRIBUTE_CYCLIC == value ? "cyclic"
                                               : "none",
              out);
    } else if ('G' == letter && MPI_DISTRIBUTE_DFLT_DARG == value) {
        fputs("default", out);
    } else {
        fprintf(out, "%d", value);
    }
}

static void write_list(FILE *out, char letter, arguments_t *arguments)
{
    int64_t n = arguments->n;
    fputc('[', out);
    for (int64_t i = 0; i < n; i++) {
        fputs(0 == i ? "" : ", ", out);
        if (n > MAX_ENTRIES && FIRST_ENTRIES == i) {
            fputs("..., ", out);
            i = n - 1;
        }
        write_entry(out, letter, arguments, i);
    }
    fputc(']', out);
    if ('A' == letter) {
        arguments->aints += n;
    } else {
        arguments->ints += n;
    }
}

static void write_arguments(FILE *out, const dt_contents_t *call)
{
    arguments_t arguments = {.ints = call->ints, .aints = call->aints};
    for (const char *p = call->params; '\0' != *p; p++) {
        fputs(p == call->params ? "" : ", ", out);
        switch (*p) {
        case 'n':
            arguments.n = *arguments.ints;
            fprintf(out, "%d", *arguments.ints++);
            break;
        case 'i':
            fprintf(out, "%d", *arguments.ints++);
            break;
        case 'o':
            write_order(out, *arguments.ints++);
            break;
        case 'a':
            fprintf(out, "%" PRId64, *arguments.aints++);
            break;
        default:
            write_list(out, *p, &arguments);
            break;
        }
    }
}

/* A struct's members that are written, while the memory of its call serves their own calls. */
typedef struct member {
    int blklen;
    int64_t disp;
    const opal_datatype_t *datatype;
} member_t;

static void describe_members(describer_t *d, const dt_contents_t *call, int indent)
{
    member_t members[MAX_MEMBERS];
    int n = call->ints[0];
    int most = n > MAX_MEMBERS ? FIRST_MEMBERS : n;
    for (int i = 0; i < most; i++) {
        members[i] = (member_t){call->ints[1 + i], call->aints[i], &call->types[i]->super};
    }
    int i = 0;
    for (; i < most && d->calls < MAX_CALLS; i++) {
        begin_line(d, indent);
        fprintf(d->out, "%d at %" PRId64 ": ", members[i].blklen, members[i].disp);
        describe_type(d, members[i].datatype, indent + INDENT);
    }
    if (i < n) {
        begin_line(d, indent);
        fprintf(d->out, "... and %d members more", n - i);
    }
}

static bool is_too_much(const describer_t *d, int indent)
{
    return d->calls >= MAX_CALLS || indent > MAX_NESTING * INDENT;
}

/* Not in line: its memory is not that of every level of describe_type(). */
static __attribute__((noinline)) void write_name(const char *name, FILE *out)
{
    char text[DT_NAME_TEXT];
    fputs('\0' == *name ? "a datatype of Open MPI's own" : dt_name_text(name, text, sizeof(text)),
          out);
}

static void describe_type(describer_t *d, const opal_datatype_t *datatype, int indent)
{
    dt_contents_t call;
    dt_decline_t declined;
    while (!is_too_much(d, indent)) {
        dame_tree_reset(d->tree);
        if (!dt_contents_read(d->tree, datatype, &call, &declined)) {
            write_name(dt_contents_name(datatype), d->out);
            return;
        }
        d->calls++;
        fprintf(d->out, "%s(", call.name);
        write_arguments(d->out, &call);
        fputc(')', d->out);
        if (MPI_COMBINER_STRUCT == call.combiner) {
            describe_members(d, &call, indent);
            return;
        }
        fputs(" of ", d->out);
        datatype = &call.types[0]->super;
    }
    fputs("...", d->out);
}

void dt_describe(dame_tree_t *tree, const opal_datatype_t *datatype, const char *prefix, FILE *out)
{
    describer_t d = {.tree = tree, .prefix = prefix, .out = out};
    fputs(prefix, out);
    describe_type(&d, datatype, INDENT);
    fputc('\n', out);
    dame_tree_reset(tree);
}

/* ---- In full -------------------------------------------------------------------------------- */

/* Entries of lists and calls, in all: a line of 64 KiB or so. */
enum { MOST_WRITTEN = 8192, DEEPEST = 100 };

typedef struct calls {
    dame_tree_t *tree;
    FILE *out;
    int64_t written;
    int depth;
} calls_t;

static bool write_calls(calls_t *c, const opal_datatype_t *datatype);

static void write_ints(FILE *out, const int *ints, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        fprintf(out, "%s%d", 0 == i ? "[" : ", ", ints[i]);
    }
    fputs(0 == n ? "[], " : "], ", out);
}

static void write_aints(FILE *out, const int64_t *aints, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        fprintf(out, "%s%" PRId64, 0 == i ? "[" : ", ", aints[i]);
    }
    fputs(0 == n ? "[], " : "], ", out);
}

static bool write_struct(calls_t *c, const dt_contents_t *call)
{
    const int n = call->ints[0];
    bool good = true;
    write_ints(c->out, call->ints + 1, n);
    write_aints(c->out, call->aints, n);
    fputc('[', c->out);
    for (int i = 0; i < n && good; i++) {
        fputs(0 == i ? "" : ", ", c->out);
        good = write_calls(c, &call->types[i]->super);
    }
    fputs("])", c->out);
    return good;
}

/* The arguments before the old datatype, each with a comma; lists in full. */
static void write_all_arguments(FILE *out, const dt_contents_t *call)
{
    arguments_t arguments = {.ints = call->ints, .aints = call->aints};
    for (const char *p = call->params; '\0' != *p; p++) {
        if ('n' == *p) {
            arguments.n = *arguments.ints++;
            if ('\0' == p[1] || 'i' == p[1]) { /* no list says it */
                fprintf(out, "%" PRId64 ", ", arguments.n);
            }
        } else if ('i' == *p) {
            fprintf(out, "%d, ", *arguments.ints++);
        } else if ('o' == *p) {
            write_order(out, *arguments.ints++);
            fputs(", ", out);
        } else if ('a' == *p) {
            fprintf(out, "%" PRId64 ", ", *arguments.aints++);
        } else if ('A' == *p) {
            write_aints(out, arguments.aints, arguments.n);
            arguments.aints += arguments.n;
        } else {
            fputc('[', out);
            for (int64_t i = 0; i < arguments.n; i++) {
                fputs(0 == i ? "" : ", ", out);
                write_entry(out, *p, &arguments, i);
            }
            fputs("], ", out);
            arguments.ints += arguments.n;
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
        return DT_DECLINE_NONE == declined && 0 == strncmp(name, "MPI_", 4) && '\0' == name[plain];
    }
    c->written += 1 + (int64_t) call.n_ints + call.n_aints + call.n_types;
    if (c->written > MOST_WRITTEN || c->depth >= DEEPEST) {
        return false;
    }
    fprintf(c->out, "%s(", call.name);
    if (MPI_COMBINER_STRUCT == call.combiner) {
        c->depth++;
        const bool good = write_struct(c, &call);
        c->depth--;
        return good;
    }
    const bool old_first = MPI_COMBINER_RESIZED == call.combiner;
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

bool dt_describe_calls(dame_tree_t *tree, const opal_datatype_t *datatype, FILE *out)
{
    calls_t calls = {.tree = tree, .out = out};
    const bool good = write_calls(&calls, datatype);
    dame_tree_reset(tree);
    return good;
}
