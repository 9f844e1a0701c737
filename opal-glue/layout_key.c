#include "layout_key.h"

#include <string.h>

#include "abi/abi.h"
#include "dame/heap.h"

/* An item of the description as numbers that say all of it: its memory has padding and fields that
 * are not used. */
enum { WORDS = 4 };

typedef struct item {
    uint64_t word[WORDS];
} item_t;

/*
 * The first items are stored as they are; a regular datatype has no others. Of each further one is
 * stored what differs from the one before: a byte with two bits for each word, how long its
 * difference is, then the differences. So a list of equal blocks takes three to five bytes a
 * block, where Open MPI's items take 32.
 */
enum { FIRST_ITEMS = 3 };

struct dt_layout_key {
    item_t first[FIRST_ITEMS]; /* zero beyond the last */
    size_t length;
    uint8_t rest[];
};

enum { SAME, BYTES_2, BYTES_4, BYTES_8 };
enum { LONGEST_ITEM = 1 + WORDS * 8 };

/* ---- Reading Open MPI's description --------------------------------------------------------- */

/* What there is once for a datatype, as the first items. */
enum { OWN_ITEMS = 2 };

static inline size_t items_of(const opal_datatype_t *datatype)
{
    return OWN_ITEMS + datatype->desc.used;
}

static inline item_t read_own(const opal_datatype_t *datatype, size_t i)
{
    return 0 == i ? (item_t){{datatype->size, (uint64_t) datatype->lb, (uint64_t) datatype->ub,
                              datatype->desc.used}}
                  : (item_t){{datatype->flags, (uint64_t) datatype->true_lb,
                              (uint64_t) datatype->true_ub, 0}};
}

_Static_assert(4 == offsetof(ddt_elem_desc_t, count) && 4 == offsetof(ddt_loop_desc_t, items) &&
                   4 == offsetof(ddt_endloop_desc_t, items),
               "eight bytes hold the kind of an item and a number");

static inline item_t read_desc(const dt_elem_desc_t *item)
{
    uint64_t kind;
    memcpy(&kind, item, sizeof(kind));
    if (OPAL_DATATYPE_LOOP == item->elem.common.type) {
        return (item_t){{kind, item->loop.loops, (uint64_t) item->loop.extent, 0}};
    }
    if (OPAL_DATATYPE_END_LOOP == item->elem.common.type) {
        return (item_t){{kind, item->end_loop.size, (uint64_t) item->end_loop.first_elem_disp, 0}};
    }
    return (item_t){
        {kind, item->elem.blocklen, (uint64_t) item->elem.extent, (uint64_t) item->elem.disp}};
}

/* i < items_of(datatype) */
static inline item_t read_item(const opal_datatype_t *datatype, size_t i)
{
    return i < OWN_ITEMS ? read_own(datatype, i) : read_desc(&datatype->desc.desc[i - OWN_ITEMS]);
}

/* ---- Hash ----------------------------------------------------------------------------------- */

static inline uint64_t swap_halves(uint64_t word)
{
    return word << 32 | word >> 32;
}

/* A polynomial of the items. Its factors are odd numbers without a pattern. */
uint64_t dt_layout_key_hash(const opal_datatype_t *datatype)
{
    const size_t items = items_of(datatype);
    uint64_t hash = 0;
    for (size_t i = 0; i < items; i++) {
        const item_t item = read_item(datatype, i);
        hash = hash * UINT64_C(0xFF51AFD7ED558CCD) +
               (item.word[0] ^ swap_halves(item.word[2])) * UINT64_C(0x9E3779B97F4A7C15) +
               (item.word[1] ^ swap_halves(item.word[3])) * UINT64_C(0xC2B2AE3D27D4EB4F);
    }
    hash ^= hash >> 32; /* its lower bits depend on the lower bits of items only */
    hash *= UINT64_C(0xFF51AFD7ED558CCD);
    return hash ^ hash >> 32;
}

/* ---- Items in bytes ------------------------------------------------------------------------- */

static uint8_t *write_number(uint8_t *at, const void *number, size_t bytes)
{
    memcpy(at, number, bytes);
    return at + bytes;
}

/* Returns the end of it, at most LONGEST_ITEM bytes further on. */
static uint8_t *write_item(uint8_t *at, item_t last, item_t item)
{
    uint8_t *lengths = at++;
    *lengths = 0;
    for (int i = 0; i < WORDS; i++) {
        const int64_t wide = (int64_t) (item.word[i] - last.word[i]);
        const int32_t half = (int32_t) wide;
        const int16_t quarter = (int16_t) wide;
        unsigned length = SAME;
        if (half != wide) {
            length = BYTES_8;
            at = write_number(at, &wide, sizeof(wide));
        } else if (quarter != wide) {
            length = BYTES_4;
            at = write_number(at, &half, sizeof(half));
        } else if (0 != wide) {
            length = BYTES_2;
            at = write_number(at, &quarter, sizeof(quarter));
        }
        *lengths |= (uint8_t) (length << 2 * i);
    }
    return at;
}

static inline const uint8_t *read_number(const uint8_t *at, unsigned length, uint64_t *sum)
{
    int64_t wide;
    int32_t half;
    int16_t quarter;
    switch (length) {
    case BYTES_2:
        memcpy(&quarter, at, sizeof(quarter));
        *sum += (uint64_t) quarter;
        return at + sizeof(quarter);
    case BYTES_4:
        memcpy(&half, at, sizeof(half));
        *sum += (uint64_t) half;
        return at + sizeof(half);
    case BYTES_8:
        memcpy(&wide, at, sizeof(wide));
        *sum += (uint64_t) wide;
        return at + sizeof(wide);
    default: /* SAME */
        return at;
    }
}

/* Makes the item before the one at `at` into that one. */
static inline const uint8_t *read_next(const uint8_t *at, item_t *item)
{
    const unsigned lengths = *at++;
    if (0 != (lengths & 0x3f)) { /* in a list, it is only the displacement that differs */
        at = read_number(at, lengths & 3, &item->word[0]);
        at = read_number(at, lengths >> 2 & 3, &item->word[1]);
        at = read_number(at, lengths >> 4 & 3, &item->word[2]);
    }
    return read_number(at, lengths >> 6, &item->word[3]);
}

/* ---- Keys ----------------------------------------------------------------------------------- */

static inline bool are_equal(item_t a, item_t b)
{
    return 0 == ((a.word[0] ^ b.word[0]) | (a.word[1] ^ b.word[1]) | (a.word[2] ^ b.word[2]) |
                 (a.word[3] ^ b.word[3]));
}

/* The first item says how many there are, so a key that has fewer is not read beyond its end. */
bool dt_layout_key_fits(const dt_layout_key_t *key, const opal_datatype_t *datatype)
{
    const size_t items = items_of(datatype);
    for (size_t i = 0; i < FIRST_ITEMS && i < items; i++) {
        if (!are_equal(key->first[i], read_item(datatype, i))) {
            return false;
        }
    }
    const uint8_t *at = key->rest;
    item_t expected = key->first[FIRST_ITEMS - 1];
    for (size_t i = FIRST_ITEMS; i < items; i++) {
        at = read_next(at, &expected);
        if (!are_equal(expected, read_item(datatype, i))) {
            return false;
        }
    }
    return true;
}

/* Of the items after the first ones. */
static size_t length_of(const opal_datatype_t *datatype)
{
    const size_t items = items_of(datatype);
    if (items <= FIRST_ITEMS) {
        return 0;
    }
    uint8_t bytes[LONGEST_ITEM];
    item_t last = read_item(datatype, FIRST_ITEMS - 1);
    size_t length = 0;
    for (size_t i = FIRST_ITEMS; i < items; i++) {
        const item_t item = read_item(datatype, i);
        length += (size_t) (write_item(bytes, last, item) - bytes);
        last = item;
    }
    return length;
}

dt_layout_key_t *dt_layout_key_new(const opal_datatype_t *datatype)
{
    const size_t items = items_of(datatype);
    const size_t length = length_of(datatype);
    dt_layout_key_t *key = dame_heap_zalloc(sizeof(*key) + length);
    if (NULL == key) {
        return NULL;
    }
    for (size_t i = 0; i < FIRST_ITEMS && i < items; i++) {
        key->first[i] = read_item(datatype, i);
    }
    key->length = length;
    uint8_t *at = key->rest;
    item_t last = key->first[FIRST_ITEMS - 1];
    for (size_t i = FIRST_ITEMS; i < items; i++) {
        const item_t item = read_item(datatype, i);
        at = write_item(at, last, item);
        last = item;
    }
    return key;
}

size_t dt_layout_key_bytes(const dt_layout_key_t *key)
{
    return sizeof(*key) + key->length;
}
