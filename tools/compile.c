/* dame compile: what becomes machine code, how large it is, and how long that takes. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "commands.h"
#include "jit/jit.h"

enum { DIRECTIONS = 2, DEFAULT_REPEATS = 201, MOST_REPEATS = 1000000 };

static const char *const directions[DIRECTIONS] = {"pack", "unpack"};

typedef struct arguments {
    int only; /* a direction, or -1 */
    int64_t repeats;
    dame_jit_options_t options;
    int verbose;
    int json;
    const char *output;
} arguments_t;

static int parse_direction(const char *text, int *only)
{
    for (*only = 0; *only < DIRECTIONS; ++*only) {
        if (strcmp(text, directions[*only]) == 0) {
            return TOOL_OK;
        }
    }
    return tool_error(TOOL_USAGE, "--direction: '%s' is neither pack nor unpack", text);
}

static int parse_vector_bits(const char *text, int32_t *bits)
{
    static const char *const known[] = {"128", "256", "512"};
    for (int i = 0; i < 3; i++) {
        if (strcmp(text, known[i]) == 0) {
            *bits = 128 << i;
            return TOOL_OK;
        }
    }
    return tool_error(TOOL_USAGE, "--vector-bits: '%s' is none of 128, 256, 512", text);
}

static int parse_option(int option, arguments_t *arguments)
{
    switch (option) {
    case 'd':
        return parse_direction(optarg, &arguments->only);
    case 'b':
        return parse_vector_bits(optarg, &arguments->options.vector_bits);
    case 'r':
        return tool_number("--repeats", optarg, 1, MOST_REPEATS, &arguments->repeats);
    case 'v':
        arguments->verbose = 1;
        return TOOL_OK;
    case 'j':
        arguments->json = 1;
        return TOOL_OK;
    case 'o':
        arguments->output = optarg;
        return TOOL_OK;
    default:
        return TOOL_USAGE;
    }
}

static int parse(int argc, char **argv, arguments_t *arguments)
{
    static const struct option longs[] = {{"direction", required_argument, NULL, 'd'},
                                          {"vector-bits", required_argument, NULL, 'b'},
                                          {"repeats", required_argument, NULL, 'r'},
                                          {"verbose", no_argument, NULL, 'v'},
                                          {"json", no_argument, NULL, 'j'},
                                          {"output", required_argument, NULL, 'o'},
                                          {0}};
    *arguments = (arguments_t){
        .only = -1, .repeats = DEFAULT_REPEATS, .options = *dame_jit_options_default()};
    for (int option; (option = tool_option(argc, argv, ":vo:", longs)) != -1;) {
        if (parse_option(option, arguments) != TOOL_OK) {
            return TOOL_USAGE;
        }
    }
    if (tool_operands(argc, argv, 1, argc) != TOOL_OK) {
        return TOOL_USAGE;
    }
    if (arguments->output != NULL && (arguments->only < 0 || argc - optind > 1)) {
        return tool_error(TOOL_USAGE, "compile: --output takes the code of one FILE and one "
                                      "--direction");
    }
    return TOOL_OK;
}

/* ---- a program and direction ---- */

/* A row of the table. */
typedef struct row {
    const char *path;
    dame_dir_t dir;
    const dame_program_t *program; /* as it is in the file */
    dame_jit_t *jit;
    double first_ns; /* of the first compilation of this process, 0: that was another */
    double median_ns;
    double worst_ns;
    dame_program_t *compiled; /* optimised, with machine code unless status says otherwise */
    dame_run_fn *before;      /* the kernels of its primitives without */
    dame_status_t status;
    int64_t levels;
    int64_t kernels; /* .. that are machine code */
    size_t bytes;    /* of machine code */
    const void *code;
} row_t;

static double now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e9 * (double) time.tv_sec + (double) time.tv_nsec;
}

static int is_compiled(const row_t *row, int32_t prim)
{
    return dame_prim_run(&row->compiled->prims[prim], row->dir) != row->before[prim];
}

/* Compiles it once, to look at. */
static int look(row_t *row)
{
    dame_jit_stats_t before;
    dame_jit_stats(row->jit, &before);
    int code = tool_optimised(tool_input_name(row->path), row->program, NULL, &row->compiled);
    if (code != TOOL_OK) {
        row->compiled = NULL;
        return code;
    }
    row->before = calloc((size_t) row->compiled->nprims, sizeof(row->before[0]));
    if (row->before == NULL) {
        return tool_status_error(tool_input_name(row->path), DAME_ERR_NOMEM);
    }
    for (int32_t i = 0; i < row->compiled->nprims; i++) {
        row->before[i] = dame_prim_run(&row->compiled->prims[i], row->dir);
    }
    const double start = now_ns();
    row->status = dame_jit_compile(row->jit, row->compiled, row->dir, NULL);
    row->first_ns = before.compiled[0] + before.compiled[1] == 0 ? now_ns() - start : 0;
    if (row->status == DAME_ERR_NOMEM) {
        return tool_status_error(tool_input_name(row->path), row->status);
    }
    row->bytes = dame_jit_code(row->compiled, row->dir, &row->code);
    for (int32_t i = 0; i < row->compiled->nprims; i++) {
        row->levels += dame_prim_run(&row->compiled->prims[i], row->dir) != NULL;
        row->kernels += is_compiled(row, i);
    }
    return TOOL_OK;
}

/* Optimises and compiles, then throws all away. */
static dame_status_t time_one(const row_t *row, double *ns)
{
    dame_program_t *optimised;
    dame_status_t status = dame_program_optimise(row->program, NULL, &optimised);
    if (status != DAME_OK) {
        return status;
    }
    const double start = now_ns();
    status = dame_jit_compile(row->jit, optimised, row->dir, NULL);
    *ns = now_ns() - start;
    dame_jit_release(row->jit, optimised);
    dame_program_free(optimised);
    return status;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *) a, y = *(const double *) b;
    return (x > y) - (x < y);
}

static int time_others(row_t *row, int64_t repeats)
{
    double *ns = calloc((size_t) repeats, sizeof(*ns));
    dame_status_t status = ns != NULL ? DAME_OK : DAME_ERR_NOMEM;
    for (int64_t i = 0; status == DAME_OK && i < repeats; i++) {
        status = time_one(row, &ns[i]);
    }
    if (status == DAME_OK) {
        qsort(ns, (size_t) repeats, sizeof(*ns), compare);
        row->median_ns = ns[repeats / 2];
        row->worst_ns = ns[repeats - 1];
    }
    free(ns);
    return status == DAME_OK ? TOOL_OK : tool_status_error(tool_input_name(row->path), status);
}

/* ---- showing it ---- */

static void print_heading(dame_jit_t *jit)
{
    dame_jit_stats_t stats;
    dame_jit_stats(jit, &stats);
    if (stats.vector_name[0] == '\0') {
        printf("There is no compiler for this CPU.\n");
        return;
    }
    printf("%s vectors; microseconds\n\n%-30s %-6s %7s %7s %8s %8s %8s\n", stats.vector_name,
           "program", "", "levels", "bytes", "first", "median", "worst");
}

static void print_row(const row_t *row, int verbose)
{
    printf("%-30s %-6s ", tool_input_name(row->path), directions[row->dir]);
    if (row->status != DAME_OK) {
        printf("not compiled: %s\n", dame_status_text(row->status));
        return;
    }
    printf("%3" PRId64 "/%-3" PRId64 " %7zu ", row->kernels, row->levels, row->bytes);
    if (row->first_ns > 0) {
        printf("%8.2f", 1e-3 * row->first_ns);
    } else {
        printf("%8s", "-");
    }
    printf(" %8.2f %8.2f\n", 1e-3 * row->median_ns, 1e-3 * row->worst_ns);
    for (int32_t i = 0; verbose && i < row->compiled->nprims; i++) {
        const dame_prim_t *prim = &row->compiled->prims[i];
        if (dame_prim_run(prim, row->dir) != NULL) {
            printf("    %5" PRId32 " %-16s %s\n", i, dame_op_name(prim->params->op),
                   is_compiled(row, i) ? "compiled" : "interpreter");
        }
    }
}

static void print_json(const row_t *row, int is_first)
{
    printf("%s  {\"file\": ", is_first ? "\n" : ",\n");
    tool_json_string(stdout, row->path);
    printf(", \"direction\": \"%s\", \"compiled\": %s", directions[row->dir],
           row->status == DAME_OK ? "true" : "false");
    if (row->status != DAME_OK) {
        printf(", \"message\": ");
        tool_json_string(stdout, dame_status_text(row->status));
    } else {
        printf(", \"levels\": %" PRId64 ", \"kernels\": %" PRId64 ", \"code_bytes\": %zu",
               row->levels, row->kernels, row->bytes);
        if (row->first_ns > 0) {
            printf(", \"first_ns\": %.0f", row->first_ns);
        }
        printf(", \"median_ns\": %.0f, \"worst_ns\": %.0f", row->median_ns, row->worst_ns);
    }
    putchar('}');
}

static int compile(const arguments_t *arguments, row_t *row, int *rows)
{
    int code = look(row);
    if (code == TOOL_OK && row->status == DAME_OK) {
        code = time_others(row, arguments->repeats);
    }
    if (code == TOOL_OK && arguments->json) {
        print_json(row, 0 == (*rows)++);
    } else if (code == TOOL_OK) {
        ++*rows;
        print_row(row, arguments->verbose);
    }
    if (code == TOOL_OK && arguments->output != NULL) {
        code = row->status == DAME_OK ? tool_write(arguments->output, row->code, row->bytes)
                                      : tool_status_error(tool_input_name(row->path), row->status);
    }
    if (row->compiled != NULL) {
        dame_jit_release(row->jit, row->compiled);
    }
    dame_program_free(row->compiled);
    free(row->before);
    return code;
}

/* ---- all of them ---- */

static int wanted(const arguments_t *arguments, int dir)
{
    return arguments->only < 0 || arguments->only == dir;
}

static int compile_file(const arguments_t *arguments, dame_jit_t *jit, const char *path, int *rows)
{
    dame_program_t *program;
    int worst = tool_load(path, &program);
    if (worst != TOOL_OK) {
        return worst;
    }
    if (*rows == 0 && !arguments->json) {
        print_heading(jit);
    }
    for (int dir = 0; dir < DIRECTIONS; dir++) {
        row_t row = {.path = path, .dir = (dame_dir_t) dir, .program = program, .jit = jit};
        int code = wanted(arguments, dir) ? compile(arguments, &row, rows) : TOOL_OK;
        worst = code > worst ? code : worst;
    }
    dame_program_free(program);
    return worst;
}

static int run(int argc, char **argv)
{
    arguments_t arguments;
    dame_jit_t *jit;
    if (parse(argc, argv, &arguments) != TOOL_OK) {
        return TOOL_USAGE;
    }
    dame_status_t status = dame_jit_create(&arguments.options, &jit);
    if (status != DAME_OK) {
        return tool_status_error("compile", status);
    }
    int worst = TOOL_OK, rows = 0;
    if (arguments.json) {
        putchar('[');
    }
    for (int i = optind; i < argc; i++) {
        int code = compile_file(&arguments, jit, argv[i], &rows);
        worst = code > worst ? code : worst;
    }
    if (arguments.json) {
        printf("\n]\n");
    }
    dame_jit_destroy(jit);
    return worst;
}

const tool_command_t tool_compile = {
    .name = "compile",
    .arguments = "[OPTION]... FILE...",
    .what = "says what becomes machine code, how large it is and how long that takes",
    .help = "  --direction WAY     pack or unpack; if not given, both\n"
            "  --vector-bits N     no wider vectors than 128, 256 or 512 bits; if not given, the\n"
            "                      best of this CPU\n"
            "  --repeats N         compilations to take the median of, 201 if not given\n"
            "  -v, --verbose       also each loop level, by the number of its primitive\n"
            "  --json              an array with an object for each program and direction;\n"
            "                      times in nanoseconds\n"
            "  -o, --output FILE   the machine code, of one program and direction. It is raw, to\n"
            "                      be seen with: objdump -D -b binary -m i386:x86-64 FILE\n"
            "\n"
            "A program is optimised, then compiled by DAME-X. Levels that would not become\n"
            "faster keep the interpreter's loops, so fewer levels may be compiled than there\n"
            "are. 'first' is the first compilation of the process, which also gets memory for\n"
            "code, and so there is only one; 'median' and 'worst' are those of later\n"
            "compilations, each of a program that is new. Microseconds.\n",
    .run = run,
};
