/* SPDX-License-Identifier: BSD-3-Clause */
/* dame mpi: C code that makes an MPI datatype, by the calls that a program's file has. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/commands.h"
#include "dame_config.h"
#include "datatype.h"
#include "cli/files.h"
#include "header.h"
#include "mpi_code.h"

/* What stands before the function: the path's last part, without a '/', cannot end a comment. */
static void print_comment(const char *path, const tool_bounds_t *bounds)
{
    const char *name = tool_input_name(path);
    name = strrchr(name, '/') != NULL ? strrchr(name, '/') + 1 : name;
    printf("/*\n * The datatype of %s, by dame " DAME_VERSION ": size %" PRId64 ", extent %" PRId64
           ", true bounds [%" PRId64 ", %" PRId64 ").\n",
           name, bounds->size, bounds->extent, bounds->true_lb, bounds->true_ub);
}

static int numbered; /* several functions: make_datatype_1(), make_datatype_2(), ... */

static int print_function(mpi_code_t *code, mpi_type_t type)
{
    static int printed;
    char name[40] = "make_datatype";
    if (numbered) {
        snprintf(name, sizeof(name), "make_datatype_%d", printed + 1);
    }
    printf(" */\n#include <mpi.h>\n\n"
           "MPI_Datatype %s(void);\n\n"
           "/* A committed datatype. The caller frees it with MPI_Type_free(). */\n"
           "MPI_Datatype %s(void)\n{\n",
           name, name);
    mpi_code_print(code, type, stdout);
    printf("}\n");
    printed++;
    return mpi_code_failed(code) ? tool_status_error("mpi", DAME_ERR_NOMEM) : TOOL_OK;
}

/* From the calls that made it. */
static int make_of_calls(const char *path, const expression_t *calls, const tool_bounds_t *bounds)
{
    int64_t too_large = 0;
    mpi_code_t *made = mpi_code_new();
    if (made == NULL) {
        return tool_status_error("mpi", DAME_ERR_NOMEM);
    }
    const mpi_type_t type = mpi_code_expression(made, calls, &too_large);
    int code = TOOL_OK;
    if (mpi_code_failed(made)) {
        code = tool_status_error("mpi", DAME_ERR_NOMEM);
    } else if (too_large != 0) {
        code = tool_error(TOOL_WRONG, "%s: %" PRId64 " does not fit the int of MPI's function",
                          tool_input_name(path), too_large);
    } else {
        print_comment(path, bounds);
        code = print_function(made, type);
    }
    mpi_code_free(made);
    return code;
}

static int make_of_text(const char *path, const char *text, size_t length)
{
    tool_datatype_t datatype;
    int code = tool_datatype_parse(path, text, length, &datatype);
    if (code != TOOL_OK) {
        return code;
    }
    expression_t *calls = header_expression(path, text, length, &datatype);
    code = calls != NULL ? make_of_calls(path, calls, &datatype.bounds)
                         : tool_error(TOOL_WRONG,
                                      "%s: the calls that make the datatype are not known: no line "
                                      "'# mpi:' says them",
                                      tool_input_name(path));
    expression_free(calls);
    tool_datatype_free(&datatype);
    return code;
}

static int make(void *context, const char *path)
{
    char *text;
    size_t length;
    int code = tool_read_text(path, &text, &length);
    (void) context;
    if (code == TOOL_OK) {
        code = make_of_text(path, text, length);
        free(text);
    }
    return code;
}

static int run(int argc, char **argv)
{
    static const struct option longs[] = {{0}};
    struct stat status;
    if (tool_option(argc, argv, ":", longs) != -1) {
        return TOOL_USAGE;
    }
    numbered = argc - optind > 1 ||
               (argc > optind && stat(argv[optind], &status) == 0 && S_ISDIR(status.st_mode));
    return files_each(argc, argv, FILES_OPTIMISED, FILES_NONE, make, NULL);
}

const tool_command_t tool_mpi = {
    .name = "mpi",
    .arguments = "FILE...",
    .what = "prints the C code that makes the MPI datatype",
    .help = "The constructor calls are those of the line '# mpi:', which 'dame from' and\n"
            "files of dt_dame_dump have. The code is a function make_datatype() without\n"
            "arguments; of several files make_datatype_1() and so on, in order.\n",
    .run = run,
};
