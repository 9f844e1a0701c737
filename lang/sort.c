/* SPDX-License-Identifier: BSD-3-Clause */
#include "sort.h"

#include <stdlib.h>

enum { WINDOWS_OF_FRAGMENT = 4, SHORTEST_WINDOW = 64 };

/* Pass `buffer`: a fragment holds whole windows, and loses little at its ends. */
static int64_t window_length(int64_t bytes, const dame_options_t *options)
{
    if (!dame_has_pass(options, DAME_PASS_BUFFER)) {
        return DAME_LONGEST_WINDOW;
    }
    int64_t window = options->fragment / WINDOWS_OF_FRAGMENT / bytes;
    window = window < SHORTEST_WINDOW ? SHORTEST_WINDOW : window;
    return window > DAME_LONGEST_WINDOW ? DAME_LONGEST_WINDOW : window;
}

int64_t dame_sort_window(int64_t n, int64_t bytes, const dame_options_t *options)
{
    const int64_t window =
        dame_has_pass(options, DAME_PASS_SORT) ? window_length(bytes, options) : 0;
    return n < window ? 0 : window;
}

static int compare_visits(const void *a, const void *b)
{
    const dame_visit_t *x = a;
    const dame_visit_t *y = b;
    if (x->disp != y->disp) {
        return x->disp < y->disp ? -1 : 1;
    }
    return x->slot < y->slot ? -1 : x->slot > y->slot;
}

void dame_sort_visits(const int32_t *disps, int64_t count, int64_t window, dame_visit_t *visits)
{
    for (int64_t first = 0; first + window <= count; first += window) {
        for (int64_t i = 0; i < window; i++) {
            visits[first + i] = (dame_visit_t){disps[first + i], (int32_t) i};
        }
        qsort(visits + first, (size_t) window, sizeof(*visits), compare_visits);
    }
}
