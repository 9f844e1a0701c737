/* SPDX-License-Identifier: BSD-3-Clause */
/* apps/suggest/c/analyse.h: which function reports a call. */
#ifndef SUGGEST_C_ANALYSE_H
#define SUGGEST_C_ANALYSE_H

#include "report.h"

/* Runs all functions of one program, and reports each call once. */
void analyse(struct report *report, struct c_unit **units, size_t n);

#endif
