/* Private to jit/. */
#ifndef DAME_JIT_OPTIONS_H
#define DAME_JIT_OPTIONS_H

#include "jit.h"

/* Is every option in the range that jit.h gives? */
int dame_jit_options_valid(const dame_jit_options_t *options);

#endif
