/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Making nodes: what a node's parts amount to, and the passes it goes through.
 */
#include "node.h"

#include <stddef.h>
#include <string.h>

#include "emit.h"
#include "granule.h"
#include "wide.h"

/* Nodes and lists of one build; a node has a few lists. */
enum { MAX_PIECES = 8 * DAME_MAX_PRIMS };

typedef dame_status_t (*pass_fn)(dame_optimiser_t *o, const dame_node_t *draft,
                                 const dame_node_t **out);

/* The passes that work on drafts, in their order. */
static const struct {
    dame_pass_t pass;
    pass_fn run;
} passes[] = {
    {DAME_PASS_NORMALISE, dame_pass_normalise},
    {DAME_PASS_MERGE, dame_pass_merge},
};

const dame_node_t dame_node_empty = {.shape = DAME_SHAPE_EMPTY, .granule = 1};

/* What the blocks of a dense RAGGED consist of. */
static const dame_node_t one_byte = {
    .shape = DAME_SHAPE_BLOCK, .size = 1, .high = 1, .blocks = 1, .granule = 1};

static void *room_for(dame_optimiser_t *o, int64_t n, size_t size)
{
    const int64_t limit = dame_work_limit(o->entries);
    const int64_t used = (int64_t) o->arena.chunk_bytes;
    if (o->arena.pieces > MAX_PIECES) {
        o->limit = (dame_limit_t){"nodes and lists", MAX_PIECES, (int64_t) o->arena.pieces};
        return NULL;
    }
    if (n > (limit - used) / (int64_t) size) {
        int64_t bytes;
        if (__builtin_mul_overflow(n, (int64_t) size, &bytes) ||
            __builtin_add_overflow(bytes, used, &bytes)) {
            bytes = INT64_MAX;
        }
        o->limit = (dame_limit_t){"bytes of work memory", limit, bytes};
        return NULL;
    }
    return dame_arena_alloc(&o->arena, (size_t) n, size);
}

int64_t *dame_node_numbers(dame_optimiser_t *o, int64_t n)
{
    return room_for(o, n, sizeof(int64_t));
}

const dame_node_t **dame_node_nodes(dame_optimiser_t *o, int64_t n)
{
    return room_for(o, n, sizeof(const dame_node_t *));
}

/* For every child of a struct the first one like it among the last few different ones. */
static dame_status_t find_same(dame_optimiser_t *o, dame_node_t *node)
{
    enum { DIFFERENT = 8 };
    int64_t firsts[DIFFERENT];
    int64_t n = 0; /* different ones so far; the last DIFFERENT of them are kept */
    int64_t *same = dame_node_numbers(o, node->count);
    if (same == NULL) {
        return DAME_ERR_NOMEM;
    }
    for (int64_t i = 0; i < node->count; i++) {
        int64_t known = n < DIFFERENT ? n : DIFFERENT;
        int64_t k = 0;
        while (k < known && !dame_node_equal(node->children[firsts[k]], node->children[i])) {
            k++;
        }
        same[i] = k < known ? firsts[k] : i;
        if (k == known) {
            firsts[n++ % DIFFERENT] = i;
        }
    }
    node->same = same;
    return DAME_OK;
}

int64_t *dame_node_copied(dame_optimiser_t *o, const int64_t *list, int64_t n)
{
    int64_t *copy = dame_node_numbers(o, n);
    if (copy != NULL) {
        memcpy(copy, list, (size_t) n * sizeof(*copy));
    }
    return copy;
}

static dame_status_t keep_node(dame_optimiser_t *o, const dame_node_t *draft,
                               const dame_node_t **out)
{
    dame_node_t *node = room_for(o, 1, sizeof(*node));
    if (node == NULL) {
        return DAME_ERR_NOMEM;
    }
    *node = *draft;
    *out = node;
    return node->shape == DAME_SHAPE_STRUCT && node->same == NULL ? find_same(o, node) : DAME_OK;
}

/* The passes that are on look at the draft; the first one with a better node ends the loop, because
 * that node has been through all passes. */
static dame_status_t finish_node(dame_optimiser_t *o, const dame_node_t *draft,
                                 const dame_node_t **out)
{
    const dame_node_t *better = NULL;
    dame_status_t status = DAME_OK;
    o->nested++;
    for (size_t i = 0; o->nested < DAME_MAX_NESTED && status == DAME_OK && better == NULL &&
                       i < sizeof(passes) / sizeof(passes[0]);
         i++) {
        if (dame_passes(o, passes[i].pass)) {
            status = passes[i].run(o, draft, &better);
        }
    }
    o->nested--;
    if (status != DAME_OK) {
        return status;
    }
    return better != NULL ? dame_node_shifted(o, draft->off, better, out)
                          : keep_node(o, draft, out);
}

/* A child as it is in its parent, which has taken its `off`. */
static dame_status_t strip(dame_optimiser_t *o, const dame_node_t **child)
{
    if ((*child)->off == 0) {
        return DAME_OK;
    }
    dame_node_t stripped = **child;
    stripped.off = 0;
    return keep_node(o, &stripped, child);
}

static int64_t clamped(wide_t value)
{
    return value < INT64_MIN ? INT64_MIN : value > INT64_MAX ? INT64_MAX : (int64_t) value;
}

static void set_bounds(dame_node_t *draft, wide_t low, wide_t high)
{
    draft->low = clamped(low);
    draft->high = clamped(high);
}

static void get_range(const int64_t *values, int64_t n, int64_t *low, int64_t *high)
{
    int64_t lowest = values[0];
    int64_t highest = values[0];
    for (int64_t i = 1; i < n; i++) {
        lowest = values[i] < lowest ? values[i] : lowest;
        highest = values[i] > highest ? values[i] : highest;
    }
    *low = lowest;
    *high = highest;
}

/*
 * Makes displacements start with 0, where `low` and `high` are the least and the greatest, and puts
 * their former start into *off. Left alone when they span more than 64 bits.
 */
static void hoist(int64_t *disps, int64_t n, int64_t *off, int64_t *low, int64_t *high)
{
    const int64_t first = disps[0];
    if (first == 0 || !wide_fits((wide_t) *low - first) || !wide_fits((wide_t) *high - first)) {
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        disps[i] -= first;
    }
    *low -= first;
    *high -= first;
    *off = first;
}

/* The displacements of a draft, with what their range and common start amount to. */
static void take_disps(dame_node_t *draft, int64_t *disps, int64_t child_off, int64_t *low,
                       int64_t *high)
{
    for (int64_t i = 0; child_off != 0 && i < draft->count; i++) {
        disps[i] += child_off;
    }
    get_range(disps, draft->count, low, high);
    hoist(disps, draft->count, &draft->off, low, high);
    draft->disps = disps;
}

dame_status_t dame_node_shifted(dame_optimiser_t *o, int64_t disp, const dame_node_t *node,
                                const dame_node_t **out)
{
    if (disp == 0) {
        *out = node;
        return DAME_OK;
    }
    dame_node_t moved = *node;
    moved.off += disp;
    return keep_node(o, &moved, out);
}

static void add_run(dame_elements_t *elements, int64_t size, int64_t bytes)
{
    const int last = elements->runs - 1;
    if (last >= 0 && elements->size[last] == size) {
        elements->bytes[last] += bytes;
    } else if (last + 1 < DAME_ELEMENT_RUNS) {
        elements->size[last + 1] = size;
        elements->bytes[last + 1] = bytes;
        elements->runs++;
    } else {
        elements->runs = 0;
    }
}

dame_status_t dame_node_block(dame_optimiser_t *o, int64_t bytes, int64_t granule,
                              const dame_node_t **out)
{
    dame_node_t draft = {
        .shape = DAME_SHAPE_BLOCK, .size = bytes, .high = bytes, .blocks = 1, .granule = granule};
    const int64_t rest = bytes % granule; /* behind the last multiple nothing is known */
    if (rest < bytes) {
        add_run(&draft.elements, granule, bytes - rest);
    }
    if (rest != 0) {
        add_run(&draft.elements, rest, rest);
    }
    return keep_node(o, &draft, out);
}

/* Their common granule, where every run starts at a multiple of its elements. */
static int64_t elements_granule(const dame_elements_t *elements, int64_t bytes)
{
    int64_t granule = bytes;
    for (int i = 0; i < elements->runs; i++) {
        granule = i == 0 ? elements->size[0] : dame_granule_common(granule, elements->size[i]);
    }
    int64_t start = 0;
    for (int i = 0; i < elements->runs; i++) {
        if (start % elements->size[i] != 0) {
            return bytes;
        }
        start += elements->bytes[i];
    }
    return granule;
}

dame_status_t dame_node_joined(dame_optimiser_t *o, const dame_node_t *const *blocks, int64_t n,
                               const dame_node_t **out)
{
    dame_node_t draft = {.shape = DAME_SHAPE_BLOCK, .blocks = 1};
    int known = 1;
    for (int64_t i = 0; i < n; i++) {
        const dame_elements_t *elements = &blocks[i]->elements;
        known &= elements->runs != 0;
        for (int k = 0; known && k < elements->runs; k++) {
            add_run(&draft.elements, elements->size[k], elements->bytes[k]);
            known = draft.elements.runs != 0;
        }
        draft.size += blocks[i]->size;
    }
    draft.elements.runs = known ? draft.elements.runs : 0;
    draft.high = draft.size;
    draft.granule = elements_granule(&draft.elements, draft.size);
    return keep_node(o, &draft, out);
}

/* The granule of copies of a block that follow each other. */
static int64_t run_granule(const dame_node_t *block)
{
    return block->size % block->granule == 0 ? block->granule
                                             : dame_granule_common(block->granule, block->size);
}

dame_status_t dame_node_loop(dame_optimiser_t *o, int64_t count, int64_t step,
                             const dame_node_t *child, const dame_node_t **out)
{
    if (count == 1) {
        *out = child;
        return DAME_OK;
    }
    dame_node_t draft = {.shape = DAME_SHAPE_LOOP,
                         .off = child->off,
                         .size = count * child->size,
                         .granule = child->granule,
                         .count = count,
                         .step = step};
    if (child->shape == DAME_SHAPE_BLOCK && step == child->size) {
        const dame_node_t *block;
        dame_status_t status = dame_node_block(o, draft.size, run_granule(child), &block);
        return status != DAME_OK ? status : dame_node_shifted(o, child->off, block, out);
    }
    wide_t last = (wide_t) (count - 1) * step;
    set_bounds(&draft, child->low + (last < 0 ? last : 0), child->high + (last > 0 ? last : 0));
    draft.blocks = clamped((wide_t) count * child->blocks);
    dame_status_t status = strip(o, &child);
    draft.child = child;
    return status != DAME_OK ? status : finish_node(o, &draft, out);
}

dame_status_t dame_node_list(dame_optimiser_t *o, int64_t count, int64_t *disps,
                             const dame_node_t *child, const dame_node_t **out)
{
    if (count == 1) {
        return dame_node_shifted(o, disps[0], child, out);
    }
    dame_node_t draft = {.shape = DAME_SHAPE_LIST,
                         .size = count * child->size,
                         .granule = child->granule,
                         .count = count};
    int64_t low, high;
    take_disps(&draft, disps, child->off, &low, &high);
    set_bounds(&draft, (wide_t) low + child->low, (wide_t) high + child->high);
    draft.blocks = clamped((wide_t) count * child->blocks);
    dame_status_t status = strip(o, &child);
    draft.child = child;
    return status != DAME_OK ? status : finish_node(o, &draft, out);
}

/* The start of the lowest and of the highest instance of any block. */
static void ragged_range_wide(const dame_node_t *draft, wide_t *low, wide_t *high)
{
    for (int64_t i = 0; i < draft->count; i++) {
        wide_t first = draft->disps[i];
        wide_t last = first + (wide_t) (draft->blklens[i] - 1) * draft->step;
        wide_t least = first < last ? first : last;
        wide_t most = first < last ? last : first;
        *low = i == 0 || least < *low ? least : *low;
        *high = i == 0 || most > *high ? most : *high;
    }
}

/* The same where the displacements lie in [least, greatest] and all blocks are `longest` at most.
 */
static void ragged_range(const dame_node_t *draft, int64_t least, int64_t greatest, int64_t longest,
                         wide_t *low, wide_t *high)
{
    const wide_t reach = (wide_t) longest * draft->step;
    if (!wide_fits(least - (reach < 0 ? -reach : reach)) ||
        !wide_fits(greatest + (reach < 0 ? -reach : reach))) {
        ragged_range_wide(draft, low, high);
        return;
    }
    for (int64_t i = 0; i < draft->count; i++) {
        int64_t last = draft->disps[i] + (draft->blklens[i] - 1) * draft->step;
        least = last < least ? last : least;
        greatest = last > greatest ? last : greatest;
    }
    *low = least;
    *high = greatest;
}

static dame_status_t make_ragged(dame_optimiser_t *o, dame_node_t *draft, int64_t *disps,
                                 const dame_node_t *child, const dame_node_t **out)
{
    int64_t least, greatest, instances = 0, longest = 0;
    wide_t low = 0, high = 0;
    take_disps(draft, disps, child->off, &least, &greatest);
    for (int64_t i = 0; i < draft->count; i++) {
        instances += draft->blklens[i];
        longest = draft->blklens[i] > longest ? draft->blklens[i] : longest;
    }
    ragged_range(draft, least, greatest, longest, &low, &high);
    set_bounds(draft, low + child->low, high + child->high);
    draft->size = instances * child->size;
    draft->blocks = &one_byte == child ? draft->count : clamped((wide_t) instances * child->blocks);
    dame_status_t status = strip(o, &child);
    draft->child = child;
    return status != DAME_OK ? status : finish_node(o, draft, out);
}

dame_status_t dame_node_ragged(dame_optimiser_t *o, int64_t count, int64_t *blklens, int64_t *disps,
                               int64_t step, const dame_node_t *child, const dame_node_t **out)
{
    dame_node_t draft = {.shape = DAME_SHAPE_RAGGED,
                         .granule = child->granule,
                         .count = count,
                         .step = step,
                         .blklens = blklens};
    if (count == 1) {
        const dame_node_t *run;
        dame_status_t status = dame_node_loop(o, blklens[0], step, child, &run);
        return status != DAME_OK ? status : dame_node_shifted(o, disps[0], run, out);
    }
    if (child->shape != DAME_SHAPE_BLOCK || step != child->size) {
        return make_ragged(o, &draft, disps, child, out);
    }
    for (int64_t i = 0; i < count; i++) {
        blklens[i] *= child->size;
        disps[i] += child->off;
    }
    draft.granule = run_granule(child);
    draft.step = 1;
    return make_ragged(o, &draft, disps, &one_byte, out);
}

dame_status_t dame_node_bytes(dame_optimiser_t *o, int64_t count, int64_t *lengths, int64_t *disps,
                              int64_t granule, const dame_node_t **out)
{
    if (count == 1) {
        const dame_node_t *block;
        dame_status_t status = dame_node_block(o, lengths[0], granule, &block);
        return status != DAME_OK ? status : dame_node_shifted(o, disps[0], block, out);
    }
    dame_node_t draft = {.shape = DAME_SHAPE_RAGGED,
                         .granule = granule,
                         .count = count,
                         .step = 1,
                         .blklens = lengths};
    return make_ragged(o, &draft, disps, &one_byte, out);
}

static dame_status_t make_struct(dame_optimiser_t *o, int64_t count, int64_t *disps,
                                 const dame_node_t **children, dame_node_t *draft)
{
    wide_t low = 0, high = 0, blocks = 0;
    *draft = (dame_node_t){.shape = DAME_SHAPE_STRUCT, .count = count, .children = children};
    for (int64_t i = 0; i < count; i++) {
        disps[i] += children[i]->off;
        dame_status_t status = strip(o, &children[i]);
        if (status != DAME_OK) {
            return status;
        }
    }
    int64_t least, greatest;
    take_disps(draft, disps, 0, &least, &greatest);
    draft->granule = children[0]->granule;
    for (int64_t i = 0; i < count; i++) {
        const dame_node_t *child = children[i];
        low = i == 0 || (wide_t) disps[i] + child->low < low ? (wide_t) disps[i] + child->low : low;
        high = i == 0 || (wide_t) disps[i] + child->high > high ? (wide_t) disps[i] + child->high
                                                                : high;
        blocks += child->blocks;
        draft->size += child->size;
        draft->granule = dame_granule_common(draft->granule, child->granule);
    }
    set_bounds(draft, low, high);
    draft->blocks = clamped(blocks);
    return DAME_OK;
}

dame_status_t dame_node_struct(dame_optimiser_t *o, int64_t count, int64_t *disps,
                               const dame_node_t **children, const dame_node_t **out)
{
    if (count == 1) {
        return dame_node_shifted(o, disps[0], children[0], out);
    }
    dame_node_t draft;
    dame_status_t status = make_struct(o, count, disps, children, &draft);
    return status != DAME_OK ? status : finish_node(o, &draft, out);
}

dame_status_t dame_node_pieces(dame_optimiser_t *o, int64_t count, int64_t *disps,
                               const dame_node_t **children, const dame_node_t **out)
{
    dame_node_t draft;
    dame_status_t status = make_struct(o, count, disps, children, &draft);
    return status != DAME_OK ? status : keep_node(o, &draft, out);
}

static int equal_lists(const int64_t *a, const int64_t *b, int64_t n)
{
    return a == b || (a != NULL && b != NULL && memcmp(a, b, (size_t) n * sizeof(*a)) == 0);
}

int dame_node_equal(const dame_node_t *a, const dame_node_t *b)
{
    if (a == b) {
        return 1;
    }
    if (a->shape != b->shape || a->size != b->size || a->granule != b->granule ||
        a->count != b->count || a->step != b->step || a->low != b->low || a->high != b->high ||
        a->blocks != b->blocks || !equal_lists(a->disps, b->disps, a->count) ||
        !equal_lists(a->blklens, b->blklens, a->count)) {
        return 0;
    }
    for (int64_t i = 0; a->shape == DAME_SHAPE_STRUCT && i < a->count; i++) {
        if (!dame_node_equal(a->children[i], b->children[i])) {
            return 0;
        }
    }
    return a->child == NULL || dame_node_equal(a->child, b->child);
}

int dame_node_dense(const dame_node_t *node)
{
    return &one_byte == node->child;
}

static int bounds_are_near(const dame_node_t *node)
{
    const int64_t far = INT64_C(1) << 61;
    return node->low > -far && node->high < far && node->step > -far && node->step < far;
}

int dame_node_is_near(const dame_node_t *node)
{
    int near = bounds_are_near(node) && (node->child == NULL || bounds_are_near(node->child));
    for (int64_t i = 0; near && node->shape == DAME_SHAPE_STRUCT && i < node->count; i++) {
        near = bounds_are_near(node->children[i]);
    }
    return near;
}

dame_status_t dame_flat_new(dame_optimiser_t *o, int64_t n, dame_flat_t *flat)
{
    flat->count = 0;
    flat->lengths = dame_node_numbers(o, n);
    flat->disps = dame_node_numbers(o, n);
    return flat->lengths == NULL || flat->disps == NULL ? DAME_ERR_NOMEM : DAME_OK;
}

static void append_list(dame_flat_t *flat, const dame_node_t *list, int64_t at)
{
    for (int64_t i = 0; i < list->count; i++) {
        flat->lengths[flat->count + i] = list->child->size;
        flat->disps[flat->count + i] = at + list->disps[i];
    }
    flat->count += list->count;
}

void dame_flat_append(dame_flat_t *flat, const dame_node_t *node, int64_t at)
{
    if (node->shape == DAME_SHAPE_BLOCK) {
        flat->lengths[flat->count] = node->size;
        flat->disps[flat->count++] = at;
        return;
    }
    if (node->shape == DAME_SHAPE_LIST && node->child->shape == DAME_SHAPE_BLOCK) {
        append_list(flat, node, at);
        return;
    }
    for (int64_t i = 0; i < node->count; i++) {
        int64_t place = at + (node->disps != NULL ? node->disps[i] : i * node->step);
        if (node->shape != DAME_SHAPE_RAGGED) {
            dame_flat_append(flat, node->child != NULL ? node->child : node->children[i], place);
        } else if (dame_node_dense(node)) {
            flat->lengths[flat->count] = node->blklens[i];
            flat->disps[flat->count++] = place;
        } else {
            for (int64_t k = 0; k < node->blklens[i]; k++) {
                dame_flat_append(flat, node->child, place + k * node->step);
            }
        }
    }
}
