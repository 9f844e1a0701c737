/* SPDX-License-Identifier: BSD-3-Clause */
/* apps/suggest/c/live.h: may a statement be removed? */
#ifndef SUGGEST_C_LIVE_H
#define SUGGEST_C_LIVE_H

#include "site.h"

/* A variable that STATEMENT assigns and that is read later, before it is assigned again; NULL if
 * absent. Names inside of the nodes in `gone` do not count. */
const struct c_symbol *live_after(const struct run *run, const struct c_node *statement,
                                  const struct c_node *const *gone, size_t n_gone);

#endif
