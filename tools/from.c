/* SPDX-License-Identifier: BSD-3-Clause */
/* dame from: a program from calls of MPI's constructors. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "datatype.h"
#include "evaluate.h"

/* The program as text, which the caller frees with dame_free(). */
static int program_of(const char *passes, const expression_t *expression, dame_datatype_t **type,
                      char **text)
{
    const dame_context_options_t options = {
        .size = sizeof(options), .threshold = -1, .passes = passes};
    dame_context_t *context;
    dame_status_t status = dame_context_new(&options, &context);
    if (status != DAME_OK) {
        return tool_library_error("from", status);
    }
    status = expression_evaluate(context, expression, type);
    dame_context_free(context);
    if (status != DAME_OK) {
        return tool_library_error("from", status);
    }
    status = dame_datatype_commit(*type);
    status = status == DAME_OK ? dame_datatype_print(*type, text) : status;
    if (status != DAME_OK) {
        dame_datatype_free(*type);
        return tool_library_error("from", status);
    }
    return TOOL_OK;
}

static int print(const char *passes, const expression_t *expression)
{
    dame_datatype_t *type;
    char *text;
    int64_t size, lb, extent, true_lb, true_extent;
    const int code = program_of(passes, expression, &type, &text);
    if (code != TOOL_OK) {
        return code;
    }
    /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): tool_error() returns no TOOL_OK */
    dame_datatype_size(type, &size);
    dame_datatype_extent(type, &lb, &extent);
    dame_datatype_true_extent(type, &true_lb, &true_extent);
    printf("# mpi: ");
    expression_print(expression, stdout);
    /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): tool_error() returns no TOOL_OK */
    printf("\n# size: %" PRId64 "\n# lb: %" PRId64 "\n# extent: %" PRId64 "\n# true_lb: %" PRId64
           "\n# true_ub: %" PRId64 "\n%s",
           size, lb, extent, true_lb, true_lb + true_extent, text);
    dame_free(text);
    dame_datatype_free(type);
    return TOOL_OK;
}

static int run(int argc, char **argv)
{
    static const struct option longs[] = {{"raw", no_argument, NULL, 'r'}, {0}};
    const char *passes = NULL;
    for (int option; (option = tool_option(argc, argv, ":", longs)) != -1;) {
        if (option != 'r') {
            return TOOL_USAGE;
        }
        passes = "none";
    }
    if (argc - optind < 1) {
        return tool_error(TOOL_USAGE,
                          "from: an EXPRESSION is missing; 'dame from --help' says more");
    }
    if (tool_operands(argc, argv, 1, 1) != TOOL_OK) {
        return TOOL_USAGE;
    }
    char *text = argv[optind];
    size_t length = strlen(text);
    int code = strcmp(text, "-") == 0 ? tool_read_text("-", &text, &length) : TOOL_OK;
    if (code != TOOL_OK) {
        return code;
    }
    expression_error_t error;
    expression_t *expression = expression_parse(text, length, &error);
    if (expression == NULL) {
        code = tool_error(TOOL_WRONG, "from: line %" PRId64 ", column %" PRId64 ": %s", error.line,
                          error.column, error.message);
    } else {
        code = print(passes, expression);
    }
    expression_free(expression);
    if (text != argv[optind]) {
        free(text);
    }
    return code;
}

const tool_command_t tool_from = {
    .name = "from",
    .arguments = "[--raw] EXPRESSION",
    .what = "prints the program of an MPI datatype, by its constructors",
    .help = "  --raw  the program before any pass of the optimiser\n"
            "\n"
            "EXPRESSION is a basic datatype (double, MPI_DOUBLE, int32_t, 'unsigned int',\n"
            "MPI_DOUBLE_PRECISION, ...) or a call of a constructor, as in C but without the\n"
            "new datatype; '-' reads it from standard input:\n"
            "  contiguous(COUNT, OLD)            vector(COUNT, LENGTH, STRIDE, OLD)\n"
            "  indexed([LENGTHS], [DISPS], OLD)  hvector(COUNT, LENGTH, STRIDE, OLD)\n"
            "  hindexed([LENGTHS], [DISPS], OLD)\n"
            "  indexed_block(LENGTH, [DISPS], OLD)\n"
            "  hindexed_block(LENGTH, [DISPS], OLD)\n"
            "  struct([LENGTHS], [DISPS], [OLD, ...])\n"
            "  subarray([SIZES], [SUBSIZES], [STARTS], C, OLD)\n"
            "  resized(OLD, LB, EXTENT)          dup(OLD)\n"
            "Names may begin with MPI_Type_ or MPI_Type_create_, and the number of entries\n"
            "may stand before the lists, as in C; OLD may follow the call, as dumps print it:\n"
            "vector(8, 1, 3) of double. Orders are C and Fortran. Bounds are MPI's: without\n"
            "resized() an extent is rounded up to the elements' alignment.\n",
    .run = run,
};
