/* SPDX-License-Identifier: BSD-3-Clause */
/* dame bench: how fast a program moves its data, against memcpy of the same bytes. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/files.h"
#include "header.h"
#include "llvm.h"
#include "measure.h"
#include "cli/native.h"
#include "cli/program.h"
#include "cli/text.h"

typedef struct arguments {
    int64_t count;
    int64_t memory; /* bytes that may be allocated */
    double seconds;
} arguments_t;

static int parse_seconds(const char *text, double *seconds)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end != '\0' || !(value >= 0.01 && value <= 3600)) {
        return tool_error(TOOL_USAGE, "--seconds: '%s' is not a number from 0.01 to 3600", text);
    }
    *seconds = value;
    return TOOL_OK;
}

static int parse_option(int option, arguments_t *arguments)
{
    switch (option) {
    case 'c':
        return tool_number("--count", optarg, 1, INT64_MAX, &arguments->count);
    case 's':
        return parse_seconds(optarg, &arguments->seconds);
    case 'm':
        return tool_number("--memory", optarg, 1, INT64_MAX, &arguments->memory);
    default:
        return TOOL_USAGE;
    }
}

static int parse(int argc, char **argv, arguments_t *arguments)
{
    static const struct option longs[] = {{"count", required_argument, NULL, 'c'},
                                          {"seconds", required_argument, NULL, 's'},
                                          {"memory", required_argument, NULL, 'm'},
                                          {0}};
    *arguments = (arguments_t){.count = 1, .memory = (int64_t) 1 << 30, .seconds = 1};
    for (int option; (option = tool_option(argc, argv, ":", longs)) != -1;) {
        if (parse_option(option, arguments) != TOOL_OK) {
            return TOOL_USAGE;
        }
    }
    return TOOL_OK;
}

static void print_table(const char *path, const measure_t *measure, const char *busy)
{
    printf("%s: %" PRId64 " %s, %" PRId64 " %s packed, in %" PRId64 " bytes of memory\n\n",
           tool_input_name(path), measure->count,
           text_plural(measure->count, "element", "elements"), measure->total,
           text_plural(measure->total, "byte", "bytes"), measure->high - measure->low);
    printf("%-10s %12s %10s %12s %10s\n", "tier", "pack GB/s", "of memcpy", "unpack GB/s",
           "of memcpy");
    const double copied = measure_rate(measure, MEASURE_MEMCPY, DAME_PACK);
    for (int tier = MEASURE_MEMCPY; tier < MEASURE_TIERS; tier++) {
        const double pack = measure_rate(measure, tier, DAME_PACK);
        const double unpack = measure_rate(measure, tier, DAME_UNPACK);
        if (measure_missing(measure, tier) == NULL) {
            printf("%-10s %12.3f %10.2f %12.3f %10.2f\n", measure_tier_name(tier), pack,
                   pack / copied, unpack, unpack / copied);
        }
    }
    for (int tier = 0; tier < MEASURE_TIERS - (measure->llvm == NULL); tier++) {
        if (measure_missing(measure, tier) != NULL) {
            printf("\nTier %s: %s\n", measure_tier_name(tier), measure_missing(measure, tier));
        }
    }
    if (measure_missing(measure, MEASURE_NATIVE) != NULL) {
        printf("\nOpen MPI's own engine: not measured: %s\n",
               measure_missing(measure, MEASURE_NATIVE));
    }
    if (*busy != '\0') {
        printf("\nNot certain: %s; measure again when it is idle\n", busy);
    }
}

/* `calls`: those that make the datatype, or NULL. */
static int bench(const arguments_t *arguments, const char *path, const dame_program_t *program,
                 const char *calls)
{
    native_t native;
    char busy[200];
    measure_t measure = {.program = program,
                         .count = arguments->count,
                         .seconds = arguments->seconds,
                         .llvm = tool_llvm()};
    int code =
        tool_program_span(program, arguments->count, &measure.low, &measure.high, &measure.total);
    if (code != TOOL_OK) {
        return code;
    }
    if (measure.total == 0) {
        return tool_error(TOOL_WRONG, "%s: there are no bytes to move", tool_input_name(path));
    }
    /* total <= SIZE_MAX / 4 or so: otherwise the first comparison is true */
    __int128 needed = (__int128) (measure.high - measure.low) + 3 * (__int128) measure.total;
    if (needed > arguments->memory) {
        return tool_error(TOOL_WRONG,
                          "%s: %" PRId64 " bytes of user memory and three buffers of %" PRId64
                          " bytes are more than --memory allows, %" PRId64 " bytes",
                          tool_input_name(path), measure.high - measure.low, measure.total,
                          arguments->memory);
    }
    native_start(&native, calls, measure.total / measure.count, measure.count);
    measure.native = &native;
    code = measure_run(&measure);
    native_end(&native);
    const double waited =
        dame_busy((dame_waited_t){measure.turns.waited.ran + native.waited.ran,
                                  measure.turns.waited.waited + native.waited.waited});
    if (code == TOOL_OK) {
        print_table(path, &measure, dame_busy_text(busy, sizeof(busy), waited));
    }
    measure_free(&measure);
    return code;
}

static int bench_file(void *context, const char *path)
{
    dame_program_t *program;
    char *text = NULL, *calls = NULL, ignored[1];
    size_t length;
    int code = tool_load(path, &program);
    if (code != TOOL_OK) {
        return code;
    }
    if (strcmp(path, "-") != 0 &&
        tool_try_read_text(path, &text, &length, ignored, sizeof(ignored)) == TOOL_OK) {
        calls = header_string(text, length, "mpi");
        free(text);
    }
    code = bench(context, path, program, calls);
    free(calls);
    dame_program_free(program);
    return code;
}

static int run(int argc, char **argv)
{
    arguments_t arguments;
    const int code = parse(argc, argv, &arguments);
    return code != TOOL_OK
               ? code
               : files_each(argc, argv, FILES_OPTIMISED, FILES_LINE, bench_file, &arguments);
}

const tool_command_t tool_bench = {
    .name = "bench",
    .arguments = "[OPTION]... FILE...",
    .what = "measures how fast data is moved, against memcpy",
    .help = "  --count N         elements, 1 if not given\n"
            "  --seconds S       how long to measure in all, 1 if not given; at least 11\n"
            "                    rounds are made in any case\n"
            "  --memory BYTES    refuse to use more, 1G if not given\n"
            "\n"
            "Tiers: plain is the program without any pass of the optimiser, optimised the one\n"
            "with all, both interpreted; x is the optimised one as machine code, where the\n"
            "CPU has a compiler; l is the same by DAME-L, if dame_llvm.so is there. native is\n"
            "Open MPI's own engine, by MPI_Pack and MPI_Unpack in a process without DAME, of\n"
            "files that say how the datatype is made ('# mpi:', from dame from and\n"
            "dt_dame_dump). GB/s are 10^9 packed bytes a second, the median of rounds in\n"
            "which all take turns; the data stays in the caches if it fits. memcpy moves the\n"
            "same bytes, contiguous. Only the ratios to it mean something on another machine.\n"
            "Where other programs kept this one waiting for a CPU for more than 5 % of the\n"
            "time, a line says that it is not certain.\n",
    .run = run,
};
