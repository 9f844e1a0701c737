/* SPDX-License-Identifier: BSD-3-Clause */
/* apps/suggest/c/live.h: may a statement be removed? */
#ifndef SUGGEST_C_LIVE_H
#define SUGGEST_C_LIVE_H

#include "site.h"

/* A variable that STATEMENT assigns and that is read later, before it is assigned again; NULL if
 * absent. Names inside of the nodes in `gone` do not count. */
const c_symbol_t *live_after(const run_t *run, const c_node_t *statement,
                             const c_node_t *const *gone, size_t n_gone);

#endif
