/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hardware events of single uses of a datatype, by PAPI, which is in a shared object of its own
 * (dame_papi.so) that is loaded when the first use is counted.
 *
 * Unless noted, any thread may call these functions. Without PAPI, without counters, and in the
 * child of a fork(), nothing is counted, and a use costs a test of one variable.
 */
#ifndef DAME_COUNTERS_H
#define DAME_COUNTERS_H

#include <stdint.h>

#include "papi_use.h"

/*
 * Chooses the events: names of PAPI's, separated by commas ("PAPI_L1_DCM,PAPI_TLB_DM"). Loads
 * nothing yet. `object`: the path of dame_papi.so; NULL: beside the object that this code is part
 * of. `tell` is called at most once, by the thread that counts first, when not all of the events
 * can be counted; the text says which and why, and is the caller's for the duration of the call.
 * Before the first dame_counters_begin(), once a process. Returns 0 when memory is out.
 */
int dame_counters_start(const char *events, const char *object, void (*tell)(const char *text));

/* Frees what start() took. No thread is inside of the other functions or calls them later, except
 * dame_counters_begin(). */
void dame_counters_stop(void);

/* Counts what the calling thread does from now on, until dame_counters_end(). Calls are not nested,
 * and no code of the application runs between them. 0: nothing is counted; so too while another
 * thread loads PAPI. */
int dame_counters_begin(dame_papi_use_t *use);

/* counts[i], i < dame_counters_number(): of event i since dame_counters_begin(). 0: they are not
 * known, and `counts` is unchanged. */
int dame_counters_end(dame_papi_use_t *use, int64_t counts[DAME_COUNTERS]);

/* How many events are counted, and their names, owned by this room until dame_counters_stop(). 0
 * before the first use. */
int32_t dame_counters_number(void);
const char *dame_counters_name(int32_t event);

/* Uses that could not be counted because PAPI refused, and its last reason: static storage, ""
 * without a refusal. */
int64_t dame_counters_missed(const char **why);

#endif
