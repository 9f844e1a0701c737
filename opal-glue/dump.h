/*
 * Programs of a running job as files (parameter dump): one for every datatype that was imported,
 * with a comment that says what the datatype is and how it was used.
 *
 * A file is written when its datatype is imported, so that a job that crashes leaves its files, and
 * again when the datatype ends, because only then its uses are known. A file is always whole: it is
 * written beside and renamed. A directory that cannot be written to is reported once a node, a file
 * that cannot be written once a process; the job goes on.
 */
#ifndef DT_DUMP_H
#define DT_DUMP_H

#include <stdatomic.h>
#include <stdint.h>

#include "dame/dame.h"
#include "engine/promoter.h"
#include "types.h"

struct opal_datatype_t;

/* A datatype that has a file. */
typedef struct dt_dump {
    /* By dame_dir_t. As the counters of counters.def: what is listed in place is not among them. */
    _Atomic int64_t messages[2];
    _Atomic int64_t bytes[2];
    char *path;              /* of the file */
    char *header;            /* comment lines: what the datatype is */
    _Atomic(char *) code[2]; /* [dame_dir_t]; comment lines: where its machine code is, or NULL */
} dt_dump_t;

/* From now on datatypes get a file in `directory`, if it takes any, up to `most` of them, and with
 * `codes` their machine code, too. Once a process. */
void dt_dump_start(const char *directory, int most, bool codes);

/*
 * A datatype was imported: names its file, which dt_dump_write() is to write next. Works in memory
 * of `tree`, which is empty before and after. NULL when there are files enough, or memory is out.
 * One thread at a time.
 */
dt_dump_t *dt_dump_begin(dame_tree_t *tree, const struct opal_datatype_t *datatype);

/* Writes the file without uses (NULL: none). It may take long: a caller does not hold the table's
 * lock, but a reference to the datatype, so that dt_dump_end() comes later. Any thread; in the
 * child of a fork() nothing is written. */
void dt_dump_write(const dt_dump_t *dump, const dame_program_t *program);

/* With the gate's lock held: writes the program's machine code, if there is any and it is wanted,
 * to a file beside the datatype's (NULL: it has none), which will name it. Nobody takes the code
 * away meanwhile. Any thread. */
void dt_dump_code(dt_dump_t *dump, const dame_program_t *program, dame_dir_t dir);

/* The datatype ends: what other datatypes of its layout have had compiled goes to files beside its
 * (NULL: it has none), unless machine code is not to be written. The caller holds the layout, and
 * no lock. */
void dt_dump_codes(dt_dump_t *dump, const dame_layout_t *layout);

/* Any thread that holds a reference to the datatype; no allocation, lock or system call. */
static inline void dt_dump_count(dt_dump_t *dump, dame_dir_t dir, int64_t messages, int64_t bytes)
{
    atomic_fetch_add_explicit(&dump->messages[dir], messages, memory_order_relaxed);
    atomic_fetch_add_explicit(&dump->bytes[dir], bytes, memory_order_relaxed);
}

/* The datatype ends: writes its file with its uses, and frees `dump` (NULL is allowed). `declined`
 * says why the datatype was left to the native engine in the end, if it was. Any thread. */
void dt_dump_end(dt_dump_t *dump, const dame_program_t *program, dt_decline_t declined);

/* After the last dt_dump_end(): frees what is left. */
void dt_dump_stop(void);

#endif
