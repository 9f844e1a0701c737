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

enum { MAX_FRAGMENTS = 16 };

typedef struct arguments {
    int64_t count;
    int64_t fragments[1 + MAX_FRAGMENTS]; /* bytes; [0] is 0, the whole message */
    int nfragments;
    int64_t memory; /* bytes that may be allocated */
    double seconds;
    int json;
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

static int parse_fragment(const char *text, arguments_t *arguments)
{
    if (arguments->nfragments > MAX_FRAGMENTS) {
        return tool_error(TOOL_USAGE, "--fragment: '%s': at most %d times", text, MAX_FRAGMENTS);
    }
    return tool_number("--fragment", text, 1, INT64_MAX,
                       &arguments->fragments[arguments->nfragments++]);
}

static int parse_option(int option, arguments_t *arguments)
{
    switch (option) {
    case 'c':
        return tool_number("--count", optarg, 1, INT64_MAX, &arguments->count);
    case 's':
        return parse_seconds(optarg, &arguments->seconds);
    case 'f':
        return parse_fragment(optarg, arguments);
    case 'm':
        return tool_number("--memory", optarg, 1, INT64_MAX, &arguments->memory);
    case 'j':
        arguments->json = 1;
        return TOOL_OK;
    default:
        return TOOL_USAGE;
    }
}

static int parse(int argc, char **argv, arguments_t *arguments)
{
    static const struct option longs[] = {
        {"count", required_argument, NULL, 'c'},    {"seconds", required_argument, NULL, 's'},
        {"fragment", required_argument, NULL, 'f'}, {"memory", required_argument, NULL, 'm'},
        {"json", no_argument, NULL, 'j'},           {0}};
    *arguments =
        (arguments_t){.count = 1, .nfragments = 1, .memory = (int64_t) 1 << 30, .seconds = 1};
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
    printf("%12s  %-10s %12s %10s %12s %10s\n", "fragment", "tier", "pack GB/s", "of memcpy",
           "unpack GB/s", "of memcpy");
    for (int f = 0; f < measure->nfragments; f++) {
        char fragment[32] = "whole";
        if (measure->fragments[f] != 0) {
            snprintf(fragment, sizeof(fragment), "%" PRId64, measure->fragments[f]);
        }
        double copied = measure_rate(measure, f, MEASURE_MEMCPY, DAME_PACK);
        printf("%12s  %-10s %12.3f %10.2f %12.3f %10.2f\n", fragment, "memcpy", copied, 1.0, copied,
               1.0);
        for (int tier = MEASURE_NATIVE; tier < MEASURE_TIERS; tier++) {
            if (measure_missing(measure, tier) != NULL ||
                (tier == MEASURE_NATIVE && measure->fragments[f] != 0)) {
                continue;
            }
            double pack = measure_rate(measure, f, tier, DAME_PACK);
            double unpack = measure_rate(measure, f, tier, DAME_UNPACK);
            printf("%12s  %-10s %12.3f %10.2f %12.3f %10.2f\n", fragment, measure_tier_name(tier),
                   pack, pack / copied, unpack, unpack / copied);
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

static void print_json(const char *path, const measure_t *measure, double waited)
{
    printf("{\"file\": ");
    tool_json_string(stdout, path);
    printf(", \"count\": %" PRId64 ", \"bytes\": %" PRId64 ", \"memory\": %" PRId64
           ", \"rounds\": %d, \"waited_for_cpu\": %.3g,\n \"results\": [",
           measure->count, measure->total, measure->high - measure->low, measure->turns.rounds,
           waited);
    const char *separator = "\n";
    for (int f = 0; f < measure->nfragments; f++) {
        double copied = measure_rate(measure, f, MEASURE_MEMCPY, DAME_PACK);
        for (int tier = MEASURE_MEMCPY; tier < MEASURE_TIERS; tier++) {
            if (measure_missing(measure, tier) != NULL ||
                (tier == MEASURE_NATIVE && measure->fragments[f] != 0)) {
                continue;
            }
            double pack = measure_rate(measure, f, tier, DAME_PACK);
            double unpack = measure_rate(measure, f, tier, DAME_UNPACK);
            printf("%s  {\"fragment\": %" PRId64 ", \"tier\": \"%s\", \"pack_gbs\": %.6g, "
                   "\"pack_ratio\": %.6g, \"unpack_gbs\": %.6g, \"unpack_ratio\": %.6g, "
                   "\"pack_best_gbs\": %.6g, \"unpack_best_gbs\": %.6g}",
                   separator, measure->fragments[f], measure_tier_name(tier), pack, pack / copied,
                   unpack, unpack / copied, measure_best_rate(measure, f, tier, DAME_PACK),
                   measure_best_rate(measure, f, tier, DAME_UNPACK));
            separator = ",\n";
        }
    }
    printf("\n ]}\n");
}

/* `calls`: those that make the datatype, or NULL. */
static int bench(const arguments_t *arguments, const char *path, const dame_program_t *program,
                 const char *calls)
{
    native_t native;
    char busy[200];
    measure_t measure = {.program = program,
                         .count = arguments->count,
                         .fragments = arguments->fragments,
                         .nfragments = arguments->nfragments,
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
    if (code == TOOL_OK && arguments->json) {
        print_json(path, &measure, waited);
    } else if (code == TOOL_OK) {
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
               : files_each(argc, argv, FILES_OPTIMISED, arguments.json ? FILES_JSON : FILES_LINE,
                            bench_file, &arguments);
}

const tool_command_t tool_bench = {
    .name = "bench",
    .arguments = "[OPTION]... FILE...",
    .what = "measures how fast data is moved, against memcpy",
    .help = "  --count N         elements, 1 if not given\n"
            "  --seconds S       how long to measure in all, 1 if not given; at least 11\n"
            "                    rounds are made in any case\n"
            "  --fragment BYTES  also in fragments of that size, as they are sent; up to 16\n"
            "                    times\n"
            "  --memory BYTES    refuse to use more, 1G if not given\n"
            "  --json            an object with the bytes moved and an array of results; a\n"
            "                    \"fragment\" of 0 is the whole message; \"best\" is the fastest\n"
            "                    round\n"
            "\n"
            "Tiers: plain is the program without any pass of the optimiser, optimised the one\n"
            "with all, both interpreted; x is the optimised one as machine code, where the\n"
            "CPU has a compiler; l is the same by DAME-L, if dame_llvm.so is there. native is\n"
            "Open MPI's own engine, by MPI_Pack and MPI_Unpack in a process without DAME, of\n"
            "files that say how the datatype is made ('# mpi:', from dame from and\n"
            "dt_dame_dump). GB/s are 10^9 packed bytes a second, the median of rounds in\n"
            "which all take turns; the data stays in the caches if it fits. memcpy moves the\n"
            "same bytes, contiguous, in pieces of the fragment's size. Only the ratios to it\n"
            "mean something on another machine. Where other programs kept this one waiting\n"
            "for a CPU for more than 5 % of the time, a line says that it is not certain\n"
            "(--json: \"waited_for_cpu\", a part of 1).\n",
    .run = run,
};
