/*
 * CPU features that kernels and machine code depend on.
 *
 * Code that depends on the CPU takes a dame_cpu_t as an argument, so tests can pass another one. It
 * asks for the features it needs, never for the name of a CPU.
 */
#ifndef DAME_CPU_H
#define DAME_CPU_H

typedef struct dame_cpu {
    int avx2;        /* vectors of 32 bytes */
    int avx512;      /* F, BW and VL: vectors of 64 bytes, byte masks, any vector length */
    int avx512_vbmi; /* permutations of bytes across 64 of them */
} dame_cpu_t;

/* The features of this CPU that the operating system has enabled. All 0 on CPUs other than x86-64,
 * where there is nothing to choose from. */
dame_cpu_t dame_cpu_detect(void);

/* Does `cpu` have every feature of `needed`? */
int dame_cpu_has(const dame_cpu_t *cpu, const dame_cpu_t *needed);

#endif
