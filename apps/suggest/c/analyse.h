/* SPDX-License-Identifier: BSD-3-Clause */
/* apps/suggest/c/analyse.h: which function reports a call. */
#ifndef SUGGEST_C_ANALYSE_H
#define SUGGEST_C_ANALYSE_H

#include "report.h"

/* Runs all functions of one program, and reports each call once. */
void analyse(report_t *report, c_unit_t **units, size_t n);

#endif
