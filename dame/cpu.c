/* Asks the CPU what it can do; nothing else does. */
#include "dame/cpu.h"

dame_cpu_t dame_cpu_detect(void)
{
    dame_cpu_t cpu = {0};
#ifdef __x86_64__
    cpu.avx2 = 0 != __builtin_cpu_supports("avx2");
    cpu.avx512 = cpu.avx2 && __builtin_cpu_supports("avx512f") &&
                 __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
    cpu.avx512_vbmi = cpu.avx512 && __builtin_cpu_supports("avx512vbmi");
    cpu.make = __builtin_cpu_is("intel") ? DAME_MAKE_INTEL
               : __builtin_cpu_is("amd") ? DAME_MAKE_AMD
                                         : DAME_MAKE_OTHER;
#endif
    return cpu;
}

int dame_cpu_has(const dame_cpu_t *cpu, const dame_cpu_t *needed)
{
    return cpu->avx2 >= needed->avx2 && cpu->avx512 >= needed->avx512 &&
           cpu->avx512_vbmi >= needed->avx512_vbmi;
}
