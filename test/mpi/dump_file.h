/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that dt_dame_dump writes, as a reader finds them. */
#ifndef TEST_MPI_DUMP_FILE_H
#define TEST_MPI_DUMP_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dame/dame.h"
#include "layout.h"

typedef struct dump_file {
    char path[512];
    char *text; /* NULL: no such file */
    size_t length;
} dump_file_t;

/* This rank's file for a datatype's name in its sanitised form. */
dump_file_t dump_read(const char *directory, const char *name);
void dump_free(dump_file_t *file);

/* Is the formatted text one line of the file, or several? */
bool dump_has(const dump_file_t *file, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The file's program. NULL, and the reason on stderr, when it cannot be parsed. */
dame_program_t *dump_program(const dump_file_t *file);

/* The file's bounds and program are those of the layout: it packs `count` elements at `base` to
   the bytes of the stream. */
bool dump_is_of(const dump_file_t *file, const layout_t *layout, const void *base, int64_t count,
                const unsigned char *stream);

/* All files of this rank: how many, and how many of them cannot be parsed. `others` counts files
 * that are no .dame files. */
typedef struct dump_totals {
    int files, bad, others;
} dump_totals_t;
dump_totals_t dump_total(const char *directory);

#endif
