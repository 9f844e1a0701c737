/*
 * Pages without data between pages with data: by the contract of dame_run_fn (dame/program.h) no
 * kernel touches them. A page here is one of the system; the judge checks pages of DAME_PAGE bytes,
 * run by run.
 */
#ifndef TEST_GAP_CHECK_H
#define TEST_GAP_CHECK_H

#include "message.h"

/* Messages that ran while some of their gaps could not be touched. */
extern int64_t gaps_checked;

/* Packs and unpacks with such pages taken away; nothing to do where there are none. */
bool check_gap_pages(check_t *check, message_t *m);

#endif
