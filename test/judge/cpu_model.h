/*
 * CPUs that code is written for, whatever CPU the judge runs on. Included before all else where
 * jit/x/ is compiled for the judge.
 */
#ifndef JUDGE_CPU_MODEL_H
#define JUDGE_CPU_MODEL_H

/* Each has all that the ones before it have. */
typedef enum cpu_model {
    CPU_SSE2,
    CPU_AVX2,   /* with SSSE3 and AVX */
    CPU_AVX512, /* F, BW and VL */
    CPU_VBMI,   /* AVX-512 VBMI */
    CPU_MODELS
} cpu_model_t;

/* The one that jit/x/ is to write for. */
extern cpu_model_t judge_cpu_model;

const char *judge_cpu_name(cpu_model_t model);

/* In the place of the compiler's function. */
int judge_cpu_supports(const char *feature);
#define __builtin_cpu_supports(feature) judge_cpu_supports(feature)

#endif
