/* SPDX-License-Identifier: BSD-3-Clause */
/* dame check: is it a program? */
#include <inttypes.h>

#include "cli/commands.h"
#include "cli/files.h"
#include "cli/program.h"

typedef struct checker {
    int verbose;
    int print;
} checker_t;

static void print_facts(const char *path, const dame_program_t *program)
{
    printf("%s: size %" PRId64 ", extent %" PRId64 ", true bounds [%" PRId64 ", %" PRId64
           "), %" PRId32 " primitives, depth %" PRId32 "\n",
           tool_input_name(path), program->size, program->extent, program->true_lb,
           program->true_ub, program->nprims, program->depth);
}

static int check(void *context, const char *path)
{
    const checker_t *checker = context;
    dame_program_t *program = NULL;
    const int code = tool_load(path, &program);
    if (code == TOOL_OK && checker->verbose) {
        print_facts(path, program);
    } else if (code == TOOL_OK && checker->print) {
        dame_program_print(program, stdout);
    }
    dame_program_free(program);
    return code;
}

static int run(int argc, char **argv)
{
    static const struct option longs[] = {
        {"verbose", no_argument, NULL, 'v'}, {"print", no_argument, NULL, 'p'}, {0}};
    checker_t checker = {0};
    for (int option; (option = tool_option(argc, argv, ":v", longs)) != -1;) {
        if (option != 'v' && option != 'p') {
            return TOOL_USAGE;
        }
        checker.verbose |= option == 'v';
        checker.print |= option == 'p';
    }
    if (checker.verbose && checker.print) {
        return tool_error(TOOL_USAGE, "check: --verbose and --print exclude each other");
    }
    return files_each(argc, argv, FILES_OPTIMISED, checker.print ? FILES_LINE : FILES_NONE, check,
                      &checker);
}

const tool_command_t tool_check = {
    .name = "check",
    .arguments = "[-v | --print] FILE...",
    .what = "reports the errors of programs; nothing if all are valid",
    .help = "  -v, --verbose  a line for each program: size, extent, true bounds, number of\n"
            "                 primitives, depth\n"
            "  --print        each program in its canonical form; comments are lost\n",
    .run = run,
};
