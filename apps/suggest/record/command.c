/* SPDX-License-Identifier: BSD-3-Clause */
/* dame record: runs a program that was linked with libdame-record, and reports. */
#define _GNU_SOURCE /* setenv */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shared/ranks.h"
#include "shared/tool.h"
#include "report.h"

static const char fortran_flags[] = "-g -fsanitize=thread";
static const char compile_flags[] = /* gcc expands a memcpy() of constant length by itself */
    "-g -fsanitize=thread -fno-builtin-memcpy -fno-builtin-memmove";
static const char clang_flags[] = /* else it leaves out the load of u[i] += b[i] */
    " -mllvm -tsan-compound-read-before-write=1";

static const char wraps[] = "-Wl,--wrap=memcpy,--wrap=memmove,--wrap=memset,--wrap=__memcpy_chk,"
                            "--wrap=__memmove_chk";

/* ---- flags ---- */

static int print_flags(const char *which, const char *mpi)
{
    const char *name = strcmp(mpi, "mpich") == 0 ? "dame-record-mpich" : "dame-record";
    int clang = which != NULL && strcmp(which, "clang") == 0;
    int compile =
        which == NULL || strcmp(which, "compile") == 0 || strcmp(which, "c") == 0 || clang;
    int fortran = which == NULL || strcmp(which, "fortran") == 0;
    int link = which == NULL || strcmp(which, "link") == 0;
    char directory[PATH_MAX];
    if (!compile && !fortran && !link) {
        return tool_error(TOOL_USAGE,
                          "--flags: '%s' is none of compile (or c), clang, fortran, link", which);
    }
    if (strcmp(mpi, "mpich") != 0 && strcmp(mpi, "openmpi") != 0) {
        return tool_error(TOOL_USAGE, "--mpi: '%s' is neither openmpi nor mpich", mpi);
    }
    ranks_library("apps/suggest/record", name, directory, sizeof(directory));
    if (compile) {
        printf("%s%s%s\n", which == NULL ? "compile  " : "", compile_flags,
               clang ? clang_flags : "");
    }
    if (fortran) {
        printf("%s%s\n", which == NULL ? "fortran  " : "", fortran_flags);
    }
    if (link) {
        printf("%s-fno-sanitize=thread -Wl,--push-state,--no-as-needed -L%s -l%s "
               "-Wl,--pop-state -Wl,-rpath,%s %s\n",
               which == NULL ? "link     " : "", directory, name, directory, wraps);
    }
    return TOOL_OK;
}

/* ---- report ---- */

typedef struct options {
    const char *output, *memory, *read, *flags, *mpi;
    int json, wants_flags;
} options_t;

static int read_all(const char *prefix, record_report_t *report)
{
    int size = 1, code = TOOL_OK;
    for (int rank = 0; rank < size && code == TOOL_OK; rank++) {
        record_rank_t one;
        code = record_read(prefix, rank, &one);
        if (code == TOOL_OK) {
            size = one.size;
            code = record_report_add(report, &one);
        }
        record_free(&one);
    }
    return code;
}

static int report_on(const char *prefix, const options_t *options)
{
    char *text = NULL;
    size_t length;
    record_report_t *report = record_report_new();
    int code = report == NULL ? TOOL_SYSTEM : read_all(prefix, report);
    FILE *out = code == TOOL_OK ? open_memstream(&text, &length) : NULL;
    if (out != NULL) {
        (options->json ? record_report_json : record_report_print)(report, out);
        code = fclose(out) == 0
                   ? tool_write(options->output == NULL ? "-" : options->output, text, length)
                   : tool_no_memory("record");
    }
    record_report_free(report);
    free(text);
    return code;
}

/* ---- run ---- */

static int record(char **argv, const options_t *options)
{
    char prefix[RANKS_PATH], first[RANKS_PATH + 8];
    if (ranks_directory("record", prefix) != TOOL_OK) {
        return TOOL_SYSTEM;
    }
    snprintf(first, sizeof(first), "%s.0", prefix);
    setenv("DAME_RECORD", prefix, 1);
    if (options->memory != NULL) {
        setenv("DAME_RECORD_MEMORY", options->memory, 1);
    }
    int ended = ranks_run(argv);
    int code = ended < 0 ? TOOL_SYSTEM : TOOL_OK;
    if (code == TOOL_OK && access(first, R_OK) != 0) {
        code = tool_error(TOOL_WRONG,
                          "%s recorded nothing: was it linked with the flags of 'dame record "
                          "--flags', and did it reach MPI_Finalize?",
                          argv[0]);
    } else if (code == TOOL_OK) {
        code = report_on(prefix, options);
    }
    ranks_remove(prefix);
    if (ended > 0) {
        tool_error(ended, "%s ended with exit code %d", argv[0], ended);
    }
    return ended > 0 ? ended : code;
}

static int run(int argc, char **argv)
{
    static const struct option longs[] = {{"flags", optional_argument, NULL, 'f'},
                                          {"mpi", required_argument, NULL, 'i'},
                                          {"read", required_argument, NULL, 'r'},
                                          {"output", required_argument, NULL, 'o'},
                                          {"memory", required_argument, NULL, 'm'},
                                          {"json", no_argument, NULL, 'j'},
                                          {0}};
    options_t options = {.mpi = "openmpi"};
    int64_t mebibytes;
    for (int option; (option = tool_option(argc, argv, "+:", longs)) != -1;) {
        switch (option) {
        case 'f':
            options.wants_flags = 1;
            options.flags = optarg;
            break;
        case 'i':
            options.mpi = optarg;
            break;
        case 'r':
            options.read = optarg;
            break;
        case 'o':
            options.output = optarg;
            break;
        case 'm':
            if (tool_number("--memory", optarg, 1, 1 << 20, &mebibytes) != TOOL_OK) {
                return TOOL_USAGE;
            }
            options.memory = optarg;
            break;
        case 'j':
            options.json = 1;
            break;
        default:
            return TOOL_USAGE;
        }
    }
    if (options.wants_flags || options.read != NULL) {
        if (optind < argc) {
            return tool_error(TOOL_USAGE, "record: '%s' is one argument too many", argv[optind]);
        }
        return options.wants_flags ? print_flags(options.flags, options.mpi)
                                   : report_on(options.read, &options);
    }
    if (optind == argc) {
        return tool_error(TOOL_USAGE,
                          "record: a command is missing; 'dame record --help' says more");
    }
    return record(argv + optind, &options);
}

static const tool_command_t command = {
    .name = "record",
    .arguments = "[--json] [--output FILE] [--memory MIB] COMMAND...\n"
                 "       dame record --flags[=compile|clang|fortran|link] [--mpi openmpi|mpich]\n"
                 "       dame record [--json] [--output FILE] --read PREFIX",
    .what = "says which datatypes a run's packing loops stand for",
    .help = "  --flags         prints the flags to compile and link the application with;\n"
            "                  --flags=compile (C by gcc), =clang (C by clang), =fortran and\n"
            "                  =link print one set\n"
            "  --mpi NAME      the MPI that it is linked with: openmpi (default) or mpich\n"
            "  --json          the report as JSON, with each datatype's program\n"
            "  --output FILE   where to; '-' is standard output, which is also the default\n"
            "  --memory MIB    what a process may use to remember copies (256)\n"
            "  --read PREFIX   reports on an earlier run: the files PREFIX.0, PREFIX.1, ...\n"
            "                  that its ranks wrote\n"
            "\n"
            "COMMAND runs the application, 'mpirun -np 4 ./app' for instance. Each process\n"
            "watches its loads and stores, finds where the bytes of its messages were copied\n"
            "from, and where received bytes are copied to. The report has the datatypes, or\n"
            "says why there is none. It holds for this run and its sizes; nothing is\n"
            "rewritten. Source lines come from addr2line(1).\n"
            "\n"
            "Without this command, environment variables of the ranks do the same:\n"
            "DAME_RECORD is the PREFIX that files are written with ('dame-record' in the\n"
            "current directory), and DAME_RECORD_MEMORY is MIB.\n",
    .run = run,
};

int main(int argc, char **argv)
{
    return tool_main(&command, argc, argv);
}
