/* dame print: a program's canonical text. */
#include "commands.h"
#include "program.h"

static int run(int argc, char **argv)
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
    .what = "prints a program in its canonical form; comments are lost",
    .help = "",
    .run = run,
};
