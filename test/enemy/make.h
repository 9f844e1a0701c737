/* SPDX-License-Identifier: BSD-3-Clause */
/* Random MPI programs from a seed. Needs MPI, but no other rank: every rank makes the same one. */
#ifndef TEST_ENEMY_MAKE_H
#define TEST_ENEMY_MAKE_H

#include <stdint.h>
#include <stdio.h>

#include "play.h"

/* Makes a failing program smaller without changing the rest of it. */
typedef struct smaller {
    unsigned flat; /* bit i: shape i is contiguous */
    int count;     /* elements at most; 0: as they are */
    int rounds;    /* at most; 0: as they are */
} smaller_t;

/* False, and a message on stderr, when the library that builds type trees fails. */
bool make_program(uint64_t seed, uint64_t number, const smaller_t *smaller, program_t *program);
void free_program(program_t *program);

/* The program as C: tables, and a main() for what play.h declares. */
void print_program(FILE *out, const program_t *program, uint64_t mask, const char *name);

#endif
