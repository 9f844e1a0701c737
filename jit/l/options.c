/* SPDX-License-Identifier: BSD-3-Clause */
#include "options.h"

#include <string.h>

typedef struct text {
    const char *at;
    size_t length;
} text_t;

static int is_text(text_t text, const char *word)
{
    return strlen(word) == text.length && memcmp(text.at, word, text.length) == 0;
}

/* The CPU that all of this make with these features are scheduled for: code depends on `cpu` alone,
 * not on the machine that it is made on. */
static const char *tuning_of(const dame_cpu_t *cpu)
{
    static const char *const names[DAME_MAKES][4] = {
        [DAME_MAKE_OTHER] = {"x86-64", "x86-64-v3", "x86-64-v4", "x86-64-v4"},
        [DAME_MAKE_AMD] = {"x86-64", "znver3", "znver4", "znver4"},
        [DAME_MAKE_INTEL] = {"x86-64", "haswell", "skylake-avx512", "sapphirerapids"},
    };
    return names[cpu->make][cpu->avx2 + cpu->avx512 + cpu->avx512_vbmi];
}

static dame_status_t take_cpu(text_t value, const dame_cpu_t *cpu, l_options_t *out)
{
    if (is_text(value, "native")) {
        out->cpu = *cpu;
        out->tune = tuning_of(cpu);
        return DAME_OK;
    }
    for (const dame_cpu_model_t *model = dame_cpu_models(); model->name != NULL; model++) {
        if (is_text(value, model->name) && dame_cpu_has(cpu, &model->cpu)) {
            out->cpu = model->cpu;
            out->tune = model->name;
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

static dame_status_t take_option(text_t key, text_t value, const dame_cpu_t *cpu, l_options_t *out)
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
        out->verify = value.at[0] == '1';
        return DAME_OK;
    }
    return DAME_ERR_ARGUMENT;
}

/* Characters up to the next comma outside of brackets. */
static size_t length_of(const char *text)
{
    int depth = 0;
    size_t n = 0;
    for (; text[n] != '\0' && (depth > 0 || text[n] != ','); n++) {
        depth += '(' == text[n] || text[n] == '<';
        depth -= ')' == text[n] || text[n] == '>';
    }
    return n;
}

dame_status_t l_options_parse(const char *text, const dame_cpu_t *cpu, l_options_t *out)
{
    *out = (l_options_t){.cpu = *cpu, .tune = tuning_of(cpu)};
    while (text[0] != '\0') {
        const size_t length = length_of(text);
        const char *equals = memchr(text, '=', length);
        if (equals == NULL) {
            return DAME_ERR_ARGUMENT;
        }
        const text_t key = {text, (size_t) (equals - text)};
        const text_t value = {equals + 1, length - key.length - 1};
        const dame_status_t status = take_option(key, value, cpu, out);
        if (status != DAME_OK) {
            return status;
        }
        text += length;
        text += ',' == text[0];
    }
    return DAME_OK;
}
