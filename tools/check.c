/* dame check: is it a program? dame print: its canonical text. */
#include "commands.h"

#include <inttypes.h>
#include <stdio.h>

static void print_facts(const char *path, const dame_program_t *program)
{
    printf("%s: size %" PRId64 ", extent %" PRId64 ", true bounds [%" PRId64 ", %" PRId64
           "), primitives %" PRId32 ", depth %" PRId32 "\n",
           tool_input_name(path), program->size, program->extent, program->true_lb,
           program->true_ub, program->nprims, program->depth);
}

static int check(const char *path, int verbose)
{
    dame_program_t *program;
    int code = tool_load(path, &program);
    if (code != TOOL_OK) {
        return code;
    }
    if (verbose) {
        print_facts(path, program);
    }
    dame_program_free(program);
    return TOOL_OK;
}

static int run_check(int argc, char **argv)
{
    static const struct option longs[] = {{"verbose", no_argument, NULL, 'v'}, {0}};
    int verbose = 0;
    for (int option; (option = tool_option(argc, argv, ":v", longs)) != -1;) {
        if (option != 'v') {
            return TOOL_USAGE;
        }
        verbose = 1;
    }
    int worst = tool_operands(argc, argv, 1, argc);
    for (int i = optind; worst != TOOL_USAGE && i < argc; i++) {
        int code = check(argv[i], verbose);
        worst = code > worst ? code : worst;
    }
    return worst;
}

const tool_command_t tool_check = {
    .name = "check",
    .arguments = "[-v] FILE...",
    .what = "says what is wrong with programs, nothing when all is right",
    .help =
        "  -v, --verbose  a line for each program: size, extent, true bounds, primitives, depth\n",
    .run = run_check,
};

static int run_print(int argc, char **argv)
{
    static const struct option longs[] = {{0}};
    if (tool_option(argc, argv, ":", longs) != -1 || tool_operands(argc, argv, 1, 1) != TOOL_OK) {
        return TOOL_USAGE;
    }
    dame_program_t *program;
    int code = tool_load(argv[optind], &program);
    if (code == TOOL_OK) {
        dame_program_print(program, stdout);
        dame_program_free(program);
    }
    return code;
}

const tool_command_t tool_print = {
    .name = "print",
    .arguments = "FILE",
    .what = "prints a program in its canonical form, without comments",
    .help = "",
    .run = run_print,
};
