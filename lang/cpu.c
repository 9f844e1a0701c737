/* SPDX-License-Identifier: BSD-3-Clause */
/* Asks the CPU for its features; nothing else does. */
#include "dame/cpu.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#ifdef __x86_64__

#include <cpuid.h>

static dame_make_t make_of(unsigned b, unsigned c, unsigned d)
{
    return signature_INTEL_ebx == b && signature_INTEL_ecx == c && signature_INTEL_edx == d
               ? DAME_MAKE_INTEL
           : signature_AMD_ebx == b && signature_AMD_ecx == c && signature_AMD_edx == d
               ? DAME_MAKE_AMD
               : DAME_MAKE_OTHER;
}

/* The registers that the operating system saves (XCR0). */
static unsigned saved_registers(void)
{
    unsigned low, high;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

/*
 * CPUID, as Intel's and AMD's manuals describe it: three times, because each traps in a virtual
 * machine (6 us on one), and __builtin_cpu_supports() comes with a constructor that executes some
 * 20.
 */
static void ask(dame_cpu_t *cpu)
{
    enum { YMM = 3 << 1, ZMM = 7 << 5 };
    const unsigned avx512 = bit_AVX512F | bit_AVX512BW | bit_AVX512VL;
    unsigned last, a, b, c, d;
    __cpuid(0, last, b, c, d);
    cpu->make = make_of(b, c, d);
    __cpuid(1, a, b, c, d);
    const unsigned saved = (c & bit_OSXSAVE) != 0 ? saved_registers() : 0;
    if (last < 7 || (saved & YMM) != YMM) {
        return;
    }
    __cpuid_count(7, 0, a, b, c, d);
    cpu->avx2 = (b & bit_AVX2) != 0;
    cpu->avx512 = cpu->avx2 && avx512 == (b & avx512) && (saved & ZMM) == ZMM;
    cpu->avx512_vbmi = cpu->avx512 && (c & bit_AVX512VBMI) != 0;
}

#else

static void ask(dame_cpu_t *cpu)
{
    (void) cpu;
}

#endif

static dame_cpu_t detected;

static void detect(void)
{
    ask(&detected);
}

dame_cpu_t dame_cpu_detect(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void) pthread_once(&once, detect);
    return detected;
}

#ifdef _SC_LEVEL1_DCACHE_SIZE

/* The value if it is a power of two of a plausible size, else 0. */
static int64_t power_of_two(int64_t value, int64_t least, int64_t most)
{
    return value >= least && value <= most && (value & (value - 1)) == 0 ? value : 0;
}

static void ask_the_c_library(dame_data_cache_t *out)
{
    const int64_t line = power_of_two(sysconf(_SC_LEVEL1_DCACHE_LINESIZE), 16, 1024);
    const int64_t ways = sysconf(_SC_LEVEL1_DCACHE_ASSOC);
    const int64_t l1 = sysconf(_SC_LEVEL1_DCACHE_SIZE);
    const int64_t l2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
    out->line = line != 0 ? (int32_t) line : out->line;
    /* A set is chosen by bits of the address, so its lines are a power of two apart. */
    if (ways >= 1 && ways <= 64 && l1 % ways == 0 &&
        power_of_two(l1 / ways, out->line, 1 << 20) != 0) {
        out->ways = (int32_t) ways;
        out->l1 = l1;
    }
    out->l2 = l2 > out->l1 && l2 <= 1 << 30 ? l2 : out->l2;
}

#else

static void ask_the_c_library(dame_data_cache_t *out)
{
    (void) out;
}

#endif

/* The features in use, and this CPU's. */
static _Atomic(const dame_data_cache_t *) cache;
static dame_data_cache_t own = {.line = 64, .ways = 8, .l1 = 32 << 10, .l2 = 1 << 20};

static void find_own(void)
{
    ask_the_c_library(&own);
}

void dame_data_cache_force(const dame_data_cache_t *forced)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void) pthread_once(&once, find_own);
    atomic_store_explicit(&cache, forced == NULL ? &own : forced, memory_order_release);
}

const dame_data_cache_t *dame_data_cache(void)
{
    const dame_data_cache_t *result = atomic_load_explicit(&cache, memory_order_acquire);
    if (result == NULL) {
        dame_data_cache_force(NULL);
        result = &own;
    }
    return result;
}

int dame_cpu_has(const dame_cpu_t *cpu, const dame_cpu_t *needed)
{
    return cpu->avx2 >= needed->avx2 && cpu->avx512 >= needed->avx512 &&
           cpu->avx512_vbmi >= needed->avx512_vbmi;
}

/* ---- CPUs by name ---- */

#define CPU(make, ...)                                                                             \
    {                                                                                              \
        DAME_MAKE_##make, __VA_ARGS__                                                              \
    }
#define AVX2(make)   CPU(make, .avx2 = 1)
#define AVX512(make) CPU(make, .avx2 = 1, .avx512 = 1)
#define VBMI(make)   CPU(make, .avx2 = 1, .avx512 = 1, .avx512_vbmi = 1)
static const dame_cpu_model_t models[] = {
    {"x86-64", CPU(OTHER, .avx2 = 0)},
    {"x86-64-v3", AVX2(OTHER)},
    {"x86-64-v4", AVX512(OTHER)},
    {"haswell", AVX2(INTEL)},
    {"broadwell", AVX2(INTEL)},
    {"skylake", AVX2(INTEL)},
    {"alderlake", AVX2(INTEL)},
    {"skylake-avx512", AVX512(INTEL)},
    {"cascadelake", AVX512(INTEL)},
    {"cooperlake", AVX512(INTEL)},
    {"icelake-server", VBMI(INTEL)},
    {"sapphirerapids", VBMI(INTEL)},
    {"emeraldrapids", VBMI(INTEL)},
    {"graniterapids", VBMI(INTEL)},
    {"znver1", AVX2(AMD)},
    {"znver2", AVX2(AMD)},
    {"znver3", AVX2(AMD)},
    {"znver4", VBMI(AMD)},
    {"znver5", VBMI(AMD)},
    {NULL, {0}},
};
#undef VBMI
#undef AVX512
#undef AVX2
#undef CPU

const dame_cpu_model_t *dame_cpu_models(void)
{
    return models;
}

const dame_cpu_t *dame_cpu_named(const char *name)
{
    for (const dame_cpu_model_t *model = models; model->name != NULL; model++) {
        if (strcmp(model->name, name) == 0) {
            return &model->cpu;
        }
    }
    return NULL;
}
