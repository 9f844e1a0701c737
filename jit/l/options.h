/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The provider's options, as text. Private to jit/l/.
 */
#ifndef DAME_L_OPTIONS_H
#define DAME_L_OPTIONS_H

#include "dame/cpu.h"
#include "dame/status.h"

enum { L_LONGEST_PASSES = 400, L_LONGEST_PATH = 400 };

typedef struct l_options {
    char passes[L_LONGEST_PASSES]; /* the only pipeline; "": every variant has its own */
    int has_passes;
    dame_cpu_t cpu;            /* what kernels may use */
    const char *tune;          /* LLVM's name of the CPU that they are scheduled for */
    char dump[L_LONGEST_PATH]; /* directory for IR and assembly; "": do not write */
    int verify;                /* also after each pass */
} l_options_t;

/*
 * "key=value,key=value" with
 *   passes  a pipeline as opt(1) spells it, like default<O2>; "none" or empty: none. Commas inside
 *           brackets belong to it
 *   cpu a name of dame_cpu_models() with features that are all in `cpu`; native, the default: all
 *   features in `cpu`
 *   dump a directory, which receives PID-NUMBER-DIRECTION-VARIANT.ll, .opt.ll and .s of compiled
 *   code, not of code from the cache
 *   verify  1: check the IR after each pass, for tests
 * DAME_ERR_ARGUMENT: another key, a bad value, or one that is too long.
 */
dame_status_t l_options_parse(const char *text, const dame_cpu_t *cpu, l_options_t *out);

#endif
