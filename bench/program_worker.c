/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Uses the send type of the layouts once each, under its own name, so that DAME writes the programs
 * of all of them (dt_dame_dump); for bench/reuse.
 *
 *   program_worker [--layout NAME]… [--quick] [--anchors] [--short] [--list]
 *
 * Prints "layout NAME BYTES COUNT" for each layout: packed bytes of a message of COUNT elements.
 */
#include <limits.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

#include "layouts.h"
#include "options.h"

static void use_layout(const struct layout_spec *spec)
{
    struct layout *layout = layout_create(spec, LAYOUT_ON_LINE);
    const struct layout_side *side = &layout->side[LAYOUT_SEND];
    void *packed = layout_buffer(layout->bytes);
    int position = 0;

    MPI_Type_set_name(side->type, spec->name);
    MPI_Pack(side->base, side->count, side->type, packed, (int) layout->bytes, &position,
             MPI_COMM_SELF);
    printf("layout %s %zu %d\n", spec->name, layout->bytes, side->count);
    free(packed);
    layout_free(layout);
}

int main(int argc, char **argv)
{
    /* Types with absolute addresses reach from one array to the next: all are in the heap, for the
     * program to reach no further than they are large. */
    mallopt(M_MMAP_THRESHOLD, INT_MAX);
    MPI_Init(&argc, &argv);
    return options_run(argc, argv, use_layout, NULL);
}
