/* Types with one mistake. */
#ifndef SUGGEST_MUTANTS_H
#define SUGGEST_MUTANTS_H

#include "suggest/shape.h"

/* Changes each stride, count and displacement of an answer in turn, and checks that eval_random()
 * says so, and eval_identity() where it can decide. */
void mutants_try(access_program_t *program, const shape_t *shape, bool identity, const char *name);

#endif
