#include "options.h"

#include <string.h>

/* CPUs by LLVM's names, and what kernels may use there. */
static const struct {
    const char *name;
    dame_cpu_t cpu;
} models[] = {
#define AVX2   {.avx2 = 1}
#define AVX512 {.avx2 = 1, .avx512 = 1}
#define VBMI   {.avx2 = 1, .avx512 = 1, .avx512_vbmi = 1}
    {"x86-64", {.avx2 = 0}},     {"x86-64-v3", AVX2},       {"x86-64-v4", AVX512},
    {"haswell", AVX2},           {"broadwell", AVX2},       {"skylake", AVX2},
    {"alderlake", AVX2},         {"skylake-avx512", AVX512}, {"cascadelake", AVX512},
    {"cooperlake", AVX512},      {"icelake-server", VBMI},  {"sapphirerapids", VBMI},
    {"emeraldrapids", VBMI},     {"graniterapids", VBMI},   {"znver1", AVX2},
    {"znver2", AVX2},            {"znver3", AVX2},          {"znver4", VBMI},
#undef AVX2
#undef AVX512
#undef VBMI
};

typedef struct text {
    const char *at;
    size_t length;
} text_t;

static int is_text(text_t text, const char *word)
{
    return strlen(word) == text.length && 0 == memcmp(text.at, word, text.length);
}

static dame_status_t take_cpu(text_t value, const dame_cpu_t *cpu, l_options_t *out)
{
    if (is_text(value, "native")) {
        out->cpu = *cpu;
        out->tune = NULL;
        return DAME_OK;
    }
    for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
        if (is_text(value, models[i].name) && dame_cpu_has(cpu, &models[i].cpu)) {
            out->cpu = models[i].cpu;
            out->cpu.make = cpu->make;
            out->tune = models[i].name;
            return DAME_OK;
        }
    }
    return DAME_ERR_ARGUMENT;
}

static dame_status_t take_text(text_t value, char *to, size_t room)
{
    if (value.length >= room) {
        return DAME_ERR_ARGUMENT;
    }
    memcpy(to, value.at, value.length);
    to[value.length] = '\0';
    return DAME_OK;
}

static dame_status_t take(text_t key, text_t value, const dame_cpu_t *cpu, l_options_t *out)
{
    if (is_text(key, "passes")) {
        out->has_passes = 1;
        return is_text(value, "none") ? take_text((text_t){"", 0}, out->passes, L_LONGEST_PASSES)
                                      : take_text(value, out->passes, L_LONGEST_PASSES);
    }
    if (is_text(key, "cpu")) {
        return take_cpu(value, cpu, out);
    }
    if (is_text(key, "dump")) {
        return take_text(value, out->dump, L_LONGEST_PATH);
    }
    if (is_text(key, "verify") && (is_text(value, "0") || is_text(value, "1"))) {
        out->verify = '1' == value.at[0];
        return DAME_OK;
    }
    return DAME_ERR_ARGUMENT;
}

/* Characters up to the next comma outside of brackets. */
static size_t length_of(const char *text)
{
    int depth = 0;
    size_t n = 0;
    for (; '\0' != text[n] && (depth > 0 || ',' != text[n]); n++) {
        depth += '(' == text[n] || '<' == text[n];
        depth -= ')' == text[n] || '>' == text[n];
    }
    return n;
}

dame_status_t l_options_parse(const char *text, const dame_cpu_t *cpu, l_options_t *out)
{
    *out = (l_options_t){.cpu = *cpu};
    while ('\0' != text[0]) {
        const size_t length = length_of(text);
        const char *equals = memchr(text, '=', length);
        if (NULL == equals) {
            return DAME_ERR_ARGUMENT;
        }
        const text_t key = {text, (size_t) (equals - text)};
        const text_t value = {equals + 1, length - key.length - 1};
        const dame_status_t status = take(key, value, cpu, out);
        if (DAME_OK != status) {
            return status;
        }
        text += length;
        text += ',' == text[0];
    }
    return DAME_OK;
}
