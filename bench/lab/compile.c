/* SPDX-License-Identifier: BSD-3-Clause */
/* dame compile: what becomes machine code, how large it is, and how long that takes. */
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "code_row.h"
#include "base/heap.h"
#include "cli/commands.h"
#include "cli/files.h"
#include "jit/jit.h"
#include "tools/llvm.h"
#include "cli/program.h"
#include "tools/variant.h"

enum {
    DIRECTIONS = 2,
    DEFAULT_REPEATS = 201,
    REPEATS_OF_L = 11, /* each takes milliseconds */
    MOST_REPEATS = 1000000
};

typedef struct arguments {
    int only;         /* a direction, or -1 */
    int64_t repeats;  /* 0: not given */
    int is_l;         /* also of code for devices */
    const char *text; /* "l:ptx" or "l:amdgpu": code for devices; NULL: no */
    const char *llvm;
    const char *code_dir;
    int32_t provider;
    dame_jit_options_t options;
    int list; /* the variants, instead */
    int json;
    const char *output;
} arguments_t;

static int parse_direction(const char *text, int *only)
{
    for (*only = 0; *only < DIRECTIONS; ++*only) {
        if (strcmp(text, code_row_directions[*only]) == 0) {
            return TOOL_OK;
        }
    }
    return tool_error(TOOL_USAGE, "--direction: '%s' is not pack or unpack", text);
}

static int parse_cpu(const char *text, const dame_cpu_t **cpu)
{
    *cpu = dame_cpu_named(text);
    if (*cpu != NULL) {
        return TOOL_OK;
    }
    char names[400] = "";
    for (const dame_cpu_model_t *model = dame_cpu_models(); model->name != NULL; model++) {
        const size_t used = strlen(names);
        snprintf(names + used, sizeof(names) - used, "%s%s", used == 0 ? "" : ", ", model->name);
    }
    return tool_error(TOOL_USAGE, "--cpu: '%s' is none of %s", text, names);
}

static int parse_tier(const char *text, arguments_t *arguments)
{
    arguments->text = strcmp(text, "ptx") == 0      ? "l:ptx"
                      : strcmp(text, "amdgpu") == 0 ? "l:amdgpu"
                                                    : NULL;
    arguments->is_l = arguments->text != NULL || strcmp(text, "l") == 0;
    return arguments->is_l || strcmp(text, "x") == 0
               ? TOOL_OK
               : tool_error(TOOL_USAGE, "--tier: '%s' is not x, l, ptx or amdgpu", text);
}

static int parse_option(int option, arguments_t *arguments)
{
    switch (option) {
    case 't':
        return parse_tier(optarg, arguments);
    case 'L':
        arguments->llvm = optarg;
        return TOOL_OK;
    case 'c':
        arguments->code_dir = optarg;
        return TOOL_OK;
    case 'C':
        return parse_cpu(optarg, &arguments->options.cpu);
    case 'd':
        return parse_direction(optarg, &arguments->only);
    case 'r':
        return tool_number("--repeats", optarg, 1, MOST_REPEATS, &arguments->repeats);
    case 'V':
        return tool_variant(optarg, &arguments->options.variant);
    case 'l':
        arguments->list = 1;
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
    static const struct option longs[] = {{"tier", required_argument, NULL, 't'},
                                          {"code-dir", required_argument, NULL, 'c'},
                                          {"llvm", required_argument, NULL, 'L'},
                                          {"direction", required_argument, NULL, 'd'},
                                          {"cpu", required_argument, NULL, 'C'},
                                          {"repeats", required_argument, NULL, 'r'},
                                          {"variant", required_argument, NULL, 'V'},
                                          {"list", no_argument, NULL, 'l'},
                                          {"json", no_argument, NULL, 'j'},
                                          {"output", required_argument, NULL, 'o'},
                                          {0}};
    *arguments = (arguments_t){.only = -1, .options = *dame_jit_options_default()};
    for (int option; (option = tool_option(argc, argv, ":o:", longs)) != -1;) {
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
    if (!arguments->is_l && (arguments->llvm != NULL || arguments->code_dir != NULL)) {
        return tool_error(TOOL_USAGE,
                          "compile: --code-dir and --llvm need --tier l, ptx or amdgpu");
    }
    if (arguments->is_l && arguments->options.variant != NULL) {
        return tool_error(TOOL_USAGE, "compile: --variant is for tier x");
    }
    if (arguments->text != NULL && (arguments->list || arguments->json)) {
        return tool_error(TOOL_USAGE, "compile: --list and --json are for tiers x and l");
    }
    if (arguments->repeats == 0) {
        arguments->repeats = arguments->is_l ? REPEATS_OF_L : DEFAULT_REPEATS;
    }
    return TOOL_OK;
}

static int compile(const arguments_t *arguments, code_row_t *row, int *rows)
{
    int code = code_row_look(row);
    if (code == TOOL_OK && row->status == DAME_OK) {
        code = code_row_time(row, arguments->repeats);
    }
    if (code == TOOL_OK && arguments->json) {
        code_row_json(row, 0 == (*rows)++);
    } else if (code == TOOL_OK) {
        ++*rows;
        code_row_print(row);
    }
    if (code == TOOL_OK && arguments->output != NULL) {
        code = row->status == DAME_OK ? tool_write(arguments->output, row->code, row->bytes)
                                      : tool_status_error(tool_input_name(row->path), row->status);
    }
    code_row_end(row);
    return code;
}

/* ---- for devices ---- */

/* One line, and the text where --output wants it. */
static int compile_text(const arguments_t *arguments, const code_row_t *row, int *rows)
{
    dame_candidate_t candidate = {.provider = arguments->provider};
    dame_program_t *optimised;
    char *bytes;
    size_t size;
    uint32_t entry;
    const char *name = tool_input_name(row->path);
    int code = tool_optimised(name, row->program, NULL, &optimised);
    if (code != TOOL_OK) {
        return code;
    }
    dame_status_t status =
        tool_candidate_named(row->jit, arguments->text, &candidate)
            ? dame_jit_copy(row->jit, optimised, row->dir, &candidate, &bytes, &size, &entry)
            : DAME_ERR_UNSUPPORTED;
    dame_program_free(optimised);
    if (status != DAME_OK) {
        return tool_status_error(name, status);
    }
    printf("%-30s %-6s %s %zu bytes\n", name, code_row_directions[row->dir], arguments->text + 2,
           size - 1);
    ++*rows;
    if (arguments->output != NULL) {
        code = tool_write(arguments->output, bytes, size - 1);
    }
    dame_heap_free(bytes);
    return code;
}

/* ---- the variants ---- */

static int find_candidates(const code_row_t *row, int32_t provider,
                           dame_candidate_t candidates[TOOL_CANDIDATES], int32_t *n)
{
    dame_program_t *optimised;
    const int code = tool_optimised(tool_input_name(row->path), row->program, NULL, &optimised);
    if (code == TOOL_OK) {
        *n = tool_candidates(row->jit, provider, optimised, row->dir, candidates);
        dame_program_free(optimised);
    }
    return code;
}

static void list(const code_row_t *row, const dame_candidate_t *candidates, int32_t n, int *rows,
                 int json)
{
    char name[DAME_CANDIDATE_NAME];
    if (json) {
        printf("%s  {\"file\": ", 0 == *rows ? "\n" : ",\n");
        tool_json_string(stdout, row->path);
        printf(", \"direction\": \"%s\", \"variants\": [", code_row_directions[row->dir]);
    } else {
        printf("%-30s %-6s", tool_input_name(row->path), code_row_directions[row->dir]);
    }
    for (int32_t i = 0; i < n; i++) {
        dame_jit_candidate_name(row->jit, &candidates[i], name);
        printf(json ? "%s\"%s\"" : "%s %s", json && i > 0 ? ", " : "", name);
    }
    printf(json ? "]}" : "\n");
    ++*rows;
}

/* The likeliest code of DAME-X, or all of DAME-L, which are kept for jobs to measure. */
static int compile_all(const arguments_t *arguments, const code_row_t *row,
                       const dame_candidate_t *candidates, int32_t n, int *rows)
{
    const int32_t most = arguments->is_l && arguments->output == NULL ? n : 1;
    int worst = TOOL_OK, i = 0;
    do {
        code_row_t one = *row;
        one.candidate = i < n ? &candidates[i] : NULL;
        if (arguments->is_l && i < n) {
            dame_jit_candidate_name(row->jit, one.candidate, one.variant);
        }
        const int code = compile(arguments, &one, rows);
        worst = code > worst ? code : worst;
    } while (++i < most);
    return worst;
}

static int list_or_compile(const arguments_t *arguments, const code_row_t *row, int *rows)
{
    dame_candidate_t candidates[TOOL_CANDIDATES];
    int32_t n = 0;
    const int code = find_candidates(row, arguments->provider, candidates, &n);
    if (code != TOOL_OK) {
        return code;
    }
    if (arguments->list) {
        list(row, candidates, n, rows, arguments->json);
        return TOOL_OK;
    }
    return compile_all(arguments, row, candidates, n, rows);
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
    if (*rows == 0 && !arguments->json && !arguments->list && arguments->text == NULL) {
        code_row_heading(jit);
    }
    for (int dir = 0; dir < DIRECTIONS; dir++) {
        code_row_t row = {.path = path, .dir = (dame_dir_t) dir, .program = program, .jit = jit};
        const int code = !wanted(arguments, dir)   ? TOOL_OK
                         : arguments->text != NULL ? compile_text(arguments, &row, rows)
                                                   : list_or_compile(arguments, &row, rows);
        worst = code > worst ? code : worst;
    }
    dame_program_free(program);
    return worst;
}

static int has_problem; /* a code cache or provider that does not work */

static void complain(void *unused, const char *message)
{
    (void) unused;
    has_problem = tool_error(TOOL_SYSTEM, "%s", message);
}

static int use_code_dir(dame_jit_t *jit, const char *directory)
{
    char absolute[2 * PATH_MAX] = "";
    if (directory[0] != '/') {
        if (getcwd(absolute, PATH_MAX - 1) == NULL) {
            return tool_error(TOOL_SYSTEM, "the working directory has no name");
        }
        strcat(absolute, "/");
    }
    if (strlen(directory) >= PATH_MAX) {
        return tool_error(TOOL_USAGE, "--code-dir: the name is too long");
    }
    strcat(absolute, directory);
    /* Jobs keep the limit; here nothing that was just compiled shall go. */
    const dame_status_t status = dame_jit_set_cache(jit, absolute, INT64_MAX);
    return status == DAME_OK ? TOOL_OK : tool_status_error(directory, status);
}

static int use_llvm(arguments_t *arguments, dame_jit_t *jit)
{
    const char *path = tool_llvm(arguments->llvm);
    if (path == NULL) {
        return tool_error(TOOL_SYSTEM, "dame_llvm.so was not found; --llvm says where it is");
    }
    const dame_status_t status = tool_llvm_load(jit, path, &arguments->provider);
    if (status != DAME_OK) {
        return has_problem != TOOL_OK ? has_problem : tool_status_error(path, status);
    }
    return arguments->code_dir != NULL ? use_code_dir(jit, arguments->code_dir) : TOOL_OK;
}

static int run(int argc, char **argv)
{
    arguments_t arguments;
    dame_jit_t *jit;
    if (parse(argc, argv, &arguments) != TOOL_OK) {
        return TOOL_USAGE;
    }
    arguments.options.complain = complain;
    dame_status_t status = dame_jit_create(&arguments.options, &jit);
    if (status != DAME_OK) {
        return tool_status_error("compile", status);
    }
    int rows = 0;
    int worst = arguments.is_l ? use_llvm(&arguments, jit) : TOOL_OK;
    if (worst != TOOL_OK) {
        dame_jit_destroy(jit);
        return worst;
    }
    if (arguments.json) {
        putchar('[');
    }
    files_t files;
    worst = files_find(argv, optind, argc, FILES_OPTIMISED, &files);
    for (int i = 0; i < files.n; i++) {
        int code = compile_file(&arguments, jit, files.path[i], &rows);
        worst = code > worst ? code : worst;
    }
    files_free(&files);
    if (arguments.json) {
        printf("\n]\n");
    }
    dame_jit_destroy(jit);
    return has_problem > worst ? has_problem : worst;
}

const tool_command_t tool_compile = {
    .name = "compile",
    .arguments = "[OPTION]... FILE...",
    .what = "says what becomes machine code, how large and how fast",
    .help = "  --tier NAME         x, the default: DAME-X; l: DAME-L, by LLVM, which shows\n"
            "                      all variants that could be the fastest; ptx, amdgpu:\n"
            "                      kernels by DAME-L for devices of NVIDIA's and AMD's\n"
            "  --code-dir DIR      of all but x: looks for code in this directory before it\n"
            "                      compiles, and keeps there what it compiled; made if it is\n"
            "                      missing. 'found' marks code that was there\n"
            "  --cpu NAME          for this CPU, such as znver4 or sapphirerapids, instead of\n"
            "                      the one dame runs on; another name shows all\n"
            "  --llvm PATH         dame_llvm.so; if not given, $DAME_LLVM, or where it was\n"
            "                      built or installed\n"
            "  --direction WAY     pack or unpack; if not given, both\n"
            "  --variant NAME      of tier x: this variant of the code, such as\n"
            "                      x:prefetch; if not given, the likeliest to be the\n"
            "                      fastest\n"
            "  --list              show the variants that could be the fastest, the likeliest\n"
            "                      first, instead of compiling\n"
            "  --repeats N         compilations to take the median of; if not given, 201, and\n"
            "                      11 of tier l\n"
            "  --json              an array with an object for each program and direction;\n"
            "                      times in nanoseconds\n"
            "  -o, --output FILE   the machine code, of one program and direction. It is raw,\n"
            "                      to be seen with: objdump -D -b binary -m i386:x86-64 FILE;\n"
            "                      of ptx and amdgpu text\n"
            "\n"
            "A program is optimised, then compiled. Levels that would not become\n"
            "faster keep the interpreter's loops, so fewer levels may be compiled than there\n"
            "are. 'first' is the first compilation of the process, which also gets memory for\n"
            "code, and so there is only one; 'median' and 'worst' are those of later\n"
            "compilations, each of a program that is new. Of tier l, 'first' is that of each\n"
            "code, and with --code-dir the later ones are found in the directory.\n"
            "Microseconds.\n",
    .run = run,
};
