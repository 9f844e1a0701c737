/* SPDX-License-Identifier: BSD-3-Clause */
#include "chunk.h"

#include <llvm/Config/llvm-config.h>
#include <string.h>

enum {
    MIN_BLOCKS = 4,   /* that a vector replaces */
    MOST_SOURCES = 8, /* vectors that one is gathered from, */
    FEW_SOURCES = 2,  /* and where bytes do not cross lanes in one instruction */
    NONE = -1         /* a byte that no block has */
};

static int64_t gcd(int64_t a, int64_t b)
{
    return b == 0 ? a : gcd(b, a % b);
}

/* The bytes that iterations 0 to n - 1 have. Returns 0 when they are too far apart. */
static int fill(const l_body_t *body, int64_t step, int64_t n, l_chunk_t *chunk)
{
    int64_t low, high;
    l_body_bounds(body, &low, &high);
    const int64_t first = step < 0 ? (n - 1) * step : 0;
    const int64_t last = step < 0 ? 0 : (n - 1) * step;
    *chunk = (l_chunk_t){.iterations = n,
                         .bytes = n * body->bytes,
                         .low = low + first,
                         .high = high + last,
                         .body_high = high,
                         .step = step,
                         .is_ordered = step >= high - low};
    if (chunk->bytes > L_CHUNK_BYTES || chunk->high - chunk->low > L_CHUNK_SPAN) {
        return 0;
    }
    for (int64_t i = 0, at = 0; i < n; i++) {
        for (int k = 0; k < body->n; k++) {
            for (int64_t byte = 0; byte < body->at[k].bytes; byte++) {
                chunk->user[at++] = (int16_t) (i * step + body->at[k].user + byte - chunk->low);
            }
        }
    }
    return 1;
}

void l_chunk_cut(const l_chunk_t *chunk, int64_t n, l_chunk_t *out)
{
    const int64_t bytes = chunk->bytes / chunk->iterations;
    *out = *chunk;
    out->iterations = n;
    out->bytes = n * bytes;
    int64_t low = INT64_MAX;
    int64_t high = 0;
    for (int64_t i = 0; i < out->bytes; i++) {
        low = chunk->user[i] < low ? chunk->user[i] : low;
        high = chunk->user[i] + 1 > high ? chunk->user[i] + 1 : high;
    }
    for (int64_t i = 0; i < out->bytes; i++) {
        out->user[i] = (int16_t) (chunk->user[i] - low);
    }
    out->high = chunk->low + high;
    out->low = chunk->low + low;
}

int l_chunk_is_whole(const l_unit_t *u, const l_chunk_t *chunk)
{
    return chunk->bytes >= u->vector_bytes && chunk->high - chunk->low >= u->vector_bytes;
}

int l_chunk_of(const l_unit_t *u, const l_body_t *body, int64_t step, int64_t count,
               l_chunk_t *chunk)
{
    const int64_t vector = u->vector_bytes;
    if (!(u->dir == DAME_PACK ? u->cpu.avx2 : u->cpu.avx512) || step == 0 ||
        body->bytes > L_CHUNK_BYTES / 2 || body->n * vector < MIN_BLOCKS * body->bytes) {
        return 0;
    }
    int64_t n = vector / gcd(body->bytes, vector); /* a power of two, as the vector is */
    while (n * body->bytes > L_CHUNK_BYTES) {
        n /= 2;
    }
    if ((count != 0 && count < n) || !fill(body, step, n, chunk)) {
        return 0;
    }
    const int64_t sources = (chunk->high - chunk->low + chunk->bytes - 1) / chunk->bytes;
    return l_chunk_is_whole(u, chunk) &&
           sources <= (u->cpu.avx512_vbmi ? MOST_SOURCES : FEW_SOURCES) &&
           sources * 2 <= body->n * vector / body->bytes;
}

/* ---- masks ---- */

static LLVMTypeRef mask_type(const l_unit_t *u, int64_t lanes)
{
    return LLVMVectorType(u->i1, (unsigned) lanes);
}

/* The code generator of LLVM 22 looks at a constant mask's lanes, and crashes on a bitcast, which
 * has no lanes. */
static LLVMValueRef constant_mask(const l_unit_t *u, uint64_t bits, int64_t lanes)
{
    LLVMValueRef mask[64];
    for (int64_t i = 0; i < lanes; i++) {
        mask[i] = LLVMConstInt(u->i1, bits >> i & 1, 0);
    }
    return LLVMConstVector(mask, (unsigned) lanes);
}

/* A mask as bits in i64, of that many lanes. */
static LLVMValueRef mask_of(const l_unit_t *u, LLVMValueRef bits, int64_t lanes)
{
    if (LLVMIsAConstantInt(bits) != NULL) {
        return constant_mask(u, LLVMConstIntGetZExtValue(bits), lanes);
    }
    if (lanes < 64) {
        LLVMTypeRef type = LLVMIntTypeInContext(u->context, (unsigned) lanes);
        bits = LLVMBuildTrunc(u->b, bits, type, "");
    }
    return LLVMBuildBitCast(u->b, bits, mask_type(u, lanes), "mask");
}

/* The lowest n bits: none where n <= 0, all where n >= 64. */
static LLVMValueRef low_bits(const l_unit_t *u, LLVMValueRef n)
{
    LLVMValueRef none = LLVMBuildICmp(u->b, LLVMIntSLE, n, l_int(u, 0), "");
    LLVMValueRef all = LLVMBuildICmp(u->b, LLVMIntSGE, n, l_int(u, 64), "");
    LLVMValueRef bits = LLVMBuildAnd(u->b, n, l_int(u, 63), "");
    bits = l_add(u, LLVMBuildShl(u->b, l_int(u, 1), bits, ""), -1);
    bits = LLVMBuildSelect(u->b, all, l_int(u, -1), bits, "");
    return LLVMBuildSelect(u->b, none, l_int(u, 0), bits, "");
}

/* From 22 on, the pointer's attribute says how memory is aligned: without one, to 1 byte. Before,
 * that is an argument. */
#if LLVM_VERSION_MAJOR >= 22
#define ALIGNED_TO_ONE(u)
#else
#define ALIGNED_TO_ONE(u) LLVMConstInt((u)->i32, 1, 0),
#endif

static LLVMValueRef call_masked(const l_unit_t *u, const char *name, LLVMTypeRef vector,
                                LLVMValueRef *args, unsigned n)
{
    const unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMTypeRef overloads[] = {vector, u->ptr};
    LLVMTypeRef type = LLVMIntrinsicGetType(u->context, id, overloads, 2);
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(u->module, id, overloads, 2);
    return LLVMBuildCall2(u->b, type, function, args, n, "");
}

static LLVMValueRef load_masked(const l_unit_t *u, LLVMTypeRef vector, LLVMValueRef p,
                                LLVMValueRef mask)
{
    LLVMValueRef args[] = {p, ALIGNED_TO_ONE(u) mask, LLVMConstNull(vector)};
    return call_masked(u, "llvm.masked.load", vector, args, sizeof(args) / sizeof(args[0]));
}

static void store_masked(const l_unit_t *u, LLVMValueRef v, LLVMValueRef p, LLVMValueRef mask)
{
    LLVMValueRef args[] = {v, p, ALIGNED_TO_ONE(u) mask};
    call_masked(u, "llvm.masked.store", LLVMTypeOf(v), args, sizeof(args) / sizeof(args[0]));
}

/* ---- memory that vectors are gathered from ---- */

/* `size` bytes at `base`, at least one vector of them: loaded vector by vector when first needed.
 * The last vector ends where the bytes do. */
typedef struct source {
    LLVMValueRef base;
    int64_t size;
    LLVMValueRef valid; /* how many bytes may be read; NULL: all */
    LLVMValueRef loaded[L_CHUNK_SPAN / 16];
} source_t;

static int64_t start_of(const l_unit_t *u, const source_t *source, int k)
{
    const int64_t start = k * u->vector_bytes;
    const int64_t last = source->size - u->vector_bytes;
    return start < last ? start : last;
}

static LLVMValueRef load_vector(l_unit_t *u, source_t *source, int k)
{
    const int64_t start = start_of(u, source, k);
    if (source->loaded[k] == NULL) {
        LLVMTypeRef vector = l_bytes_type(u, u->vector_bytes);
        LLVMValueRef p = l_gep(u, source->base, start);
        if (source->valid == NULL) {
            source->loaded[k] = l_load(u, vector, p);
        } else {
            LLVMValueRef bits = low_bits(u, l_add(u, source->valid, -start));
            source->loaded[k] = load_masked(u, vector, p, mask_of(u, bits, u->vector_bytes));
        }
        u->moves++;
    }
    return source->loaded[k];
}

static LLVMValueRef shuffle(const l_unit_t *u, LLVMValueRef a, LLVMValueRef b, const int *lanes,
                            int64_t n)
{
    LLVMValueRef mask[64];
    for (int64_t i = 0; i < n; i++) {
        mask[i] = lanes[i] < 0 ? LLVMGetUndef(u->i32)
                               : LLVMConstInt(u->i32, (unsigned long long) lanes[i], 0);
    }
    return LLVMBuildShuffleVector(u->b, a, b, LLVMConstVector(mask, (unsigned) n), "");
}

/* A vector of n bytes of the source: lane i is byte want[i], or anything where that is NONE. */
static LLVMValueRef gather(l_unit_t *u, source_t *source, const int16_t *want, int64_t n)
{
    const int64_t vector = u->vector_bytes;
    const int vectors = (int) ((source->size + vector - 1) / vector);
    LLVMValueRef all = NULL;
    for (int k = 0; k < vectors; k += 2) { /* two vectors at a time */
        int lanes[64];
        int blend[64];
        int any = 0;
        const int second = k + 1 < vectors;
        for (int64_t i = 0; i < n; i++) {
            const int mine = want[i] >= 0 && want[i] / vector / 2 == k / 2;
            const int half = mine ? (int) (want[i] / vector) - k : 0;
            lanes[i] = mine ? (int) (half * vector + want[i] - start_of(u, source, k + half)) : -1;
            blend[i] = mine ? (int) (n + i) : (int) i;
            any |= mine;
        }
        if (!any) {
            continue;
        }
        LLVMValueRef a = load_vector(u, source, k);
        LLVMValueRef b = second ? load_vector(u, source, k + 1) : LLVMGetUndef(LLVMTypeOf(a));
        LLVMValueRef part = shuffle(u, a, b, lanes, n);
        all = all == NULL ? part : shuffle(u, all, part, blend, n);
        u->moves++;
    }
    return all;
}

/* ---- chunks ---- */

/* Bytes of the vectors that are stored with a mask: a longer one that crosses a line is slow. */
enum { SCATTER = 32 };

static void pack(l_unit_t *u, const l_chunk_t *chunk, source_t *source, LLVMValueRef packed,
                 LLVMValueRef valid)
{
    const int64_t vector = u->vector_bytes;
    for (int64_t at = 0; at < chunk->bytes; at += vector) {
        const int64_t start = at < chunk->bytes - vector ? at : chunk->bytes - vector;
        LLVMValueRef bytes = gather(u, source, &chunk->user[start], vector);
        LLVMValueRef to = l_gep(u, packed, start);
        if (valid == NULL) {
            l_store(u, bytes, to);
        } else {
            LLVMValueRef bits = low_bits(u, l_add(u, valid, -start));
            store_masked(u, bytes, to, mask_of(u, bits, vector));
        }
        u->moves++;
    }
}

static void unpack(l_unit_t *u, const l_chunk_t *chunk, source_t *source, LLVMValueRef user,
                   LLVMValueRef valid)
{
    int16_t from[L_CHUNK_SPAN + SCATTER];
    memset(from, 0xff, sizeof(from)); /* NONE */
    for (int64_t i = 0; i < chunk->bytes; i++) {
        from[chunk->user[i]] = (int16_t) i;
    }
    for (int64_t at = 0; at < chunk->high - chunk->low; at += SCATTER) {
        int64_t data = 0;
        for (int i = 0; i < SCATTER; i++) {
            data |= (int64_t) (from[at + i] != NONE) << i;
        }
        if (data == 0) {
            continue;
        }
        LLVMValueRef bytes = gather(u, source, &from[at], SCATTER);
        LLVMValueRef bits = l_int(u, data);
        if (valid != NULL) {
            bits = LLVMBuildAnd(u->b, bits, low_bits(u, l_add(u, valid, -at)), "");
        }
        store_masked(u, bytes, l_gep(u, user, at), mask_of(u, bits, SCATTER));
        u->moves++;
    }
}

static void move_chunk(l_unit_t *u, const l_chunk_t *chunk, LLVMValueRef user, LLVMValueRef packed,
                       LLVMValueRef valid_user, LLVMValueRef valid_packed)
{
    const int packs = u->dir == DAME_PACK;
    user = l_gep(u, user, chunk->low);
    source_t source = {.base = packs ? user : packed,
                       .size = packs ? chunk->high - chunk->low : chunk->bytes,
                       .valid = packs ? valid_user : valid_packed};
    if (packs) {
        pack(u, chunk, &source, packed, valid_packed);
    } else {
        unpack(u, chunk, &source, user, valid_user);
    }
}

void l_chunk_move(l_unit_t *u, const l_chunk_t *chunk, LLVMValueRef user, LLVMValueRef packed)
{
    move_chunk(u, chunk, user, packed, NULL, NULL);
}

int l_chunk_has_masks(const l_unit_t *u, const l_chunk_t *chunk)
{
    return u->cpu.avx512 && chunk->is_ordered;
}

void l_chunk_move_some(l_unit_t *u, const l_chunk_t *chunk, LLVMValueRef user, LLVMValueRef packed,
                       LLVMValueRef n)
{
    LLVMValueRef last = l_mul(u, l_add(u, n, -1), chunk->step);
    LLVMValueRef valid_user = l_add(u, last, chunk->body_high - chunk->low);
    LLVMValueRef valid_packed = l_mul(u, n, chunk->bytes / chunk->iterations);
    move_chunk(u, chunk, user, packed, valid_user, valid_packed);
}
