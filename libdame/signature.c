/* SPDX-License-Identifier: BSD-3-Clause */
#include "signature.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib.h"

int dame_basic_same(const dame_basic_t *a, const dame_basic_t *b)
{
    return a == b || (a->size == b->size && strcmp(a->name, b->name) == 0);
}

static int same_run(const dame_run_t *a, const dame_run_t *b)
{
    return a->count == b->count && dame_basic_same(a->basic, b->basic);
}

/* A period of these runs; NULL: memory is out. */
static dame_period_t *period_new(const dame_run_t *runs, int32_t nruns)
{
    dame_period_t *period = malloc(sizeof(*period) + (size_t) nruns * sizeof(*runs));
    if (period != NULL) {
        atomic_init(&period->references, 1);
        period->nruns = nruns;
        period->elements = 0;
        for (int32_t i = 0; i < nruns; i++) {
            period->runs[i] = runs[i];
            /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): there are nruns of them */
            period->elements += runs[i].count;
        }
    }
    return period;
}

int dame_period_same(const dame_period_t *a, const dame_period_t *b)
{
    if (a == b) {
        return 1;
    }
    if (a->nruns != b->nruns || a->elements != b->elements) {
        return 0;
    }
    for (int32_t i = 0; i < a->nruns; i++) {
        if (!same_run(&a->runs[i], &b->runs[i])) {
            return 0;
        }
    }
    return 1;
}

static void period_release(dame_period_t *period)
{
    if (atomic_fetch_sub_explicit(&period->references, 1, memory_order_acq_rel) == 1) {
        free(period);
    }
}

/* `signature` repeats the period of `other`, of which it holds a reference. */
static void repeat_signature(dame_signature_t *signature, const dame_signature_t *other,
                             int64_t repeats)
{
    atomic_fetch_add_explicit(&other->period->references, 1, memory_order_relaxed);
    signature->period = other->period;
    signature->repeats = repeats;
}

int dame_signature_basic(dame_signature_t *signature, const dame_basic_t *basic)
{
    const dame_run_t run = {.basic = basic, .count = 1};
    *signature = (dame_signature_t){.elements = 1, .period = period_new(&run, 1), .repeats = 1};
    return signature->period != NULL;
}

void dame_signature_fini(dame_signature_t *signature)
{
    if (signature->period != NULL) {
        period_release(signature->period);
    }
}

/* ---- the shortest period of a list of runs ---- */

/* The length of the shortest list that, repeated, is all of `runs`: of n runs, by the lengths of
 * their borders (Knuth, Morris and Pratt). `borders` is scratch memory of n entries. */
static int32_t shortest(const dame_run_t *runs, int32_t n, int32_t *borders)
{
    borders[0] = 0;
    for (int32_t i = 1, border = 0; i < n; i++) {
        while (border > 0 && !same_run(&runs[i], &runs[border])) {
            border = borders[border - 1];
        }
        border += same_run(&runs[i], &runs[border]);
        borders[i] = border;
    }
    /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): n is 2 and more */
    const int32_t period = n - borders[n - 1];
    return n % period == 0 ? period : n;
}

/*
 * Sets period and repeats for these runs, of which neighbours differ and which are of two kinds at
 * least. When the first and the last
 * are of one kind, as in (a b a)(a b a), the period's copies merge where they touch: then the runs
 * are read as a ring, in which those two are one.
 */
static int set_period(dame_signature_t *signature, dame_run_t *runs, int32_t n)
{
    int32_t borders[DAME_MOST_RUNS];
    int32_t length;
    /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): there are two runs and more */
    if (!dame_basic_same(runs[0].basic, runs[n - 1].basic)) {
        length = shortest(runs, n, borders);
        signature->repeats = n / length;
    } else {
        const int64_t first = runs[0].count;
        runs[0].count += runs[n - 1].count;
        const int32_t ring = shortest(runs, n - 1, borders);
        runs[0].count = first;
        signature->repeats = (n - 1) / ring;
        runs[ring] = runs[n - 1];
        length = ring + 1;
    }
    signature->period = period_new(runs, length);
    return signature->period != NULL;
}

/* ---- a datatype's from its members' ---- */

/* Returns whether all members with elements repeat one period. Then sets it. */
static int by_one_period(dame_datatype_t *type, int64_t members)
{
    dame_signature_t *signature = &type->signature;
    const dame_signature_t *first = NULL;
    int64_t repeats = 0;
    const dame_datatype_t *last = NULL; /* that was found to have the period */
    for (int64_t i = 0; i < members; i++) {
        const dame_member_t member = dame_member(type, i);
        const dame_signature_t *its = &member.child->signature;
        if (member.length == 0 || its->elements == 0) {
            continue;
        }
        if (its->period == NULL || (first != NULL && member.child != last &&
                                    !dame_period_same(first->period, its->period))) {
            return 0;
        }
        first = first == NULL ? its : first;
        last = member.child;
        repeats += member.length * its->repeats;
    }
    if (first != NULL) {
        repeat_signature(signature, first, repeats);
    }
    return 1;
}

/* A list of runs under construction. */
typedef struct run_list {
    dame_run_t runs[DAME_MOST_RUNS];
    int32_t n;
} run_list_t;

static int append_signature(run_list_t *list, const dame_run_t *run)
{
    if (list->n > 0 && dame_basic_same(list->runs[list->n - 1].basic, run->basic)) {
        list->runs[list->n - 1].count += run->count;
        return 1;
    }
    if (list->n == DAME_MOST_RUNS) {
        return 0;
    }
    list->runs[list->n++] = *run;
    return 1;
}

static int append_member(run_list_t *list, const dame_member_t *member)
{
    const dame_signature_t *its = &member->child->signature;
    if (its->period == NULL) {
        return 0;
    }
    const int64_t repeats = member->length * its->repeats;
    if (its->period->nruns == 1) {
        const dame_run_t run = {its->period->runs[0].basic, its->elements * member->length};
        return append_signature(list, &run);
    }
    if (repeats > DAME_MOST_RUNS) {
        return 0;
    }
    for (int64_t i = 0; i < repeats; i++) {
        for (int32_t k = 0; k < its->period->nruns; k++) {
            if (!append_signature(list, &its->period->runs[k])) {
                return 0;
            }
        }
    }
    return 1;
}

int dame_signature_make(dame_datatype_t *type)
{
    dame_signature_t *signature = &type->signature;
    const int64_t members = dame_members(type);
    *signature = (dame_signature_t){.elements = 0};
    for (int64_t i = 0; i < members; i++) {
        const dame_member_t member = dame_member(type, i);
        signature->elements += member.length * member.child->signature.elements;
    }
    if (signature->elements == 0 || by_one_period(type, members)) {
        return 1;
    }
    run_list_t *list = malloc(sizeof(*list));
    if (list == NULL) {
        return 0;
    }
    int fits = 1, made = 1;
    list->n = 0;
    for (int64_t i = 0; fits && i < members; i++) {
        const dame_member_t member = dame_member(type, i);
        fits = member.length == 0 || member.child->signature.elements == 0 ||
               append_member(list, &member);
    }
    if (fits) {
        made = set_period(signature, list->runs, list->n);
    }
    free(list);
    return made;
}

/* ---- in words ---- */

void dame_signature_text(const dame_signature_t *signature, int64_t count, char *text, size_t size)
{
    enum { MOST = 8 };
    const dame_period_t *period = signature->period;
    const int64_t repeats = count * signature->repeats;
    if (count == 0 || signature->elements == 0) {
        snprintf(text, size, "nothing");
        return;
    }
    if (period == NULL) {
        snprintf(text, size, "%" PRId64 " basic elements without a short period",
                 count * signature->elements);
        return;
    }
    if (period->nruns == 1) {
        snprintf(text, size, "%" PRId64 " %s", repeats * period->elements,
                 period->runs[0].basic->name);
        return;
    }
    int n = snprintf(text, size, "%" PRId64 " x (", repeats);
    for (int32_t i = 0; i < period->nruns && n < (int) size; i++) {
        const char *comma = i == 0 ? "" : ", ";
        if (i == MOST) {
            n += snprintf(text + n, size - (size_t) n, ", ...");
            break;
        }
        n += 1 == period->runs[i].count
                 ? snprintf(text + n, size - (size_t) n, "%s%s", comma, period->runs[i].basic->name)
                 : snprintf(text + n, size - (size_t) n, "%s%" PRId64 " %s", comma,
                            period->runs[i].count, period->runs[i].basic->name);
    }
    if (n < (int) size) {
        snprintf(text + n, size - (size_t) n, ")");
    }
}
