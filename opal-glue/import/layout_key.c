/* SPDX-License-Identifier: BSD-3-Clause */
#include "layout_key.h"

#include <stddef.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "opal-glue/abi/abi.h"
#include "contents.h"
#include "base/hash.h"

/* ---- Reading Open MPI's description --------------------------------------------------------- */

/* An item of the description as numbers that say all of it: its memory has padding and fields that
 * are not used. */
typedef struct item {
    uint64_t kind;
    uint64_t length;
    uint64_t extent;
    uint64_t disp;
} item_t;

/* What there is once for a datatype, as two items. */
static inline item_t read_own(const opal_datatype_t *datatype, size_t i)
{
    return i == 0 ? (item_t){datatype->size, (uint64_t) datatype->lb, (uint64_t) datatype->ub,
                             (uint64_t) datatype->desc.used}
                  : (item_t){datatype->flags & ~OPAL_DATATYPE_FLAG_COMMITTED,
                             (uint64_t) datatype->true_lb, (uint64_t) datatype->true_ub, 0};
}

_Static_assert(offsetof(ddt_elem_desc_t, count) == 4 && offsetof(ddt_loop_desc_t, items) == 4 &&
                   offsetof(ddt_endloop_desc_t, items) == 4,
               "eight bytes hold the kind of an item and a number");

static inline item_t read_desc(const dt_elem_desc_t *item)
{
    uint64_t kind;
    memcpy(&kind, item, sizeof(kind));
    if (item->elem.common.type == OPAL_DATATYPE_LOOP) {
        return (item_t){kind, item->loop.loops, (uint64_t) item->loop.extent, 0};
    }
    if (item->elem.common.type == OPAL_DATATYPE_END_LOOP) {
        return (item_t){kind, item->end_loop.size, (uint64_t) item->end_loop.first_elem_disp, 0};
    }
    return (item_t){kind, item->elem.blocklen, (uint64_t) item->elem.extent,
                    (uint64_t) item->elem.disp};
}

/* ---- Fingerprint
 * --------------------------------------------------------------------------------- */

static inline uint64_t swap_halves(uint64_t word)
{
    return word << 32 | word >> 32;
}

/* A polynomial modulo 2^64 with odd factors without a pattern. */
static inline uint64_t add_to_fingerprint(uint64_t fingerprint, item_t item)
{
    return fingerprint * UINT64_C(0xFF51AFD7ED558CCD) +
           (item.kind ^ swap_halves(item.extent)) * UINT64_C(0x9E3779B97F4A7C15) +
           (item.length ^ swap_halves(item.disp)) * UINT64_C(0xC2B2AE3D27D4EB4F);
}

uint64_t dt_layout_fingerprint(const opal_datatype_t *datatype)
{
    enum { DRAWN = 8 }; /* of a long description */
    const dt_elem_desc_t *desc = datatype->desc.desc;
    const size_t items = datatype->desc.used;
    const size_t step = items <= DRAWN ? 1 : items / DRAWN;
    uint64_t fingerprint =
        add_to_fingerprint(add_to_fingerprint(0, read_own(datatype, 0)), read_own(datatype, 1));
    for (size_t i = 0; i < items; i += step) {
        fingerprint = add_to_fingerprint(fingerprint, read_desc(&desc[i]));
    }
    fingerprint ^= fingerprint >> 32; /* its lower bits depend on the lower bits of items only */
    fingerprint *= UINT64_C(0xFF51AFD7ED558CCD);
    return fingerprint ^ fingerprint >> 32;
}

/* ---- Numbers modulo 2^127 - 1 --------------------------------------------------------------- */

__extension__ typedef unsigned __int128 wide_t;

#define PRIME ((((wide_t) 1) << 127) - 1)

/* Returns the rest of a number that is at most twice the prime. */
static inline wide_t fold(wide_t a)
{
    return (a & PRIME) + (a >> 127);
}

/* a, b and the results are at most the prime, which counts as zero. */
static inline wide_t plus(wide_t a, wide_t b)
{
    return fold(a + b);
}

/* 2^127 is one, so 2^128 is two. */
static inline wide_t times(wide_t a, wide_t b)
{
    const uint64_t a0 = (uint64_t) a, a1 = (uint64_t) (a >> 64);
    const uint64_t b0 = (uint64_t) b, b1 = (uint64_t) (b >> 64);
    const wide_t low = (wide_t) a0 * b0;
    const wide_t middle = (wide_t) a0 * b1 + (wide_t) a1 * b0; /* below 2^128: a1, b1 < 2^63 */
    const wide_t shifted = middle << 64;
    const wide_t high = 2 * ((wide_t) a1 * b1 + (middle >> 64)) + (low >> 127) + (shifted >> 127);
    return plus(plus(low & PRIME, shifted & PRIME), fold(high));
}

/* ---- The point ------------------------------------------------------------------------------ */

enum {
    BLOCK = 16,      /* numbers that make one coefficient */
    MAX_NESTING = 33 /* one more than what import_mpi.c accepts */
};

/* A coefficient is the sum of a block's numbers, each times a factor low + 2^64 high, so small that
 * no sum of BLOCK products overflows. The polynomial of each level of nesting has its own variable.
 */
static struct {
    uint64_t low[BLOCK], high[BLOCK]; /* below 2^60 and 2^59 */
    wide_t level[MAX_NESTING];
} at;

static wide_t draw(void)
{
    wide_t number;
    if (sizeof(number) != getrandom(&number, sizeof(number), 0)) { /* a system without it */
        static uint64_t state;
        struct timespec now;
        (void) clock_gettime(CLOCK_REALTIME, &now);
        state = add_to_fingerprint(state, (item_t){(uint64_t) now.tv_nsec, (uint64_t) now.tv_sec,
                                                   (uint64_t) (uintptr_t) &number, state});
        number =
            (wide_t) state << 64 | add_to_fingerprint(state, (item_t){state, state, state, state});
    }
    return number & PRIME;
}

void dt_layout_key_start(void)
{
    for (int i = 0; i < BLOCK; i++) {
        at.low[i] = (uint64_t) draw() >> 4;
        at.high[i] = (uint64_t) draw() >> 5;
    }
    for (int i = 0; i < MAX_NESTING; i++) {
        at.level[i] = draw();
    }
}

/* At most BLOCK numbers as a coefficient. */
static inline wide_t coefficient(const uint64_t *numbers, int n)
{
    wide_t low = 0, high = 0;
    for (int i = 0; i < n; i++) {
        low += (wide_t) numbers[i] * at.low[i];
        high += (wide_t) numbers[i] * at.high[i];
    }
    const wide_t shifted = high << 64;
    return plus(plus(low & PRIME, shifted & PRIME),
                (low >> 127) + (shifted >> 127) + 2 * (high >> 64));
}

/* ---- Polynomials ---------------------------------------------------------------------------- */

/* Keys of datatypes of one level, by address: members of a struct are often the same. */
typedef struct recent {
    const ompi_datatype_t *datatype;
    int level;
    wide_t key;
} recent_t;

enum { RECENT_LOG2 = 5, RECENT = 1 << RECENT_LOG2 };

typedef struct reader {
    dame_tree_t *tree;
    bool fails;       /* memory is out, or it is nested too deep */
    bool has_recent;  /* `recent` has values: there was a nested datatype */
    recent_t *recent; /* RECENT of them */
} reader_t;

/* A polynomial of numbers that are added one by one. */
typedef struct poly {
    wide_t key;
    int level;
    int n; /* numbers in the block */
    uint64_t block[BLOCK];
} poly_t;

static inline void end_block(poly_t *poly)
{
    const wide_t last = coefficient(poly->block, poly->n);
    poly->key = poly->key == 0 ? last : plus(times(poly->key, at.level[poly->level]), last);
    poly->n = 0;
}

static inline void add_word(poly_t *poly, uint64_t number)
{
    if (poly->n == BLOCK) {
        end_block(poly);
    }
    poly->block[poly->n++] = number;
}

/* A key, as a coefficient of its own: its halves in a block would be multiplied by the numbers that
 * it was made with. */
static inline void add_key(poly_t *poly, wide_t key)
{
    end_block(poly);
    poly->key = plus(times(poly->key, at.level[poly->level]), key);
}

/* A list; its length is among the numbers before it. */
static inline void add_bytes(poly_t *poly, const void *list, size_t bytes)
{
    const char *from = list;
    uint64_t number;
    size_t step;
    for (; bytes >= sizeof(number); bytes -= step, from += step) {
        if (poly->n == BLOCK) {
            end_block(poly);
        }
        const bool fills_one = poly->n == 0 && bytes >= sizeof(poly->block);
        step = fills_one ? sizeof(poly->block) : sizeof(number);
        memcpy(&poly->block[poly->n], from, step);
        poly->n += (int) (step / sizeof(number));
    }
    if (bytes > 0) {
        number = 0;
        memcpy(&number, from, bytes);
        add_word(poly, number);
    }
}

static inline void add_item(poly_t *poly, item_t item)
{
    add_word(poly, item.kind);
    add_word(poly, item.length);
    add_word(poly, item.extent);
    add_word(poly, item.disp);
}

/* What a polynomial begins with: of a datatype that does not say how it was made, of a call, or of
 * a predefined datatype. */
enum { OF_DESC = 1, OF_CALL = 2, OF_PREDEFINED = 3 };

static inline uint64_t pair(uint32_t high, uint32_t low)
{
    return (uint64_t) high << 32 | low;
}

static void add_desc(poly_t *poly, const opal_datatype_t *datatype)
{
    const dt_type_desc_t *desc = &datatype->desc;
    add_word(poly, pair(OF_DESC, 0));
    add_word(poly, desc->used);
    for (size_t i = 0; i < desc->used; i++) {
        add_item(poly, read_desc(&desc->desc[i]));
    }
}

static wide_t key_of_nested(reader_t *reader, const ompi_datatype_t *datatype, int level);

/* Predefined ones live as long as the process. */
static inline void add_type(poly_t *poly, reader_t *reader, const ompi_datatype_t *datatype)
{
    if (datatype->super.flags & OMPI_DATATYPE_FLAG_PREDEFINED) {
        add_word(poly, (uintptr_t) datatype);
    } else {
        const wide_t key = key_of_nested(reader, datatype, poly->level + 1);
        add_word(poly, 0);
        add_key(poly, key);
    }
}

static void add_call(poly_t *poly, reader_t *reader, const dt_contents_t *call)
{
    add_word(poly, pair(OF_CALL, (uint32_t) call->combiner));
    add_word(poly, pair((uint32_t) call->n_ints, (uint32_t) call->n_aints));
    add_word(poly, (uint32_t) call->n_types);
    add_bytes(poly, call->ints, (size_t) call->n_ints * sizeof(*call->ints));
    add_bytes(poly, call->aints, (size_t) call->n_aints * sizeof(*call->aints));
    for (int i = 0; i < call->n_types; i++) {
        add_type(poly, reader, call->types[i]);
    }
}

static wide_t key_of_new(reader_t *reader, const ompi_datatype_t *datatype, int level)
{
    poly_t poly;
    dt_contents_t call;
    dt_decline_t declined = DT_DECLINE_NONE;
    if (level == MAX_NESTING) {
        reader->fails = true;
        return 0;
    }
    poly.key = 0;
    poly.level = level;
    poly.n = 0;
    if (datatype->super.flags & OMPI_DATATYPE_FLAG_PREDEFINED) {
        add_word(&poly, pair(OF_PREDEFINED, 0));
        add_word(&poly, (uintptr_t) datatype);
    } else if (dt_contents_read(reader->tree, &datatype->super, &call, &declined)) {
        add_call(&poly, reader, &call);
    } else {
        add_desc(&poly, &datatype->super);
    }
    /* Equal constructor calls have equal bounds in one Open MPI. They are in the key all the same:
     * the program is compared with them, and they cost nothing. */
    add_item(&poly, read_own(&datatype->super, 0));
    add_item(&poly, read_own(&datatype->super, 1));
    end_block(&poly);
    reader->fails |= declined != DT_DECLINE_NONE;
    return poly.key;
}

static wide_t key_of_nested(reader_t *reader, const ompi_datatype_t *datatype, int level)
{
    if (!reader->has_recent) {
        memset(reader->recent, 0, RECENT * sizeof(*reader->recent));
        reader->has_recent = true;
    }
    if (reader->fails) {
        return 0;
    }
    recent_t *recent = &reader->recent[dt_hash(datatype) >> (64 - RECENT_LOG2)];
    if (datatype != recent->datatype || level != recent->level) {
        const wide_t key = key_of_new(reader, datatype, level);
        *recent = (recent_t){datatype, level, key};
    }
    return recent->key;
}

bool dt_layout_key(dame_tree_t *tree, const opal_datatype_t *datatype, dame_layout_key_t *key)
{
    recent_t recent[RECENT];
    reader_t reader = {.tree = tree, .recent = recent};
    wide_t value = key_of_new(&reader, (const ompi_datatype_t *) datatype, 0);
    dame_tree_reset(tree);
    value = value == PRIME ? 0 : value;
    *key = (dame_layout_key_t){.high = (uint64_t) (value >> 64), .low = (uint64_t) value};
    return !reader.fails;
}
