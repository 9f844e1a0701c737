/* SPDX-License-Identifier: BSD-3-Clause */
/* dame check: is it a program? */
#include <inttypes.h>

#include "cli/commands.h"
#include "cli/files.h"
#include "cli/program.h"

typedef struct checker {
    int verbose;
    int json;
    int print;
    int several;
    int files; /* seen so far */
} checker_t;

static void print_facts(const char *path, const dame_program_t *program)
{
    printf("%s: size %" PRId64 ", extent %" PRId64 ", true bounds [%" PRId64 ", %" PRId64
           "), %" PRId32 " primitives, depth %" PRId32 "\n",
           tool_input_name(path), program->size, program->extent, program->true_lb,
           program->true_ub, program->nprims, program->depth);
}

/* `program` is NULL when there is an error. */
static void print_json(const checker_t *checker, const char *path, const dame_program_t *program,
                       const dame_text_error_t *error)
{
    printf(checker->files == 1 ? "\n  {\"file\": " : ",\n  {\"file\": ");
    tool_json_string(stdout, path);
    if (program != NULL) {
        printf(", \"ok\": true, \"size\": %" PRId64 ", \"extent\": %" PRId64
               ", \"true_lb\": %" PRId64 ", \"true_ub\": %" PRId64 ", \"primitives\": %" PRId32
               ", \"depth\": %" PRId32 "}",
               program->size, program->extent, program->true_lb, program->true_ub, program->nprims,
               program->depth);
        return;
    }
    printf(", \"ok\": false");
    if (error->line > 0) {
        printf(", \"line\": %" PRId64 ", \"column\": %" PRId64, error->line, error->column);
    }
    printf(", \"message\": ");
    tool_json_string(stdout, error->message);
    putchar('}');
}

static int check(checker_t *checker, const char *path)
{
    dame_program_t *program = NULL;
    dame_text_error_t error;
    checker->files++;
    int code = checker->json ? tool_try_load(path, &program, &error) : tool_load(path, &program);
    if (checker->json) {
        print_json(checker, path, program, &error);
    } else if (code == TOOL_OK && checker->verbose) {
        print_facts(path, program);
    }
    if (code == TOOL_OK && checker->print) {
        if (checker->several) {
            printf("%s# %s\n", checker->files > 1 ? "\n" : "", path);
        }
        dame_program_print(program, stdout);
    }
    dame_program_free(program);
    return code;
}

static int run(int argc, char **argv)
{
    static const struct option longs[] = {{"verbose", no_argument, NULL, 'v'},
                                          {"json", no_argument, NULL, 'j'},
                                          {"print", no_argument, NULL, 'p'},
                                          {0}};
    checker_t checker = {0};
    for (int option; (option = tool_option(argc, argv, ":v", longs)) != -1;) {
        switch (option) {
        case 'v':
            checker.verbose = 1;
            break;
        case 'j':
            checker.json = 1;
            break;
        case 'p':
            checker.print = 1;
            break;
        default:
            return TOOL_USAGE;
        }
    }
    if (tool_operands(argc, argv, 1, argc) != TOOL_OK) {
        return TOOL_USAGE;
    }
    if (checker.verbose + checker.json + checker.print > 1) {
        return tool_error(TOOL_USAGE, "check: --verbose, --json and --print exclude each other");
    }
    files_t files;
    int worst = files_find(argv, optind, argc, FILES_OPTIMISED, &files);
    checker.several = files.several;
    if (checker.json) {
        putchar('[');
    }
    for (int i = 0; i < files.n; i++) {
        int code = check(&checker, files.path[i]);
        worst = code > worst ? code : worst;
    }
    if (checker.json) {
        printf("\n]\n");
    }
    files_free(&files);
    return worst;
}

const tool_command_t tool_check = {
    .name = "check",
    .arguments = "[-v | --json | --print] FILE...",
    .what = "reports the errors of programs; nothing if all are valid",
    .help = "  -v, --verbose  a line for each program: size, extent, true bounds, number of\n"
            "                 primitives, depth\n"
            "  --json         an array with an object for each file, right or wrong; messages\n"
            "                 are in there\n"
            "  --print        each program in its canonical form; comments are lost\n",
    .run = run,
};
