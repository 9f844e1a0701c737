/* SPDX-License-Identifier: BSD-3-Clause */
/* apps/suggest/c/evidence.h: what `dame record --json` says of a run of the program.
 *
 * A run proves nothing of other runs. It shows which assumptions held in it, and that an answer is
 * wrong if they did not. An answer is about one line; calls of one function in that line are one.
 */
#ifndef SUGGEST_C_EVIDENCE_H
#define SUGGEST_C_EVIDENCE_H

#include "site.h"

#include <stdio.h>

typedef struct evidence evidence_t;

/* NULL after a message on stderr. */
evidence_t *evidence_read(const char *path);
void evidence_free(evidence_t *evidence);

/* "a run of halo, 2 ranks" */
const char *evidence_run(const evidence_t *evidence);

/* Refuses an answer that the run contradicts. */
void evidence_judge(const evidence_t *evidence, site_t *site);

/* Did the assumption hold for all messages of the site's call? */
bool evidence_holds(const evidence_t *evidence, const site_t *site, int assumption);

/* The site has an answer of its own. */
void evidence_decided(evidence_t *evidence, const site_t *site);

/* The datatypes of the run's messages at calls in PATH without an answer. */
void evidence_print_others(const evidence_t *evidence, const char *path, FILE *out);

#endif
