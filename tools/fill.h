/* SPDX-License-Identifier: BSD-3-Clause */
/* Filling the code cache before jobs look for codes there. */
#ifndef FILL_H
#define FILL_H

typedef struct fill {
    const char *directory; /* that keeps the codes; made if it is missing */
    const char *tier;      /* "l", or "ptx" or "amdgpu" for devices */
    const char *cpu;       /* NULL: the one that this process runs on */
} fill_t;

/* Compiles what jobs would try of the programs of the operands from optind on, with a line for each
 * code. An exit code of tool.h after a message. */
int fill_cache(const fill_t *fill, int argc, char **argv);

#endif
