/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CPUs that code is written for, whatever CPU the judge runs on.
 */
#ifndef JUDGE_CPU_MODEL_H
#define JUDGE_CPU_MODEL_H

#include "dame/cpu.h"

/* Each has all that the ones before it have. */
typedef enum cpu_model {
    CPU_SSE2,
    CPU_AVX2,   /* with SSSE3 and AVX */
    CPU_AVX512, /* F, BW and VL */
    CPU_VBMI,   /* AVX-512 VBMI */
    CPU_MODELS
} cpu_model_t;

const char *judge_cpu_name(cpu_model_t model);

/* For dame_jit_options_t; of no known make. Static storage. */
const dame_cpu_t *judge_cpu(cpu_model_t model);

#endif
