/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random datatypes, made and moved through the library's public functions, against the oracle: size
 * and bounds, pack and unpack in any pieces and any order, blocks, typemap, signatures, texts, and
 * copies between two datatypes of one signature.
 *
 * Contexts take turns: with the interpreter only, with machine code from the first, the second or
 * the third message on, and when measurements say so.
 *
 * Usage: random [--cases N] [--seed S] [--case K]
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mirror.h"
#include "test/differential/cases.h"
#include "test/lib/oracle.h"
#include "test/lib/type_tools.h"

enum { MOST_FAILURES = 10, MOST_PIECES = 40, MOST_WALK = 1 << 16, MARGIN = 64 };

static char failure[600];

static __attribute__((format(printf, 1, 2))) bool fail(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(failure, sizeof failure, format, args);
    va_end(args);
    return false;
}

static bool ok(dame_status_t status)
{
    return status == DAME_OK || fail("%s", dame_error_message());
}

static bool same(const char *what, int64_t is, int64_t wanted)
{
    return is == wanted || fail("%s is %lld, not %lld", what, (long long) is, (long long) wanted);
}

/* Messages, copies and so on that were tried. */
static struct {
    int64_t messages, bytes, copies, texts, pieces, blocks, entries, unlike, codes;
} seen;

/* A datatype, what the oracle says of it, and a buffer that `count` elements fit in. */
typedef struct message {
    dame_datatype_t *type;
    oracle_t oracle;
    int64_t count;
    int64_t total;
    bool overlapping;
    int64_t low, size; /* bytes of the buffer */
    char *memory, *wanted;
    char *base; /* of the elements in `memory` */
} message_t;

static char *base_in(const message_t *m, char *memory)
{
    return (char *) ((uintptr_t) memory - (uintptr_t) m->low);
}

static void message_fini(message_t *m)
{
    dame_datatype_free(m->type);
    oracle_fini(&m->oracle);
    free(m->memory);
    free(m->wanted);
}

static bool mark_overlaps(message_t *m)
{
    memset(m->memory, 0, (size_t) m->size);
    for (int64_t i = 0; i < m->total; i++) {
        char *byte = (char *) oracle_address(&m->oracle, (uintptr_t) m->base, i);
        m->overlapping |= *byte != 0;
        *byte = 1;
    }
    return true;
}

static bool message_init(message_t *m, rng_t *rng, dame_context_t *context, const dame_type_t *type,
                         int64_t count)
{
    int64_t high, bytes;
    *m = (message_t){.type = mirror(rng, context, type), .count = count};
    if (!m->type || dame_datatype_commit(m->type) != DAME_OK) {
        return fail("%s", dame_error_message());
    }
    if (!oracle_init(&m->oracle, type)) {
        return fail("no memory");
    }
    m->total = m->oracle.size * count;
    oracle_span(&m->oracle, count, &m->low, &high);
    m->size = high - m->low;
    m->memory = malloc((size_t) m->size + 1);
    m->wanted = malloc((size_t) m->size + 1);
    if (!m->memory || !m->wanted) {
        return fail("no memory");
    }
    m->base = base_in(m, m->memory);
    return mark_overlaps(m) && ok(dame_packed_size(m->type, count, &bytes)) &&
           same("the packed size", bytes, m->total);
}

/* ---- what the datatype says of itself ---- */

static bool check_numbers(const message_t *m)
{
    int64_t size, lb, extent, true_lb, true_extent;
    return ok(dame_datatype_size(m->type, &size)) &&
           ok(dame_datatype_extent(m->type, &lb, &extent)) &&
           ok(dame_datatype_true_extent(m->type, &true_lb, &true_extent)) &&
           same("the size", size, m->oracle.size) && same("the lower bound", lb, m->oracle.lb) &&
           same("the extent", extent, m->oracle.extent) &&
           same("the true lower bound", true_lb, m->oracle.true_lb) &&
           same("the true extent", true_extent, m->oracle.true_ub - m->oracle.true_lb);
}

/* The oracle's typemap: packed byte of each basic element's first; `n` of them. */
static int64_t *elements_of(const oracle_t *oracle, int64_t *n)
{
    int64_t *first = malloc(((size_t) oracle->size + 1) * sizeof *first);
    *n = 0;
    for (int64_t i = 0; first && i < oracle->size; i++) {
        if (oracle->starts[i]) {
            first[(*n)++] = i;
        }
    }
    if (first) {
        first[*n] = oracle->size;
    }
    return first;
}

static bool check_entry(const oracle_t *oracle, const int64_t *first, int64_t n, int64_t element,
                        const dame_typemap_entry_t *entry)
{
    if (entry->count < 1 || entry->count > n - element) {
        return fail("typemap: %lld elements at %lld of %lld", (long long) entry->count,
                    (long long) element, (long long) n);
    }
    for (int64_t i = 0; i < entry->count; i++) {
        const int64_t at = first[element + i], size = first[element + i + 1] - at;
        if (!same("typemap: the size", entry->size, size) ||
            !same("typemap: the displacement", entry->displacement + i * entry->size,
                  oracle->offsets[at])) {
            return false;
        }
        if (strcmp(entry->name, mirror_kind(size)) != 0) {
            return fail("typemap: %s, not %s", entry->name, mirror_kind(size));
        }
    }
    return true;
}

static bool check_typemap(rng_t *rng, const message_t *m)
{
    enum { ROOM = 9 };
    dame_typemap_entry_t entries[ROOM];
    int64_t n, listed = 1;
    int64_t *first = elements_of(&m->oracle, &n);
    int64_t position = rng_chance(rng, 50) ? 0 : rng_range(rng, 0, n);
    bool right = first != NULL;
    while (right && listed > 0) {
        int64_t element = position;
        right = ok(
            dame_datatype_typemap(m->type, &position, entries, rng_range(rng, 1, ROOM), &listed));
        for (int64_t i = 0; right && i < listed; i++) {
            right = check_entry(&m->oracle, first, n, element, &entries[i]);
            element += entries[i].count;
        }
        right = right && same("typemap: the position", position, element);
        seen.entries += right ? listed : 0;
    }
    right = right && same("typemap: the end", position, n);
    free(first);
    return right;
}

/* ---- moving ---- */

/* The message in at most MOST_PIECES pieces, in any order. Returns their number. */
static int cut(rng_t *rng, int64_t total, int64_t *from, int64_t *length)
{
    int64_t ends[MOST_PIECES];
    int n = (int) rng_range(rng, 1, rng_chance(rng, 30) ? 2 : MOST_PIECES);
    for (int i = 0; i < n; i++) {
        ends[i] = i == n - 1 ? total : rng_range(rng, 0, total);
        for (int k = i; k > 0 && ends[k] < ends[k - 1]; k--) {
            int64_t end = ends[k];
            ends[k] = ends[k - 1];
            ends[k - 1] = end;
        }
    }
    for (int i = 0; i < n; i++) {
        int k = (int) rng_range(rng, 0, i); /* shuffled while it grows */
        from[i] = from[k];
        length[i] = length[k];
        from[k] = i == 0 ? 0 : ends[i - 1];
        length[k] = ends[i] - from[k];
    }
    return n;
}

static bool check_pack(rng_t *rng, const message_t *m, const char *expected)
{
    int64_t from[MOST_PIECES], length[MOST_PIECES], moved = -1;
    char *packed = malloc((size_t) m->total + 2 * MARGIN);
    bool right = packed != NULL;
    const int n = cut(rng, m->total, from, length);
    if (right) {
        memset(packed, 0x55, (size_t) m->total + 2 * MARGIN);
    }
    for (int i = 0; right && i < n; i++) {
        /* the last piece asks for more than there is */
        const bool last = from[i] + length[i] == m->total;
        right = ok(dame_pack(m->type, m->count, m->base, from[i], packed + MARGIN + from[i],
                             length[i] + (last ? MARGIN : 0), rng_chance(rng, 90) ? &moved : NULL));
        right = right && (moved == -1 || same("packed bytes", moved, length[i]));
        moved = -1;
        seen.pieces++;
    }
    for (int i = 0; right && i < MARGIN; i++) {
        right = (packed[i] == 0x55 && packed[MARGIN + m->total + i] == 0x55) ||
                fail("pack wrote outside of its buffer");
    }
    right = right && (memcmp(packed + MARGIN, expected, (size_t) m->total) == 0 ||
                      fail("pack: wrong bytes, %d pieces", n));
    free(packed);
    return right;
}

static bool check_unpack(rng_t *rng, message_t *m, const char *stream)
{
    int64_t from[MOST_PIECES], length[MOST_PIECES], moved;
    const int n = cut(rng, m->total, from, length);
    rng_fill(rng, m->memory, m->size);
    memcpy(m->wanted, m->memory, (size_t) m->size);
    oracle_unpack(&m->oracle, (uintptr_t) base_in(m, m->wanted), 0, m->total, stream);
    for (int i = 0; i < n; i++) {
        if (!ok(dame_unpack(m->type, m->count, m->base, from[i], stream + from[i], length[i],
                            &moved)) ||
            !same("unpacked bytes", moved, length[i])) {
            return false;
        }
    }
    return memcmp(m->memory, m->wanted, (size_t) m->size) == 0 ||
           fail("unpack: wrong bytes, %d pieces", n);
}

static bool check_blocks(rng_t *rng, const message_t *m)
{
    enum { ROOM = 7 };
    struct iovec blocks[ROOM];
    int64_t position = rng_chance(rng, 50) ? 0 : rng_range(rng, 0, m->total), listed = 1;
    while (listed > 0) {
        int64_t byte = position;
        if (!ok(dame_blocks(m->type, m->count, m->base, &position, blocks, rng_range(rng, 1, ROOM),
                            &listed))) {
            return false;
        }
        for (int64_t i = 0; i < listed; i++) {
            const char *at = blocks[i].iov_base;
            if (i > 0 && (const char *) blocks[i - 1].iov_base + blocks[i - 1].iov_len == at) {
                return fail("blocks: two touch");
            }
            for (size_t k = 0; k < blocks[i].iov_len; k++, byte++) {
                if (byte >= m->total ||
                    (uintptr_t) at + k != oracle_address(&m->oracle, (uintptr_t) m->base, byte)) {
                    return fail("blocks: byte %lld is elsewhere", (long long) byte);
                }
            }
        }
        seen.blocks += listed;
        if (!same("blocks: the position", position, byte)) {
            return false;
        }
    }
    return same("blocks: the end", position, m->total);
}

/* ---- texts ---- */

static bool check_text(dame_context_t *context, const message_t *m, const char *expected)
{
    char *text = NULL, *words = NULL, *packed = malloc((size_t) m->total + 1);
    dame_datatype_t *again = NULL;
    int64_t extent, wanted;
    bool right = packed && ok(dame_datatype_print(m->type, &text)) &&
                 ok(dame_datatype_explain(m->type, &words)) &&
                 ok(dame_datatype_parse(context, text, strlen(text), NULL, &again)) &&
                 ok(dame_datatype_commit(again)) &&
                 ok(dame_datatype_extent(again, NULL, &extent)) &&
                 ok(dame_datatype_extent(m->type, NULL, &wanted)) &&
                 same("the parsed text's extent", extent, wanted) &&
                 ok(dame_pack(again, m->count, m->base, 0, packed, m->total, NULL)) &&
                 (memcmp(packed, expected, (size_t) m->total) == 0 ||
                  fail("the printed and parsed datatype packs other bytes"));
    seen.texts += right;
    dame_free(text);
    dame_free(words);
    dame_datatype_free(again);
    free(packed);
    return right;
}

/* ---- two datatypes ---- */

static bool check_copy(rng_t *rng, message_t *from, message_t *to)
{
    char *stream = malloc((size_t) from->total + 1);
    if (!stream) {
        return fail("no memory");
    }
    rng_fill(rng, from->memory, from->size);
    rng_fill(rng, to->memory, to->size);
    memcpy(to->wanted, to->memory, (size_t) to->size);
    oracle_pack(&from->oracle, (uintptr_t) from->base, 0, from->total, stream);
    oracle_unpack(&to->oracle, (uintptr_t) base_in(to, to->wanted), 0, to->total, stream);
    free(stream);
    seen.copies++;
    return ok(dame_copy(from->type, from->count, from->base, to->type, to->count, to->base)) &&
           (memcmp(to->memory, to->wanted, (size_t) to->size) == 0 || fail("copy: wrong bytes"));
}

/* Are the basic elements of two messages the same, one by one? */
static bool same_elements(const message_t *a, const message_t *b)
{
    int64_t na, nb;
    int64_t *first_a = elements_of(&a->oracle, &na), *first_b = elements_of(&b->oracle, &nb);
    bool equal = na * a->count == nb * b->count;
    for (int64_t i = 0; equal && i < na * a->count; i++) {
        equal = first_a[i % na + 1] - first_a[i % na] == first_b[i % nb + 1] - first_b[i % nb];
    }
    free(first_a);
    free(first_b);
    return equal;
}

static bool check_signatures(const message_t *a, const message_t *b)
{
    const bool wanted = same_elements(a, b);
    int equal = -1;
    seen.unlike += !wanted;
    if (!ok(dame_datatype_same_signature(a->type, a->count, b->type, b->count, &equal)) ||
        !same("same signature", equal, wanted)) {
        return false;
    }
    return wanted || same("the status of a copy",
                          dame_copy(a->type, a->count, a->base, b->type, b->count, b->base),
                          DAME_ERR_SIGNATURE);
}

/* ---- a case ---- */

static bool check_message(rng_t *rng, dame_context_t *context, message_t *m)
{
    char *expected = malloc((size_t) m->total + 1);
    bool right = expected != NULL;
    if (right) {
        rng_fill(rng, m->memory, m->size);
        oracle_pack(&m->oracle, (uintptr_t) m->base, 0, m->total, expected);
        right = check_numbers(m) && check_pack(rng, m, expected) && check_blocks(rng, m) &&
                (m->total > MOST_WALK || check_text(context, m, expected)) &&
                (m->oracle.size > MOST_WALK || check_typemap(rng, m)) &&
                (m->overlapping || check_unpack(rng, m, expected));
    }
    seen.messages++;
    seen.bytes += m->total;
    free(expected);
    return right;
}

/* The last type of the cases before: of another signature, mostly. */
static bool check_case(const test_case_t *c, dame_context_t *context)
{
    rng_t rng = rng_seeded(c->check_seed, 7);
    message_t m, partner, other;
    bool right = true;
    for (int i = 0; right && i < c->ncounts; i++) {
        right = message_init(&m, &rng, context, c->type, c->counts[i]) &&
                check_message(&rng, context, &m);
        message_fini(&m);
    }
    if (right && c->partner) {
        partner = other = (message_t){.count = 0};
        right = message_init(&m, &rng, context, c->type, c->pair_count) &&
                message_init(&partner, &rng, context, c->partner, c->partner_count) &&
                message_init(&other, &rng, context, c->type, c->pair_count) &&
                check_signatures(&m, &partner) &&
                (partner.overlapping || check_copy(&rng, &m, &partner)) &&
                (other.overlapping || check_copy(&rng, &partner, &other)) &&
                (other.overlapping || check_copy(&rng, &m, &other));
        if (right) {
            m.count += 1; /* one element more is another signature */
            right = m.oracle.size == 0 || check_signatures(&m, &partner);
        }
        message_fini(&m);
        message_fini(&partner);
        message_fini(&other);
    }
    return right;
}

/* The context of a case. */
static dame_status_t new_context(int64_t number, dame_context_t **context)
{
    static const int64_t thresholds[] = {0, -1, 1, 2, 3, 1};
    const dame_context_options_t options = {.size = sizeof options,
                                            .threshold = thresholds[number % 6]};
    return dame_context_new(number % 6 == 0 ? NULL : &options, context);
}

static void count_codes(const dame_context_t *context)
{
    int64_t packing = 0, unpacking = 0;
    (void) dame_context_counter(context, "compiled_pack", &packing);
    (void) dame_context_counter(context, "compiled_unpack", &unpacking);
    seen.codes += packing + unpacking;
}

static bool run_case(uint64_t seed, int64_t number, dame_context_t *context)
{
    test_case_t c;
    const char *what;
    bool right = case_init(&c, seed, number, NULL, &what) == DAME_OK || fail("%s", what);
    right = right && check_case(&c, context);
    if (!right) {
        printf("FAILED: --seed %llu --case %lld: %s\n", (unsigned long long) seed,
               (long long) number, failure);
        if (c.type) {
            type_describe(stdout, "    ", c.type);
        }
        if (c.partner) {
            type_describe(stdout, "    partner: ", c.partner);
        }
    }
    case_fini(&c);
    return right;
}

int main(int argc, char **argv)
{
    int64_t cases = 2000, only = -1, passed = 0, failed = 0;
    uint64_t seed = (uint64_t) time(NULL);
    for (int i = 1; i + 1 < argc; i += 2) {
        const long long value = atoll(argv[i + 1]);
        if (strcmp(argv[i], "--cases") == 0) {
            cases = value;
        } else if (strcmp(argv[i], "--seed") == 0) {
            seed = (uint64_t) value;
        } else if (strcmp(argv[i], "--case") == 0) {
            only = value;
        }
    }
    printf("seed %llu\n", (unsigned long long) seed);
    for (int64_t k = only < 0 ? 0 : only;
         k < (only < 0 ? cases : only + 1) && failed < MOST_FAILURES; k++) {
        dame_context_t *context; /* must end together with its datatypes */
        if (new_context(k, &context) != DAME_OK) {
            printf("FAILED: %s\n", dame_error_message());
            failed++;
            break;
        }
        if (run_case(seed, k, context)) {
            passed++;
        } else {
            failed++;
        }
        count_codes(context);
        dame_context_free(context);
    }
    printf("%lld codes compiled\n", (long long) seen.codes);
    if (seen.codes == 0 && only < 0) {
        printf("FAILED: nothing was compiled\n");
        failed++;
    }
    printf("%lld messages, %lld bytes, %lld pieces, %lld blocks, %lld entries of typemaps, %lld "
           "texts, "
           "%lld copies, %lld pairs of unlike signatures\n",
           (long long) seen.messages, (long long) seen.bytes, (long long) seen.pieces,
           (long long) seen.blocks, (long long) seen.entries, (long long) seen.texts,
           (long long) seen.copies, (long long) seen.unlike);
    printf("%lld passed, %lld failed\n", (long long) passed, (long long) failed);
    return failed == 0 && passed > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
