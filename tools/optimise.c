/* SPDX-License-Identifier: BSD-3-Clause */
/* dame optimise: the program that the optimiser makes of one. */
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/program.h"

static int optimise(void *context, const char *path)
{
    const dame_options_t *options = context;
    dame_program_t *program, *optimised;
    int code = tool_load(path, &program);
    if (code != TOOL_OK) {
        return code;
    }
    code = tool_optimised("optimise", program, options, &optimised);
    if (code == TOOL_OK) {
        dame_program_print(optimised, stdout);
        dame_program_free(optimised);
    }
    dame_program_free(program);
    return code;
}

static int run(int argc, char **argv)
{
    static const struct option longs[] = {
        {"pass", required_argument, NULL, 'p'}, {"fragment", required_argument, NULL, 'f'}, {0}};
    dame_options_t options = *dame_options_default();
    dame_passes_t passes = DAME_PASSES_NONE;
    for (int option; (option = tool_option(argc, argv, ":", longs)) != -1;) {
        int code = TOOL_USAGE;
        if (option == 'p') {
            code = tool_passes("--pass", optarg, &passes);
            options.passes = passes;
        } else if (option == 'f') {
            code = tool_number("--fragment", optarg, 1, INT64_MAX, &options.fragment);
        }
        if (code != TOOL_OK) {
            return code;
        }
    }
    return files_each(argc, argv, FILES_RAW, FILES_LINE, optimise, &options);
}

/* clang-format off */
const tool_command_t tool_optimise = {
    .name = "optimise",
    .arguments = "[--pass NAME[,NAME]...]... [--fragment BYTES]\n"
                 "                     FILE...",
    .what = "prints the program that the optimiser makes of one",
    .help = "  --pass NAME,...   only these passes; may be given several times. NAME is all\n"
            "                    or none, alone, or\n"
#define DAME_PASS(name, text, what) "      " text ": " what "\n"
#include "dame/passes.def"
#undef DAME_PASS
            "  --fragment BYTES  the size of fragment, at least 1; windows of sorted lists\n"
            "                    are a quarter of it, but 64 to 4096 blocks\n"
            "\n"
            "A directory means its files *.dame; of the files of dt_dame_dump raw, the\n"
            "programs before any pass.\n",
    .run = run,
};
/* clang-format on */
