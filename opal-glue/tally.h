/*
 * What was done with each datatype, for the report and for MPI_T.
 *
 * A tally belongs to all datatypes of one name and one layout that a process uses, one after the
 * other or at the same time, and outlives them: applications create the same datatype again and
 * again.
 */
#ifndef DT_TALLY_H
#define DT_TALLY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "dame/program.h"
#include "glue.h"
#include "layout.h"

struct opal_datatype_t;

/* Some of the times that were taken of something, each as likely to be there as any other: 32 bits
 * of nanoseconds, 32 bits of bytes each. */
enum { DT_SAMPLES = 64 };
typedef struct dt_samples {
    _Atomic uint32_t count; /* ever taken */
    _Atomic uint64_t kept[DT_SAMPLES];
} dt_samples_t;

/* Work that the native engine did (sample.h). */
typedef struct dt_native {
    _Atomic int64_t next; /* the use at which a window may open */
    dt_samples_t samples;
    _Atomic uint32_t at[DT_SAMPLES]; /* the use at which the window of each began */
    uint32_t window;                 /* the last one, and what it has seen so far; its owner's */
    uint32_t seen;
    _Atomic uint32_t began; /* at this use */
    uint32_t warm;          /* samples of messages that count (sample.c) */
} dt_native_t;

typedef struct dt_moved {
    _Atomic int64_t uses;
    _Atomic int64_t bytes;
    _Atomic bool has_usual; /* `samples` has others than early ones, and those no more */
    dt_samples_t samples;
} dt_moved_t;

typedef struct dt_tally dt_tally_t;
struct dt_tally {
    dt_tally_t *next;
    uint64_t number; /* from 1 on */
    char name[DT_TALLY_NAME];
    char words[DT_TALLY_WORDS];
    int64_t size;
    _Atomic int64_t datatypes;
    dt_moved_t moved[DT_WORKS][DT_TIERS];
    dt_native_t native[DT_WORKS];
    _Atomic int64_t compiled_at[2]; /* [dame_dir_t]: the use; 0: was not compiled */
    _Atomic int64_t compile_ns;
    _Atomic int64_t undone;
    dt_history_t history[2]; /* [dame_dir_t]; changes under DAME_LOCK_GATE */
};

/* Uses of a tally before this one are early: they are not like the others, memory that nobody has
 * touched yet among them. The native engine gets none, and DAME's count until there are others
 * (sample.h). */
enum { DT_FIRST_SAMPLE = 8 };

/* Before the first datatype: are tallies kept? */
void dt_tally_start(bool on);
void dt_tally_stop(void);

/* The tally of a new datatype and its program. NULL: none are kept, or memory is out. With the
 * table's lock held. */
dt_tally_t *dt_tally_of(const struct opal_datatype_t *datatype, const dame_program_t *program);

/* What makes another ticket of a layout's (entry.h), of the same call. Its lowest bits tell where
 * uses are counted (stats.h). */
static inline uint64_t dt_tally_tag(const dt_tally_t *tally)
{
    enum { TAG_BITS = 11 };
    return tally->number << (DT_NUMBER_BITS - TAG_BITS) | tally->number % DT_RECENTS;
}

/* Another datatype has this tally, too. */
void dt_tally_one_more(dt_tally_t *tally);

/* The program of a tally's datatype was compiled for `dir`, in so many nanoseconds. */
void dt_tally_compiled(dt_tally_t *tally, dame_dir_t dir, int64_t ns);

/* From now on `code` runs. With the gate's lock held. */
void dt_tally_runs(dt_tally_t *tally, dame_dir_t dir, const char *code);

/* A sample: `bytes` took so long. */
void dt_moved_add(dt_moved_t *moved, int64_t ns, int64_t bytes, bool early);
void dt_native_add(dt_native_t *native, int64_t ns, int64_t bytes);

/* Are there samples enough to say what the native engine takes? */
bool dt_native_is_enough(const dt_native_t *native);

static inline void dt_tally_add(dt_tally_t *tally, dt_work_t work, dt_tier_t tier, int64_t uses,
                                int64_t bytes)
{
    dt_moved_t *moved = &tally->moved[work][tier];
    atomic_fetch_add_explicit(&moved->uses, uses, memory_order_relaxed);
    atomic_fetch_add_explicit(&moved->bytes, bytes, memory_order_relaxed);
}

/* Uses so far, but for those that are counted in a dt_recent_t. */
static inline int64_t dt_tally_uses(const dt_tally_t *tally, dt_work_t work)
{
    int64_t uses = 0;
    for (int tier = 0; tier < DT_TIERS; tier++) {
        uses += atomic_load_explicit(&tally->moved[work][tier].uses, memory_order_relaxed);
    }
    return uses;
}

/* A message begins that no dt_recent_t counts. Returns which use it is of its kind, but for those
 * that are counted there. */
static inline int64_t dt_tally_use(dt_tally_t *tally, dt_work_t work, dt_tier_t tier, int64_t bytes)
{
    dt_tally_add(tally, work, tier, 1, bytes);
    return dt_tally_uses(tally, work);
}

#endif
