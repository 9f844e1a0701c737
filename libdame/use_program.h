/* What is behind the seam of use.h. Private to use.c and use_copy.c. */
#ifndef LIBDAME_USE_PROGRAM_H
#define LIBDAME_USE_PROGRAM_H

#include "use.h"

struct dame_use {
    dame_program_t *program;
};

#endif
