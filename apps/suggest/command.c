/* SPDX-License-Identifier: BSD-3-Clause */
/* dame suggest: which datatype is this packing loop? */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/commands.h"
#include "dame/dame.h"
#include "hand.h"
#include "jit/jit.h"
#include "measure/turns.h"
#include "cli/native.h"
#include "code.h"
#include "eval.h"
#include "instance.h"
#include "cli/text.h"
#include "cli/type_expression.h"

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
    return tool_operands(argc, argv, 1, INT32_MAX);
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

/* `before` the first of them, if there are any. */
static void print_sizes(const arguments_t *arguments, const instance_t *instance,
                        const char *before)
{
    const char *comma = before;
    int chosen = 0;
    for (int i = 0; i < instance->natoms; i++) {
        if (is_size(instance, i)) {
            const char *name = poly_atom_text(instance->program->space, i);
            printf("%s%s=%" PRId64, comma, name, instance->values[i]);
            chosen += find_with(arguments, name) == NULL;
            comma = ", ";
        }
    }
    fputs(chosen > 0 ? " (chosen; --with sets sizes)" : "", stdout);
}

/* ---- the measurement ---- */

enum { MEMCPY, HAND, NATIVE, INTERPRETED, COMPILED, CASES };

static const char *const case_names[] = {"memcpy", "hand loop", "Open MPI's engine",
                                         "DAME, interpreted", "DAME, machine code"};

typedef struct mover {
    const dame_type_t *type;
    const dame_program_t *programs[CASES]; /* of DAME's cases; NULL if absent */
    dame_dir_t direction;
    char *memory, *packed; /* memory: byte 0 of the type */
    native_t *native;
} mover_t;

static void move(void *context, int which, int64_t times)
{
    const mover_t *mover = context;
    for (int64_t i = 0; i < times; i++) {
        if (which == MEMCPY) {
            memcpy(mover->packed, mover->packed + mover->type->size, (size_t) mover->type->size);
        } else if (which != HAND) {
            dame_program_run(mover->programs[which], mover->direction, (uintptr_t) mover->memory, 1,
                             mover->packed);
        } else if (mover->direction == DAME_UNPACK) {
            hand_unpack(mover->type, mover->memory, mover->packed);
        } else {
            hand_pack(mover->type, mover->memory, mover->packed);
        }
        __asm__ volatile("" ::: "memory");
    }
}

/* The hand loop and DAME must pack the same bytes. */
static int compare(const mover_t *mover, int ncases)
{
    size_t size = (size_t) mover->type->size;
    char *expected = malloc(size);
    int code = expected != NULL ? TOOL_OK : tool_error(TOOL_SYSTEM, "%s", strerror(ENOMEM));
    if (expected != NULL) {
        hand_pack(mover->type, mover->memory, expected);
    }
    for (int i = INTERPRETED; i < ncases && code == TOOL_OK; i++) {
        memset(mover->packed, 0, size);
        dame_program_run(mover->programs[i], DAME_PACK, (uintptr_t) mover->memory, 1,
                         mover->packed);
        /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): else no TOOL_OK */
        if (memcmp(mover->packed, expected, size) != 0) {
            code = tool_error(TOOL_WRONG, "%s packs other bytes than the loop", case_names[i]);
        }
    }
    free(expected);
    return code;
}

static double move_native(void *context, int which, int64_t times)
{
    const mover_t *mover = context;
    return which == NATIVE ? native_seconds(mover->native, mover->direction == DAME_UNPACK, times)
                           : -1;
}

static void print_case(const mover_t *mover, const dame_turns_t *turns, int which)
{
    double seconds = dame_turns_at(turns, which, 0.5);
    if (which == NATIVE && mover->native->missing[0] != '\0') {
        printf("    %-20s not measured: %s\n", case_names[NATIVE], mover->native->missing);
    } else {
        printf("    %-20s %8.3f GB/s  %6.2f of the hand loop\n", case_names[which],
               (double) mover->type->size / seconds / 1e9,
               dame_turns_at(turns, HAND, 0.5) / seconds);
    }
}

/* Prints the median of rounds in which all take turns. */
static int measure_cases(mover_t *mover, int ncases)
{
    dame_turns_t turns = {.n = ncases,
                          .run = move,
                          .run_timed = move_native,
                          .context = mover,
                          .sample = 0.001,
                          .seconds = 0.5,
                          .least = 11,
                          .most = 1001};
    char busy[200];
    if (dame_turns_run(&turns) != 0) {
        return tool_error(TOOL_SYSTEM, "%s", strerror(ENOMEM));
    }
    for (int i = 0; i < ncases; i++) {
        print_case(mover, &turns, i);
    }
    turns.waited.ran += mover->native->waited.ran;
    turns.waited.waited += mover->native->waited.waited;
    if (*dame_busy_text(busy, sizeof(busy), dame_busy(turns.waited)) != '\0') {
        printf("    not certain: %s; measure again when it is idle\n", busy);
    }
    dame_turns_free(&turns);
    return TOOL_OK;
}

static int measure_with_native(mover_t *mover, int ncases)
{
    char *expression = type_expression(mover->type, NATIVE_LONGEST);
    native_t native;
    int code = compare(mover, ncases);
    if (code == TOOL_OK) {
        native_start(&native, expression, mover->type->size, 1);
        mover->native = &native;
        code = measure_cases(mover, ncases);
        native_end(&native);
    }
    free(expression);
    return code;
}

/* `compiled` is another copy of the program; machine code for it when the CPU has a compiler. */
static int measure_type(const dame_type_t *type, int receives, const dame_program_t *program,
                        dame_program_t *compiled)
{
    size_t memory = (size_t) (type->true_ub - type->true_lb);
    char *user = calloc(1, memory), *packed = calloc(2, (size_t) type->size);
    mover_t mover = {.type = type,
                     .programs = {[INTERPRETED] = program, [COMPILED] = compiled},
                     .direction = receives ? DAME_UNPACK : DAME_PACK,
                     .memory = (char *) ((uintptr_t) user - (uintptr_t) type->true_lb),
                     .packed = packed};
    dame_jit_t *jit = NULL;
    int code = TOOL_OK;
    if (user == NULL || packed == NULL) {
        code = tool_error(TOOL_SYSTEM, "%s", strerror(ENOMEM));
    } else {
        for (size_t i = 0; i < memory; i++) {
            user[i] = (char) (i * 7 + i / 251);
        }
        bool has_code = dame_jit_create(dame_jit_options_default(), &jit) == DAME_OK &&
                        dame_jit_compile(jit, compiled, DAME_PACK, NULL) == DAME_OK &&
                        dame_jit_compile(jit, compiled, DAME_UNPACK, NULL) == DAME_OK;
        code = measure_with_native(&mover, has_code ? COMPILED + 1 : COMPILED);
    }
    if (jit != NULL) {
        dame_jit_release(jit, compiled);
        dame_jit_destroy(jit);
    }
    free(user);
    free(packed);
    return code;
}

/* `instance` is at the sizes of the type. */
static int measure(const arguments_t *arguments, const instance_t *instance,
                   const dame_type_t *type, const dame_program_t *program)
{
    char bytes[TEXT_NUMBER];
    int receives = instance->program->call.receives;
    dame_program_t *compiled = NULL;
    printf("  measured  %s, %s", receives ? "unpacking" : "packing", text_bytes(bytes, type->size));
    print_sizes(arguments, instance, ", with ");
    putchar('\n');
    if (dame_program_build(type, NULL, &compiled) != DAME_OK) {
        return tool_error(TOOL_SYSTEM, "%s", strerror(ENOMEM));
    }
    int code = measure_type(type, receives, program, compiled);
    dame_program_free(compiled);
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
    dame_program_t *built = NULL;
    int code = TOOL_OK;
    if (type == NULL) {
        code = tool_error(TOOL_WRONG,
                          "%s: no sizes were found that move 1 byte to 1 MiB; --with "
                          "sets them",
                          program->name[0] != '\0' ? program->name : "the program");
    } else if (dame_program_build(type, NULL, &built) != DAME_OK) {
        code = tool_error(TOOL_WRONG, "the datatype has no program at these sizes");
    } else {
        code = measure(arguments, &instance, type, built);
    }
    dame_program_free(built);
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
    char *text;
    size_t length;
    access_text_error_t error;
    int code = tool_read(path, ACCESS_TEXT, &text, &length);
    if (code != TOOL_OK) {
        return code;
    }
    access_program_t *program = access_read(text, length, &error);
    free(text);
    if (program == NULL) {
        return error.line == 0
                   ? tool_error(TOOL_SYSTEM, "%s: %s", tool_input_name(path), error.message)
                   : tool_text_error(TOOL_WRONG, path, error.line, error.column, error.message);
    }
    code = suggest(arguments, tool_input_name(path), program);
    access_free(program);
    return code;
}

/* ---- the front end, a program of its own ---- */

/* Becomes the front end; returns when it is not there. */
static void start_front_end(char **argv)
{
    static const char name[] = "dame-suggest-c";
    static const char *const beside[] = {"", "/..", "/../apps/suggest", "/../../apps/suggest"};
    char self[4096], path[4200];
    const char *given = getenv("DAME_SUGGEST_C");
    const ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
    if (length > 0) {
        self[length] = '\0';
        setenv("DAME_PROGRAM", self, 0); /* which the front end starts to measure */
    }
    if (given != NULL) {
        execv(given, argv);
        return;
    }
    if (length > 0) {
        *strrchr(self, '/') = '\0';
        for (size_t i = 0; i < sizeof(beside) / sizeof(beside[0]); i++) {
            snprintf(path, sizeof(path), "%s%s/%s", self, beside[i], name);
            execv(path, argv);
        }
    }
    snprintf(path, sizeof(path), "%s/%s", command_directory(), name);
    execv(path, argv);
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

const tool_command_t tool_suggest = {
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
