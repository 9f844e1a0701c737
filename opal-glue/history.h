/*
 * What became of the machine code of layouts: kept in their tallies for the report, and said at
 * verbosity 10. For promote.c, with the gate's lock held.
 */
#ifndef DT_HISTORY_H
#define DT_HISTORY_H

#include <stdint.h>

#include "entry.h"
#include "glue.h"

/* Compiling for a direction took so long. */
void dt_history_compiled(dt_entry_t *entry, dame_dir_t dir, int64_t ns);

/* From now on a direction runs this code: "x:plain" or the like, the first that it got or the one
 * that was chosen; "interp": its code was undone. */
void dt_history_runs(dt_entry_t *entry, dame_dir_t dir, const char *code);

/* The codes that a direction has tried. ticks: of the clock for a byte, as measured. */
void dt_history_costs(dt_entry_t *entry, dame_dir_t dir, const dt_code_cost_t *costs, int32_t n);

#endif
