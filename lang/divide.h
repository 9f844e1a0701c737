/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Division that is fast where numbers are small. Private to lang/.
 */
#ifndef DAME_DIVIDE_H
#define DAME_DIVIDE_H

#include <stdint.h>

/* a / b for a >= 0, b > 0; a 32-bit division takes half the time of a 64-bit one. */
static inline int64_t dame_divide(int64_t a, int64_t b)
{
    return (((uint64_t) a | (uint64_t) b) >> 32) == 0 ? (int64_t) ((uint32_t) a / (uint32_t) b)
                                                      : a / b;
}

#endif
