/*
 * Run kernels of levels of blocks of a few bytes with gaps of a few bytes, like every second byte:
 * a 64-byte window of user memory at a time, whose blocks a byte permutation gathers from the
 * window or scatters into it. Loads and stores are masked, so that no byte of a gap is touched.
 * Compiled for AVX-512 with VBMI, which has the instructions.
 */
#include <immintrin.h>

#include "copy.h"
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
        __m512i q = 1 == divisor ? i : quotients(i, divisor);
        i = _mm512_add_epi16(i, _mm512_mullo_epi16(q, _mm512_set1_epi16((int16_t) factor)));
        bytes[half] = _mm512_cvtepi16_epi8(i);
    }
    return _mm512_inserti64x4(_mm512_castsi256_si512(bytes[0]), bytes[1], 1);
}

/* Bytes of a window that are no gaps. */
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

/* Blocks of `step` bytes apart at `user` and without gaps at `packed`, both masked. */
DAME_INLINE void move_window(char *user, __mmask64 user_bytes, char *packed, __mmask64 packed_bytes,
                             __m512i from, dame_dir_t dir)
{
    if (DAME_PACK == dir) {
        const __m512i window = _mm512_maskz_loadu_epi8(user_bytes, user);
        _mm512_mask_storeu_epi8(packed, packed_bytes, _mm512_permutexvar_epi8(from, window));
    } else {
        const __m512i window = _mm512_maskz_loadu_epi8(packed_bytes, packed);
        _mm512_mask_storeu_epi8(user, user_bytes, _mm512_permutexvar_epi8(from, window));
    }
}

DAME_INLINE void run_byte_permute(const dame_prim_t *prim, uintptr_t origin, char *packed,
                                  int64_t first, int64_t n, dame_dir_t dir)
{
    const int64_t bytes = prim->isize;
    const int64_t step = prim->step;
    const int64_t blocks = (WINDOW - bytes) / step + 1;
    const __m512i from =
        DAME_PACK == dir ? places(bytes, step - bytes) : places(step, bytes - step);
    const __mmask64 data = data_bytes(bytes, step);
    __mmask64 user_bytes = data & low_bits((blocks - 1) * step + bytes);
    __mmask64 packed_bytes = low_bits(blocks * bytes);
    char *user = (char *) (origin + (uintptr_t) first * (uintptr_t) step);
    for (; n >= blocks; n -= blocks) {
        move_window(user, user_bytes, packed, packed_bytes, from, dir);
        user += blocks * step;
        packed += blocks * bytes;
    }
    if (n > 0) {
        user_bytes = data & low_bits((n - 1) * step + bytes);
        packed_bytes = low_bits(n * bytes);
        move_window(user, user_bytes, packed, packed_bytes, from, dir);
    }
}

DAME_RUN(pack_byte_permute, run_byte_permute, DAME_PACK)
DAME_RUN(unpack_byte_permute, run_byte_permute, DAME_UNPACK)

const dame_run_fn dame_byte_permute[2] = {pack_byte_permute, unpack_byte_permute};
