#include "cpu_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

cpu_model_t judge_cpu_model = CPU_VBMI;

const char *judge_cpu_name(cpu_model_t model)
{
    static const char *const names[CPU_MODELS] = {"sse2", "avx2", "avx512", "avx512 with vbmi"};
    return names[model];
}

int judge_cpu_supports(const char *feature)
{
    static const struct {
        const char *name;
        cpu_model_t since;
    } features[] = {
        {"sse2", CPU_SSE2},       {"ssse3", CPU_AVX2},      {"avx", CPU_AVX2},
        {"avx2", CPU_AVX2},       {"avx512f", CPU_AVX512},  {"avx512bw", CPU_AVX512},
        {"avx512vl", CPU_AVX512}, {"avx512vbmi", CPU_VBMI},
    };
    for (size_t i = 0; i < sizeof features / sizeof features[0]; i++) {
        if (strcmp(features[i].name, feature) == 0) {
            return judge_cpu_model >= features[i].since;
        }
    }
    fprintf(stderr, "judge: jit/x/ asks for '%s', of which cpu_model.c knows nothing\n", feature);
    exit(2);
}
