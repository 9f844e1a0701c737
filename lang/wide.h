/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arithmetic in 128 bits, so that sums and products of 64-bit quantities can be checked once, at
 * the end. Private to lang/.
 */
#ifndef DAME_WIDE_H
#define DAME_WIDE_H

#include <stdint.h>

__extension__ typedef __int128 wide_t;

static inline int wide_fits(wide_t value)
{
    return value >= INT64_MIN && value <= INT64_MAX;
}

#endif
