/*
 * Promotion: a program that is used is compiled to machine code (jit/), for each direction by
 * itself, after so many uses as the parameter promotion_threshold says. A use is a message packed,
 * or unpacked, whole or in fragments.
 *
 * The thread whose use is the last that was needed compiles, for some microseconds; one at a time
 * in the process. The others go on with the interpreter and never wait. What cannot be compiled
 * stays with the interpreter.
 */
#ifndef DT_PROMOTE_H
#define DT_PROMOTE_H

#include <stdbool.h>
#include <stdint.h>

#include "jit/jit.h"
#include "entry.h"

typedef struct dt_promote_options {
    int32_t threshold; /* uses, the last of which compiles; 0: nothing is compiled */
    dame_jit_options_t jit;
    bool code_files; /* write machine code beside the files of dump.h */
} dt_promote_options_t;

/* What can be asked for by name: promote.def. */
typedef enum dt_code_stat {
#define DT_CODE_STAT(name, class, description, value) DT_CODE_##name,
#include "promote.def"
#undef DT_CODE_STAT
    DT_CODE_STATS
} dt_code_stat_t;

/* Once a process, before the first datatype is entered. Options that dame_jit_create() refuses are
 * said and leave promotion off. */
void dt_promote_start(const dt_promote_options_t *options);

/* After the last dt_promote_entry_release(), with no thread inside. What was counted stays. */
void dt_promote_stop(void);

/* A new entry of the table: it has not been used yet. */
void dt_promote_entry_init(dt_entry_t *entry);

/* A program's datatype has ended (NULL: it had none): its machine code is freed. Any thread. */
void dt_promote_entry_release(dame_program_t *program);

/* From now on nothing is compiled any more, and so nothing is taken away from programs that live:
 * they keep the kernels that they have. Returns when no thread compiles. Any thread. */
void dt_promote_disable(void);

/* Compiles, unless another thread does. For dt_promote_use() only. */
void dt_promote(dt_entry_t *entry, dame_dir_t dir);

/*
 * A message begins. The caller holds the datatype, which DAME moves data of, and is not inside its
 * reader. Lost counts of threads that use one datatype at the same time do not matter.
 */
static inline void dt_promote_use(dt_entry_t *entry, dame_dir_t dir)
{
    if (NULL != atomic_load_explicit(&entry->program->code[dir], memory_order_relaxed)) {
        return;
    }
    _Atomic int32_t *countdown = &entry->promotions[dir].countdown;
    const int32_t uses = atomic_load_explicit(countdown, memory_order_relaxed);
    if (uses > 1) {
        atomic_store_explicit(countdown, uses - 1, memory_order_relaxed);
    } else if (1 == uses) {
        dt_promote(entry, dir);
    }
}

/* By now. Any thread. */
int64_t dt_code_stat(dt_code_stat_t stat);
const char *dt_code_stat_name(dt_code_stat_t stat);        /* static storage */
const char *dt_code_stat_description(dt_code_stat_t stat); /* static storage */

/* What vectors machine code uses, see dame_jit_stats_t; static storage. */
const char *dt_code_vectors(void);

#endif
