/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hardware events of the uses of each datatype (parameter papi_events), for the report.
 *
 * The counts outlive the datatype. Datatypes of one name and one program share their counts, so an
 * application that makes the same datatype again and again has one line in the report.
 */
#ifndef DT_EVENTS_H
#define DT_EVENTS_H

#include <stdio.h>

#include "opal-glue/entry.h"
#include "opal-glue/abi/abi.h"

/* From now on events are counted: a list as dame_counters_start() takes it, while `pack` and
 * `unpack` move data. Once a process. False: memory is out, and nothing is counted. */
bool dt_events_start(const char *list, convertor_advance_fct_t pack,
                     convertor_advance_fct_t unpack);

/* Advance functions that pass on to those, and count what happens meanwhile. Any thread that holds
 * the datatype. */
int32_t dt_events_pack(opal_convertor_t *convertor, struct iovec *iov, uint32_t *out_size,
                       size_t *max_data);
int32_t dt_events_unpack(opal_convertor_t *convertor, struct iovec *iov, uint32_t *out_size,
                         size_t *max_data);

/* The part of the report about hardware events; nothing when none were to be counted. Before
 * dt_events_stop(). */
void dt_events_print(FILE *out);

/* Frees everything. No thread moves data. */
void dt_events_stop(void);

#endif
