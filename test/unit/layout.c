#include "layout.h"

#include <string.h>

#include "tools.h"

enum {
    MOST_FLAT = 1500, /* elements that are written one by one */
    MOST_COPIES = 40, /* parts made anew though they are alike */
    MOST_PART = 31    /* elements of a group that ends anywhere; see DAME_MIN_STRETCH */
};

static const layout_t *kept(layout_t layout)
{
    layout_t *copy = (layout_t *) dame_tree_array(tree, (sizeof layout + 7) / 8);
    ck_assert_ptr_nonnull(copy);
    *copy = layout;
    return copy;
}

static int64_t *numbers(int64_t n)
{
    int64_t *list = dame_tree_array(tree, n);
    ck_assert_ptr_nonnull(list);
    return list;
}

static const layout_t **layouts(int64_t n)
{
    _Static_assert(sizeof(layout_t *) <= sizeof(int64_t), "room for pointers");
    return (const layout_t **) numbers(n);
}

const layout_t *element(int64_t size)
{
    return kept((layout_t){.kind = LAYOUT_ELEMENT, .n = 1, .stride = size, .elements = 1});
}

const layout_t *repeat(int64_t n, int64_t stride, const layout_t *part)
{
    const layout_t **parts = layouts(1);
    parts[0] = part;
    return kept((layout_t){.kind = LAYOUT_REPEAT,
                           .n = n,
                           .stride = stride,
                           .elements = n * part->elements,
                           .parts = parts});
}

const layout_t *sequence(int64_t n, const int64_t *disps, const layout_t *const *parts)
{
    const layout_t **own = layouts(n);
    int64_t *places = numbers(n);
    int64_t elements = 0;
    for (int64_t i = 0; i < n; i++) {
        own[i] = parts[i];
        places[i] = disps[i];
        elements += parts[i]->elements;
    }
    return kept((layout_t){
        .kind = LAYOUT_SEQUENCE, .n = n, .elements = elements, .parts = own, .disps = places});
}

static const int64_t *ones(int64_t n)
{
    int64_t *list = numbers(n);
    for (int64_t i = 0; i < n; i++) {
        list[i] = 1;
    }
    return list;
}

const dame_type_t *plain_type(const layout_t *layout)
{
    if (layout->kind == LAYOUT_ELEMENT) {
        return basic(layout->stride);
    }
    if (layout->kind == LAYOUT_REPEAT) {
        return vector(layout->n, 1, layout->stride, plain_type(layout->parts[0]));
    }
    const dame_type_t **types = dame_tree_types(tree, layout->n);
    for (int64_t i = 0; i < layout->n; i++) {
        types[i] = plain_type(layout->parts[i]);
    }
    return struct_type(layout->n, ones(layout->n), layout->disps, types);
}

/* ---- other ways to write a layout ---- */

/* Appends the elements of a layout that stands at `at`. */
static void flatten(const layout_t *layout, int64_t at, const layout_t **parts, int64_t *disps,
                    int64_t *n)
{
    if (layout->kind == LAYOUT_ELEMENT) {
        parts[*n] = layout;
        disps[(*n)++] = at;
        return;
    }
    for (int64_t i = 0; i < layout->n; i++) {
        int is_repeat = layout->kind == LAYOUT_REPEAT;
        flatten(layout->parts[is_repeat ? 0 : i],
                at + (is_repeat ? i * layout->stride : layout->disps[i]), parts, disps, n);
    }
}

/* Arrays in a sequence are not found again in the list of all their elements. */
static bool may_be_flat(const layout_t *layout)
{
    bool arrays = false;
    for (int64_t i = 0; layout->kind == LAYOUT_SEQUENCE && i < layout->n; i++) {
        arrays |= layout->parts[i]->elements > MOST_PART;
    }
    return layout->elements <= MOST_FLAT && !arrays;
}

/* The same as one sequence of elements, or of neighbours that touch. */
static const layout_t *flat(rng_t *rng, const layout_t *layout)
{
    const layout_t **parts = layouts(layout->elements);
    int64_t *disps = numbers(layout->elements);
    int64_t n = 0;
    flatten(layout, 0, parts, disps, &n);
    if (rng_chance(rng, 50)) {
        return sequence(n, disps, parts);
    }
    int64_t blocks = 0;
    int again = (int) rng_range(rng, 50, 100); /* small pieces or large ones */
    for (int64_t i = 0, end; i < n; i = end) {
        const int64_t size = parts[i]->stride;
        end = i + 1;
        while (end < n && parts[end]->stride == size && disps[end] == disps[end - 1] + size &&
               rng_chance(rng, again)) {
            end++;
        }
        disps[blocks] = disps[i];
        parts[blocks++] = end - i > 1 ? repeat(end - i, size, parts[i]) : parts[i];
    }
    return sequence(blocks, disps, parts);
}

/* A type with other bounds, or wrapped in something that changes nothing. */
static const dame_type_t *disguised(rng_t *rng, const dame_type_t *type)
{
    switch (rng_range(rng, 0, 15)) {
    case 0:
        return resized(rng_range(rng, -50, 50), rng_range(rng, -100, 500), type);
    case 1:
        return contig(1, type);
    case 2:
        return vector(1, 1, rng_range(rng, -9, 9), type);
    case 3:
        return blockindex(1, 1, (int64_t[]){0}, type);
    case 4:
        return index_type(3, (int64_t[]){0, 1, 0}, (int64_t[]){7, 0, 70}, type);
    case 5:
        return struct_type(2, (int64_t[]){1, 1}, (int64_t[]){0, 11},
                           (const dame_type_t *[]){type, contig(0, type)});
    default:
        return type;
    }
}

static int64_t divisor(rng_t *rng, int64_t n)
{
    int64_t d = rng_range(rng, 1, n);
    while (n % d != 0) {
        d--;
    }
    return d;
}

static const int64_t *steps(int64_t n, int64_t stride)
{
    int64_t *list = numbers(n);
    for (int64_t i = 0; i < n; i++) {
        list[i] = i * stride;
    }
    return list;
}

/* n instances of a type as an INDEX of pieces. */
static const dame_type_t *ragged_pieces(rng_t *rng, int64_t n, int64_t stride,
                                        const dame_type_t *type)
{
    int64_t *lengths = numbers(n);
    int64_t *disps = numbers(n);
    int64_t pieces = 0;
    for (int64_t done = 0; done < n; pieces++) {
        lengths[pieces] = rng_range(rng, 1, n - done);
        disps[pieces] = done * stride;
        done += lengths[pieces];
    }
    return index_type(pieces, lengths, disps, resized(type->lb, stride, type));
}

static const dame_type_t *listed(rng_t *rng, int64_t n, const int64_t *disps,
                                 const dame_type_t *type)
{
    switch (rng_range(rng, 0, 2)) {
    case 0:
        return blockindex(n, 1, disps, type);
    case 1:
        return index_type(n, ones(n), disps, type);
    default:
        break;
    }
    const dame_type_t **types = dame_tree_types(tree, n);
    for (int64_t i = 0; i < n; i++) {
        types[i] = type;
    }
    return struct_type(n, ones(n), disps, types);
}

/* The first m of a repetition, and the others. */
static const layout_t *halved(const layout_t *layout, int64_t m)
{
    const layout_t *part = layout->parts[0];
    const layout_t *halves[] = {repeat(m, layout->stride, part),
                                repeat(layout->n - m, layout->stride, part)};
    return sequence(2, (int64_t[]){0, m * layout->stride}, halves);
}

static const layout_t *unrolled(const layout_t *layout)
{
    const layout_t **parts = layouts(layout->n);
    for (int64_t i = 0; i < layout->n; i++) {
        parts[i] = layout->parts[0];
    }
    return sequence(layout->n, steps(layout->n, layout->stride), parts);
}

static const dame_type_t *type_of_repeat(rng_t *rng, const layout_t *layout)
{
    const int64_t n = layout->n;
    const int64_t stride = layout->stride;
    const int64_t b = divisor(rng, n);
    switch (rng_range(rng, 0, 8)) {
    case 0:
        return type_of_layout(rng, repeat(n / b, b * stride, repeat(b, stride, layout->parts[0])));
    case 1:
        return n == 1 ? type_of_layout(rng, layout->parts[0])
                      : type_of_layout(rng, halved(layout, rng_range(rng, 1, n - 1)));
    case 2:
        if (n <= MOST_COPIES) {
            return type_of_layout(rng, unrolled(layout));
        }
        break;
    default:
        break;
    }
    const dame_type_t *type = type_of_layout(rng, layout->parts[0]);
    const dame_type_t *stepped = resized(type->lb, stride, type);
    switch (rng_range(rng, 0, 6)) {
    case 0:
        return contig(n, stepped);
    case 1:
        return vector(n / b, b, b * stride, stepped);
    case 2:
        return blockindex(n / b, b, steps(n / b, b * stride), stepped);
    case 3:
        return ragged_pieces(rng, n, stride, type);
    case 4:
        return listed(rng, n, steps(n, stride), type);
    default:
        return vector(n, 1, stride, type);
    }
}

static bool parts_are_one(const layout_t *layout)
{
    for (int64_t i = 1; i < layout->n; i++) {
        if (layout->parts[i] != layout->parts[0]) {
            return false;
        }
    }
    return true;
}

/* All parts repeat one thing at one stride: an INDEX of it. NULL when they do not. */
static const dame_type_t *indexed(rng_t *rng, const layout_t *layout)
{
    int64_t *lengths = numbers(layout->n);
    const layout_t *first = layout->parts[0];
    for (int64_t i = 0; i < layout->n; i++) {
        const layout_t *part = layout->parts[i];
        if (part->kind != LAYOUT_REPEAT || part->stride != first->stride ||
            part->parts[0] != first->parts[0]) {
            return NULL;
        }
        lengths[i] = part->n;
    }
    const dame_type_t *type = type_of_layout(rng, first->parts[0]);
    return index_type(layout->n, lengths, layout->disps, resized(type->lb, first->stride, type));
}

/* Neighbours put together, each group with an origin of its own. */
static const layout_t *grouped(rng_t *rng, const layout_t *layout)
{
    const layout_t **parts = layouts(layout->n);
    int64_t *disps = numbers(layout->n);
    int64_t groups = 0;
    int64_t most = MOST_PART / (layout->elements / layout->n + 1);
    most = rng_range(rng, 1, most > layout->n ? layout->n : most < 2 ? 2 : most);
    for (int64_t i = 0, length; i < layout->n; i += length, groups++) {
        length = rng_range(rng, 1, most < layout->n - i ? most : layout->n - i);
        int64_t origin = layout->disps[i] + (rng_chance(rng, 50) ? 0 : rng_range(rng, -64, 64));
        int64_t *inside = numbers(length);
        for (int64_t k = 0; k < length; k++) {
            inside[k] = layout->disps[i + k] - origin;
        }
        disps[groups] = origin;
        parts[groups] = sequence(length, inside, layout->parts + i);
    }
    return sequence(groups, disps, parts);
}

static const dame_type_t *type_of_sequence(rng_t *rng, const layout_t *layout)
{
    if (layout->n > 1 && rng_chance(rng, 25)) {
        return type_of_layout(rng, grouped(rng, layout));
    }
    if (parts_are_one(layout) && rng_chance(rng, 70)) {
        return listed(rng, layout->n, layout->disps, type_of_layout(rng, layout->parts[0]));
    }
    const dame_type_t *index = rng_chance(rng, 60) ? indexed(rng, layout) : NULL;
    if (index) {
        return index;
    }
    const dame_type_t **types = dame_tree_types(tree, layout->n);
    for (int64_t i = 0; i < layout->n; i++) {
        bool again = i > 0 && layout->parts[i] == layout->parts[i - 1] &&
                     (layout->n > MOST_COPIES || rng_chance(rng, 50));
        types[i] = again ? types[i - 1] : type_of_layout(rng, layout->parts[i]);
    }
    return struct_type(layout->n, ones(layout->n), layout->disps, types);
}

const dame_type_t *type_of_layout(rng_t *rng, const layout_t *layout)
{
    if (layout->kind == LAYOUT_ELEMENT) {
        return disguised(rng, basic(layout->stride));
    }
    if (may_be_flat(layout) && rng_chance(rng, 10)) {
        layout = flat(rng, layout);
    }
    return disguised(rng, layout->kind == LAYOUT_REPEAT ? type_of_repeat(rng, layout)
                                                        : type_of_sequence(rng, layout));
}
