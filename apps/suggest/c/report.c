/* SPDX-License-Identifier: BSD-3-Clause */
#include "report.h"
#include "sarif.h"
#include "timing.h"

#include <stdlib.h>
#include <string.h>

static FILE *stream(const struct report *report)
{
    return report->patch ? stderr : report->out;
}

void report_begin(struct report *report)
{
    if (report->sarif) {
        sarif_begin(report->out);
    }
}

void report_begin_file(struct report *report, struct c_unit *unit)
{
    if (report->patch) {
        report->edits = patch_new(unit);
    }
}

const char *report_type(const struct site *site)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    const char *copy;

    if (!file) {
        return "";
    }
    types_print(site->program, site->shape.type, file);
    copy = fclose(file) == 0 ? c_copy(site->run->memory, text) : "";
    free(text);
    return copy;
}

static void diagnose(struct report *report, const struct c_unit *unit, const struct c_node *where,
                     const char *kind, int refusal, const char *message)
{
    if (report->sarif) {
        sarif_result(report->out, report->results++ == 0, unit->path, where->span.line,
                     where->span.column, refusal, message);
        return;
    }
    fprintf(stream(report), "%s:%u:%u: %s: %s\n", unit->path, where->span.line, where->span.column,
            kind, message);
}

static void explain(struct report *report, const struct site *site)
{
    int i;

    if (site->program) {
        fprintf(stream(report), "  access program:\n");
        access_print(site->program, stream(report));
    }
    for (i = 0; i < site->shape.nconditions; i++) {
        fprintf(stream(report), "  where %s\n", site->shape.conditions[i]);
    }
}

static void decided(struct report *report, struct site *site)
{
    const struct c_unit *unit = site->run->unit;
    const char *address = types_address_text(site->program, site->shape.type->origin);
    const char *message = c_format(
        site->run->memory, "%s can %s %s as %s, without %s%s [%s]", c_callee(site->call),
        site->function->receives ? "receive" : "send", address, report_type(site),
        site->function->receives ? "unpacking" : "packing",
        site->shape.count == SHAPE_COUNT_PROVED ? ""
                                                : "; the count is to be compared where it runs",
        "dame-datatype");

    report->decided++;
    diagnose(report, unit, site->call, "note", 0, message);
    if (site->shared && !report->sarif) {
        fprintf(stream(report),
                "%s:%u:%u: note: the packing stays: other code may read the buffer\n", unit->path,
                site->call->span.line, site->call->span.column);
    }
    if (report->explain && !report->sarif) {
        explain(report, site);
    }
    if (report->measure && !report->sarif) {
        timing_print(site, report->with, stream(report));
    }
}

static void refused(struct report *report, struct site *site)
{
    const struct c_unit *unit = site->run->unit;
    const char *message = c_format(site->run->memory, "%s: no datatype: %s [dame-refused-%d]",
                                   c_callee(site->call), site->reason, site->refusal);

    report->refused++;
    diagnose(report, unit, site->call, "warning", site->refusal, message);
    if (site->where && site->where != site->call && !report->sarif) {
        fprintf(stream(report), "%s:%u:%u: note: this is about here\n", unit->path,
                site->where->span.line, site->where->span.column);
    }
    if (report->explain && !report->sarif) {
        fprintf(stream(report), "  %s\n", site_refusal_text(site->refusal));
        explain(report, site);
    }
}

void report_function(struct report *report, struct run *run, struct site *sites, size_t n)
{
    size_t i;

    if (run->refused) {
        report->refused++;
        diagnose(report, run->unit, run->refused_at, "warning", C_REFUSED_FUNCTION,
                 c_format(run->memory, "%s: not analysed: %s [dame-refused-%d]",
                          run->function->symbol->name, run->refused, C_REFUSED_FUNCTION));
        return;
    }
    for (i = 0; i < n; i++) {
        sites[i].skipped = report->only && sites[i].call->span.line != report->only;
        if (sites[i].skipped) {
            continue;
        }
        if (sites[i].refusal) {
            refused(report, &sites[i]);
        } else {
            decided(report, &sites[i]);
        }
    }
    if (report->patch) {
        patch_function(report->edits, report->patch, run, sites, n);
    }
}

void report_procedure(struct report *report, const struct c_unit *unit, unsigned line,
                      const char *name, const char *why)
{
    struct c_node *where = c_allocate(unit->memory, sizeof *where);

    where->span.line = line;
    where->span.column = 1;
    report->refused++;
    diagnose(report, unit, where, "warning", C_REFUSED_FUNCTION,
             c_format(unit->memory, "%s: not analysed: %s [dame-refused-%d]", name, why,
                      C_REFUSED_FUNCTION));
}

void report_end_file(struct report *report, struct c_unit *unit)
{
    (void) unit;
    if (report->patch) {
        patch_print(report->edits, report->out);
        patch_free(report->edits);
    }
}

void report_end(struct report *report)
{
    if (report->sarif) {
        sarif_end(report->out);
    } else {
        fprintf(stream(report), "%zu decided, %zu refused%s\n", report->decided, report->refused,
                report->decided == 0 || report->measure
                    ? ""
                    : "; --measure times the decided ones, by hand and as datatypes");
    }
}
