/* SPDX-License-Identifier: BSD-3-Clause */
/* dame-suggest-c: the front end for C and C++ of `dame suggest`. */
#include "analyse.h"
#include "shared/clang/guard.h"
#include "build.h"
#include "struct_check.h"
#include "struct_code.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#ifndef SUGGEST_MPI_CPPFLAGS
#define SUGGEST_MPI_CPPFLAGS ""
#endif

enum { DONE = 0, SOME_FILE_FAILED = 1, WRONG_USE = 2 };

static int wrong_use(const char *argument, const char *what)
{
    fprintf(stderr, "dame suggest: '%s': %s; 'dame suggest --help' shows the options\n", argument,
            what);
    return WRONG_USE;
}

typedef struct words {
    char **word;
    int n;
} words_t;

static void add_word(words_t *words, const char *begin, size_t length)
{
    words->word = c_resize(words->word, words->n + 1, sizeof *words->word);
    words->word[words->n++] = c_checked(strndup(begin, length));
}

static void split_words(words_t *words, const char *text)
{
    while (*(text += strspn(text, " "))) {
        size_t length = strcspn(text, " ");

        add_word(words, text, length);
        text += length;
    }
}

static void free_words(words_t *words)
{
    int i;

    for (i = 0; i < words->n; i++) {
        free(words->word[i]);
    }
    free(words->word);
}

static bool is_regular(const char *path)
{
    struct stat status;

    if (stat(path, &status) != 0) {
        fprintf(stderr, "dame suggest: %s: %s\n", path, strerror(errno));
        return false;
    }
    if (!S_ISREG(status.st_mode)) {
        fprintf(stderr, "dame suggest: %s: %s\n", path,
                S_ISDIR(status.st_mode) ? "is a directory" : "is not a regular file");
        return false;
    }
    return true;
}

/* One clear message for a file that the compiler would not take either. */
static bool has_errors(const report_t *report, const c_unit_t *unit)
{
    const c_error_t *error = unit->errors;

    if (unit->n_errors == 0) {
        return false;
    }
    fprintf(stderr, "%s:%u:%u: error: %s", *error->file ? error->file : unit->path, error->line,
            error->column, error->text);
    if (unit->n_errors > 1) {
        fprintf(stderr, " (and %zu more)", unit->n_errors - 1);
    }
    fprintf(stderr,
            "\ndame suggest: %s: %s; give its compiler arguments with -p BUILD or after --\n",
            unit->path,
            report->level == RUN_TRUSTING ? "analysed as far as it is understood" : "not analysed");
    return true;
}

static bool is_fortran(const char *path)
{
    static const char *const endings[] = {".f",   ".for", ".f77", ".ftn",
                                          ".f90", ".f95", ".f03", ".f08"};
    const char *dot = strrchr(path, '.');
    size_t i;

    for (i = 0; dot && i < sizeof endings / sizeof *endings; i++) {
        if (strcasecmp(dot, endings[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* The datatype of a struct. */
typedef struct wanted {
    const char *name; /* NULL: datatypes of loops are wanted */
    bool found;
} wanted_t;

/* The code is printed once; the datatypes that each file makes are compared. */
static bool suggest_struct(wanted_t *wanted, c_unit_t *unit, const layout_t *layout,
                           const char *problem)
{
    bool fine = true;

    if (!layout) {
        fprintf(stderr, "dame suggest: %s: %s is %s\n", unit->path, wanted->name, problem);
        wanted->found = true;
        return false;
    }
    if (!wanted->found) {
        fine = struct_complain(stderr, unit->memory, layout) == 0;
        struct_code(stdout, unit->memory, layout);
        wanted->found = true;
    }
    return struct_check(stderr, unit, layout) == 0 && fine;
}

/* The compiler's arguments for a file: the build's, the user's, MPI's. false after a message. */
static bool add_arguments(words_t *arguments, const char *path, const char *build,
                          const words_t *flags)
{
    char **given = NULL;
    int n = build ? c_database(build, path, &given) : 0, i;

    for (i = 0; i < n; i++) {
        add_word(arguments, given[i], strlen(given[i]));
    }
    for (i = 0; i < flags->n; i++) {
        add_word(arguments, flags->word[i], strlen(flags->word[i]));
    }
    split_words(arguments, SUGGEST_MPI_CPPFLAGS);
    c_database_free(given, n);
    return n >= 0;
}

/* Adds a file to the units; a struct is reported at once. */
static bool read_file(report_t *report, const char *path, const char *build, const words_t *flags,
                      wanted_t *wanted, c_unit_t **units, size_t *n)
{
    words_t arguments = {0};
    const layout_t *layout = NULL;
    const char *problem = NULL;
    c_unit_t *unit;
    bool fine, found = false;

    if (guard_ended(path, NULL) || !is_regular(path)) {
        return false;
    }
    guard_at(path, NULL);
    if (is_fortran(path)) {
        fprintf(stderr,
                "dame suggest: %s: Fortran is not read; 'dame record' finds the datatypes of its "
                "loops in a run\n",
                path);
        return false;
    }
    if (!add_arguments(&arguments, path, build, flags)) {
        return false;
    }
    unit = wanted->name ? layout_parse(path, (const char *const *) arguments.word, arguments.n,
                                       wanted->name, &layout, &problem, &found)
                        : c_parse(path, (const char *const *) arguments.word, arguments.n);
    free_words(&arguments);
    if (!unit) {
        fprintf(stderr, "dame suggest: %s: cannot be read as C\n", path);
        return false;
    }
    fine = !has_errors(report, unit);
    if (wanted->name) {
        fine &= !found || suggest_struct(wanted, unit, layout, problem);
        c_unit_free(unit);
    } else if (fine || report->level == RUN_TRUSTING) {
        units[(*n)++] = unit;
    } else {
        c_unit_free(unit);
    }
    return fine;
}

/* ---- the command line ---- */

typedef struct options {
    report_t report;
    wanted_t wanted;
    const char *build, *evidence;
    words_t files, flags;
    char **command; /* of a build; NULL: files are given */
} options_t;

enum { GO_ON = -1 };

/* Those that have a name; those of a letter are that letter. */
enum {
    OPTION_WITH = 256,
    OPTION_STRUCT,
    OPTION_EVIDENCE,
    OPTION_ONLY,
    OPTION_STRICT,
    OPTION_MEASURE,
    OPTION_EXPLAIN,
    OPTION_SARIF,
    OPTION_PATCH,
};

/* Returns GO_ON, or an exit code. */
static int take_option(options_t *options, int option)
{
    char *end;

    switch (option) {
    case 'p':
        options->build = optarg;
        break;
    case OPTION_WITH:
        options->report.with = optarg;
        break;
    case OPTION_STRUCT:
        options->wanted.name = optarg;
        break;
    case OPTION_EVIDENCE:
        options->evidence = optarg;
        break;
    case OPTION_ONLY:
        options->report.only = strtoul(optarg, &end, 10);
        if (*end || options->report.only == 0) {
            return wrong_use(optarg, "--only takes the number of a line");
        }
        break;
    case OPTION_STRICT:
        options->report.level = RUN_STRICT;
        break;
    case OPTION_MEASURE:
        options->report.measure = true;
        break;
    case OPTION_EXPLAIN:
        options->report.explain = true;
        break;
    case OPTION_SARIF:
        options->report.sarif = true;
        break;
    case OPTION_PATCH:
        options->report.patch = optarg ? PATCH_CHECK : PATCH_TYPES;
        if (optarg && strcmp(optarg, "check") != 0) {
            return wrong_use(optarg, "--patch takes =check or nothing");
        }
        break;
    }
    return GO_ON;
}

/* Reads the options before "--". Returns GO_ON, or an exit code. */
static int take_options(int argc, char **argv, options_t *options)
{
    static const struct option longs[] = {{"with", required_argument, NULL, OPTION_WITH},
                                          {"struct", required_argument, NULL, OPTION_STRUCT},
                                          {"only", required_argument, NULL, OPTION_ONLY},
                                          {"evidence", required_argument, NULL, OPTION_EVIDENCE},

                                          {"strict", no_argument, NULL, OPTION_STRICT},
                                          {"measure", no_argument, NULL, OPTION_MEASURE},
                                          {"explain", no_argument, NULL, OPTION_EXPLAIN},
                                          {"sarif", no_argument, NULL, OPTION_SARIF},
                                          {"patch", optional_argument, NULL, OPTION_PATCH},
                                          {NULL, 0, NULL, 0}};
    int option, code;

    opterr = 0;
    while ((option = getopt_long(argc, argv, ":p:", longs, NULL)) != -1) {
        if (option == ':') {
            return wrong_use(argv[optind - 1], "needs a value");
        }
        if (option == '?') {
            const char letter[] = {'-', (char) optopt, '\0'};

            return wrong_use(optopt > 0 && optopt < 256 ? letter : argv[optind - 1],
                             optopt < 256 ? "is not an option" : "takes no value");
        }
        code = take_option(options, option);
        if (code != GO_ON) {
            return code;
        }
    }
    return GO_ON;
}

static int check_options(const options_t *options)
{
    const report_t *report = &options->report;

    if (options->files.n == 0 && !options->command) {
        fprintf(stderr, "dame suggest: no file; 'dame suggest --help' says more\n");
        return WRONG_USE;
    }
    if (report->sarif && report->patch) {
        return wrong_use("--sarif", "not together with --patch");
    }
    if (options->wanted.name &&
        (report->sarif || report->patch || report->measure || report->only || options->evidence)) {
        return wrong_use("--struct",
                         "not together with --sarif, --patch, --measure, --only or --evidence");
    }
    return GO_ON;
}

/* Behind "--" are arguments of the compiler, or without files a command. */
static int read_command_line(int argc, char **argv, options_t *options)
{
    int end, code, i;

    for (end = 1; end < argc && strcmp(argv[end], "--") != 0; end++) {
    }
    code = take_options(end, argv, options);
    if (code != GO_ON) {
        return code;
    }
    for (i = optind; i < end; i++) {
        add_word(&options->files, argv[i], strlen(argv[i]));
    }
    if (options->files.n == 0 && end + 1 < argc) {
        options->command = argv + end + 1;
    } else {
        for (i = end + 1; i < argc; i++) {
            add_word(&options->flags, argv[i], strlen(argv[i]));
        }
    }
    return check_options(options);
}

/* ---- all of it ---- */

/* Reads all files, and reports. false: a file was not read, or has errors. */
static bool read_files(options_t *options)
{
    report_t *report = &options->report;
    c_unit_t **units = c_checked(calloc((size_t) options->files.n + 1, sizeof *units));
    size_t n_units = 0;
    bool fine = true;
    int i;

    report_begin(report);
    for (i = 0; i < options->files.n; i++) {
        fine &= read_file(report, options->files.word[i], options->build, &options->flags,
                          &options->wanted, units, &n_units);
    }
    if (options->wanted.name && !options->wanted.found) {
        fprintf(stderr, "dame suggest: %s: no struct of this name was found\n",
                options->wanted.name);
        fine = false;
    }
    if (n_units > 0) {
        analyse(report, units, n_units);
    }
    while (n_units > 0) {
        c_unit_free(units[--n_units]);
    }
    free(units);
    if (!options->wanted.name) {
        report_end(report);
    }
    return fine && !report->failed;
}

int main(int argc, char **argv)
{
    options_t options = {.report = {.out = stdout, .level = RUN_TRUSTING}};
    char *watched = NULL, **built = NULL;
    int n_built = 0, code, i;
    bool fine;

    code = read_command_line(argc, argv, &options);
    if (code != GO_ON) {
        /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): the process ends */
        return code;
    }
    if (options.command) {
        options.build = watched = build_watch(options.command, &built, &n_built);
        if (!watched) {
            return SOME_FILE_FAILED;
        }
        for (i = 0; i < n_built; i++) {
            add_word(&options.files, built[i], strlen(built[i]));
        }
    }
    if (options.evidence && !(options.report.evidence = evidence_read(options.evidence))) {
        return SOME_FILE_FAILED;
    }
    guard_start("dame suggest", true);
    fine = read_files(&options);
    evidence_free(options.report.evidence);
    free_words(&options.files);
    free_words(&options.flags);
    if (watched) {
        build_free(watched, built, n_built);
    }
    if (fflush(stdout) != 0 || ferror(stdout) != 0) {
        fprintf(stderr, "dame suggest: standard output: write error\n");
        return SOME_FILE_FAILED;
    }
    return fine ? DONE : SOME_FILE_FAILED;
}
