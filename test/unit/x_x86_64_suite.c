/* SPDX-License-Identifier: BSD-3-Clause */
/* The x86-64 encoders of DAME-X. They only write bytes, so that every CPU can try them. */
#include "jit/x/cpu_x86_64.h"

#include "suites.h"
#include "tools.h"

enum { ROOM = 4096 };

static uint8_t buffer[ROOM];
static x_code_t writer;

#define NONE   ((x_vectors_t){.name = "none", .bytes = 16})
#define SSE2   ((x_vectors_t){.name = "sse2", .bytes = 16})
#define AVX2   ((x_vectors_t){.name = "avx2", .bytes = 32, .permute_bytes = 16})
#define AVX512 ((x_vectors_t){.name = "avx512", .bytes = 64, .mask_bytes = 64, .permute_bytes = 64})

static x_code_t *fresh(x_vectors_t vectors)
{
    static x_frame_t frames[4];
    memset(buffer, 0, sizeof buffer);
    writer = (x_code_t){.start = buffer,
                        .at = buffer,
                        .end = buffer + ROOM,
                        .vectors = vectors,
                        .frames = frames,
                        .nframes = 1,
                        .most_frames = 4};
    return &writer;
}

static void expect(const char *bytes, const char *assembly, const char *form)
{
    char written[3 * 64 + 1] = "";
    const size_t n = (size_t) (writer.at - writer.start);
    ck_assert_msg(!writer.full && n <= 64, "%s does not fit", form);
    for (size_t i = 0; i < n; i++) {
        sprintf(written + 3 * i, "%02x ", buffer[i]);
    }
    written[n > 0 ? 3 * n - 1 : 0] = '\0';
    ck_assert_msg(strcmp(written, bytes) == 0, "%s: %s, but \"%s\" is %s", form, written, assembly,
                  bytes);
}

TEST(a_form_is_the_instructions_of_its_assembly)
{
    x_code_t *code;
#define FORM(vectors, call, bytes, assembly)                                                       \
    code = fresh(vectors);                                                                         \
    call;                                                                                          \
    expect(bytes, assembly, #call);
#include "x86_64_forms.def"
#undef FORM
}

TEST(branches_are_as_short_as_their_distance_allows)
{
    for (int distance = 0; distance < 300; distance++) {
        x_code_t *code = fresh(NONE);
        const x_label_t to = x_here(code);
        code->at += distance;
        x_jcc_backward(code, X_LESS, to);
        const int length = distance + 2 <= 128 ? 2 : 6;
        ck_assert_int_eq(code->at - buffer, distance + length);
        int32_t back = length == 2 ? (int8_t) buffer[distance + 1] : 0;
        if (length == 6) {
            memcpy(&back, &buffer[distance + 2], 4);
        }
        ck_assert_int_eq(back, -(distance + length));
        ck_assert_int_eq(buffer[distance + length / 6], length == 2 ? 0x7c : 0x8c);
    }
    x_code_t *code = fresh(NONE);
    const x_label_t branch = x_jcc_forward(code, X_GREATER);
    code->at += 1000;
    x_bind(code, branch);
    int32_t ahead;
    memcpy(&ahead, &buffer[2], 4);
    ck_assert_int_eq(ahead, 1000);
    x_call_code(code, 16);
    memcpy(&ahead, &buffer[1007], 4);
    ck_assert_int_eq(ahead, 16 - 1011);
    ck_assert_int_eq(buffer[1006], 0xe8);
}

TEST(there_are_no_more_masks_and_permutations_than_registers)
{
    x_code_t *code = fresh(AVX512);
    for (int i = 0; i < X_MASKS + 2; i++) {
        ck_assert_int_eq(x_mask(code, 100 + (uint64_t) i), i < X_MASKS ? i : -1);
        ck_assert_int_eq(code->constants.nmasks, i < X_MASKS ? i + 1 : X_MASKS);
    }
    ck_assert_int_eq(x_mask(code, 103), 3);
    for (int i = 0; i < X_PERMUTATIONS + 2; i++) {
        uint8_t from[X_VECTOR] = {(uint8_t) i};
        ck_assert_int_eq(x_permutation(code, from), i < X_PERMUTATIONS ? i : -1);
        ck_assert_int_eq(code->constants.npermutations,
                         i < X_PERMUTATIONS ? i + 1 : X_PERMUTATIONS);
    }
    code->constants.none = 1;
    ck_assert_int_eq(x_mask(code, 103), -1);
}

TEST(a_mask_is_loaded_into_its_register)
{
    x_code_t *code = fresh(AVX512);
    (void) x_mask(code, 0x1ff);
    (void) x_mask(code, UINT64_MAX >> 1);
    ck_assert(x_needs_constants(code));
    x_load_constants(code);
    ck_assert(!x_needs_constants(code));
    expect("b8 ff 01 00 00 c4 e1 fb 92 c8 48 b8 ff ff ff ff ff ff ff 7f c4 e1 fb 92 d0",
           "mov eax, 0x1ff; kmovq k1, rax; movabs rax, 0x7fffffffffffffff; kmovq k2, rax",
           "x_load_constants(code)");
}

SUITE_OF(x_x86_64, 1, NULL, NULL)
