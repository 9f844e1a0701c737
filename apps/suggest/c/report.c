/* SPDX-License-Identifier: BSD-3-Clause */
#include "report.h"
#include "timing.h"

#include <string.h>

static FILE *stream(const report_t *report)
{
    return report->patch ? stderr : report->out;
}

void report_begin(report_t *report)
{
    if (report->sarif) {
        report->results = c_checked(json_array());
    }
}

void report_begin_file(report_t *report, c_unit_t *unit)
{
    report->files++;
    if (report->patch) {
        report->edits = patch_new(unit);
    }
}

static const char *path_of(const c_unit_t *unit, const c_node_t *where)
{
    return where->span.file ? where->span.file->path : unit->path;
}

static void diagnose(report_t *report, const c_unit_t *unit, const c_node_t *where,
                     const char *kind, int refusal, const char *message)
{
    const char *path = path_of(unit, where);

    if (report->sarif) {
        sarif_add(report->results, path, where->span.line, where->span.column, refusal, message);
        return;
    }
    fprintf(stream(report), "%s:%u:%u: %s: %s\n", path, where->span.line, where->span.column, kind,
            message);
}

static void explain(report_t *report, const site_t *site)
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

/* The call of MPI, where the answer is about a call of a function that has it. */
static void called_here(report_t *report, const site_t *site)
{
    if (site->at != site->call && !report->sarif) {
        fprintf(stream(report), "%s:%u:%u: note: %s is called here\n",
                path_of(site->run->unit, site->call), site->call->span.line,
                site->call->span.column, c_callee(site->call));
    }
}

static const char *assumption_rule(int number)
{
    static const char *const rules[] = {
#define C_ASSUMPTION(number, name, text) [number] = text,
#include "assumptions.def"
#undef C_ASSUMPTION
    };

    return rules[number];
}

/* What the answer rests on: one line for each assumption, where it is needed. */
static void assumed(report_t *report, const site_t *site)
{
    const c_unit_t *unit = site->run->unit;
    size_t i;

    for (i = 0; i < site->needs.n && !report->sarif; i++) {
        const run_assumption_t *known = &site->run->assumptions[site->needs.index[i]];
        const c_node_t *where = known->where ? known->where : site->call;
        bool held = report->evidence && evidence_holds(report->evidence, site, known->number);

        fprintf(stream(report), "%s:%u:%u: note: assumed: %s%s%s [dame-assumed-%d]\n",
                path_of(unit, where), where->span.line, where->span.column, known->text,
                held ? "; held in " : "", held ? evidence_run(report->evidence) : "",
                known->number);
        if (report->explain) {
            fprintf(stream(report), "  %s\n", assumption_rule(known->number));
        }
    }
    if (report->explain && !report->sarif) {
        explain(report, site);
    }
}

static const char *verb(const site_t *site)
{
    bool of_file = strncmp(c_callee(site->call), "MPI_File_", 9) == 0;

    return site->function->receives ? of_file ? "read" : "receive" : of_file ? "write" : "send";
}

static void decided(report_t *report, site_t *site)
{
    const c_unit_t *unit = site->run->unit;
    const char *address = types_address_text(site->program, site->shape.type->origin);
    const char *message = c_format(
        site->run->memory, "%s%s%s can %s %s as %s%s, without %s%s [%s]",
        site->at == site->call ? "" : c_callee(site->at), site->at == site->call ? "" : ": ",
        site->function->kind == KIND_SENDRECV_REPLACE && !site->in_place
            ? "MPI_Sendrecv instead of MPI_Sendrecv_replace"
            : c_callee(site->call),
        verb(site), address, site_type_text(site),
        site->function->processes ? ", one for each process" : "",
        site->function->receives ? "unpacking" : "packing",
        site->shape.count == SHAPE_COUNT_PROVED ? ""
                                                : "; the count is to be compared where it runs",
        "dame-datatype");

    report->decided++;
    if (report->evidence) {
        evidence_decided(report->evidence, site);
    }
    diagnose(report, unit, site->at, "note", 0, message);
    called_here(report, site);
    if (site->shared && !report->sarif) {
        fprintf(stream(report),
                "%s:%u:%u: note: the packing stays: other code may read the buffer\n", unit->path,
                site->call->span.line, site->call->span.column);
    }
    assumed(report, site);
    if (report->measure && !report->sarif) {
        timing_print(site, report->with, stream(report));
    }
}

static void refused(report_t *report, site_t *site)
{
    const c_unit_t *unit = site->run->unit;
    const char *message = c_format(site->run->memory, "%s: no datatype: %s [dame-refused-%d]",
                                   c_callee(site->call), site->reason, site->refusal);

    report->refused++;
    diagnose(report, unit, site->at, "warning", site->refusal, message);
    called_here(report, site);
    if (site->where && site->where != site->call && !report->sarif) {
        fprintf(stream(report), "%s:%u:%u: note: this is about here\n", path_of(unit, site->where),
                site->where->span.line, site->where->span.column);
    }
    if (report->explain && !report->sarif) {
        fprintf(stream(report), "  %s\n", site_refusal_text(site->refusal));
        explain(report, site);
    }
}

void report_unfollowed(report_t *report, const c_unit_t *unit, const c_node_t *where,
                       const char *name, const char *why)
{
    report->refused++;
    diagnose(report, unit, where, "warning", C_REFUSED_FUNCTION,
             c_format(unit->memory, "%s: not analysed: %s [dame-refused-%d]", name, why,
                      C_REFUSED_FUNCTION));
}

void report_function(report_t *report, run_t *run, site_t *sites, size_t n)
{
    size_t i;

    for (i = 0; i < n; i++) {
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

void report_end_file(report_t *report, c_unit_t *unit)
{
    if (report->evidence && !report->sarif) {
        evidence_print_others(report->evidence, unit->path, stream(report));
    }
    if (report->patch) {
        report->failed |= !patch_print(report->edits, report->out);
        patch_free(report->edits);
    }
}

void report_end(report_t *report)
{
    if (report->sarif) {
        sarif_print(report->results, report->out);
    } else if (report->files > 0) {
        fprintf(stream(report),
                "%zu calls that send or receive: %zu decided, %zu refused, %zu not packing (%zu of "
                "computed values)",
                report->seen, report->decided, report->refused, report->direct + report->computed,
                report->computed);
        fprintf(stream(report), "%s\n",
                report->decided == 0 || report->measure
                    ? ""
                    : "; --measure times the decided ones, by hand and as datatypes");
    }
}
