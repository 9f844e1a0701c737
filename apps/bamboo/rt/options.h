/* SPDX-License-Identifier: BSD-3-Clause */
/* The runtime's options: how many tasks, and a modelled network. */
#ifndef BAMBOO_RT_OPTIONS_H
#define BAMBOO_RT_OPTIONS_H

#include <stddef.h>

#include "bamboo/net/net.h"

typedef struct bamboo_options {
    int vf;             /* tasks in a process, or on a modelled node */
    int nodes;          /* modelled nodes in this one process; 0: real processes only */
    bamboo_link_t link; /* between nodes or processes */
    int share;          /* processes that act as one node: no latency between them */
    size_t eager;       /* bytes up to which a send completes before it is received */
    double patience;    /* seconds without progress until waiting tasks are reported; 0: never */
    int stats;          /* print counts at the end */
} bamboo_options_t;

extern bamboo_options_t bamboo_options;

/* From the environment and then from the arguments, which it takes out of argv, up to and including
 * "--". Returns NULL, or a message. */
const char *bamboo_options_read(int *argc, char **argv);

#endif
