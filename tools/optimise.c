/* SPDX-License-Identifier: BSD-3-Clause */
/* dame optimise: the program that the optimiser makes of one. */
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/program.h"
#include "trace.h"

typedef struct arguments {
    dame_options_t options;
    int trace;
} arguments_t;

static int parse(int argc, char **argv, arguments_t *arguments)
{
    static const struct option longs[] = {{"pass", required_argument, NULL, 'p'},
                                          {"fragment", required_argument, NULL, 'f'},
                                          {"trace", no_argument, NULL, 't'},
                                          {0}};
    dame_passes_t passes = DAME_PASSES_NONE;
    int restricted = 0;
    arguments->options = *dame_options_default();
    arguments->trace = 0;
    for (int option; (option = tool_option(argc, argv, ":", longs)) != -1;) {
        int code = TOOL_OK;
        switch (option) {
        case 'p':
            restricted = 1;
            code = tool_passes("--pass", optarg, &passes);
            break;
        case 'f':
            code = tool_number("--fragment", optarg, 1, INT64_MAX, &arguments->options.fragment);
            break;
        case 't':
            arguments->trace = 1;
            break;
        default:
            code = TOOL_USAGE;
        }
        if (code != TOOL_OK) {
            return code;
        }
    }
    if (restricted) {
        arguments->options.passes = passes;
    }
    return TOOL_OK;
}

static int print_optimised(const dame_program_t *program, const dame_options_t *options)
{
    dame_program_t *optimised;
    int code = tool_optimised("optimise", program, options, &optimised);
    if (code != TOOL_OK) {
        return code;
    }
    dame_program_print(optimised, stdout);
    dame_program_free(optimised);
    return TOOL_OK;
}

static int optimise(void *context, const char *path)
{
    const arguments_t *arguments = context;
    dame_program_t *program;
    int code = tool_load(path, &program);
    if (code != TOOL_OK) {
        return code;
    }
    code = arguments->trace ? trace_passes(program, &arguments->options, stdout)
                            : print_optimised(program, &arguments->options);
    dame_program_free(program);
    return code;
}

static int run(int argc, char **argv)
{
    arguments_t arguments;
    const int code = parse(argc, argv, &arguments);
    return code != TOOL_OK ? code
                           : files_each(argc, argv, FILES_RAW, FILES_LINE, optimise, &arguments);
}

/* clang-format off */
const tool_command_t tool_optimise = {
    .name = "optimise",
    .arguments = "[--pass NAME[,NAME]...]... [--fragment BYTES]\n"
                 "                     [--trace] FILE...",
    .what = "prints the program that the optimiser makes of one",
    .help = "  --pass NAME,...   only these passes; may be given several times. NAME is all\n"
            "                    or none, alone, or\n"
#define DAME_PASS(name, text, what) "      " text ": " what "\n"
#include "dame/passes.def"
#undef DAME_PASS
            "  --fragment BYTES  the size of fragment, at least 1; windows of sorted lists\n"
            "                    are a quarter of it, but 64 to 4096 blocks\n"
            "  --trace           what each pass changes, as a diff: first the program without\n"
            "                    any pass, then one pass more at a time. Lists of more than 8\n"
            "                    entries are abbreviated. Memory is that of the program and\n"
            "                    its tables\n"
            "\n"
            "A directory means its files *.dame; of the files of dt_dame_dump raw, the\n"
            "programs before any pass.\n",
    .run = run,
};
/* clang-format on */
