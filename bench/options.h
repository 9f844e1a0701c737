/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line that the measuring programs share: which layouts. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>

#include "layouts.h"

enum { OPTIONS_MAX_SELECTORS = 128 };

struct options {
    const char *program;
    int selectors;
    const char *selector[OPTIONS_MAX_SELECTORS]; /* --layout NAME */
    unsigned flags;                              /* LAYOUT_QUICK, _ANCHOR, _SHORT */
    bool list;                                   /* --list */
    long fragment;                               /* --fragment BYTES; 0: no such option */
    long warm;        /* --warm MILLISECONDS, where there is --place: of each operation before it is
                         sampled */
    bool limit;       /* --limit, with --place: also the limit (limit.h) */
    const char *cold; /* --cold data|all, where there is --place: what each sample finds out of the
                         caches; NULL: nothing */
    unsigned places;  /* --place: a bit for each enum layout_place; 0: no such option */
};

#define OPTIONS_ON  (1u << LAYOUT_ON_LINE)
#define OPTIONS_OFF (1u << LAYOUT_OFF_LINE)

/* Reads the command line; `fragment` and `places` are set before, to their defaults. Returns true,
 * or prints one message naming the option, its value and the allowed values, and returns false. */
bool options_read(struct options *options, int argc, char **argv);

/* True when the options select this layout: all but the short ones by default. */
bool options_select(const struct options *options, const struct layout_spec *spec);

/* Prints name, family, packed bytes, and whether it is an anchor or of the quick subset, one layout
 * per line. */
void options_list(const struct options *options);

/* Most programs, after MPI_Init(): reads the command line, lists the layouts or calls `prepare`, if
 * it is not NULL, and then `measure` with each layout that is selected, and each place where there
 * is --place (else on a line), and calls MPI_Finalize(). Returns the exit code. `options`: set
 * before, as for options_read(). */
int options_run(struct options *options, int argc, char **argv,
                void (*prepare)(const struct options *options),
                void (*measure)(const struct layout_spec *spec, enum layout_place place));

/* Seconds from some moment on. */
double bench_now(void);

/* Resident bytes of this process (proc(5), statm); NAN: not known. */
double bench_resident(void);

/* The median of n numbers; sorts them. */
double bench_median(double *values, int n);

/* Their lower quartile: times that nothing disturbed, on a machine that does other things besides.
 */
double bench_undisturbed(double *values, int n);

/* Ends the whole job with a message: a measurement of wrong results is worth nothing. */
void bench_fail(const struct layout *layout, const char *what);

#endif
