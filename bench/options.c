/* SPDX-License-Identifier: BSD-3-Clause */
#include "options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/lib/turns.h"

static bool known_selector(const char *selector)
{
    for (int l = 0; l < layouts_count(); l++) {
        if (layouts_match(layouts_get(l), selector)) {
            return true;
        }
    }
    return false;
}

static bool add_selector(struct options *options, const char *value)
{
    if (value == NULL || !known_selector(value)) {
        fprintf(stderr,
                "%s: --layout '%s': not the name or the family of a layout; --list shows them\n",
                options->program, value == NULL ? "" : value);
        return false;
    }
    if (options->selectors == OPTIONS_MAX_SELECTORS) {
        fprintf(stderr, "%s: --layout '%s': at most %d times\n", options->program, value,
                OPTIONS_MAX_SELECTORS);
        return false;
    }
    options->selector[options->selectors++] = value;
    return true;
}

static bool set_fragment(struct options *options, const char *value)
{
    enum { LARGEST = 1 << 30 };
    char *end;
    const long bytes = value == NULL ? 0 : strtol(value, &end, 10);

    if (value == NULL || end == value || *end != '\0' || bytes < 1 || bytes > LARGEST) {
        fprintf(stderr, "%s: --fragment '%s': a number of bytes from 1 to %d is allowed\n",
                options->program, value == NULL ? "" : value, LARGEST);
        return false;
    }
    options->fragment = bytes;
    return true;
}

static bool set_places(struct options *options, const char *value)
{
    static const struct {
        const char *name;
        unsigned places;
    } names[] = {{"on", OPTIONS_ON}, {"off", OPTIONS_OFF}, {"both", OPTIONS_ON | OPTIONS_OFF}};

    for (int i = 0; i < 3; i++) {
        if (value != NULL && strcmp(value, names[i].name) == 0) {
            options->places = names[i].places;
            return true;
        }
    }
    fprintf(stderr, "%s: --place '%s': on, off or both is allowed\n", options->program,
            value == NULL ? "" : value);
    return false;
}

static bool set_cold(struct options *options, const char *value)
{
    options->cold = value;
    if (value != NULL && (strcmp(value, "data") == 0 || strcmp(value, "all") == 0)) {
        return true;
    }
    fprintf(stderr, "%s: --cold '%s': data or all is allowed\n", options->program,
            value == NULL ? "" : value);
    return false;
}

bool options_read(struct options *options, int argc, char **argv)
{
    *options = (struct options){.fragment = options->fragment, .places = options->places};
    options->program = strrchr(argv[0], '/') != NULL ? strrchr(argv[0], '/') + 1 : argv[0];
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--layout") == 0) {
            i++;
            if (!add_selector(options, i < argc ? argv[i] : NULL)) {
                return false;
            }
        } else if (strcmp(argv[i], "--fragment") == 0 && options->fragment != 0) {
            i++;
            if (!set_fragment(options, i < argc ? argv[i] : NULL)) {
                return false;
            }
        } else if (strcmp(argv[i], "--place") == 0 && options->places != 0) {
            i++;
            if (!set_places(options, i < argc ? argv[i] : NULL)) {
                return false;
            }
        } else if (strcmp(argv[i], "--warm") == 0 && options->places != 0 && i + 1 < argc) {
            options->warm = strtol(argv[++i], NULL, 10);
        } else if (strcmp(argv[i], "--limit") == 0 && options->places != 0) {
            options->limit = true;
        } else if (strcmp(argv[i], "--cold") == 0 && options->places != 0) {
            i++;
            if (!set_cold(options, i < argc ? argv[i] : NULL)) {
                return false;
            }
        } else if (strcmp(argv[i], "--short") == 0) {
            options->flags |= LAYOUT_SHORT;
        } else if (strcmp(argv[i], "--quick") == 0) {
            options->flags |= LAYOUT_QUICK;
        } else if (strcmp(argv[i], "--anchors") == 0) {
            options->flags |= LAYOUT_ANCHOR;
        } else if (strcmp(argv[i], "--list") == 0) {
            options->list = true;
        } else {
            fprintf(stderr,
                    "%s: '%s' is not an option; allowed: --layout NAME, --quick, --anchors, "
                    "--short, --list%s%s\n",
                    options->program, argv[i], options->fragment != 0 ? ", --fragment BYTES" : "",
                    options->places != 0 ? ", --place on|off|both" : "");
            return false;
        }
    }
    return true;
}

bool options_select(const struct options *options, const struct layout_spec *spec)
{
    if ((options->flags & spec->flags) != 0) {
        return true;
    }
    for (int i = 0; i < options->selectors; i++) {
        if (layouts_match(spec, options->selector[i])) {
            return true;
        }
    }
    return options->flags == 0 && options->selectors == 0 &&
           (spec->flags & (LAYOUT_SHORT | LAYOUT_SERIES)) == 0;
}

void options_list(const struct options *options)
{
    for (int l = 0; l < layouts_count(); l++) {
        const struct layout_spec *spec = layouts_get(l);
        struct layout *layout;
        if (!options_select(options, spec)) {
            continue;
        }
        layout = layout_create(spec, LAYOUT_ON_LINE);
        printf("%-26s %-18s %9zu%s%s\n", spec->name, spec->family, layout->bytes,
               spec->flags & LAYOUT_ANCHOR ? " anchor" : "",
               spec->flags & LAYOUT_QUICK ? " quick" : "");
        layout_free(layout);
    }
}

static void join(void)
{
    int rank, ranks;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    turns_join(rank, ranks);
}

int options_run(struct options *options, int argc, char **argv,
                void (*prepare)(const struct options *options),
                void (*measure)(const struct layout_spec *spec, enum layout_place place))
{
    const bool good = options_read(options, argc, argv);

    join();
    if (good && options->list) {
        options_list(options);
    } else if (good && prepare != NULL) {
        prepare(options);
    }
    for (int l = 0; good && !options->list && l < layouts_count(); l++) {
        for (int place = LAYOUT_ON_LINE; place <= LAYOUT_OFF_LINE; place++) {
            const bool once = options->places == 0 && place == LAYOUT_ON_LINE;
            if (options_select(options, layouts_get(l)) && (once || options->places >> place & 1)) {
                measure(layouts_get(l), (enum layout_place) place);
            }
        }
    }
    turns_leave();
    MPI_Finalize();
    return good ? 0 : 2;
}

double bench_now(void)
{
    return MPI_Wtime();
}

double bench_resident(void)
{
    long total, pages = 0;
    FILE *statm = fopen("/proc/self/statm", "r");

    if (statm == NULL) {
        return NAN;
    }
    if (fscanf(statm, "%ld %ld", &total, &pages) != 2) {
        pages = 0;
    }
    fclose(statm);
    return (double) pages * (double) sysconf(_SC_PAGESIZE);
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *) a, y = *(const double *) b;

    return (x > y) - (x < y);
}

double bench_median(double *values, int n)
{
    qsort(values, (size_t) n, sizeof(*values), compare);
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

double bench_undisturbed(double *values, int n)
{
    qsort(values, (size_t) n, sizeof(*values), compare);
    return values[(n - 1) / 4];
}

void bench_fail(const struct layout *layout, const char *what)
{
    fprintf(stderr, "%s: %s gives wrong bytes\n", layout->spec->name, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}
