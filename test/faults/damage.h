/* SPDX-License-Identifier: BSD-3-Clause */
/* Kinds of files that damage.c damages, and how DAME reads them. */
#ifndef TEST_FAULTS_DAMAGE_H
#define TEST_FAULTS_DAMAGE_H

#include <stddef.h>

typedef struct damage_kind {
    const char *name;
    /* Reads damage_path. `same`: it has the original's bytes. 0: it should not have ended so, and
     * `why` says how it did. */
    int (*read)(int same, char *why, size_t room);
    int slow;              /* one bit of a byte is enough */
    void (*prepare)(void); /* may set damage_path; NULL: nothing to do */
} damage_kind_t;

extern const damage_kind_t damage_code, damage_profile, damage_last_run, damage_program,
    damage_with_command;

/* What the program was given, and where the damaged copy is. */
extern char *damage_original;
extern size_t damage_size;
extern const char *damage_name; /* without directories */
extern char damage_directory[200];
extern char damage_path[500];
extern char **damage_command;

#endif
