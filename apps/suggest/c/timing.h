/* SPDX-License-Identifier: BSD-3-Clause */
/* apps/suggest/c/timing.h: what a suggestion's data movement costs here, measured by dame(1). */
#ifndef SUGGEST_C_TIMING_H
#define SUGGEST_C_TIMING_H

#include "site.h"

#include <stdio.h>

/* Prints the lines of `dame suggest --program` about the time: by hand, with Open MPI's own engine,
 * and with DAME. `with`: sizes for its option --with, or NULL. Or prints why not. */
void timing_print(const site_t *site, const char *with, FILE *out);

#endif
