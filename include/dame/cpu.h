/*
 * What the CPU can do. Private to dame/ and jit/.
 *
 * Whoever chooses by CPU takes a dame_cpu_t as an argument, so that tests pass any other one; a
 * field says what its instructions do, and the choosers ask for what they need, not for names of
 * CPUs.
 */
#ifndef DAME_CPU_H
#define DAME_CPU_H

typedef struct dame_cpu {
    int avx2;        /* vectors of 32 bytes */
    int avx512;      /* F, BW and VL: vectors of 64 bytes, masks for each byte, any vector length */
    int avx512_vbmi; /* permutations of bytes across 64 of them */
} dame_cpu_t;

/* The CPU of this process: what it has and the operating system has enabled. All 0 where there is
 * nothing to choose from, as on AArch64. */
dame_cpu_t dame_cpu_detect(void);

/* Does `cpu` have all that `needed` has? */
int dame_cpu_has(const dame_cpu_t *cpu, const dame_cpu_t *needed);

#endif
