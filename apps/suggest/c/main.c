/* SPDX-License-Identifier: BSD-3-Clause */
/* dame-suggest-c: the front end for C and C++ of `dame suggest`. */
#include "apps/clang/guard.h"
#include "build.h"
#include "site.h"
#include "report.h"
#include "struct_check.h"
#include "struct_code.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#ifndef SUGGEST_MPI_CPPFLAGS
#define SUGGEST_MPI_CPPFLAGS ""
#endif

enum { DONE = 0, SOME_FILE_FAILED = 1, WRONG_USE = 2 };

static void usage(FILE *out)
{
    fputs(
        "Usage: dame suggest [OPTION]... FILE... [-- COMPILER ARGUMENT...]\n"
        "       dame suggest [OPTION]... -- BUILD COMMAND...     all files that it compiles, such "
        "as make -j4\n"
        "       dame suggest --struct NAME FILE... [-- COMPILER ARGUMENT...]\n"
        "\n"
        "Finds loops that pack data for MPI_Send and its kin or unpack received data, and the\n"
        "MPI datatype that moves the data without them; or says why none is certain.\n"
        "Each answer says what it assumes, with a number and a place; several FILEs are one "
        "program.\n"
        "FILE is C or C++.\n"
        "\n"
        "  -p BUILD          take compiler arguments from BUILD/compile_commands.json\n"
        "  --explain         also print shape, access program, count and checks\n"
        "  --measure         print what moving the data takes here: by hand, with Open MPI's own "
        "engine\n"
        "                    and with DAME\n"
        "  --with LIST       sizes to measure with, such as n=64,m=32; others are chosen\n"
        "  --sarif           print SARIF 2.1.0 instead\n"
        "  --patch           print a unified diff that uses the datatypes\n"
        "  --patch=check     print one that keeps the loops and compares their bytes with "
        "MPI_Pack's\n"
        "  --only LINE       only calls in that line\n"
        "  --strict          assume nothing: what the source does not show is refused\n"
        "  --assume distinct assume only that pointers with different names lead to different "
        "memory,\n"
        "                    and that no other code reads the buffers\n"
        "  --evidence FILE   what 'dame record --json' wrote of a run: mark the assumptions that "
        "held in it,\n"
        "                    refuse what it contradicts, list its datatypes for calls without an "
        "answer\n"
        "  --struct NAME     print a function that makes the datatype of this struct or class,\n"
        "                    name on stderr the members that it leaves out, and compare the "
        "datatypes\n"
        "                    that the FILEs make of it with MPI_Type_create_struct\n"
        "\n"
        "With --sarif and --patch, diagnostics go to stderr. Exit code: 0, all files were read; 1, "
        "some\n"
        "file has errors or was not read, or, with --struct, no file has the struct, a member "
        "cannot be sent,\n"
        "or a datatype of it differs from it, or none could be compared; 2, wrong use, or the process "
        "that\nreads the files was ended by a signal or a limit; what it was reading then is left out.\n",
        out);
}

static int wrong_use(const char *argument, const char *what)
{
    fprintf(stderr, "dame suggest: '%s': %s; --help shows what there is\n", argument, what);
    return WRONG_USE;
}

struct words {
    char **word;
    int n;
};

static void add_word(struct words *words, const char *begin, size_t length)
{
    words->word = realloc(words->word, (size_t) (words->n + 1) * sizeof *words->word);
    if (!words->word || !(words->word[words->n] = strndup(begin, length))) {
        c_out_of_memory();
    }
    words->n++;
}

static void split_words(struct words *words, const char *text)
{
    while (*(text += strspn(text, " "))) {
        size_t length = strcspn(text, " ");

        add_word(words, text, length);
        text += length;
    }
}

static void free_words(struct words *words)
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
static bool has_errors(const struct report *report, const struct c_unit *unit)
{
    const struct c_error *error = unit->errors;

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

/* What the analysis of one function says of a call of MPI. Where another function packs for it, AT
 * is the call there of the function that it is in, and each is an answer of its own; else the best
 * is reported. */
struct verdict {
    const struct c_node *call, *at;
    bool receives;
    const struct c_function *function;
    enum site_kind kind;
    bool refused;
    bool own; /* the function has the call itself */
};

struct verdicts {
    struct verdict *verdict;
    size_t n;
};

static struct verdict verdict_of(const struct site *site, const struct c_function *function)
{
    return (struct verdict){site->call,
                            site->at,
                            site->function->receives,
                            function,
                            site->kind,
                            site->refusal != 0,
                            site->run->events[site->event].frame == 0};
}

static int rank(const struct verdict *verdict)
{
    return verdict->kind == SITE_MANY    ? 2
           : verdict->kind != SITE_PACKS ? 0
           : verdict->refused            ? 1
                                         : 2;
}

/* Is it the one to report? */
static bool is_best(const struct verdicts *verdicts, const struct verdict *verdict)
{
    const struct verdict *best = NULL;
    size_t i;

    for (i = 0; i < verdicts->n; i++) {
        const struct verdict *other = &verdicts->verdict[i];

        if (other->call != verdict->call || other->receives != verdict->receives) {
            continue;
        }
        if (other->at != verdict->at) { /* packing elsewhere says more than none here */
            if (verdict->at == verdict->call && rank(other) > 0 && rank(verdict) == 0) {
                return false;
            }
            continue;
        }
        if (!best || rank(other) > rank(best) ||
            (rank(other) == rank(best) && other->own && !best->own)) {
            best = other;
        }
    }
    return best && best->function == verdict->function && rank(best) == rank(verdict);
}

struct visit {
    struct report *report;
    struct verdicts verdicts;
    bool reports; /* the second time; the first one collects verdicts */
};

static void add_verdict(struct verdicts *verdicts, struct verdict verdict)
{
    verdicts->verdict = realloc(verdicts->verdict, (verdicts->n + 1) * sizeof *verdicts->verdict);
    if (!verdicts->verdict) {
        c_out_of_memory();
    }
    verdicts->verdict[verdicts->n++] = verdict;
}

/* Has the function something to report? What does not pack is only counted. */
static bool is_reported(const struct verdicts *verdicts, const struct c_function *function)
{
    size_t i;

    for (i = 0; i < verdicts->n; i++) {
        const struct verdict *verdict = &verdicts->verdict[i];

        if (verdict->function == function &&
            (!verdict->call || (rank(verdict) > 0 && is_best(verdicts, verdict)))) {
            return true;
        }
    }
    return false;
}

static void visit_function(struct visit *visit, struct c_unit *unit,
                           const struct c_function *function)
{
    struct report *report = visit->report;
    const char *ended = guard_ended(unit->path, function->symbol->name);
    struct run *run;
    struct site *sites = NULL;
    size_t n, j;

    if (ended) {
        if (visit->reports) {
            report_procedure(report, unit, function->body->span.line, function->symbol->name,
                             ended);
        }
        return;
    }
    guard_at(unit->path, function->symbol->name);
    run = run_function(unit, function, report->level);
    n = run->refused ? 0 : site_find(run, &sites);
    if (run->refused && visit->reports) {
        report_unfollowed(report, run);
    } else if (run->refused) {
        add_verdict(&visit->verdicts, (struct verdict){.function = function});
    }
    for (j = 0; j < n; j++) {
        struct verdict verdict;

        if (report->evidence) {
            evidence_judge(report->evidence, &sites[j]);
        }
        verdict = verdict_of(&sites[j], function);
        if (!visit->reports) {
            add_verdict(&visit->verdicts, verdict);
        } else {
            sites[j].skipped = rank(&verdict) == 0 ||
                               (report->only && sites[j].call->span.line != report->only) ||
                               !is_best(&visit->verdicts, &verdict);
        }
    }
    if (visit->reports) {
        report_function(report, run, sites, n);
    }
    for (j = 0; j < n; j++) {
        site_free(&sites[j]);
    }
    free(sites);
    run_free(run);
}

static void visit_unit(struct visit *visit, struct c_unit *unit)
{
    size_t i;

    if (visit->reports) {
        report_begin_file(visit->report, unit);
    }
    for (i = 0; i < unit->n_functions; i++) {
        if (run_has_mpi(unit->functions[i].body) &&
            (!visit->reports || is_reported(&visit->verdicts, &unit->functions[i]) ||
             guard_ended(unit->path, unit->functions[i].symbol->name))) {
            visit_function(visit, unit, &unit->functions[i]);
        }
        visit->report->seen +=
            visit->reports ? site_calls(visit->report->level, unit->functions[i].body) : 0;
    }
    if (visit->reports) {
        report_end_file(visit->report, unit);
    }
}

/* Each function twice: which function says most about a call is known only when all were seen. */
static void analyse(struct report *report, struct c_unit **units, size_t n)
{
    struct visit visit = {.report = report};
    size_t i;

    for (i = 0; i < n; i++) {
        c_lower_pack(units[i]);
        c_find_uses(units[i]);
        c_find_owners(units[i]);
    }
    if (report->level == RUN_TRUSTING) {
        c_link(units, n);
        for (i = 0; i < n; i++) {
            c_find_callers(units[i]);
        }
    }
    for (i = 0; i < 2 * n; i++) {
        visit.reports = i >= n;
        visit_unit(&visit, units[i % n]);
    }
    for (i = 0; i < visit.verdicts.n; i++) {
        const struct verdict *verdict = &visit.verdicts.verdict[i];

        if (verdict->call && rank(verdict) == 0 && is_best(&visit.verdicts, verdict)) {
            *(verdict->kind == SITE_DIRECT ? &report->direct : &report->computed) += 1;
        }
    }
    free(visit.verdicts.verdict);
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
struct wanted {
    const char *name; /* NULL: datatypes of loops are wanted */
    bool found;
};

/* The code is printed once; the datatypes that each file makes are compared. */
static bool suggest_struct(struct wanted *wanted, struct c_unit *unit, const struct layout *layout,
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

/* Adds a file to the units; a struct is reported at once. */
static bool read_file(struct report *report, const char *path, const char *build,
                      const struct words *flags, struct wanted *wanted, struct c_unit **units,
                      size_t *n)
{
    struct words arguments = {0};
    const struct layout *layout = NULL;
    const char *problem = NULL;
    char **given = NULL;
    struct c_unit *unit;
    int n_given = 0, i;
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
    if (build && (n_given = c_database(build, path, &given)) < 0) {
        return false;
    }
    for (i = 0; i < n_given; i++) {
        add_word(&arguments, given[i], strlen(given[i]));
    }
    for (i = 0; i < flags->n; i++) {
        add_word(&arguments, flags->word[i], strlen(flags->word[i]));
    }
    split_words(&arguments, SUGGEST_MPI_CPPFLAGS);
    c_database_free(given, n_given);
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

int main(int argc, char **argv)
{
    struct report report = {.out = stdout, .level = RUN_TRUSTING};
    struct words files = {0}, flags = {0};
    struct wanted wanted = {0};
    struct c_unit **units;
    size_t n_units = 0;
    const char *build = NULL, *evidence = NULL;
    char **command = NULL, **built = NULL, *watched = NULL;
    int n_built = 0;
    bool fine = true;
    int i;

    if (argc == 3 && strcmp(argv[1], "--") == 0 && strcmp(argv[2], "--help") == 0) {
        usage(stdout); /* what dame(1) leaves to its front ends */
        return DONE;
    }
    for (i = 1; i < argc; i++) {
        const char *argument = argv[i];

        if (strcmp(argument, "--") == 0 && files.n == 0 && i + 1 < argc) {
            command = argv + i + 1;
            break;
        }
        if (strcmp(argument, "--") == 0) {
            for (i++; i < argc; i++) {
                add_word(&flags, argv[i], strlen(argv[i]));
            }
        } else if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0) {
            /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): the process ends */
            usage(stdout);
            return DONE;
        } else if (strcmp(argument, "-p") == 0 || strcmp(argument, "--only") == 0 ||
                   strcmp(argument, "--assume") == 0 || strcmp(argument, "--with") == 0 ||
                   strcmp(argument, "--struct") == 0 || strcmp(argument, "--evidence") == 0) {
            if (++i == argc) {
                return wrong_use(argument, "needs a value");
            }
            if (argument[1] == 'p') {
                build = argv[i];
            } else if (strcmp(argument, "--with") == 0) {
                report.with = argv[i];
            } else if (strcmp(argument, "--struct") == 0) {
                wanted.name = argv[i];
            } else if (strcmp(argument, "--evidence") == 0) {
                evidence = argv[i];
            } else if (strcmp(argument, "--only") == 0) {
                char *end;

                report.only = strtoul(argv[i], &end, 10);
                if (*end || report.only == 0) {
                    return wrong_use(argv[i], "--only takes the number of a line");
                }
            } else if (strcmp(argv[i], "distinct") == 0) {
                report.level = RUN_DISTINCT;
            } else {
                return wrong_use(argv[i], "--assume takes the word distinct");
            }
        } else if (strcmp(argument, "--strict") == 0) {
            report.level = RUN_STRICT;
        } else if (strcmp(argument, "--measure") == 0) {
            report.measure = true;
        } else if (strcmp(argument, "--explain") == 0) {
            report.explain = true;
        } else if (strcmp(argument, "--sarif") == 0) {
            report.sarif = true;
        } else if (strcmp(argument, "--patch") == 0) {
            report.patch = PATCH_TYPES;
        } else if (strcmp(argument, "--patch=check") == 0) {
            report.patch = PATCH_CHECK;
        } else if (argument[0] == '-') {
            return wrong_use(argument, "is not an option");
        } else {
            add_word(&files, argument, strlen(argument));
        }
    }
    if (files.n == 0 && !command) {
        /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): the process ends */
        fprintf(stderr, "dame suggest: no file; --help shows what there is\n");
        return WRONG_USE;
    }
    if (report.sarif && report.patch) {
        return wrong_use("--sarif", "not together with --patch");
    }
    if (wanted.name &&
        (report.sarif || report.patch || report.measure || report.only || evidence)) {
        return wrong_use("--struct",
                         "not together with --sarif, --patch, --measure, --only or --evidence");
    }
    if (command) {
        build = watched = build_watch(command, &built, &n_built);
        if (!build) {
            return SOME_FILE_FAILED;
        }
        for (i = 0; i < n_built; i++) {
            add_word(&files, built[i], strlen(built[i]));
        }
    }
    if (evidence && !(report.evidence = evidence_read(evidence))) {
        return SOME_FILE_FAILED;
    }
    guard_start("dame suggest", true);
    report_begin(&report);
    units = calloc((size_t) files.n, sizeof *units);
    if (!units) {
        c_out_of_memory();
    }
    for (i = 0; i < files.n; i++) {
        fine &= read_file(&report, files.word[i], build, &flags, &wanted, units, &n_units);
    }
    if (wanted.name && !wanted.found) {
        fprintf(stderr, "dame suggest: %s: no struct of this name was found\n", wanted.name);
        fine = false;
    }
    if (n_units > 0) {
        analyse(&report, units, n_units);
    }
    while (n_units > 0) {
        c_unit_free(units[--n_units]);
    }
    free(units);
    if (!wanted.name) {
        report_end(&report);
    }
    evidence_free(report.evidence);
    free_words(&files);
    free_words(&flags);
    if (watched) {
        build_free(watched, built, n_built);
    }
    if (fflush(stdout) != 0 || ferror(stdout) != 0) {
        fprintf(stderr, "dame suggest: standard output: write error\n");
        return SOME_FILE_FAILED;
    }
    return fine && !report.failed ? DONE : SOME_FILE_FAILED;
}
