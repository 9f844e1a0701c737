/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective calls whose buffer has a part for each process: which loop goes from one to the next.
 */
#include "site_private.h"

/* Do the loop's iterations differ in nothing but places at equal distances? */
static bool is_uniform(run_t *run, const run_event_t *copy, int loop)
{
    const run_place_t *const places[] = {&copy->to, &copy->from};
    poly_atom_t atom = run->loops[loop].atom;
    bool uniform = !poly_depends(run->space, copy->size, atom) &&
                   !poly_depends_on_loops(run->space, run->loops[loop].trip);
    int i;

    for (i = 0; i < 2; i++) {
        const run_base_t *base = &run->bases[places[i]->base];

        uniform = uniform && !(base->offset && poly_depends(run->space, base->offset, atom));
    }
    for (i = copy->loop; i >= 0; i = run->loops[i].parent) {
        uniform = uniform && !poly_depends(run->space, run->loops[i].trip, atom);
    }
    for (i = copy->guard; i >= 0; i = run->guards[i].parent) {
        uniform = uniform && run->guards[i].loop < 0;
    }
    return uniform;
}

/* The loop that goes from one process to the next in the buffer, PART bytes later: in *Q
 * iterations, which are STEP bytes of data apart. -1: not found. */
static int find_process_loop(run_t *run, const site_t *site, const run_event_t *copy,
                             const poly_t *part, const poly_t **q, const poly_t **step)
{
    const run_place_t *data = site_data(site, copy);
    const run_place_t *buffer = data == &copy->to ? &copy->from : &copy->to;
    const poly_t *slope, *rest, *times;
    int loop, found = -1;

    for (loop = copy->loop; loop >= 0; loop = run->loops[loop].parent) {
        if (poly_linear(run->space, buffer->offset, run->loops[loop].atom, &slope, &rest) &&
            !poly_is_zero(slope) && (times = poly_divide(run->space, part, slope)) &&
            (found < 0 || poly_divide(run->space, *q, times))) { /* a larger step in the buffer */
            *q = times;
            found = loop;
        }
    }
    return found >= 0 && is_uniform(run, copy, found) &&
                   poly_linear(run->space, data->offset, run->loops[found].atom, step, &rest) &&
                   !poly_depends_on_loops(run->space, *step) &&
                   !poly_depends_on_loops(run->space, *q)
               ? found
               : -1;
}

/* Is one of the loops around the copy such a loop, and no more? */
static bool has_one(const run_t *run, const run_event_t *copy, const poly_t **trips)
{
    int loop, n = 0;

    for (loop = copy->loop; loop >= 0; loop = run->loops[loop].parent) {
        n += trips[loop] != NULL;
    }
    return n == 1;
}

int site_split(run_t *run, site_t *site, const poly_t *part, const poly_t **trips,
               const poly_t **extent)
{
    const poly_t *first_trip = NULL, *first_q = NULL, *q = NULL, *step;
    int first = -1;
    size_t i;

    for (i = 0; i < site->n_copies; i++) {
        const run_event_t *copy = &run->events[site->copies[i]];
        bool known = copy->size && copy->to.offset && copy->from.offset && copy->to.base >= 0 &&
                     copy->from.base >= 0;
        int loop = known ? find_process_loop(run, site, copy, part, &q, &step) : -1;

        if (loop < 0) {
            site_refuse(site, C_REFUSED_PROCESSES, copy->node,
                        "no loop around this goes from the data of one process to that of the "
                        "next, at equal distances");
            return -1;
        }
        if (i == 0) {
            first = loop;
            first_q = q;
            first_trip = run->loops[loop].trip;
            *extent = poly_multiply(run->space, q, step);
        }
        if (!poly_equal(*extent, poly_multiply(run->space, q, step)) ||
            !poly_equal(poly_multiply(run->space, run->loops[loop].trip, first_q),
                        poly_multiply(run->space, first_trip, q)) ||
            (trips[loop] && !poly_equal(trips[loop], q))) {
            site_refuse(site, C_REFUSED_PROCESSES, copy->node,
                        "the data of the next process is at another distance than that of line %u",
                        run->events[site->copies[0]].node->span.line);
            return -1;
        }
        trips[loop] = q;
    }
    for (i = 0; i < site->n_copies; i++) {
        if (!has_one(run, &run->events[site->copies[i]], trips)) {
            site_refuse(site, C_REFUSED_PROCESSES, run->events[site->copies[i]].node,
                        "two loops around this go from one process to the next");
            return -1;
        }
    }
    return first;
}
