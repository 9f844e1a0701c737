/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Run kernels of levels of blocks of a few bytes with gaps of a few bytes, like every second byte:
 * one 64-byte window of user memory at a time. A byte permutation gathers the blocks from the
 * window or scatters them into it. Loads and stores are masked, so that no byte of a gap is
 * touched. Compiled for AVX-512 with VBMI, which has the instructions.
 */
#include <immintrin.h>

#include "copy.h"
#include "divide.h"
#include "kernels.h"

enum { WINDOW = 64 };

DAME_INLINE __mmask64 low_bits(int64_t n)
{
    return n < 64 ? ((__mmask64) 1 << n) - 1 : ~(__mmask64) 0;
}

/* i / divisor for the words i = start, start + 1, ...; divisor > 1. */
DAME_INLINE __m512i quotients(__m512i words, int64_t divisor)
{
    return _mm512_mulhi_epu16(words, _mm512_set1_epi16((int16_t) (65536 / divisor + 1)));
}

/* The words of half a window: 0 ... 31 or 32 ... 63. */
DAME_INLINE __m512i words_of(int half)
{
    const __m512i pairs = _mm512_add_epi32(
        _mm512_mullo_epi32(_mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0),
                           _mm512_set1_epi32(0x20002)),
        _mm512_set1_epi32(0x10000));
    return _mm512_add_epi16(pairs, _mm512_set1_epi16((int16_t) (32 * half)));
}

/* i + i / divisor * factor for the bytes i = 0 ... 63. */
DAME_INLINE __m512i places(int64_t divisor, int64_t factor)
{
    __m256i bytes[2];
    for (int half = 0; half < 2; half++) {
        __m512i i = words_of(half);
        __m512i q = divisor == 1 ? i : quotients(i, divisor);
        i = _mm512_add_epi16(i, _mm512_mullo_epi16(q, _mm512_set1_epi16((int16_t) factor)));
        bytes[half] = _mm512_cvtepi16_epi8(i);
    }
    return _mm512_inserti64x4(_mm512_castsi256_si512(bytes[0]), bytes[1], 1);
}

/* Bytes of a window that are not gaps. */
DAME_INLINE __mmask64 data_bytes(int64_t bytes, int64_t step)
{
    __mmask64 mask = 0;
    for (int half = 0; half < 2; half++) {
        __m512i i = words_of(half);
        i = _mm512_sub_epi16(
            i, _mm512_mullo_epi16(quotients(i, step), _mm512_set1_epi16((int16_t) step)));
        mask |= (__mmask64) _mm512_cmplt_epu16_mask(i, _mm512_set1_epi16((int16_t) bytes))
                << (32 * half);
    }
    return mask;
}

/* What moves a window: its bytes that are data, in user memory and in the packed stream. */
typedef struct plan {
    __m512i from;
    __mmask64 user_bytes;
    __mmask64 packed_bytes;
} plan_t;

/*
 * Moves a window of blocks at `user` from or to blocks without gaps at `packed`, both masked. A
 * masked store that crosses a cache line is slow on Intel: two halves, of which one crosses it, are
 * 1.2 to 1.4 times as fast (Emerald Rapids). On lines they lose 6 %.
 */
DAME_INLINE void move_window(char *user, char *packed, const plan_t *plan, int on_lines,
                             dame_dir_t dir)
{
    if (dir == DAME_PACK) {
        const __m512i window = _mm512_maskz_loadu_epi8(plan->user_bytes, user);
        _mm512_mask_storeu_epi8(packed, plan->packed_bytes,
                                _mm512_permutexvar_epi8(plan->from, window));
        return;
    }
    const __m512i blocks =
        _mm512_permutexvar_epi8(plan->from, _mm512_maskz_loadu_epi8(plan->packed_bytes, packed));
    if (on_lines) {
        _mm512_mask_storeu_epi8(user, plan->user_bytes, blocks);
    } else {
        _mm256_mask_storeu_epi8(user, (__mmask32) plan->user_bytes, _mm512_castsi512_si256(blocks));
        _mm256_mask_storeu_epi8(user + WINDOW / 2, (__mmask32) (plan->user_bytes >> WINDOW / 2),
                                _mm512_extracti64x4_epi64(blocks, 1));
    }
}

DAME_INLINE void move_windows(char *user, int64_t user_step, char *packed, int64_t packed_step,
                              int64_t n, const plan_t *plan, int on_lines, dame_dir_t dir)
{
    for (; n > 0; n--) {
        move_window(user, packed, plan, on_lines, dir);
        user += user_step;
        packed += packed_step;
    }
}

DAME_INLINE void run_byte_permute(const dame_prim_t *prim, uintptr_t origin, char *packed,
                                  int64_t first, int64_t n, dame_dir_t dir)
{
    const int64_t bytes = prim->iter_size;
    const int64_t step = prim->step;
    const int64_t blocks = (WINDOW - bytes) / step + 1;
    const int64_t windows = dame_divide(n, blocks);
    const __mmask64 data = data_bytes(bytes, step);
    plan_t plan = {
        .from = dir == DAME_PACK ? places(bytes, step - bytes) : places(step, bytes - step),
        .user_bytes = data & low_bits((blocks - 1) * step + bytes),
        .packed_bytes = low_bits(blocks * bytes),
    };
    char *user = (char *) (origin + (uintptr_t) first * (uintptr_t) step);
    if (dir == DAME_UNPACK && 0 == ((uintptr_t) user | (uintptr_t) (blocks * step)) % WINDOW) {
        move_windows(user, blocks * step, packed, blocks * bytes, windows, &plan, 1, dir);
    } else {
        move_windows(user, blocks * step, packed, blocks * bytes, windows, &plan, 0, dir);
    }
    const int64_t rest = n - windows * blocks;
    if (rest > 0) {
        plan.user_bytes = data & low_bits((rest - 1) * step + bytes);
        plan.packed_bytes = low_bits(rest * bytes);
        move_window(user + windows * blocks * step, packed + windows * blocks * bytes, &plan, 0,
                    dir);
    }
}

DAME_RUN(pack_byte_permute, run_byte_permute, DAME_PACK)
DAME_RUN(unpack_byte_permute, run_byte_permute, DAME_UNPACK)

const dame_run_fn dame_byte_permute[2] = {pack_byte_permute, unpack_byte_permute};
