/* SPDX-License-Identifier: BSD-3-Clause */
/* dame mpi: the reverse of import: C code that makes an MPI datatype of a program. */
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/commands.h"
#include "dame_config.h"
#include "datatype.h"
#include "cli/files.h"
#include "header.h"
#include "mpi_code.h"
#include "cli/program.h"

/* ---- which basic datatype ---- */

/* Finds an element by its name; NULL after a message. */
static const basic_t *find_element(const char *name)
{
    const basic_t *basic = basic_named(name, strlen(name));
    if (basic == NULL || basic->pair != NULL) {
        tool_error(TOOL_USAGE, "--element: '%s' is not a basic datatype of MPI, such as MPI_DOUBLE",
                   name);
        return NULL;
    }
    return basic;
}

/* Bytes of a contiguous block that is not a multiple of `bytes`, or 0. */
static int64_t odd_block(const dame_program_t *program, int64_t bytes)
{
    int in_final = 0; /* the CONTIGFINAL of a Final primitive is not a block of its own */
    for (int32_t p = 0; p < program->nprims; p++) {
        const dame_prim_t *prim = &program->prims[p];
        const dame_params_t *params = prim->params;
        int is_leaf = params->op == DAME_OP_CONTIGFINAL && !in_final;
        in_final = params->op == DAME_OP_VECTORFINAL || params->op == DAME_OP_BLOCKINDEXFINAL ||
                   params->op == DAME_OP_INDEXFINAL;
        if (is_leaf && params->size % bytes != 0) {
            return params->size;
        }
        int64_t blocks = !in_final ? 0 : prim->prefix == NULL ? 1 : prim->count;
        for (int64_t i = 0; i < blocks; i++) {
            if (dame_iter_size(prim, i) % bytes != 0) {
                return dame_iter_size(prim, i);
            }
        }
    }
    return 0;
}

/* The integer of the program's granule where all blocks are made of it, otherwise bytes. */
static const basic_t *guess_element(const dame_program_t *program)
{
    const int64_t granule = program->granule;
    const int fits =
        (granule == 2 || granule == 4 || granule == 8) && odd_block(program, granule) == 0;
    return basic_of_bytes(fits ? granule : 1);
}

/* ---- primitives to datatypes ---- */

typedef struct maker {
    mpi_code_t *code;
    int64_t bytes; /* of the basic datatype */
    int failed;    /* memory was out */
} maker_t;

static mpi_type_t make_type(maker_t *maker, const dame_prim_t *prim);

/* The inner type of a primitive, with the extent that is written there if blocks have several. */
static mpi_type_t make_inner(maker_t *maker, const dame_prim_t *prim, int several)
{
    mpi_type_t inner = make_type(maker, prim + 1);
    return several ? mpi_code_resized(maker->code, prim->params->extent, inner) : inner;
}

/* Block i of an INDEX or BLOCKINDEX in instances of the inner type; of a Final in basic elements.
 */
static int64_t blklen_of(const maker_t *maker, const dame_prim_t *prim, int64_t i)
{
    const dame_params_t *params = prim->params;
    switch (params->op) {
    case DAME_OP_INDEXFINAL:
        return dame_iter_size(prim, i) / maker->bytes;
    case DAME_OP_BLOCKINDEXFINAL:
        return params->blklen * params->size / maker->bytes;
    case DAME_OP_INDEX:
        return dame_iter_size(prim, i) / params->size;
    default:
        return params->blklen;
    }
}

static mpi_type_t make_index(maker_t *maker, const dame_prim_t *prim, mpi_type_t type)
{
    int64_t *blklens = calloc((size_t) prim->count + 1, sizeof(*blklens));
    int64_t *disps = calloc((size_t) prim->count + 1, sizeof(*disps));
    if (blklens == NULL || disps == NULL) {
        maker->failed = 1;
    } else {
        for (int64_t i = 0; i < prim->count; i++) {
            blklens[i] = blklen_of(maker, prim, i);
            disps[i] = dame_prim_disp(prim, i);
        }
        type = mpi_code_index(maker->code, prim->count, blklens, disps, type);
    }
    free(blklens);
    free(disps);
    return type;
}

/* The subprogram of one block; a contiguous one is a number of basic elements. */
static mpi_type_t make_block(maker_t *maker, const dame_prim_t *prim, int64_t i, int64_t *blklen)
{
    const dame_params_t *params = prim->params;
    const dame_prim_t *type = prim + params->sub_deltas[i] + 1; /* behind RETURNTO */
    *blklen = params->blklens[i];
    if (type->params->op == DAME_OP_CONTIGFINAL &&
        (*blklen == 1 || params->extents[i] == type->params->size)) {
        *blklen *= type->params->size / maker->bytes;
        return mpi_code_basic(maker->code);
    }
    mpi_type_t made = make_type(maker, type);
    return *blklen == 1 ? made : mpi_code_resized(maker->code, params->extents[i], made);
}

static mpi_type_t make_struct(maker_t *maker, const dame_prim_t *prim)
{
    mpi_type_t *types = calloc((size_t) prim->count + 1, sizeof(*types));
    int64_t *blklens = calloc((size_t) prim->count + 1, sizeof(*blklens));
    int64_t *disps = calloc((size_t) prim->count + 1, sizeof(*disps));
    mpi_type_t made = {.index = -1};
    if (types == NULL || blklens == NULL || disps == NULL) {
        maker->failed = 1;
    } else {
        for (int64_t i = 0; i < prim->count; i++) {
            types[i] = make_block(maker, prim, i, &blklens[i]);
            disps[i] = dame_prim_disp(prim, i);
        }
        made = mpi_code_struct(maker->code, prim->count, blklens, disps, types);
    }
    free(types);
    free(blklens);
    free(disps);
    return made;
}

/* The datatype of the Type that starts at a primitive. */
static mpi_type_t make_type(maker_t *maker, const dame_prim_t *prim)
{
    const dame_params_t *params = prim->params;
    mpi_type_t basic = mpi_code_basic(maker->code);
    switch (params->op) {
    case DAME_OP_CONTIGCHILD: /* says again what the primitive above has said */
        return make_type(maker, prim + 1);
    case DAME_OP_CONTIG:
        return mpi_code_run(maker->code, prim->count, params->extent, make_inner(maker, prim, 0));
    case DAME_OP_VECTOR:
    case DAME_OP_VECTOR1:
        return mpi_code_vector(maker->code, prim->count, params->blklen, prim->step,
                               make_inner(maker, prim, params->blklen > 1));
    case DAME_OP_VECTORFINAL:
        return mpi_code_vector(maker->code, prim->count,
                               params->blklen * params->size / maker->bytes, prim->step, basic);
    case DAME_OP_BLOCKINDEX1:
        return make_index(maker, prim, make_inner(maker, prim, 0));
    case DAME_OP_BLOCKINDEX:
    case DAME_OP_INDEX:
        return make_index(maker, prim, make_inner(maker, prim, 1));
    case DAME_OP_BLOCKINDEXFINAL:
    case DAME_OP_INDEXFINAL:
        return make_index(maker, prim, basic);
    case DAME_OP_STRUCT:
        return make_struct(maker, prim);
    default: /* CONTIGFINAL */
        return mpi_code_run(maker->code, params->size / maker->bytes, maker->bytes, basic);
    }
}

/* ---- the command ---- */

/* TOOL_OK when MPI's constructors can say what the program says. */
static int check_lists(const dame_program_t *program)
{
    for (int32_t p = 0; p < program->nprims; p++) {
        const dame_prim_t *prim = &program->prims[p];
        if (strchr("BIS", dame_op_name(prim->params->op)[0]) != NULL && prim->count > INT_MAX) {
            return tool_error(TOOL_WRONG,
                              "%s has a list of %" PRId64 " entries; MPI allows at most %d",
                              dame_op_name(prim->params->op), prim->count, INT_MAX);
        }
    }
    return TOOL_OK;
}

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

/* From the primitives, of which all basic elements are `basic`. */
static int make_of_program(const char *path, const dame_program_t *program,
                           const tool_bounds_t *bounds, const basic_t *basic, int guessed)
{
    const int64_t bytes = basic->extent;
    const int64_t odd = odd_block(program, bytes);
    if (odd != 0) {
        return tool_error(TOOL_WRONG,
                          "--element: %s has %" PRId64 " bytes, but %s has a block of %" PRId64
                          " bytes",
                          basic->mpi, bytes, tool_input_name(path), odd);
    }
    int code = check_lists(program);
    if (code != TOOL_OK) {
        return code;
    }
    maker_t maker = {.code = mpi_code_new(basic->mpi, bytes), .bytes = bytes};
    if (maker.code == NULL) {
        return tool_status_error("mpi", DAME_ERR_NOMEM);
    }
    mpi_type_t type = make_type(&maker, &program->prims[1]);
    type = mpi_code_resized(maker.code, program->extent, type);
    if (maker.failed || mpi_code_failed(maker.code)) {
        code = tool_status_error("mpi", DAME_ERR_NOMEM);
    } else {
        print_comment(path, bounds);
        if (guessed) {
            printf(" * A program knows bytes only: that the basic datatype is %s is a guess.\n",
                   basic->mpi);
        }
        if (program->size > 0 && bytes % program->granule != 0) {
            printf(" * The basic elements that the program was made of are lost: a message's "
                   "fragments may\n"
                   " * end inside one of them.\n");
        }
        code = print_function(maker.code, type);
    }
    mpi_code_free(maker.code);
    return code;
}

/* From the calls that made it. */
static int make_of_calls(const char *path, const expression_t *calls, const tool_bounds_t *bounds)
{
    int64_t too_large = 0;
    mpi_code_t *made = mpi_code_new("MPI_BYTE", 1);
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

static int make_of_text(const char *path, const char *text, size_t length, const basic_t *element)
{
    tool_datatype_t datatype;
    dame_program_t *program;
    int code = tool_datatype_parse(path, text, length, &datatype);
    if (code != TOOL_OK) {
        return code;
    }
    expression_t *calls = element == NULL ? header_expression(path, text, length, &datatype) : NULL;
    if (calls != NULL) {
        code = make_of_calls(path, calls, &datatype.bounds);
    } else if (dame_program_parse(text, length, &program, NULL) != DAME_OK) {
        code = tool_status_error(tool_input_name(path), DAME_ERR_NOMEM);
    } else {
        code = make_of_program(path, program, &datatype.bounds,
                               element != NULL ? element : guess_element(program), element == NULL);
        dame_program_free(program);
    }
    expression_free(calls);
    tool_datatype_free(&datatype);
    return code;
}

static int make(void *context, const char *path)
{
    const basic_t *element = context;
    char *text;
    size_t length;
    int code = tool_read_text(path, &text, &length);
    if (code == TOOL_OK) {
        code = make_of_text(path, text, length, element);
        free(text);
    }
    return code;
}

static int run(int argc, char **argv)
{
    static const struct option longs[] = {
        {"language", required_argument, NULL, 'l'}, {"element", required_argument, NULL, 'e'}, {0}};
    const basic_t *element = NULL;
    for (int option; (option = tool_option(argc, argv, ":", longs)) != -1;) {
        if (option == 'l' && strcmp(optarg, "c") != 0) {
            return tool_error(TOOL_USAGE, "--language: '%s' is not c, the only one there is",
                              optarg);
        }
        if (option == 'e') {
            element = find_element(optarg);
        }
        if (option == 'e' ? element == NULL : option != 'l') {
            return TOOL_USAGE;
        }
    }
    struct stat status;
    numbered = argc - optind > 1 ||
               (argc > optind && stat(argv[optind], &status) == 0 && S_ISDIR(status.st_mode));
    return files_each(argc, argv, FILES_OPTIMISED, FILES_NONE, make, (void *) (uintptr_t) element);
}

const tool_command_t tool_mpi = {
    .name = "mpi",
    .arguments = "[--language c] [--element NAME] FILE...",
    .what = "prints the C code that makes an MPI datatype of a program",
    .help = "  --language c    the language of the code; C is all there is\n"
            "  --element NAME  the basic datatype, such as MPI_DOUBLE or double; all blocks\n"
            "                  must be multiples of it\n"
            "\n"
            "The code is a function make_datatype() without arguments; of several files\n"
            "make_datatype_1() and so on, in order. The datatype packs the\n"
            "same bytes as the program and has its extent. Where the file has the constructor\n"
            "calls in a line '# mpi:', as files of dt_dame_dump and 'dame from' have, these\n"
            "are made, with their basic datatypes, unless --element is given. Otherwise the\n"
            "code is made from the program; the basic datatype is then a guess (MPI_INT16_T,\n"
            "MPI_INT32_T or MPI_INT64_T where the program is made of such, or MPI_BYTE), the\n"
            "lower bound is the first byte's, or 0 where the extent had to be set. Where\n"
            "basic elements are lost fragments may end inside one; the code's comment says\n"
            "so.\n",
    .run = run,
};
