/* SPDX-License-Identifier: BSD-3-Clause */
/* bamboocc: compiles MPI programs to tasks. */
#include "compile.h"
#include "shared/clang/guard.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DONE = 0, FAILED = 1, WRONG_USE = 2 };

typedef struct options {
    command_t command;
    bool check, reorder;
    const char **files;
    size_t n_files;
    bool any_input;      /* a source, an object, an archive */
    bool any_language;   /* -x: names do not say what files are */
    const char *unknown; /* the first input that is none of these; NULL: all are */
} options_t;

static void usage(void)
{
    fputs("Usage: bamboocc [OPTION]... FILE...\n"
          "\n"
          "Compiles and links C programs that call MPI so that each of their ranks is a task, "
          "several\n"
          "in each process, which compute while others wait. Takes the place of the MPI compiler: "
          "all\n"
          "options, files and libraries are that compiler's, except:\n"
          "\n"
          "  --check         report errors in directives (#pragma bamboo) only\n"
          "  --reorder       in regions, move sends before receives where neither needs the other\n"
          "  --emit DIR      with --reorder: write the reordered files into DIR, do not compile "
          "them\n"
          "  --refusals      list refusals by number\n"
          "  --help, --version\n"
          "\n"
          "The program takes --vf N: the tasks in each process.\n"
          "Environment: BAMBOO_CC, the MPI compiler (default: " BAMBOO_CC ").\n"
          "Exit status: 0; 1, errors in a file, reported as file:line:column; 2, wrong use, or\n"
          "the process that reads the file was ended by a signal; 3, memory is out.\n",
          stdout);
}

static int wrong_use(const char *argument, const char *what)
{
    fprintf(stderr, "bamboocc: '%s': %s; --help shows what there is\n", argument, what);
    return WRONG_USE;
}

static void append(char ***words, int *n, const char *word)
{
    *words = tr_grow(*words, (size_t) *n, sizeof **words);
    (*words)[(*n)++] = (char *) word;
}

static void append_words(char ***words, int *n, const char *text)
{
    while (*(text += strspn(text, " "))) {
        size_t length = strcspn(text, " ");

        append(words, n, tr_copy_text(text, length));
        text += length;
    }
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), of_end = strlen(end);

    return length > of_end && strcmp(text + length - of_end, end) == 0;
}

/* Where another MPI compiler finds mpi.h; nothing if it does not say. */
static bool ask_compiler(command_t *command, const char *compiler)
{
    /* NOLINTNEXTLINE(cert-env33-c): BAMBOO_CC may have arguments */
    FILE *answer = popen(tr_format("%s -show 2>/dev/null", compiler), "r");
    char line[4096];
    bool found = false;
    char *word, *rest = NULL;

    if (!answer) {
        fprintf(stderr, "bamboocc: %s -show cannot be started: %s\n", compiler, strerror(errno));
        exit(FAILED);
    }
    if (fgets(line, sizeof line, answer)) {
        for (word = strtok_r(line, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest)) {
            if (strncmp(word, "-I", 2) == 0 || strncmp(word, "-D", 2) == 0) {
                append(&command->parser, &command->n_parser, tr_copy_text(word, strlen(word)));
                found = true;
            }
        }
    }
    pclose(answer);
    return found;
}

/* Options that decide what the source means, for libclang. */
static bool is_for_parser(const char *option)
{
    return strncmp(option, "-I", 2) == 0 || strncmp(option, "-D", 2) == 0 ||
           strncmp(option, "-U", 2) == 0 || strncmp(option, "-std=", 5) == 0 ||
           strcmp(option, "-ansi") == 0 || strcmp(option, "-pthread") == 0;
}

/* Options with the next word as value. */
static bool takes_value(const char *option)
{
    static const char *const options[] = {
        "-I", "-D", "-U",       "-include", "-isystem", "-iquote", "-idirafter", "-imacros", "-L",
        "-l", "-x", "-Xlinker", "-MF",      "-MT",      "-MQ",     "-z",         "-u"};
    size_t i;

    for (i = 0; i < sizeof options / sizeof *options; i++) {
        if (strcmp(options[i], option) == 0) {
            return true;
        }
    }
    return false;
}

/* Options that make something else than a program. */
static bool ends_before_link(const char *option)
{
    static const char *const options[] = {"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only"};
    size_t i;

    for (i = 0; i < sizeof options / sizeof *options; i++) {
        if (strcmp(options[i], option) == 0) {
            return true;
        }
    }
    return false;
}

static int compiler_option(options_t *options, int argc, char **argv, int *i)
{
    command_t *command = &options->command;
    const char *option = argv[*i];
    bool parser = is_for_parser(option) || strncmp(option, "-i", 2) == 0;

    append(&command->word, &command->n_words, option);
    options->any_language = options->any_language || strncmp(option, "-x", 2) == 0;
    command->links = command->links && !ends_before_link(option);
    if (parser) {
        append(&command->parser, &command->n_parser, option);
    }
    if (strcmp(option, "-fopenmp") == 0) {
        append(&command->parser, &command->n_parser, "-D_OPENMP=201511");
    }
    if (takes_value(option)) {
        if (++*i >= argc) {
            return wrong_use(option, "needs a value");
        }
        append(&command->word, &command->n_words, argv[*i]);
        if (parser) {
            append(&command->parser, &command->n_parser, argv[*i]);
        }
    }
    return DONE;
}

static int value_option(options_t *options, int argc, char **argv, int *i)
{
    const char *option = argv[*i];

    if (++*i >= argc) {
        return wrong_use(option, "needs a value");
    }
    *(strcmp(option, "-o") == 0 ? &options->command.output : &options->command.emit) = argv[*i];
    return DONE;
}

/* Nothing that can be compiled or linked, and the linker's messages would not name the mistake? */
static bool is_unknown(const char *word)
{
    static const char *const ends[] = {".c", ".o", ".a", ".i", ".s", ".S", ".lo", ".la", ".ld"};
    size_t i;

    for (i = 0; i < sizeof ends / sizeof *ends; i++) {
        if (ends_with(word, ends[i])) {
            return false;
        }
    }
    return !strstr(word, ".so") && word[0] != '@';
}

static void input(options_t *options, const char *word)
{
    if (!options->unknown && is_unknown(word)) {
        options->unknown = word;
    }
    append(&options->command.word, &options->command.n_words, word);
    options->any_input = true;
    if (ends_with(word, ".c")) {
        options->files = tr_grow(options->files, options->n_files, sizeof word);
        options->files[options->n_files++] = word;
    }
}

/* Returns -1 to go on. */
static int read_options(options_t *options, int argc, char **argv)
{
    int i, result = DONE;

    if (argc == 1) {
        fprintf(stderr, "bamboocc: no file; --help shows what there is\n");
        return WRONG_USE;
    }
    for (i = 1; i < argc && result == DONE; i++) {
        const char *word = argv[i];

        if (strcmp(word, "--help") == 0) {
            usage();
            return DONE;
        }
        if (strcmp(word, "--version") == 0) {
            puts("bamboocc " DAME_VERSION);
            return DONE;
        }
        if (strcmp(word, "--refusals") == 0) {
            tr_print_refusals();
            return DONE;
        }
        if (strcmp(word, "-shared") == 0) {
            return wrong_use(word, "all tasks of a process would share the library's variables; "
                                   "make a static one");
        }
        if (strcmp(word, "--check") == 0) {
            options->check = true;
        } else if (strcmp(word, "--reorder") == 0) {
            options->reorder = true;
        } else if (strcmp(word, "-o") == 0 || strcmp(word, "--emit") == 0) {
            result = value_option(options, argc, argv, &i);
        } else if (strncmp(word, "-o", 2) == 0) {
            options->command.output = word + 2;
        } else if (strncmp(word, "--", 2) == 0) {
            return wrong_use(word, "is not an option");
        } else if (word[0] == '-') {
            result = compiler_option(options, argc, argv, &i);
        } else {
            input(options, word);
        }
    }
    return result == DONE ? -1 : result;
}

static int check_options(options_t *options)
{
    if (options->command.emit && !options->reorder) {
        return wrong_use("--emit", "needs --reorder");
    }
    if ((options->command.emit || options->check) && options->n_files == 0) {
        return wrong_use("bamboocc", "no file that ends with .c");
    }
    if (options->unknown && !options->any_language) {
        return wrong_use(options->unknown, "neither C (.c), nor an object, nor a library");
    }
    if (!options->any_input) { /* what the compiler says of itself */
        options->command.links = false;
    }
    return -1;
}

static int compile(const options_t *options)
{
    program_t program = {.part = !options->command.links};
    size_t i;

    for (i = 0; i < options->n_files; i++) {
        if (!tr_read_file(&program, options->files[i], options->command.parser,
                          options->command.n_parser)) {
            return FAILED;
        }
    }
    if (tr_report() > 0) {
        return FAILED;
    }
    tr_analyse(&program);
    tr_place_directives(&program);
    tr_check_directives(&program);
    if (options->reorder && tr_errors() == 0) {
        for (i = 0; i < program.n_files; i++) {
            tr_reorder(&program, program.files[i]);
        }
    }
    if (tr_report() > 0) {
        return FAILED;
    }
    return options->check ? DONE : tr_compile(&program, &options->command);
}

int main(int argc, char **argv)
{
    const char *compiler = getenv("BAMBOO_CC");
    options_t options = {.command = {.links = true}};
    int result;

    if (!compiler || !*compiler || !ask_compiler(&options.command, compiler)) {
        append_words(&options.command.parser, &options.command.n_parser, BAMBOO_CPPFLAGS);
    }
    append(&options.command.parser, &options.command.n_parser, "-Wno-everything");
    result = read_options(&options, argc, argv);
    if (result < 0) {
        result = check_options(&options);
    }
    if (result < 0) {
        guard_start("bamboocc", false);
        result = compile(&options);
    }
    if (fflush(stdout) != 0) {
        fprintf(stderr, "bamboocc: standard output: %s\n", strerror(errno));
        return FAILED;
    }
    return result;
}
