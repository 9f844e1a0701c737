/* SPDX-License-Identifier: BSD-3-Clause */
#include "cpu_model.h"

const char *judge_cpu_name(cpu_model_t model)
{
    static const char *const names[CPU_MODELS] = {"sse2", "avx2", "avx512", "avx512 with vbmi"};
    return names[model];
}

const dame_cpu_t *judge_cpu(cpu_model_t model)
{
    static const dame_cpu_t cpus[CPU_MODELS] = {
        [CPU_SSE2] = {.avx2 = 0},
        [CPU_AVX2] = {.avx2 = 1},
        [CPU_AVX512] = {.avx2 = 1, .avx512 = 1},
        [CPU_VBMI] = {.avx2 = 1, .avx512 = 1, .avx512_vbmi = 1},
    };
    return &cpus[model];
}
