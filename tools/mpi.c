/* dame mpi: the reverse of import: C code that makes an MPI datatype of a program. */
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "dame_config.h"
#include "mpi_code.h"
#include "program.h"

static const struct {
    const char *name;
    int64_t bytes;
} elements[] = {
    {"MPI_BYTE", 1},
    {"MPI_CHAR", 1},
    {"MPI_INT8_T", 1},
    {"MPI_UINT8_T", 1},
    {"MPI_INT16_T", 2},
    {"MPI_UINT16_T", 2},
    {"MPI_INT32_T", 4},
    {"MPI_UINT32_T", 4},
    {"MPI_INT64_T", 8},
    {"MPI_UINT64_T", 8},
    {"MPI_SHORT", sizeof(short)},
    {"MPI_INT", sizeof(int)},
    {"MPI_LONG", sizeof(long)},
    {"MPI_FLOAT", sizeof(float)},
    {"MPI_DOUBLE", sizeof(double)},
    {"MPI_C_FLOAT_COMPLEX", 2 * sizeof(float)},
    {"MPI_C_DOUBLE_COMPLEX", 2 * sizeof(double)},
};

enum { ELEMENTS = sizeof(elements) / sizeof(elements[0]) };

/* ---- which basic datatype ---- */

/* Finds an element by its name; -1 after a message. */
static int find_element(const char *name)
{
    char allowed[512] = "";
    for (int i = 0; i < ELEMENTS; i++) {
        if (strcmp(name, elements[i].name) == 0) {
            return i;
        }
        size_t used = strlen(allowed);
        snprintf(allowed + used, sizeof(allowed) - used, "%s%s", i == 0 ? "" : ", ",
                 elements[i].name);
    }
    tool_error(TOOL_USAGE, "--element: '%s' is none of %s", name, allowed);
    return -1;
}

/* Bytes of a contiguous block that is no multiple of `bytes`, 0 when there is none. */
static int64_t odd_block(const dame_program_t *program, int64_t bytes)
{
    int in_final = 0; /* the CONTIGFINAL of a Final primitive is no block of its own */
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
static const char *guess_element(const dame_program_t *program)
{
    static const char *const integers[] = {
        [2] = "MPI_INT16_T", [4] = "MPI_INT32_T", [8] = "MPI_INT64_T"};
    int64_t granule = program->granule;
    if ((granule == 2 || granule == 4 || granule == 8) && odd_block(program, granule) == 0) {
        return integers[granule];
    }
    return "MPI_BYTE";
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

/* The subprogram of one block; a contiguous one is so many basic elements. */
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

static void print_function(const char *path, const dame_program_t *program, const maker_t *maker,
                           mpi_type_t type, const char *element, int guessed)
{
    const char *name = tool_input_name(path); /* without a '/' it cannot end a comment */
    name = strrchr(name, '/') != NULL ? strrchr(name, '/') + 1 : name;
    printf("/*\n * The datatype of %s, by dame " DAME_VERSION ": size %" PRId64 ", extent %" PRId64
           ", true bounds [%" PRId64 ", %" PRId64 ").\n",
           name, program->size, program->extent, program->true_lb, program->true_ub);
    if (guessed) {
        printf(" * A program knows bytes only: that the basic datatype is %s is a guess.\n",
               element);
    }
    if (program->size > 0 && maker->bytes % program->granule != 0) {
        printf(" * The basic elements that the program was made of are lost: a message's fragments "
               "may\n"
               " * end inside one of them.\n");
    }
    printf(" */\n#include <mpi.h>\n\n"
           "MPI_Datatype make_datatype(void);\n\n"
           "/* A committed datatype. The caller frees it with MPI_Type_free(). */\n"
           "MPI_Datatype make_datatype(void)\n{\n");
    mpi_code_print(maker->code, type, stdout);
    printf("}\n");
}

static int make(const char *path, const dame_program_t *program, const char *element)
{
    const char *name = element != NULL ? element : guess_element(program);
    int64_t bytes = elements[find_element(name)].bytes;
    int64_t odd = odd_block(program, bytes);
    if (odd != 0) {
        return tool_error(TOOL_WRONG,
                          "--element: %s has %" PRId64 " bytes, but %s has a block of %" PRId64
                          " bytes",
                          name, bytes, tool_input_name(path), odd);
    }
    int code = check_lists(program);
    if (code != TOOL_OK) {
        return code;
    }
    maker_t maker = {.code = mpi_code_new(name, bytes), .bytes = bytes};
    if (maker.code == NULL) {
        return tool_status_error("mpi", DAME_ERR_NOMEM);
    }
    mpi_type_t type = make_type(&maker, &program->prims[1]);
    type = mpi_code_resized(maker.code, program->extent, type);
    if (maker.failed || mpi_code_failed(maker.code)) {
        code = tool_status_error("mpi", DAME_ERR_NOMEM);
    } else {
        print_function(path, program, &maker, type, name, element == NULL);
    }
    mpi_code_free(maker.code);
    return code;
}

static int run(int argc, char **argv)
{
    static const struct option longs[] = {
        {"language", required_argument, NULL, 'l'}, {"element", required_argument, NULL, 'e'}, {0}};
    const char *element = NULL;
    for (int option; (option = tool_option(argc, argv, ":", longs)) != -1;) {
        if (option == 'l' && strcmp(optarg, "c") != 0) {
            return tool_error(TOOL_USAGE, "--language: '%s' is not c, the only one there is",
                              optarg);
        }
        if (option == 'e' && find_element(optarg) >= 0) {
            element = optarg;
        } else if (option != 'l') {
            return TOOL_USAGE;
        }
    }
    int code = tool_operands(argc, argv, 1, 1);
    dame_program_t *program;
    if (code == TOOL_OK) {
        code = tool_load(argv[optind], &program);
    }
    if (code == TOOL_OK) {
        code = make(argv[optind], program, element);
        dame_program_free(program);
    }
    return code;
}

const tool_command_t tool_mpi = {
    .name = "mpi",
    .arguments = "[--language c] [--element NAME] FILE",
    .what = "prints the C code that makes an MPI datatype of a program",
    .help = "  --language c    the language of the code; C is all there is\n"
            "  --element NAME  the basic datatype, from MPI_BYTE to MPI_C_DOUBLE_COMPLEX; all\n"
            "                  blocks must be multiples of it. If not given a guess:\n"
            "                  MPI_INT16_T, MPI_INT32_T or MPI_INT64_T where the program is\n"
            "                  made of such, otherwise MPI_BYTE\n"
            "\n"
            "The code is a function make_datatype() without arguments. The datatype packs the\n"
            "same bytes as the program and has its extent. A program has no lower bound: the\n"
            "datatype's is the first byte's, or 0 where the extent had to be set. Where the\n"
            "basic elements of the program are not known fragments may end inside one; the\n"
            "code's comment says so.\n",
    .run = run,
};
