/* SPDX-License-Identifier: BSD-3-Clause */
/* What a short block costs in Open MPI's own engine. */
#ifndef DT_NATIVE_COST_H
#define DT_NATIVE_COST_H

/* Nanoseconds for a block of 8 bytes; 0: not known. Packs two small lists that it makes by Open
 * MPI's functions for datatypes, which takes some 10 microseconds and leaves pieces of the
 * application's heap in malloc's caches. By one thread, without a lock. */
double dt_native_cost_of_block(void);

#endif
