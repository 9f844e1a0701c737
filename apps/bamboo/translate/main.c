/* SPDX-License-Identifier: BSD-3-Clause */
/* bamboocc: compiles annotated MPI programs to tasks. */
#include "translate.h"
#include "apps/clang/guard.h"
#include "dame_config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DONE = 0, FAILED = 1, WRONG_USE = 2, DEFAULT_VF = 64, MOST_VF = 65536 };

struct options {
    struct command command;
    bool check, reorder, reorder_only;
    const char **files;
    size_t n_files;
    int vf_max;
};

static void usage(void)
{
    fputs(
        "Usage: bamboocc [OPTION]... FILE.c...\n"
        "\n"
        "Compiles a C program that calls MPI so that each of its ranks is a task, several in each\n"
        "process, which compute while others wait. All files of the program are named together.\n"
        "\n"
        "  -o PROGRAM      where to put the program, or with -c the object (default: a.out)\n"
        "  -c              compile, do not link\n"
        "  --emit DIR      write the translated files into DIR, and do not compile them\n"
        "  --check         report errors only\n"
        "  --reorder       in regions, move sends before receives where neither needs the other\n"
        "  --reorder-only  with --emit: write the reordered MPI program, not its translation\n"
        "  --vf-max N      most tasks in a process, from 1 to 65536: variables of tasks are "
        "arrays\n"
        "                  of N elements (default: 64)\n"
        "  --refusals      list refusals by number\n"
        "  --help, --version\n"
        "\n"
        "Other options are the compiler's. The program takes --vf N: the tasks in each process.\n"
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
static bool ask_compiler(struct command *command, const char *compiler)
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

static int compiler_option(struct options *options, int argc, char **argv, int *i)
{
    struct command *command = &options->command;
    const char *option = argv[*i];
    bool parser = is_for_parser(option) || strncmp(option, "-i", 2) == 0;

    append(&command->compiler, &command->n_compiler, option);
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
        append(&command->compiler, &command->n_compiler, argv[*i]);
        if (parser) {
            append(&command->parser, &command->n_parser, argv[*i]);
        }
    }
    return DONE;
}

static int value_option(struct options *options, int argc, char **argv, int *i)
{
    const char *option = argv[*i], *value;
    char *end;
    long number;

    if (++*i >= argc) {
        return wrong_use(option, "needs a value");
    }
    value = argv[*i];
    if (strcmp(option, "-o") == 0) {
        options->command.output = value;
    } else if (strcmp(option, "--emit") == 0) {
        options->command.emit = value;
    } else {
        errno = 0;
        number = strtol(value, &end, 10);
        if (end == value || *end || errno || number < 1 || number > MOST_VF) {
            return wrong_use(value, "--vf-max takes a number from 1 to 65536");
        }
        options->vf_max = (int) number;
    }
    return DONE;
}

/* Returns -1 to go on. */
static int read_options(struct options *options, int argc, char **argv)
{
    int i, result = DONE;

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
        if (strcmp(word, "--check") == 0) {
            options->check = true;
        } else if (strcmp(word, "--reorder") == 0) {
            options->reorder = true;
        } else if (strcmp(word, "--reorder-only") == 0) {
            options->reorder = options->reorder_only = true;
        } else if (strcmp(word, "-o") == 0 || strcmp(word, "--emit") == 0 ||
                   strcmp(word, "--vf-max") == 0) {
            result = value_option(options, argc, argv, &i);
        } else if (strcmp(word, "-c") == 0) {
            options->command.compile_only = true;
        } else if (strncmp(word, "--", 2) == 0) {
            return wrong_use(word, "is not an option");
        } else if (word[0] == '-' && word[1]) {
            result = compiler_option(options, argc, argv, &i);
        } else if (ends_with(word, ".c")) {
            options->files = tr_grow(options->files, options->n_files, sizeof word);
            options->files[options->n_files++] = word;
        } else {
            append(&options->command.compiler, &options->command.n_compiler, word);
        }
    }
    return result == DONE ? -1 : result;
}

static int check_options(const struct options *options)
{
    if (options->n_files == 0) {
        return wrong_use("bamboocc", "no file that ends with .c");
    }
    if (options->reorder_only && !options->command.emit) {
        return wrong_use("--reorder-only", "needs --emit DIR");
    }
    if (options->command.compile_only && options->command.output && options->n_files > 1) {
        return wrong_use("-o", "names one object, and there are several files");
    }
    return -1;
}

/* Reads all files, with TEXTS in place of those that are not NULL. */
static bool read_files(struct program *program, const struct options *options, const char **texts)
{
    size_t i;

    for (i = 0; i < options->n_files; i++) {
        if (!tr_read_file(program, options->files[i], texts ? texts[i] : NULL,
                          options->command.parser, options->command.n_parser)) {
            return false;
        }
    }
    return true;
}

/* The program again, from its reordered text. The directives have been read. */
static bool read_reordered(struct program *program, const struct options *options)
{
    const char **texts = tr_alloc(options->n_files * sizeof *texts);
    struct program again = {
        .vf_max = program->vf_max, .vf_text = program->vf_text, .dimensions = program->dimensions};
    size_t i;

    for (i = 0; i < program->n_files; i++) {
        texts[i] = tr_reorder(program, program->files[i]);
        if (options->reorder_only) {
            program->files[i]->translation = texts[i];
        }
    }
    if (options->reorder_only) {
        return true;
    }
    if (!read_files(&again, options, texts)) {
        return false;
    }
    again.directives = program->directives;
    again.n_directives = program->n_directives;
    tr_analyse(&again);
    tr_plan_frames(&again);
    *program = again;
    return true;
}

static int translate(const struct options *options)
{
    struct program program = {.vf_max = options->vf_max ? options->vf_max : DEFAULT_VF};
    size_t i;

    program.vf_text = options->vf_max ? tr_format("%d", options->vf_max) : "BAMBOO_MAX_VF";
    if (!read_files(&program, options, NULL) || tr_report() > 0) {
        return FAILED;
    }
    tr_analyse(&program);
    tr_place_directives(&program);
    tr_check_directives(&program);
    tr_plan_frames(&program);
    tr_check_program(&program);
    if (options->reorder) {
        if (tr_errors() == 0 && !read_reordered(&program, options)) {
            return FAILED;
        }
        if (options->reorder_only && tr_errors() == 0) {
            tr_report();
            return tr_finish(&program, &options->command);
        }
    }
    if (program.main) {
        for (i = 0; i < program.n_files; i++) {
            tr_translate_file(&program, program.files[i]);
        }
    }
    if (tr_report() > 0) {
        return FAILED;
    }
    return options->check ? DONE : tr_finish(&program, &options->command);
}

int main(int argc, char **argv)
{
    const char *compiler = getenv("BAMBOO_CC");
    struct options options = {0};
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
        guard_start("bamboocc");
        result = translate(&options);
    }
    if (fflush(stdout) != 0) {
        fprintf(stderr, "bamboocc: standard output: %s\n", strerror(errno));
        return FAILED;
    }
    return result;
}
