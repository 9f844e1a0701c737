/* SPDX-License-Identifier: BSD-3-Clause */
/* apps/suggest/c/helpers.h: C that patches add to a program. */
#ifndef SUGGEST_C_HELPERS_H
#define SUGGEST_C_HELPERS_H

extern const char helpers_check[]; /* of --patch=check */

#endif
