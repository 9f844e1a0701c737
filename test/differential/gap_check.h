/*
 * Pages without data between pages with data: they may be anything, so they are not touched.
 */
#ifndef TEST_GAP_CHECK_H
#define TEST_GAP_CHECK_H

#include "message.h"

/* Messages that ran while some of their gaps could not be touched. */
extern int64_t gaps_checked;

/* Packs and unpacks with such pages taken away; nothing to do where there are none. */
bool check_gap_pages(check_t *check, message_t *m);

#endif
