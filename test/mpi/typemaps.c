/* SPDX-License-Identifier: BSD-3-Clause */
/* The test's own typemaps agree with MPI's sizes and bounds: every other program relies on them. */
#include <stdlib.h>

#include "mpi_check.h"
#include "tests.h"
#include "types.h"

/* Does some byte belong to two places of the stream? */
static bool overlaps(const layout_t *l, int64_t count)
{
    int64_t low, high;
    bool twice = false;

    lay_span(l, count, &low, &high);
    bool *seen = must_calloc((size_t) (high - low), sizeof(bool));
    for (int64_t k = 0; k < count; k++) {
        for (int64_t i = 0; i < l->nruns; i++) {
            bool *at = seen + (k * lay_extent(l) + l->runs[i].offset - low);
            for (int64_t j = 0; j < l->runs[i].length; j++) {
                twice = twice || at[j];
                at[j] = true;
            }
        }
    }
    free(seen);
    return twice;
}

int typemaps_main(int argc, char **argv)
{
    check_init(&argc, &argv);
    types_t *types = types_new();

    for (int i = 0; i < types_count(types); i++) {
        const type_case_t *c = types_at(types, i);
        MPI_Aint lb, extent, tlb, text;
        MPI_Type_get_extent(c->layout->type, &lb, &extent);
        MPI_Type_get_true_extent(c->layout->type, &tlb, &text);
        check(lay_agrees(c->layout),
              "%s: MPI has lb %ld, extent %ld, true %ld %ld; by hand %ld, %ld", c->name, (long) lb,
              (long) extent, (long) tlb, (long) text, (long) c->layout->lb,
              (long) lay_extent(c->layout));
        check(overlaps(c->layout, TYPES_MAX_COUNT) == c->send_only, "%s: overlap", c->name);
    }
    types_free(types);
    return check_finish();
}
