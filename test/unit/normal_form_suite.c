/*
 * The normal form: whichever constructors make a layout, its program is the same text.
 *
 * A failure names its family and seed; NORMAL_FORM_SEED=n runs that layout of every family alone.
 */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test/lib/type_tools.h"
#include "layout.h"
#include "suites.h"
#include "tools.h"

enum {
    LAYOUTS = 36, /* of a family */
    TYPES = 12,   /* of a layout */
    EXTENT = 12345
};

/* ---- families of layouts ---- */

static int64_t element_size(rng_t *rng)
{
    static const int64_t sizes[] = {1, 2, 4, 8, 16};
    return sizes[rng_range(rng, 0, 4)];
}

/* A contiguous block of some elements. */
static const layout_t *block(rng_t *rng)
{
    const int64_t size = element_size(rng);
    return repeat(rng_range(rng, 1, 5), size, element(size));
}

static int64_t bytes_of(const layout_t *block_layout)
{
    return block_layout->n * block_layout->stride;
}

/* Few or many, so that what is done with small bodies is tried, and what is not. */
static int64_t some(rng_t *rng)
{
    return rng_chance(rng, 40) ? rng_range(rng, 2, 5) : rng_range(rng, 2, 40);
}

static const layout_t *box(rng_t *rng, int dimensions)
{
    const layout_t *layout = block(rng);
    int64_t reach = bytes_of(layout);
    for (int d = 0; d < dimensions; d++) {
        const int64_t n = dimensions > 2 ? rng_range(rng, 2, 6) : some(rng);
        const int64_t stride = reach + (rng_chance(rng, 20) ? 0 : rng_range(rng, 1, 30));
        layout = repeat(n, stride, layout);
        reach += (n - 1) * stride;
    }
    return layout;
}

static const layout_t *strided(rng_t *rng)
{
    return box(rng, 1);
}

static const layout_t *box_2d(rng_t *rng)
{
    return box(rng, 2);
}

static const layout_t *box_3d(rng_t *rng)
{
    return box(rng, 3);
}

static const layout_t *box_4d(rng_t *rng)
{
    return box(rng, 4);
}

/* A matrix by its columns, and a vector backwards. */
static const layout_t *transposed(rng_t *rng)
{
    const layout_t *item = block(rng);
    const int64_t width = bytes_of(item);
    const int64_t columns = some(rng);
    const int64_t rows = some(rng);
    const int64_t pitch = width * columns + (rng_chance(rng, 50) ? 0 : rng_range(rng, 1, 40));
    const int sign = rng_chance(rng, 30) ? -1 : 1;
    return repeat(columns, width, repeat(rows, sign * pitch, item));
}

static const layout_t *equal_blocks(rng_t *rng)
{
    const layout_t *part = block(rng);
    const int64_t n = some(rng);
    const layout_t *parts[40];
    int64_t disps[40];
    int64_t at = rng_range(rng, -100, 100);
    for (int64_t i = 0; i < n; i++) {
        parts[i] = part;
        disps[i] = at;
        at += bytes_of(part) + (rng_chance(rng, 20) ? 0 : 8 * rng_range(rng, 0, 9));
    }
    return sequence(n, disps, parts);
}

static const layout_t *different_blocks(rng_t *rng)
{
    const int64_t size = element_size(rng);
    const layout_t *item = element(size);
    const int64_t n = some(rng);
    const layout_t *parts[40];
    int64_t disps[40];
    int64_t at = 0;
    for (int64_t i = 0; i < n; i++) {
        parts[i] = repeat(rng_range(rng, 1, 6), size, item);
        disps[i] = rng_chance(rng, 90) ? at : at + 10000;
        at += bytes_of(parts[i]) + (rng_chance(rng, 30) ? 0 : rng_range(rng, 1, 50));
    }
    return sequence(n, disps, parts);
}

/* Fields of several sizes at multiples of them, some of them arrays, some behind a gap. Behind
 * smaller fields there is one: of elements that stand unevenly in a block not all is known. */
static const layout_t *c_struct(rng_t *rng, int64_t *reach)
{
    const int64_t n = rng_range(rng, 2, 6);
    const layout_t *parts[6];
    int64_t disps[6];
    int64_t at = 0;
    int64_t before = 16;
    for (int64_t i = 0; i < n; i++) {
        const int64_t size = element_size(rng);
        parts[i] = repeat(rng_chance(rng, 70) ? 1 : rng_range(rng, 2, 5), size, element(size));
        at = (at + size - 1) / size * size;
        at += size > before && at == disps[i - 1] + bytes_of(parts[i - 1]) ? size : 0;
        before = size;
        disps[i] = at;
        at += bytes_of(parts[i]) + (rng_chance(rng, 50) ? 0 : rng_range(rng, 1, 12));
    }
    *reach = at;
    return sequence(n, disps, parts);
}

static const layout_t *structs(rng_t *rng)
{
    int64_t reach;
    const layout_t *fields = c_struct(rng, &reach);
    return repeat(some(rng), reach + rng_range(rng, 1, 8), fields);
}

/* Rows of blocks, all of them apart. */
static const layout_t *array(rng_t *rng, int64_t least, int64_t most)
{
    const layout_t *part = block(rng);
    const int64_t columns = rng_range(rng, least, most);
    const int64_t stride = bytes_of(part) + rng_range(rng, 1, 30);
    return repeat(rng_range(rng, least, most), columns * stride + rng_range(rng, 1, 300),
                  repeat(columns, stride, part));
}

/* Parts of several arrays, as a weather code sends them: large ones, which stay apart, or small
 * ones, which become one list. */
static const layout_t *several_arrays(rng_t *rng)
{
    const int64_t n = rng_range(rng, 2, 6);
    const int64_t least = rng_chance(rng, 70) ? 12 : 2;
    const int64_t most = least == 2 ? 2 : 40;
    const layout_t *parts[6];
    int64_t disps[6];
    const layout_t *again = array(rng, least, most);
    for (int64_t i = 0; i < n; i++) {
        parts[i] = rng_chance(rng, 40) ? again : array(rng, least, most);
        disps[i] = 100000 * i + rng_range(rng, 0, 1000);
    }
    return sequence(n, disps, parts);
}

/* Irregular, then regular for long, then irregular again. */
static const layout_t *regular_stretches(rng_t *rng)
{
    enum { MOST = 600 };
    const layout_t *part = block(rng);
    const layout_t *parts[MOST];
    int64_t disps[MOST];
    int64_t n = 0;
    int64_t at = 0;
    for (int stretch = 0; stretch < 3; stretch++) {
        const int64_t gap = rng_range(rng, 1, 20);
        const bool regular = rng_chance(rng, 60);
        const int64_t length = regular ? rng_range(rng, 100, 190) : rng_range(rng, 1, 30);
        for (int64_t i = 0; i < length; i++) {
            parts[n] = part;
            disps[n++] = at;
            at += bytes_of(part) + (regular ? gap : rng_range(rng, 1, 30));
        }
    }
    return sequence(n, disps, parts);
}

/* Strided pieces of which the last block touches the first of the next. */
static const layout_t *touching_vectors(rng_t *rng)
{
    const layout_t *part = block(rng);
    const int64_t m = some(rng);
    const int64_t stride = bytes_of(part) + rng_range(rng, 1, 30);
    return repeat(some(rng), (m - 1) * stride + bytes_of(part), repeat(m, stride, part));
}

/* Groups alike of a few blocks, each at some place. */
static const layout_t *groups(rng_t *rng)
{
    int64_t reach;
    const layout_t *group = c_struct(rng, &reach);
    if (rng_chance(rng, 50)) {
        group = repeat(3, 8 * rng_range(rng, 1, 9), element(8));
        reach = 2 * group->stride + 8;
    }
    const int64_t n = some(rng);
    const layout_t *parts[40];
    int64_t disps[40];
    int64_t at = 0;
    for (int64_t i = 0; i < n; i++) {
        parts[i] = group;
        disps[i] = at;
        at += reach + 1 + 8 * rng_range(rng, 0, 40);
    }
    return sequence(n, disps, parts);
}

/* Runs of blocks at one stride, of different lengths. */
static const layout_t *strided_runs(rng_t *rng)
{
    const layout_t *part = block(rng);
    const int64_t stride = bytes_of(part) + rng_range(rng, 1, 30);
    const int64_t most = rng_chance(rng, 50) ? 4 : 40;
    const int64_t n = rng_range(rng, 2, 12);
    const layout_t *parts[12];
    int64_t disps[12];
    int64_t at = 0;
    for (int64_t i = 0; i < n; i++) {
        parts[i] = repeat(rng_range(rng, 1, most), stride, part);
        disps[i] = at;
        at += parts[i]->n * stride + (rng_chance(rng, 20) ? 0 : rng_range(rng, 1, 200));
    }
    return sequence(n, disps, parts);
}

static const struct {
    bool mixed; /* elements of several sizes may touch */
    const char *name;
    const layout_t *(*make)(rng_t *rng);
} families[] = {
    {false, "strided", strided},
    {false, "2-D box", box_2d},
    {false, "3-D box", box_3d},
    {false, "4-D box", box_4d},
    {false, "transposed", transposed},
    {false, "equal blocks", equal_blocks},
    {false, "different blocks", different_blocks},
    {true, "C structs", structs},
    {true, "several arrays", several_arrays},
    {false, "regular stretches", regular_stretches},
    {false, "touching vectors", touching_vectors},
    {true, "groups", groups},
    {false, "strided runs", strided_runs},
};

enum { FAMILIES = sizeof families / sizeof families[0] };

/* ---- the property ---- */

static char *described(const dame_type_t *type)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    ck_assert_ptr_nonnull(out);
    type_describe(out, "    ", type);
    ck_assert_int_eq(fclose(out), 0);
    return text;
}

/* The program's text. Where elements of several sizes share blocks it is written in bytes: what is
 * known of the elements inside a block depends on what the block was joined from. */
static char *normal_text(bool mixed, const dame_type_t *type)
{
    dame_program_t *program = program_of(resized(0, EXTENT, type));
    if (mixed) {
        program->granule = 1;
        dame_program_t *bytes = optimised_with(DAME_PASSES_NONE, program);
        dame_program_free(program);
        program = bytes;
    }
    char *text = text_of(program);
    dame_program_free(program);
    return text;
}

/* The pair of types that is told soonest. */
typedef struct pair {
    uint64_t seed;
    const dame_type_t *one;
    const dame_type_t *other;
    size_t length;
} pair_t;

/* Is the program of both the same? If not, `worst` may become this pair. */
static bool one_program(int family, uint64_t seed, const dame_type_t *one, const dame_type_t *other,
                        pair_t *worst)
{
    char *wanted = normal_text(families[family].mixed, one);
    char *text = normal_text(families[family].mixed, other);
    const bool same = strcmp(text, wanted) == 0;
    if (!same) {
        char *a = described(one);
        char *b = described(other);
        size_t length = strlen(a) + strlen(b) + strlen(wanted) + strlen(text);
        if (!worst->one || length < worst->length) {
            *worst = (pair_t){seed, one, other, length};
        }
        free(a);
        free(b);
    }
    free(text);
    free(wanted);
    return same;
}

/* Returns how many types of a layout have another program than the plainest. */
static int try_layout(int family, uint64_t seed, pair_t *worst)
{
    rng_t rng = rng_seeded(seed, (uint64_t) family);
    const layout_t *layout = families[family].make(&rng);
    const dame_type_t *plainest = plain_type(layout);
    int different = 0;
    for (int i = 0; i < TYPES; i++) {
        different += !one_program(family, seed, plainest, type_of_layout(&rng, layout), worst);
    }
    return different;
}

START_TEST(one_layout_gives_one_program)
{
    const char *seed = getenv("NORMAL_FORM_SEED");
    const uint64_t first = seed ? strtoull(seed, NULL, 10) : 0;
    const uint64_t end = seed ? first + 1 : LAYOUTS;
    pair_t worst = {.one = NULL};
    int different = 0;
    for (uint64_t k = first; k < end; k++) {
        different += try_layout(_i, k, &worst);
    }
    if (different) { /* the pipe to the parent has room for some of it */
        ck_abort_msg("%s: %d of %d types; seed %llu:\n%.900sis\n%.900sbut\n%.900sis\n%.900s",
                     families[_i].name, different, (int) (end - first) * TYPES,
                     (unsigned long long) worst.seed, described(worst.one),
                     normal_text(families[_i].mixed, worst.one), described(worst.other),
                     normal_text(families[_i].mixed, worst.other));
    }
}
END_TEST

Suite *normal_form_suite(void)
{
    Suite *suite = suite_create("normal form");
    TCase *tcase = tree_case("random");
    tcase_set_tags(tcase, LONG_CASE);
    tcase_add_loop_test(tcase, one_layout_gives_one_program, 0, FAMILIES);
    suite_add_tcase(suite, tcase);
    return suite;
}
