/* SPDX-License-Identifier: BSD-3-Clause */
/* The AArch64 encoders of DAME-X. They only write words, so that every CPU can try them. */
#include "jit/x/cpu_aarch64.h"

#include "suites.h"
#include "tools.h"

enum { ROOM = 4096, BEFORE = 64 };

static uint8_t buffer[ROOM];
static x_code_t writer;

/* An empty writer, some way into the buffer so that there is something to branch back to. */
static x_code_t *fresh(size_t room)
{
    memset(buffer, 0, sizeof buffer);
    static x_frame_t frames[1];
    writer = (x_code_t){.start = buffer,
                        .at = buffer + BEFORE,
                        .end = buffer + BEFORE + room,
                        .frames = frames,
                        .most_frames = 1};
    return &writer;
}

static size_t words_written(void)
{
    return (size_t) (writer.at - buffer - BEFORE) / 4;
}

static uint32_t word(size_t i)
{
    uint32_t value;
    memcpy(&value, buffer + BEFORE + 4 * i, sizeof value);
    return value;
}

typedef struct instruction {
    uint32_t word;
    const char *text;
} instruction_t;

static void expect(const instruction_t *wanted, size_t n, const char *form)
{
    ck_assert_msg(!writer.full, "%s does not fit", form);
    ck_assert_msg(words_written() == n, "%s: %zu words, not %zu", form, words_written(), n);
    for (size_t i = 0; i < n; i++) {
        ck_assert_msg(word(i) == wanted[i].word, "%s: 0x%08x, but \"%s\" is 0x%08x", form, word(i),
                      wanted[i].text, wanted[i].word);
    }
}

TEST(a_form_is_the_instructions_of_its_assembly)
{
    x_code_t *code;
#define FORM(call, ...)                                                                            \
    code = fresh(ROOM - BEFORE);                                                                   \
    call;                                                                                          \
    expect((const instruction_t[]){__VA_ARGS__},                                                   \
           sizeof((const instruction_t[]){__VA_ARGS__}) / sizeof(instruction_t), #call);
#include "aarch64_forms.def"
#undef FORM
}

/* What MOVZ, MOVN and MOVK leave in a register, by the manual's pseudocode. */
static uint64_t constant_written(int reg)
{
    uint64_t value = 0;
    for (size_t i = 0; i < words_written(); i++) {
        const uint64_t bits = word(i) >> 5 & 0xffff;
        const unsigned shift = 16 * (word(i) >> 21 & 3);
        ck_assert_int_eq(word(i) & 31, reg);
        switch (word(i) >> 23) {
        case 0x1a5:
            value = bits << shift;
            break;
        case 0x125:
            value = ~(bits << shift);
            break;
        case 0x1e5:
            ck_assert_uint_gt(i, 0);
            value = (value & ~((uint64_t) 0xffff << shift)) | bits << shift;
            break;
        default:
            ck_abort_msg("0x%08x is not a move of a constant", word(i));
        }
    }
    return value;
}

TEST(every_constant_is_set_in_as_few_moves_as_it_has_parts)
{
    static const uint64_t parts[] = {0, 1, 0x1234, 0x8000, 0xfffe, 0xffff};
    enum { KINDS = 6, ALL = KINDS * KINDS * KINDS * KINDS };
    for (int i = 0; i < ALL; i++) {
        const uint64_t part[] = {parts[i % KINDS], parts[i / KINDS % KINDS],
                                 parts[i / KINDS / KINDS % KINDS],
                                 parts[i / KINDS / KINDS / KINDS]};
        const uint64_t value = part[0] | part[1] << 16 | part[2] << 32 | part[3] << 48;
        size_t zeros = 0;
        size_t ones = 0;
        for (int k = 0; k < 4; k++) {
            zeros += part[k] == 0;
            ones += part[k] == 0xffff;
        }
        const size_t spared = zeros > ones ? zeros : ones;
        x_set(fresh(ROOM - BEFORE), 7, (int64_t) value);
        ck_assert_uint_eq(constant_written(7), value);
        ck_assert_uint_eq(words_written(), spared == 4 ? 1 : 4 - spared);
    }
}

TEST(a_permutation_is_loaded_from_behind_the_code)
{
    x_code_t *code = fresh(ROOM - BEFORE);
    uint8_t permutation[2][X_VECTOR];
    for (int i = 0; i < X_VECTOR; i++) {
        permutation[0][i] = (uint8_t) (X_VECTOR - 1 - i);
        permutation[1][i] = (uint8_t) (3 * i);
    }
    ck_assert_int_eq(x_permutation(code, permutation[0]), 0);
    ck_assert_int_eq(x_permutation(code, permutation[1]), 1);
    x_load_constants(code);
    ck_assert(!x_needs_constants(code));
    x_epilogue(code, 0);
    x_emit_constants(code);
    ck_assert(!code->full);
    for (uint32_t i = 0; i < 2; i++) { /* LDR (literal) of 16 bytes: words from itself on */
        const uint32_t load = word(i);
        const size_t at = BEFORE + 4 * i + 4 * (load >> 5 & 0x7ffff);
        ck_assert_uint_eq(load >> 24, 0x9c);
        ck_assert_uint_eq(load & 31, 20 + i);
        ck_assert_uint_eq(at % 16, 0);
        ck_assert_uint_ge(at, BEFORE + 12);
        ck_assert_int_eq(memcmp(buffer + at, permutation[i], 16), 0);
    }
}

TEST(what_does_not_fit_is_an_error_that_stays)
{
    x_code_t *code = fresh(X_LONGEST_ENCODING);
    x_set(code, 1, 0);
    ck_assert(!code->full);
    x_set(code, 2, 0);
    ck_assert(code->full);
    x_entry(code);
    x_epilogue(code, X_SAVED);
    x_bind(code, x_jcc_forward(code, X_LESS));
    ck_assert_uint_eq(words_written(), 1);

    for (int bytes = 16; bytes <= 32; bytes += 16) {
        x_vector(fresh(ROOM - BEFORE), 0, 0, (x_mem_t){1, 2, 0}, bytes);
        ck_assert(writer.full);
    }
    x_masked(fresh(ROOM - BEFORE), 0, 0, x_mem(1, 0), 16, 0);
    ck_assert(writer.full);
}

/* A conditional branch reaches a MiB. */
TEST(a_branch_that_would_go_too_far_is_an_error)
{
    enum { REACH = 1 << 20 };
    static uint8_t large[REACH + 2 * X_LONGEST_ENCODING];
    for (int beyond = 0; beyond < 2; beyond++) {
        x_code_t code = {.start = large, .at = large, .end = large + sizeof large};
        const x_label_t branch = x_jcc_forward(&code, X_LESS);
        code.at = large + REACH - 4 + 4 * beyond;
        x_bind(&code, branch);
        ck_assert_int_eq(code.full, beyond);

        code = (x_code_t){.start = large, .at = large, .end = large + sizeof large};
        code.at = large + REACH + 4 * beyond;
        x_jcc_backward(&code, X_LESS, 0);
        ck_assert_int_eq(code.full, beyond);
    }
}

SUITE_OF(x_aarch64, 1, NULL, NULL)
