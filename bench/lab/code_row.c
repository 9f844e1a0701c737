/* SPDX-License-Identifier: BSD-3-Clause */
#include "code_row.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "tools/llvm.h"
#include "cli/tool.h"
#include "cli/program.h"

const char *const code_row_directions[2] = {"pack", "unpack"};

/* ---- compiling ---- */

static double now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e9 * (double) time.tv_sec + (double) time.tv_nsec;
}

static int is_compiled(const code_row_t *row, int32_t prim)
{
    return dame_prim_run(&row->compiled->prims[prim], row->dir) != row->before[prim];
}

static dame_status_t compile_program(const code_row_t *row, dame_program_t *program)
{
    return row->candidate == NULL ? DAME_ERR_UNSUPPORTED
                                  : tool_compile_code(row->jit, program, row->dir, row->candidate);
}

int code_row_look(code_row_t *row)
{
    dame_jit_stats_t before;
    dame_jit_stats(row->jit, &before);
    int code = tool_optimised(tool_input_name(row->path), row->program, NULL, &row->compiled);
    if (code != TOOL_OK) {
        row->compiled = NULL;
        return code;
    }
    row->before = calloc((size_t) row->compiled->nprims, sizeof(row->before[0]));
    if (row->before == NULL) {
        return tool_status_error(tool_input_name(row->path), DAME_ERR_NOMEM);
    }
    for (int32_t i = 0; i < row->compiled->nprims; i++) {
        row->before[i] = dame_prim_run(&row->compiled->prims[i], row->dir);
    }
    const double start = now_ns();
    row->status = compile_program(row, row->compiled);
    const int is_first = row->variant[0] != '\0' || before.compiled[0] + before.compiled[1] == 0;
    row->first_ns = is_first ? now_ns() - start : 0;
    dame_jit_stats_t after;
    dame_jit_stats(row->jit, &after);
    row->is_found = after.found[row->dir] > before.found[row->dir];
    row->has_phases = row->variant[0] != '\0' && !row->is_found && tool_llvm_phases(&row->phases);
    if (row->status == DAME_ERR_NOMEM) {
        return tool_status_error(tool_input_name(row->path), row->status);
    }
    row->bytes = dame_jit_code(row->compiled, row->dir, &row->code);
    for (int32_t i = 0; i < row->compiled->nprims; i++) {
        row->levels += dame_prim_run(&row->compiled->prims[i], row->dir) != NULL;
        row->kernels += is_compiled(row, i);
    }
    return TOOL_OK;
}

/* Optimises and compiles, then throws all away. */
static dame_status_t time_one(const code_row_t *row, double *ns)
{
    dame_program_t *optimised;
    dame_status_t status = dame_program_optimise(row->program, NULL, &optimised);
    if (status != DAME_OK) {
        return status;
    }
    const double start = now_ns();
    status = compile_program(row, optimised);
    *ns = now_ns() - start;
    dame_jit_release(row->jit, optimised);
    dame_program_free(optimised);
    return status;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *) a, y = *(const double *) b;
    return (x > y) - (x < y);
}

int code_row_time(code_row_t *row, int64_t repeats)
{
    double *ns = calloc((size_t) repeats, sizeof(*ns));
    dame_status_t status = ns != NULL ? DAME_OK : DAME_ERR_NOMEM;
    for (int64_t i = 0; status == DAME_OK && i < repeats; i++) {
        status = time_one(row, &ns[i]);
    }
    if (status == DAME_OK) {
        qsort(ns, (size_t) repeats, sizeof(*ns), compare);
        row->median_ns = ns[repeats / 2];
        row->worst_ns = ns[repeats - 1];
    }
    free(ns);
    return status == DAME_OK ? TOOL_OK : tool_status_error(tool_input_name(row->path), status);
}

/* ---- showing it ---- */

void code_row_heading(dame_jit_t *jit)
{
    dame_jit_stats_t stats;
    dame_jit_stats(jit, &stats);
    if (stats.vector_name[0] == '\0') {
        printf("There is no compiler for this CPU.\n");
        return;
    }
    printf("%s vectors; microseconds\n\n%-30s %-6s %7s %7s %8s %8s %8s\n", stats.vector_name,
           "program", "", "levels", "bytes", "first", "median", "worst");
}

void code_row_print(const code_row_t *row)
{
    printf("%-30s %-6s ", tool_input_name(row->path), code_row_directions[row->dir]);
    if (row->status != DAME_OK) {
        printf("not compiled: %s%s%s\n", dame_status_text(row->status),
               row->variant[0] != '\0' ? "  " : "", row->variant);
        return;
    }
    printf("%3" PRId64 "/%-3" PRId64 " %7zu ", row->kernels, row->levels, row->bytes);
    if (row->first_ns > 0) {
        printf("%8.2f", 1e-3 * row->first_ns);
    } else {
        printf("%8s", "-");
    }
    printf(" %8.2f %8.2f", 1e-3 * row->median_ns, 1e-3 * row->worst_ns);
    printf("%s%s%s\n", row->variant[0] != '\0' ? "  " : "", row->variant,
           row->is_found ? ", found" : "");
}

/* Of this process, in memory; 0: not known. */
static int64_t resident_bytes(void)
{
    long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file == NULL || fscanf(file, "%*s %lld", &pages) != 1) {
        pages = 0;
    }
    if (file != NULL) {
        fclose(file);
    }
    return pages * sysconf(_SC_PAGESIZE);
}

/* What the first compilation took; the rest of its time goes to the code cache and to memory for
 * code. */
static void phases_json(const l_phases_t *phases)
{
    printf(", \"ir_ns\": %" PRId64 ", \"passes_ns\": %" PRId64 ", \"generate_ns\": %" PRId64
           ", \"link_ns\": %" PRId64,
           phases->ir, phases->passes, phases->generate, phases->link);
}

void code_row_json(const code_row_t *row, int is_first)
{
    printf("%s  {\"file\": ", is_first ? "\n" : ",\n");
    tool_json_string(stdout, row->path);
    printf(", \"direction\": \"%s\", \"compiled\": %s", code_row_directions[row->dir],
           row->status == DAME_OK ? "true" : "false");
    if (row->variant[0] != '\0') {
        printf(", \"variant\": \"%s\", \"found\": %s", row->variant,
               row->is_found ? "true" : "false");
    }
    if (row->status != DAME_OK) {
        printf(", \"message\": ");
        tool_json_string(stdout, dame_status_text(row->status));
    } else {
        printf(", \"levels\": %" PRId64 ", \"kernels\": %" PRId64 ", \"code_bytes\": %zu",
               row->levels, row->kernels, row->bytes);
        if (row->first_ns > 0) {
            printf(", \"first_ns\": %.0f", row->first_ns);
        }
        if (row->has_phases) {
            phases_json(&row->phases);
        }
        printf(", \"median_ns\": %.0f, \"worst_ns\": %.0f, \"resident_bytes\": %" PRId64,
               row->median_ns, row->worst_ns, resident_bytes());
    }
    putchar('}');
}

void code_row_end(code_row_t *row)
{
    if (row->compiled != NULL) {
        dame_jit_release(row->jit, row->compiled);
    }
    dame_program_free(row->compiled);
    free(row->before);
}
