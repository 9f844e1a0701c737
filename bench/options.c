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
    if (NULL == value || !known_selector(value)) {
        fprintf(stderr,
                "%s: --layout '%s': not the name or the family of a layout; --list shows them\n",
                options->program, NULL == value ? "" : value);
        return false;
    }
    if (OPTIONS_MAX_SELECTORS == options->selectors) {
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
    const long bytes = NULL == value ? 0 : strtol(value, &end, 10);

    if (NULL == value || end == value || '\0' != *end || bytes < 1 || bytes > LARGEST) {
        fprintf(stderr, "%s: --fragment '%s': a number of bytes from 1 to %d is allowed\n",
                options->program, NULL == value ? "" : value, LARGEST);
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
        if (NULL != value && 0 == strcmp(value, names[i].name)) {
            options->places = names[i].places;
            return true;
        }
    }
    fprintf(stderr, "%s: --place '%s': on, off or both is allowed\n", options->program,
            NULL == value ? "" : value);
    return false;
}

static bool set_cold(struct options *options, const char *value)
{
    options->cold = value;
    if (NULL != value && (0 == strcmp(value, "data") || 0 == strcmp(value, "all"))) {
        return true;
    }
    fprintf(stderr, "%s: --cold '%s': data or all is allowed\n", options->program,
            NULL == value ? "" : value);
    return false;
}

bool options_read(struct options *options, int argc, char **argv)
{
    *options = (struct options){.fragment = options->fragment, .places = options->places};
    options->program = NULL != strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0];
    for (int i = 1; i < argc; i++) {
        if (0 == strcmp(argv[i], "--layout")) {
            i++;
            if (!add_selector(options, i < argc ? argv[i] : NULL)) {
                return false;
            }
        } else if (0 == strcmp(argv[i], "--fragment") && 0 != options->fragment) {
            i++;
            if (!set_fragment(options, i < argc ? argv[i] : NULL)) {
                return false;
            }
        } else if (0 == strcmp(argv[i], "--place") && 0 != options->places) {
            i++;
            if (!set_places(options, i < argc ? argv[i] : NULL)) {
                return false;
            }
        } else if (0 == strcmp(argv[i], "--warm") && 0 != options->places && i + 1 < argc) {
            options->warm = strtol(argv[++i], NULL, 10);
        } else if (0 == strcmp(argv[i], "--limit") && 0 != options->places) {
            options->limit = true;
        } else if (0 == strcmp(argv[i], "--cold") && 0 != options->places) {
            i++;
            if (!set_cold(options, i < argc ? argv[i] : NULL)) {
                return false;
            }
        } else if (0 == strcmp(argv[i], "--short")) {
            options->flags |= LAYOUT_SHORT;
        } else if (0 == strcmp(argv[i], "--quick")) {
            options->flags |= LAYOUT_QUICK;
        } else if (0 == strcmp(argv[i], "--anchors")) {
            options->flags |= LAYOUT_ANCHOR;
        } else if (0 == strcmp(argv[i], "--list")) {
            options->list = true;
        } else {
            fprintf(stderr,
                    "%s: '%s' is not an option; allowed: --layout NAME, --quick, --anchors, "
                    "--short, --list%s%s\n",
                    options->program, argv[i], 0 != options->fragment ? ", --fragment BYTES" : "",
                    0 != options->places ? ", --place on|off|both" : "");
            return false;
        }
    }
    return true;
}

bool options_select(const struct options *options, const struct layout_spec *spec)
{
    if (0 != (options->flags & spec->flags)) {
        return true;
    }
    for (int i = 0; i < options->selectors; i++) {
        if (layouts_match(spec, options->selector[i])) {
            return true;
        }
    }
    return 0 == options->flags && 0 == options->selectors &&
           0 == (spec->flags & (LAYOUT_SHORT | LAYOUT_SERIES));
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

int options_run(int argc, char **argv, void (*measure)(const struct layout_spec *spec),
                void (*finish)(void))
{
    struct options options = {0};
    const bool good = options_read(&options, argc, argv);

    join();
    if (good && options.list) {
        options_list(&options);
    }
    for (int l = 0; good && !options.list && l < layouts_count(); l++) {
        if (options_select(&options, layouts_get(l))) {
            measure(layouts_get(l));
        }
    }
    if (good && !options.list && NULL != finish) {
        finish();
    }
    turns_leave();
    MPI_Finalize();
    return good ? 0 : 2;
}

int options_run_places(struct options *options, int argc, char **argv,
                       void (*prepare)(const struct options *options),
                       void (*measure)(const struct layout_spec *spec, enum layout_place place))
{
    const bool good = options_read(options, argc, argv);

    join();
    if (good && options->list) {
        options_list(options);
    } else if (good) {
        prepare(options);
    }
    for (int l = 0; good && !options->list && l < layouts_count(); l++) {
        for (int place = LAYOUT_ON_LINE; place <= LAYOUT_OFF_LINE; place++) {
            if (options_select(options, layouts_get(l)) && (options->places >> place & 1)) {
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

    if (NULL == statm) {
        return NAN;
    }
    if (2 != fscanf(statm, "%ld %ld", &total, &pages)) {
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
