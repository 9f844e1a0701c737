/* SPDX-License-Identifier: BSD-3-Clause */
/* dame suggest: which datatype is this packing loop? */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shared/spawn.h"
#include "shared/tool.h"
#include "code.h"
#include "eval.h"
#include "instance.h"
#include "type_expression.h"

enum {
    TRIALS = 60,
    MOST_WITH = 64,
    MOST_BLOCKS = 1 << 20, /* of lists at the sizes that are measured */
    MOST_BYTES = 1 << 20,  /* packed, with sizes that are chosen here */
    MOST_MEMORY = 1 << 28, /* of user memory */
    APART = 1 << 24        /* from base to base */
};

typedef struct with {
    const char *name;
    size_t length;
    int64_t value;
} with_t;

typedef struct arguments {
    with_t with[MOST_WITH];
    int nwith;
} arguments_t;

/* ---- the command line ---- */

/* n=64,m=32 */
static int parse_with(const char *text, arguments_t *arguments)
{
    while (*text != '\0') {
        const char *equals = strchr(text, '=');
        size_t length = strcspn(text, ",");
        char number[40];
        if (equals == NULL || equals >= text + length || equals == text ||
            arguments->nwith == MOST_WITH || (size_t) (text + length - equals) > sizeof(number)) {
            return tool_error(TOOL_USAGE,
                              "--with: '%s' is not NAME=NUMBER[,NAME=NUMBER]..., at most %d", text,
                              MOST_WITH);
        }
        snprintf(number, sizeof(number), "%.*s", (int) (text + length - equals - 1), equals + 1);
        with_t *with = &arguments->with[arguments->nwith++];
        *with = (with_t){text, (size_t) (equals - text), 0};
        int code = tool_number("--with", number, 0, INT64_MAX, &with->value);
        if (code != TOOL_OK) {
            return code;
        }
        text += length;
        text += *text == ',';
    }
    return TOOL_OK;
}

static int parse(int argc, char **argv, arguments_t *arguments)
{
    static const struct option longs[] = {
        {"program", no_argument, NULL, 'p'}, {"with", required_argument, NULL, 'w'}, {0}};
    *arguments = (arguments_t){0};
    for (int option; (option = tool_option(argc, argv, ":", longs)) != -1;) {
        int code = option == 'w'   ? parse_with(optarg, arguments)
                   : option == '?' ? TOOL_USAGE
                                   : TOOL_OK;
        if (code != TOOL_OK) {
            return code;
        }
    }
    return optind < argc
               ? TOOL_OK
               : tool_error(TOOL_USAGE,
                            "suggest: a FILE is missing; 'dame suggest --help' says more");
}

/* ---- an answer at given sizes ---- */

static const with_t *find_with(const arguments_t *arguments, const char *name)
{
    for (int i = 0; i < arguments->nwith; i++) {
        if (strlen(name) == arguments->with[i].length &&
            strncmp(name, arguments->with[i].name, arguments->with[i].length) == 0) {
            return &arguments->with[i];
        }
    }
    return NULL;
}

static int is_size(const instance_t *instance, int atom)
{
    poly_kind_t kind = poly_kind(instance->program->space, atom);
    return kind == POLY_NAME || kind == POLY_OPAQUE;
}

/* Sizes as given, and all others `size`, then size + step, size + 2 * step ... */
static void set_sizes(const arguments_t *arguments, instance_t *instance, int64_t size,
                      int64_t step)
{
    instance->span = 0;
    instance->open = true;
    for (int i = 0; i < instance->natoms; i++) {
        if (is_size(instance, i)) {
            const with_t *with = find_with(arguments, poly_atom_text(instance->program->space, i));
            instance->values[i] = with != NULL ? with->value : size;
            size += with != NULL ? 0 : step;
        }
    }
}

/* Is that type small enough, and not empty? */
static bool fits(const dame_type_t *type)
{
    int64_t memory;
    return type->size > 0 && type->size <= MOST_BYTES &&
           !__builtin_sub_overflow(type->true_ub, type->true_lb, &memory) && memory <= MOST_MEMORY;
}

/* The type at the sizes that were given, and at others that are chosen so that it is large enough
 * to be measured. NULL if absent. */
static const dame_type_t *choose_sizes(const arguments_t *arguments, instance_t *instance,
                                       const types_node_t *node, dame_tree_t *tree)
{
    static const int64_t sizes[] = {256, 128, 64, 32, 16, 8, 4, 2, 1};
    static const int64_t steps[] = {0, 1, -1};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        for (size_t j = 0; j < sizeof(steps) / sizeof(steps[0]); j++) {
            const dame_type_t *type;
            dame_tree_reset(tree);
            set_sizes(arguments, instance, sizes[i], steps[j]);
            if (instance_type(instance, node, APART, MOST_BLOCKS, tree, &type) == DAME_OK &&
                fits(type)) {
                return type;
            }
        }
    }
    return NULL;
}

/* ", with n=64, m=32", which the caller frees; NULL: memory is out. */
static char *sizes_text(const arguments_t *arguments, const instance_t *instance)
{
    const char *comma = ", with ";
    char *text = NULL;
    size_t length;
    int chosen = 0;
    FILE *out = open_memstream(&text, &length);
    if (out == NULL) {
        return NULL;
    }
    for (int i = 0; i < instance->natoms; i++) {
        if (is_size(instance, i)) {
            const char *name = poly_atom_text(instance->program->space, i);
            fprintf(out, "%s%s=%" PRId64, comma, name, instance->values[i]);
            chosen += find_with(arguments, name) == NULL;
            comma = ", ";
        }
    }
    fputs(chosen > 0 ? " (chosen; --with sets sizes)" : "", out);
    return fclose(out) == 0 ? text : NULL;
}

/* ---- the measurement, by DAME's program for that ---- */

static int run_measurement(const char *direction, const char *sizes, FILE *expression)
{
    char path[4096];
    int status = 0;
    const char *arguments[] = {path, direction, sizes, NULL};
    spawn_beside("loop_time", path, sizeof(path));
    fflush(stdout);
    rewind(expression);
    const int error = spawn_run(arguments, fileno(expression), -1, -1, &status);
    if (error != 0 || !WIFEXITED(status)) {
        return tool_error(TOOL_SYSTEM, "%s: %s", path, error != 0 ? strerror(error) : "it crashed");
    }
    return WEXITSTATUS(status);
}

/* `instance` is at the sizes of the type. */
static int measure(const arguments_t *arguments, const instance_t *instance,
                   const dame_type_t *type)
{
    char *sizes = sizes_text(arguments, instance);
    FILE *expression = tmpfile();
    int code = sizes == NULL || expression == NULL
                   ? tool_error(TOOL_SYSTEM, "what is measured: %s", strerror(errno))
                   : TOOL_OK;
    if (code == TOOL_OK) {
        type_expression(type, expression);
        code = run_measurement(instance->program->call.receives ? "unpack" : "pack", sizes,
                               expression);
    }
    if (expression != NULL) {
        fclose(expression);
    }
    free(sizes);
    return code;
}

/* Measures at sizes. Atoms from `natoms` on are not sizes. */
static int at_sizes(const arguments_t *arguments, const access_program_t *program,
                    const shape_t *shape, int natoms)
{
    instance_t instance;
    dame_tree_t *tree = dame_tree_new();
    if (!instance_init(&instance, program) || tree == NULL) {
        instance_fini(&instance);
        dame_tree_free(tree);
        return tool_error(TOOL_SYSTEM, "%s", strerror(ENOMEM));
    }
    instance.natoms = natoms;
    const dame_type_t *type = choose_sizes(arguments, &instance, shape->type, tree);
    const int code =
        type != NULL ? measure(arguments, &instance, type)
                     : tool_error(TOOL_WRONG,
                                  "%s: no sizes were found that move 1 byte to 1 MiB; --with sets "
                                  "them",
                                  program->name[0] != '\0' ? program->name : "the program");
    instance_fini(&instance);
    dame_tree_free(tree);
    return code;
}

/* ---- answers ---- */

static void print_place(const char *path, access_place_t place)
{
    if (place.line > 0) {
        printf("%s:%" PRId64 ":%" PRId64 ": ", place.file, place.line, place.column);
    } else {
        printf("%s: ", path);
    }
}

static const char *verdict(const eval_t *eval)
{
    return eval->verdict == EVAL_RIGHT ? "proved" : eval->message;
}

static void print_answer(access_program_t *program, const shape_t *shape, const code_t *code,
                         const eval_t *identity, const eval_t *random)
{
    printf("  type      ");
    types_print(program, shape->type, stdout);
    printf("\n  address   %s\n  %s   %s of %s\n", code->address,
           program->call.receives ? "receive" : "send   ", code->count, code->type);
    printf("  count     %s\n", shape->count == SHAPE_COUNT_PROVED
                                   ? "proved: as many elements as the call's"
                                   : "not proved: the code compares it");
    printf("  checks    positions in the buffer: %s; equal to the loop at %d random sizes, %d of "
           "which move data\n",
           verdict(identity), random->trials, random->moved);
    for (int i = 0; i < shape->nconditions; i++) {
        printf("  needs     %s\n", shape->conditions[i]);
    }
}

static int refused(const char *path, const shape_t *shape)
{
    print_place(path, shape->place);
    printf("no datatype: %s [%d: %s]\n", shape->reason, shape->refusal,
           shape_refusal_text(shape->refusal));
    return TOOL_WRONG;
}

static int suggest(const arguments_t *arguments, const char *path, access_program_t *program)
{
    shape_t shape = shape_find(program);
    if (shape.refusal != SHAPE_DECIDED) {
        return refused(path, &shape);
    }
    eval_t identity = eval_identity(program, shape.type);
    eval_t random = eval_random(program, &shape, TRIALS, 1);
    if (identity.verdict == EVAL_WRONG || random.verdict == EVAL_WRONG ||
        (identity.verdict == EVAL_UNKNOWN && random.verdict == EVAL_UNKNOWN)) {
        shape.refusal = SHAPE_REFUSED_CHECK;
        shape.reason = random.verdict == EVAL_WRONG ? random.message : identity.message;
        shape.place = program->call.place;
        return refused(path, &shape);
    }
    int natoms = poly_atoms(program->space); /* without those of the code */
    code_t code = code_make(program, &shape, CODE_C, "    ", "dame_");
    if (poly_error(program->space) != POLY_OK) {
        return tool_error(TOOL_WRONG, "%s: %s", path, poly_error_text(poly_error(program->space)));
    }
    print_place(path, program->call.place);
    printf("a datatype can take the place of the %s loop\n",
           program->call.receives ? "unpacking" : "packing");
    print_answer(program, &shape, &code, &identity, &random);
    return at_sizes(arguments, program, &shape, natoms);
}

static int suggest_file(const arguments_t *arguments, const char *path)
{
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    char *text;
    size_t length;
    access_text_error_t error;
    int code = tool_read(path, &text, &length);
    if (code != TOOL_OK) {
        return code;
    }
    access_program_t *program = access_read(text, length, &error);
    free(text);
    if (program == NULL) {
        return error.line == 0 ? tool_error(TOOL_SYSTEM, "%s: %s", name, error.message)
                               : tool_error(TOOL_WRONG, "%s:%" PRId64 ":%" PRId64 ": %s", name,
                                            error.line, error.column, error.message);
    }
    code = suggest(arguments, name, program);
    access_free(program);
    return code;
}

/* ---- the front end, a program of its own ---- */

/* Becomes the front end; returns when it is not there. */
static void start_front_end(char **argv)
{
    char path[4096];
    const char *given = getenv("DAME_SUGGEST_C");
    spawn_beside("dame-suggest", path, sizeof(path));
    setenv("DAME_PROGRAM", path, 0); /* which the front end starts to measure */
    spawn_beside("dame-suggest-c", path, sizeof(path));
    execv(given != NULL ? given : path, argv);
}

static int run(int argc, char **argv)
{
    arguments_t arguments;
    int program = 0;
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        program |= strcmp(argv[i], "--program") == 0;
    }
    if (!program && argc > 1) {
        fflush(stdout);
        start_front_end(argv);
        return tool_error(TOOL_SYSTEM,
                          "the front end dame-suggest-c is not here: %s; it needs libclang 17 or "
                          "later and jansson when DAME is built (Debian: libclang-19-dev, "
                          "libjansson-dev). --program reads access programs without it",
                          strerror(errno));
    }
    int code = parse(argc, argv, &arguments);
    if (code != TOOL_OK) {
        return code;
    }
    for (int i = optind; i < argc; i++) {
        int one = suggest_file(&arguments, argv[i]);
        code = one > code ? one : code;
    }
    return code;
}

static const tool_command_t command = {
    .name = "suggest",
    .arguments = "[OPTION]... FILE... [-- COMPILER ARGUMENT...]\n"
                 "       dame suggest [OPTION]... -- BUILD COMMAND...\n"
                 "       dame suggest --program [--with LIST] FILE...",
    .what = "finds the datatype that replaces a packing loop",
    .help = "FILEs are C or C++, and one program; of a BUILD COMMAND, such as make -j4, all\n"
            "files that it compiles. Prints the datatype of each loop that packs for MPI_Send\n"
            "and its kin, or unpacks, with numbered assumptions; or a reason, with a number.\n"
            "\n"
            "  -p BUILD      compiler arguments from BUILD/compile_commands.json\n"
            "  --explain     also what refusals mean, and the access programs\n"
            "  --measure     also how fast the data is moved here: by a loop by hand, by Open\n"
            "                MPI's own engine and by DAME, in turns; memory stays in the\n"
            "                caches if it fits. A busy machine gets a line that says so\n"
            "  --with LIST   sizes to measure with, such as n=64,m=32; others are chosen\n"
            "  --sarif       SARIF 2.1.0 instead\n"
            "  --patch       a diff that sends with the datatypes, for git apply\n"
            "  --patch=check a diff that keeps the loops, and checks what they copy\n"
            "  --only LINE   only calls in that line\n"
            "  --strict      assume nothing: what the source does not show is refused\n"
            "  --evidence FILE   FILE is from 'dame record --json': marks assumptions that\n"
            "                held in the run, refuses answers that it contradicts\n"
            "  --struct NAME the datatype of a struct or class instead; compares those that\n"
            "                the source makes of it by hand\n"
            "  --program     FILEs hold access programs (apps/suggest/access.h): measures\n"
            "\n"
            "With --sarif and --patch, diagnostics go to stderr. Exit code: 1, a file has\n"
            "errors or was not read, an access program had no answer, or, with --struct, no\n"
            "file has the struct, a member cannot be sent, or a datatype differs or could not\n"
            "be compared; 2, wrong use, or the process that reads the files was ended by a\n"
            "signal or a limit; what it was reading then is left out.\n",
    .run = run,
};

int main(int argc, char **argv)
{
    return tool_main(&command, argc, argv);
}
