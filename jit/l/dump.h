/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files with IR and assembly, for people. Private to jit/l/.
 */
#ifndef DAME_L_DUMP_H
#define DAME_L_DUMP_H

#include "machine.h"

/* The files of one compilation. */
typedef struct l_dump {
    const char *directory; /* "": nothing is written */
    const char *variant;
    dame_dir_t dir;
    int number;
} l_dump_t;

/* Begins the files of a compilation. */
l_dump_t l_dump_begin(const char *directory, dame_dir_t dir, const char *variant);

/* The module as it is now, in a file that ends in `suffix`. */
void l_dump_ir(const l_dump_t *dump, LLVMModuleRef module, const char *suffix);

/* The assembly of a module, which stays as it is. */
void l_dump_assembly(const l_dump_t *dump, l_machine_t *machine, LLVMModuleRef module);

#endif
