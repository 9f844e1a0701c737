/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs of a running job as files (parameter dump): one for all datatypes of a process that have
 * one name and were made by the same constructor calls, with a comment that says what they are.
 *
 * A file is written when its first datatype is imported, so that a job that crashes leaves its
 * files, and again when there is machine code to name in it. A file is always whole: it is written
 * beside and renamed. A directory that cannot be written to is reported once a node, a file that
 * cannot be written once a process; the job goes on. In the child of a fork() nothing is written.
 */
#ifndef DT_DUMP_H
#define DT_DUMP_H

#include <stdatomic.h>
#include <stdbool.h>

#include "dame/dame.h"
#include "engine/promoter.h"

struct opal_datatype_t;

/* Datatypes that have a file; until dt_dump_stop(). */
typedef struct dt_dump {
    char *path;    /* of the file */
    char *header;  /* comment lines: what the datatype is */
    bool is_full;  /* .. which no other datatype has */
    char *code[2]; /* [dame_dir_t]; comment lines: where its machine code is, or NULL; under
                      DAME_LOCK_OBSERVER */
    _Atomic(dame_program_t *) raw; /* to be written, then NULL: before any pass */
    atomic_bool is_written;
} dt_dump_t;

/* From now on datatypes get a file in `directory`, if it takes any, with `codes` also their machine
 * code, and with `raw` their programs before any pass. Once a process. */
void dt_dump_start(const char *directory, bool codes, bool raw);

/*
 * A datatype was imported: names its file, which dt_dump_write() is to write next, unless others
 * have it already. Works in memory of `tree`, which is empty before and after. NULL when there are
 * files enough, or memory is out. One thread at a time.
 */
dt_dump_t *dt_dump_begin(dame_tree_t *tree, const struct opal_datatype_t *datatype);

/* Writes the file, if it is not written yet (may be NULL). It may take long: a caller does not hold
 * the table's lock. Any thread. */
void dt_dump_write(dt_dump_t *dump, const dame_program_t *program);

/* With the gate's lock held: writes the program's machine code, if there is any and it is wanted,
 * to a file beside the datatype's (may be NULL: no file), which will name it. The code is not
 * evicted meanwhile. Any thread. */
void dt_dump_code(dt_dump_t *dump, const dame_program_t *program, dame_dir_t dir);

/* The datatype ends: code compiled for other datatypes of its layout goes to files beside its own
 * (may be NULL: no file), unless machine code is not dumped. The caller holds the layout, and no
 * lock. */
void dt_dump_codes(dt_dump_t *dump, const dame_layout_t *layout);

/* Frees everything. */
void dt_dump_stop(void);

#endif
