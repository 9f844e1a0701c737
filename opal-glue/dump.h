/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs of a running job as files (parameter dump): one for all datatypes of a process that have
 * one name and were made by the same constructor calls, with a comment about the datatypes and
 * their uses.
 *
 * A file is written when its first datatype is imported, so that a job that crashes leaves its
 * files, and again when one ends, because only then its uses are known. A file is always whole: it
 * is written beside and renamed. A directory that cannot be written to is reported once a node, a
 * file that cannot be written once a process; the job goes on.
 */
#ifndef DT_DUMP_H
#define DT_DUMP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "dame/dame.h"
#include "engine/promoter.h"
#include "types.h"

struct opal_datatype_t;

/* Datatypes that have a file; until dt_dump_stop(), or until the datatype ends, if no other
 * datatype uses it.
 */
typedef struct dt_dump {
    /* By dame_dir_t. As the counters of counters.def: values listed in place are not among them. */
    _Atomic int64_t messages[2];
    _Atomic int64_t bytes[2];
    char *path;              /* of the file */
    char *header;            /* comment lines: what the datatype is */
    bool is_full;            /* .. which no other datatype has */
    _Atomic(char *) code[2]; /* [dame_dir_t]; comment lines: where its machine code is, or NULL */
    _Atomic(dame_program_t *) raw; /* to be written, then NULL: before any pass */
    atomic_int datatypes;          /* so far */
    atomic_int alive;              /* of these */
    atomic_bool is_written;
    dt_decline_t declined; /* why the last one of those that were was left to the native engine */
} dt_dump_t;

/* From now on datatypes get a file in `directory`, if it takes any, up to `most` files, with
 * `codes` also their machine code, and with `raw` their programs before any pass. Once a process.
 */
void dt_dump_start(const char *directory, bool codes, bool raw);

/*
 * A datatype was imported: names its file, which dt_dump_write() is to write next, unless others
 * have it already. Works in memory of `tree`, which is empty before and after. NULL when there are
 * files enough, or memory is out. One thread at a time.
 */
dt_dump_t *dt_dump_begin(dame_tree_t *tree, const struct opal_datatype_t *datatype);

/* Writes the file without uses, if it is not written yet (may be NULL). It may take long: a caller
 * does not hold the table's lock, but a reference to the datatype, so that dt_dump_end() comes
 * later. Any thread; in the child of a fork() nothing is written. */
void dt_dump_write(dt_dump_t *dump, const dame_program_t *program);

/* With the gate's lock held: writes the program's machine code, if there is any and it is wanted,
 * to a file beside the datatype's (may be NULL: no file), which will name it. The code is not
 * evicted meanwhile. Any thread. */
void dt_dump_code(dt_dump_t *dump, const dame_program_t *program, dame_dir_t dir);

/* The datatype ends: code compiled for other datatypes of its layout goes to files beside its own
 * (may be NULL: no file), unless machine code is not dumped. The caller holds the layout, and no
 * lock. */
void dt_dump_codes(dt_dump_t *dump, const dame_layout_t *layout);

/* Any thread that holds a reference to the datatype; no allocation, lock or system call. */
static inline void dt_dump_count(dt_dump_t *dump, dame_dir_t dir, int64_t messages, int64_t bytes)
{
    atomic_fetch_add_explicit(&dump->messages[dir], messages, memory_order_relaxed);
    atomic_fetch_add_explicit(&dump->bytes[dir], bytes, memory_order_relaxed);
}

/* The datatype ends: writes its file with the uses (NULL is allowed). `declined` says why the
 * datatype was left to the native engine in the end, if it was. The dump is no longer the caller's.
 * Any thread. */
void dt_dump_end(dt_dump_t *dump, const dame_program_t *program, dt_decline_t declined);

/* After the last dt_dump_end(): frees the rest. */
void dt_dump_stop(void);

#endif
