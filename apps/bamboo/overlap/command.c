/* SPDX-License-Identifier: BSD-3-Clause */
/* dame overlap: runs a program with libdame-overlap, and says what more tasks a core would hide. */
#define _GNU_SOURCE /* setenv, asprintf */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shared/ranks.h"
#include "shared/tool.h"
#include "model.h"

typedef struct options {
    const char *output, *read, *mpi;
} options_t;

/* ---- report ---- */

/* Adds a rank's file, if it is there and has an end. */
static int add_rank(const char *prefix, int number, int size, overlap_rank_t *ranks, int *n)
{
    char path[RANKS_PATH + 16];
    snprintf(path, sizeof(path), "%s.%d", prefix, number);
    if (access(path, R_OK) != 0) {
        return TOOL_OK;
    }
    overlap_rank_t *rank = &ranks[*n];
    int code = overlap_read(prefix, number, rank);
    if (code == TOOL_OK && rank->complete && rank->size == size) {
        (*n)++;
    } else {
        overlap_free(rank);
    }
    return code;
}

/* The size of the job, of the first file that is there; 0: none is. */
static int find_size(const char *prefix)
{
    enum { MOST = 1 << 20 };
    char path[RANKS_PATH + 16];
    int size = 0;
    for (int rank = 0; rank < MOST && size == 0; rank++) {
        snprintf(path, sizeof(path), "%s.%d", prefix, rank);
        FILE *file = fopen(path, "r");
        if (file != NULL) {
            if (fscanf(file, "dame-overlap 2 rank %*d %d", &size) != 1 || size < 1 || size > MOST) {
                size = -1;
            }
            fclose(file);
        }
        if (rank > 4096 && size == 0) {
            break; /* a job whose first ranks wrote nothing has nothing to say */
        }
    }
    return size;
}

static int write_report(const overlap_model_t *model, const char *path)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    if (out == NULL) {
        return tool_no_memory("overlap");
    }
    overlap_print(model, out);
    int code = fclose(out) == 0 ? tool_write(path, text, length) : tool_no_memory("overlap");
    free(text);
    return code;
}

static int report_ranks(const overlap_rank_t *ranks, int n, const options_t *options)
{
    overlap_match_t match;
    overlap_model_t model = {0};
    int code = overlap_match(ranks, n, &match);
    code = code != TOOL_OK ? code : overlap_model(ranks, n, &match, &model);
    code = code != TOOL_OK ? code : write_report(&model, options->output);
    overlap_model_free(&model);
    overlap_match_free(&match);
    return code;
}

/* Says why there are no ranks to report on. `command` is NULL for --read. */
static int explain_nothing(const char *prefix, const char *command, bool started)
{
    char path[RANKS_PATH + 16], library[128] = "";
    snprintf(path, sizeof(path), "%s.refused", prefix);
    FILE *file = fopen(path, "r");
    if (file != NULL) {
        if (fscanf(file, "%127[^\n]", library) != 1) {
            snprintf(library, sizeof(library), "another MPI");
        }
        fclose(file);
        return tool_error(TOOL_WRONG,
                          "the program uses %s, which --mpi does not name: give --mpi %s", library,
                          strncmp(library, "Open MPI", 8) == 0 ? "openmpi" : "mpich");
    }
    if (command == NULL) {
        return tool_error(TOOL_WRONG, "%s: no rank's file %s.0, %s.1, ... is complete", prefix,
                          prefix, prefix);
    }
    return started ? tool_error(TOOL_WRONG,
                                "%s: no rank got as far as MPI_Finalize or exit(), so that there "
                                "is nothing to report",
                                command)
                   : tool_error(TOOL_WRONG,
                                "%s: no process called MPI_Init of a shared MPI library, so that "
                                "there is nothing to report; on other hosts, mpirun needs '-x "
                                "LD_PRELOAD -x DAME_OVERLAP'",
                                command);
}

static int report_on(const char *prefix, const char *command, const options_t *options)
{
    int n = 0, size = find_size(prefix), code = TOOL_OK;
    if (size < 0) {
        return tool_error(TOOL_WRONG, "%s.*: not files of libdame-overlap of this version", prefix);
    }
    if (size == 0) {
        return explain_nothing(prefix, command, false);
    }
    overlap_rank_t *ranks = calloc((size_t) size, sizeof(*ranks));
    if (ranks == NULL) {
        return tool_no_memory("overlap");
    }
    for (int rank = 0; rank < size && code == TOOL_OK; rank++) {
        code = add_rank(prefix, rank, size, ranks, &n);
    }
    if (code == TOOL_OK) {
        code = n > 0 ? report_ranks(ranks, n, options) : explain_nothing(prefix, command, true);
    }
    for (int r = 0; r < n; r++) {
        overlap_free(&ranks[r]);
    }
    free(ranks);
    return code;
}

/* ---- run ---- */

static int preload(const char *mpi)
{
    const char *name = strcmp(mpi, "mpich") == 0 ? "dame-overlap-mpich" : "dame-overlap";
    const char *others = getenv("LD_PRELOAD");
    char directory[PATH_MAX], *value = NULL, *path = NULL;
    ranks_library("apps/bamboo/overlap", name, directory, sizeof(directory));
    if (asprintf(&path, "%s/lib%s.so", directory, name) < 0 ||
        asprintf(&value, "%s%s%s", path, others == NULL || others[0] == '\0' ? "" : ":",
                 others == NULL ? "" : others) < 0) {
        return tool_no_memory("overlap");
    }
    int code = access(path, R_OK) == 0
                   ? TOOL_OK
                   : tool_error(TOOL_SYSTEM, "%s: %s; DAME was built without %s", path,
                                strerror(errno), strcmp(mpi, "mpich") == 0 ? "MPICH" : "Open MPI");
    if (code == TOOL_OK && strpbrk(path, " :") != NULL) {
        code =
            tool_error(TOOL_SYSTEM, "%s: LD_PRELOAD allows no space and no colon in a path", path);
    }
    if (code == TOOL_OK) {
        setenv("LD_PRELOAD", value, 1);
    }
    free(path);
    free(value);
    return code;
}

static int run_and_report(char **argv, const options_t *options)
{
    char prefix[RANKS_PATH];
    int code = preload(options->mpi);
    if (code != TOOL_OK || (code = ranks_directory("overlap", prefix)) != TOOL_OK) {
        return code;
    }
    setenv("DAME_OVERLAP", prefix, 1);
    int ended = ranks_run(argv);
    unsetenv("LD_PRELOAD"); /* addr2line is no rank */
    code = ended < 0 ? TOOL_SYSTEM : TOOL_OK;
    if (ended == 0 || (ended > 0 && find_size(prefix) != 0)) { /* else: what failed was not MPI */
        code = report_on(prefix, argv[0], options);
    }
    ranks_remove(prefix);
    if (ended > 0) {
        tool_error(ended, "%s ended with exit code %d", argv[0], ended);
    }
    return ended > 0 ? ended : code;
}

static int parse_option(int option, options_t *options)
{
    switch (option) {
    case 'i':
        options->mpi = optarg;
        return strcmp(optarg, "mpich") == 0 || strcmp(optarg, "openmpi") == 0
                   ? TOOL_OK
                   : tool_error(TOOL_USAGE, "--mpi: '%s' is neither openmpi nor mpich", optarg);
    case 'o':
        options->output = optarg;
        return TOOL_OK;
    case 'r':
        options->read = optarg;
        return TOOL_OK;
    default:
        return TOOL_USAGE;
    }
}

static int run(int argc, char **argv)
{
    static const struct option longs[] = {{"output", required_argument, NULL, 'o'},
                                          {"read", required_argument, NULL, 'r'},
                                          {"mpi", required_argument, NULL, 'i'},
                                          {0}};
    options_t options = {.output = "-", .mpi = "openmpi"};
    for (int option; (option = tool_option(argc, argv, "+:", longs)) != -1;) {
        if (parse_option(option, &options) != TOOL_OK) {
            return TOOL_USAGE;
        }
    }
    if (options.read != NULL) {
        return optind < argc
                   ? tool_error(TOOL_USAGE, "overlap: '%s' is one argument too many", argv[optind])
                   : report_on(options.read, NULL, &options);
    }
    if (optind == argc) {
        return tool_error(TOOL_USAGE,
                          "overlap: a command is missing; 'dame overlap --help' says more");
    }
    return run_and_report(argv + optind, &options);
}

static const tool_command_t command = {
    .name = "overlap",
    .arguments = "[OPTION]... COMMAND...\n"
                 "       dame overlap [OPTION]... --read PREFIX",
    .what = "says whether more tasks a core would make a program faster",
    .help = "  --output FILE     where to write the report; '-' (default) is standard output\n"
            "  --mpi NAME        the program's MPI: openmpi (default) or mpich\n"
            "  --read PREFIX     reports on an earlier run: the files PREFIX.0, PREFIX.1, ...\n"
            "\n"
            "COMMAND runs the unmodified program, 'mpirun -np 4 ./app' for instance. A\n"
            "library that is preloaded into its ranks notes when MPI calls begin and end; it\n"
            "sends no messages. The report says where the time of a step goes, and what 2 or\n"
            "4 tasks a core, each of which computes while others wait, would make of it. It\n"
            "changes nothing. Source lines come from addr2line(1): compile with -g.\n"
            "\n"
            "On several hosts, give mpirun '-x LD_PRELOAD -x DAME_OVERLAP', and work in a\n"
            "directory that they share. Without this command, LD_PRELOAD\n"
            "(libdame-overlap.so) and DAME_OVERLAP (the PREFIX of the files) in the ranks'\n"
            "environment do the same. The exit code is the command's, if that is not 0.\n",
    .run = run,
};

int main(int argc, char **argv)
{
    return tool_main(&command, argc, argv);
}
