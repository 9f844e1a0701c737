/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pass `normalise`: every constructor to its most constrained equivalent, so that one layout gives
 * one program whichever constructors made it.
 */
#include <stddef.h>

#include "granule.h"
#include "node.h"
#include "sequence.h"
#include "wide.h"

/* A loop that goes on where its inner loop ends is one loop. */
static dame_status_t normalise_loop(dame_optimiser_t *o, const dame_node_t *draft,
                                    const dame_node_t **out)
{
    const dame_node_t *child = draft->child;
    if (child->shape == DAME_SHAPE_LOOP && draft->step == (wide_t) child->count * child->step) {
        return dame_node_loop(o, draft->count * child->count, child->step, child->child, out);
    }
    return DAME_OK;
}

static dame_sequence_t sequence_of(const dame_node_t *draft)
{
    return (dame_sequence_t){
        .n = draft->count,
        .disps = draft->disps,
        .lengths = draft->shape == DAME_SHAPE_RAGGED ? draft->blklens : NULL,
        .children = draft->shape == DAME_SHAPE_STRUCT ? draft->children : NULL,
    };
}

/* The first n of a draft's blocks as a node. */
static dame_status_t first_part(dame_optimiser_t *o, const dame_node_t *draft, int64_t n,
                                const dame_node_t **out)
{
    int64_t *disps = draft->disps;
    switch (draft->shape) {
    case DAME_SHAPE_LIST:
        return dame_node_list(o, n, disps, draft->child, out);
    case DAME_SHAPE_STRUCT:
        return dame_node_struct(o, n, disps, draft->children, out);
    default:
        return dame_node_dense(draft)
                   ? dame_node_bytes(o, n, draft->blklens, disps, draft->granule, out)
                   : dame_node_ragged(o, n, draft->blklens, disps, draft->step, draft->child, out);
    }
}

/* Groups of n blocks that are alike: a list of one group. */
static dame_status_t fold_groups(dame_optimiser_t *o, const dame_node_t *draft, int64_t n,
                                 const dame_node_t **out)
{
    const int64_t groups = draft->count / n;
    int64_t *disps = dame_node_numbers(o, groups);
    if (disps == NULL) {
        return DAME_ERR_NOMEM;
    }
    for (int64_t i = 0; i < groups; i++) {
        disps[i] = draft->disps[i * n];
    }
    const dame_node_t *group;
    dame_status_t status = first_part(o, draft, n, &group);
    return status != DAME_OK ? status : dame_node_list(o, groups, disps, group, out);
}

static dame_status_t fold(dame_optimiser_t *o, const dame_node_t *draft, const dame_node_t **out)
{
    if (o->settled) {
        return DAME_OK;
    }
    const dame_sequence_t sequence = sequence_of(draft);
    const int64_t period = dame_sequence_period(&sequence);
    return period == 0 ? DAME_OK : fold_groups(o, draft, period, out);
}

/*
 * The length of the shortest run of the list's first step, if the others are whole numbers of it
 * and there would be less than twice as many of them, else 0: the rule of common_block().
 */
static int64_t common_run(const dame_node_t *list)
{
    const int64_t step = list->disps[1] - list->disps[0];
    int64_t shortest = list->count;
    int64_t divisor = 0;
    int64_t runs = 0;
    for (int64_t i = 0, length; i < list->count; i += length, runs++) {
        length = 1;
        while (i + length < list->count &&
               list->disps[i + length] - list->disps[i + length - 1] == step) {
            length++;
        }
        if (length == 1) {
            return 0;
        }
        shortest = length < shortest ? length : shortest;
        divisor = dame_gcd(length, divisor);
    }
    /* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): it has two entries */
    return divisor == shortest && list->count / shortest < 2 * runs ? shortest : 0;
}

static dame_status_t normalise_list(dame_optimiser_t *o, const dame_node_t *draft,
                                    const dame_node_t **out)
{
    const dame_sequence_t sequence = sequence_of(draft);
    if (dame_sequence_run(&sequence) == draft->count) {
        return dame_node_loop(o, draft->count, draft->disps[1], draft->child, out);
    }
    const int64_t run = o->settled ? 0 : common_run(draft);
    return run == 0 ? fold(o, draft, out) : fold_groups(o, draft, run, out);
}

/* One block of a RAGGED as a node. */
static dame_status_t block_of(dame_optimiser_t *o, const dame_node_t *ragged, int64_t length,
                              const dame_node_t **out)
{
    return dame_node_dense(ragged) ? dame_node_block(o, length, ragged->granule, out)
                                   : dame_node_loop(o, length, ragged->step, ragged->child, out);
}

/* The shortest block, if all others are whole numbers of it and there would be less than twice as
 * many of them, else 0. The number of them goes to *n. */
static int64_t common_block(const dame_node_t *ragged, int64_t *n)
{
    int64_t shortest = ragged->blklens[0];
    int64_t total = 0;
    for (int64_t i = 0; i < ragged->count; i++) {
        shortest = ragged->blklens[i] < shortest ? ragged->blklens[i] : shortest;
        total += ragged->blklens[i];
    }
    if (total / shortest >= 2 * ragged->count) {
        return 0;
    }
    for (int64_t i = 0; i < ragged->count; i++) {
        if (ragged->blklens[i] != shortest && ragged->blklens[i] % shortest != 0) {
            return 0;
        }
    }
    *n = total / shortest;
    if (*n > ragged->count && dame_node_dense(ragged) && shortest % ragged->granule != 0) {
        return 0; /* an element would be in two blocks */
    }
    return shortest;
}

/* Returns whether there is a long stretch of equal blocks that are not of this length. */
static int has_other_stretch(const dame_node_t *ragged, int64_t length)
{
    int64_t equal = 0;
    for (int64_t i = 0; i < ragged->count && equal < DAME_MIN_STRETCH; i++) {
        equal = length == ragged->blklens[i]                            ? 0
                : i > 0 && ragged->blklens[i] == ragged->blklens[i - 1] ? equal + 1
                                                                        : 1;
    }
    return equal == DAME_MIN_STRETCH;
}

/* The blocks of a RAGGED, or parts of them, as a list of n blocks of one length. */
static dame_status_t equal_blocks(dame_optimiser_t *o, const dame_node_t *draft, int64_t length,
                                  int64_t n, const dame_node_t **out)
{
    int64_t *disps = draft->disps;
    if (n > draft->count) {
        disps = dame_node_numbers(o, n);
        if (disps == NULL) {
            return DAME_ERR_NOMEM;
        }
        int64_t k = 0;
        for (int64_t i = 0; i < draft->count; i++) {
            for (int64_t at = 0; at < draft->blklens[i]; at += length) {
                disps[k++] = draft->disps[i] + at * draft->step;
            }
        }
    }
    const dame_node_t *block;
    dame_status_t status = block_of(o, draft, length, &block);
    return status != DAME_OK ? status : dame_node_list(o, n, disps, block, out);
}

/* What touches is joined while the sizes of its elements are known, and before stretches of equal
 * blocks are looked for. */
static dame_status_t join_first(dame_optimiser_t *o, const dame_node_t *draft,
                                const dame_node_t **out)
{
    return dame_passes(o, DAME_PASS_MERGE) ? dame_pass_merge(o, draft, out) : DAME_OK;
}

static dame_status_t find_stretches(dame_optimiser_t *o, const dame_node_t *draft,
                                    const dame_node_t **out)
{
    dame_status_t status = join_first(o, draft, out);
    return status != DAME_OK || *out != NULL ? status : dame_split_stretches(o, draft, out);
}

/* Blocks of mostly one length are a list of blocks of that length, unless there are long stretches
 * of longer ones. */
static dame_status_t normalise_ragged(dame_optimiser_t *o, const dame_node_t *draft,
                                      const dame_node_t **out)
{
    int64_t n = 0;
    const int64_t length = common_block(draft, &n);
    const int may_split = dame_node_dense(draft) && !o->settled;
    if (length != 0 && !(may_split && has_other_stretch(draft, length))) {
        return equal_blocks(o, draft, length, n, out);
    }
    dame_status_t status = fold(o, draft, out);
    if (status == DAME_OK && *out == NULL && may_split) {
        status = find_stretches(o, draft, out);
    }
    return status != DAME_OK || *out != NULL || length == 0
               ? status
               : equal_blocks(o, draft, length, n, out);
}

/* ---- structs ---- */

/* Members that are structs give their own members. */
static dame_status_t splice(dame_optimiser_t *o, const dame_node_t *draft, const dame_node_t **out)
{
    int64_t n = 0;
    int nested = 0;
    for (int64_t i = 0; i < draft->count; i++) {
        int is_struct = draft->children[i]->shape == DAME_SHAPE_STRUCT;
        nested |= is_struct;
        n += is_struct ? draft->children[i]->count : 1;
    }
    if (!nested) {
        return DAME_OK;
    }
    int64_t *disps = dame_node_numbers(o, n);
    const dame_node_t **children = dame_node_nodes(o, n);
    if (disps == NULL || children == NULL) {
        return DAME_ERR_NOMEM;
    }
    int64_t k = 0;
    for (int64_t i = 0; i < draft->count; i++) {
        const dame_node_t *child = draft->children[i];
        int64_t members = child->shape == DAME_SHAPE_STRUCT ? child->count : 1;
        for (int64_t m = 0; m < members; m++, k++) {
            children[k] = child->shape == DAME_SHAPE_STRUCT ? child->children[m] : child;
            disps[k] = draft->disps[i] + (child->shape == DAME_SHAPE_STRUCT ? child->disps[m] : 0);
        }
    }
    return dame_node_struct(o, n, disps, children, out);
}

/* A level of several instances of its child; dense blocks have no such level. */
static int is_repetition(const dame_node_t *node)
{
    return node->child != NULL && !dame_node_dense(node);
}

/* A member that is `unit`, or a level of it. */
static int repeats(const dame_node_t *member, const dame_node_t *unit)
{
    return dame_node_equal(member, unit) ||
           (is_repetition(member) && dame_node_equal(member->child, unit));
}

/* The loop that a list, or a loop of a few turns, repeats: runs of one length. */
static const dame_node_t *loop_in(const dame_node_t *node)
{
    const int listed = node->shape == DAME_SHAPE_LIST ||
                       (node->shape == DAME_SHAPE_LOOP && node->count < DAME_MIN_RUN);
    return listed && node->child->shape == DAME_SHAPE_LOOP ? node->child : NULL;
}

static int repeats_runs(const dame_node_t *member, const dame_node_t *unit)
{
    return loop_in(member) != NULL && dame_node_equal(loop_in(member)->child, unit);
}

/* Neighbours of a struct that repeat one thing, at one step where they are longer than one. */
typedef struct likes {
    const dame_node_t *unit;
    int64_t first, end;
    int64_t runs;
    int64_t step;
    int loops; /* there are some that are longer */
} likes_t;

/* Returns whether the member is a run of its own, not a list of instances. */
static int is_run(const dame_node_t *member)
{
    return member->shape == DAME_SHAPE_RAGGED ||
           (member->shape == DAME_SHAPE_LOOP && member->count >= DAME_MIN_RUN);
}

/* One run of `unit`: an instance, or a loop of its own. */
static int is_one_run(const dame_node_t *member, const dame_node_t *unit)
{
    return dame_node_equal(member, unit) || (member->shape == DAME_SHAPE_LOOP && is_run(member));
}

static likes_t find_likes_of(const dame_node_t *draft, int64_t first, const dame_node_t *unit)
{
    likes_t likes = {.unit = unit, .first = first, .end = first};
    for (; likes.end < draft->count; likes.end++) {
        const dame_node_t *member = draft->children[likes.end];
        const int single = dame_node_equal(member, unit);
        const int listed = repeats_runs(member, unit);
        const int loops = !single && (listed || is_run(member));
        const int64_t step = listed ? loop_in(member)->step : member->step;
        if (!(listed || repeats(member, unit)) || (loops && likes.loops && step != likes.step)) {
            break;
        }
        const int one_run = is_one_run(member, unit);
        if (likes.end > first && !one_run && member->count >= DAME_MIN_STRETCH &&
            dame_node_equal(member, draft->children[likes.end - 1])) {
            break; /* a long list that is repeated serves all its instances */
        }
        likes.step = loops ? step : likes.step;
        likes.loops |= loops;
        likes.runs += one_run ? 1 : member->count;
    }
    return likes;
}

/* The most members from `first` on that repeat the first of them, or the member that it repeats
 * itself. */
static likes_t find_likes(const dame_node_t *draft, int64_t first)
{
    const dame_node_t *member = draft->children[first];
    const likes_t likes = find_likes_of(draft, first, member);
    if (likes.end == draft->count || !is_repetition(member)) {
        return likes;
    }
    likes_t most = find_likes_of(draft, first, member->child);
    if (most.end < draft->count && loop_in(member) != NULL) {
        const likes_t inner = find_likes_of(draft, first, loop_in(member)->child);
        most = inner.end > most.end ? inner : most;
    }
    return most.end > likes.end ? most : likes;
}

/* The runs of `unit` that a member is. */
static void append_runs(dame_flat_t *runs, const dame_node_t *member, const dame_node_t *unit,
                        int64_t at)
{
    if (is_one_run(member, unit)) {
        runs->lengths[runs->count] = dame_node_equal(member, unit) ? 1 : member->count;
        runs->disps[runs->count++] = at;
        return;
    }
    const int64_t length = repeats_runs(member, unit) ? loop_in(member)->count : 1;
    for (int64_t i = 0; i < member->count; i++) {
        runs->lengths[runs->count] =
            member->shape == DAME_SHAPE_RAGGED ? member->blklens[i] : length;
        runs->disps[runs->count++] =
            at + (member->shape == DAME_SHAPE_LOOP ? i * member->step : member->disps[i]);
    }
}

static dame_status_t put_together(dame_optimiser_t *o, const dame_node_t *draft,
                                  const likes_t *likes, const dame_node_t **out)
{
    dame_flat_t runs;
    dame_status_t status = dame_flat_new(o, likes->runs, &runs);
    if (status != DAME_OK) {
        return status;
    }
    for (int64_t i = likes->first; i < likes->end; i++) {
        append_runs(&runs, draft->children[i], likes->unit, draft->disps[i]);
    }
    return likes->loops ? dame_node_ragged(o, runs.count, runs.lengths, runs.disps, likes->step,
                                           likes->unit, out)
                        : dame_node_list(o, runs.count, runs.disps, likes->unit, out);
}

/* Members that repeat one thing at one step are an INDEX. */
static dame_status_t like_members(dame_optimiser_t *o, const dame_node_t *draft,
                                  const dame_node_t **out)
{
    const likes_t likes = find_likes(draft, 0);
    return likes.end < draft->count ? DAME_OK : put_together(o, draft, &likes, out);
}

static int is_short(const dame_node_t *node)
{
    return node->blocks < DAME_MIN_STRETCH;
}

static int is_list_of_blocks(const dame_node_t *node)
{
    return node->shape == DAME_SHAPE_RAGGED
               ? dame_node_dense(node)
               : node->shape == DAME_SHAPE_LIST && node->child->shape == DAME_SHAPE_BLOCK;
}

/* Length of a node's first or last block. */
static int64_t end_block(const dame_node_t *node, int last)
{
    while (node->shape != DAME_SHAPE_BLOCK) {
        int64_t at = last ? node->count - 1 : 0;
        if (node->shape == DAME_SHAPE_RAGGED && dame_node_dense(node)) {
            return node->blklens[at];
        }
        node = node->child != NULL ? node->child : node->children[at];
    }
    return node->size;
}

/*
 * Returns whether neighbours of a struct are better known as one list of their blocks, in which
 * what is regular is found again. Yes when both are short or of unequal blocks, or when the
 * blocks of one go on in the other.
 */
static int is_one_list(const dame_node_t *a, const dame_node_t *b)
{
    if (!(is_short(a) || is_list_of_blocks(a)) || !(is_short(b) || is_list_of_blocks(b))) {
        return 0;
    }
    const int loose = (is_short(a) || a->shape == DAME_SHAPE_RAGGED) &&
                      (is_short(b) || b->shape == DAME_SHAPE_RAGGED);
    return loose || end_block(a, 1) == end_block(b, 0);
}

/* A long list that is repeated serves all its instances. */
static int serves_several(const dame_node_t *draft, int64_t i)
{
    return !is_short(draft->children[i]) &&
           ((i > 0 && dame_node_equal(draft->children[i - 1], draft->children[i])) ||
            (i + 1 < draft->count && dame_node_equal(draft->children[i], draft->children[i + 1])));
}

/* Where the members that are one list with number `first` end. */
static int64_t flat_end(const dame_node_t *draft, int64_t first)
{
    int64_t end = first + 1;
    while (end < draft->count && !serves_several(draft, end - 1) && !serves_several(draft, end) &&
           is_one_list(draft->children[end - 1], draft->children[end])) {
        end++;
    }
    return end;
}

/* Members from `first` to `end` as one list of blocks. */
static dame_status_t flat_list(dame_optimiser_t *o, const dame_node_t *draft, int64_t first,
                               int64_t end, const dame_node_t **out)
{
    int64_t blocks = 0;
    int64_t granule = draft->children[first]->granule;
    for (int64_t i = first; i < end; i++) {
        blocks += draft->children[i]->blocks;
        granule = dame_granule_common(granule, draft->children[i]->granule);
    }
    dame_flat_t flat;
    dame_status_t status = dame_flat_new(o, blocks, &flat);
    if (status != DAME_OK) {
        return status;
    }
    for (int64_t i = first; i < end; i++) {
        dame_flat_append(&flat, draft->children[i], draft->disps[i]);
    }
    int64_t same = 1;
    while (same < flat.count && flat.lengths[same] == flat.lengths[0]) {
        same++;
    }
    if (same < flat.count) {
        return dame_node_bytes(o, flat.count, flat.lengths, flat.disps, granule, out);
    }
    const dame_node_t *block;
    status = dame_node_block(o, flat.lengths[0], granule, &block);
    return status != DAME_OK ? status : dame_node_list(o, flat.count, flat.disps, block, out);
}

/* Neighbours that are blocks, or lists of blocks, or small, are one list. */
static dame_status_t flat_members(dame_optimiser_t *o, const dame_node_t *draft,
                                  const dame_node_t **out)
{
    int64_t groups = 0;
    for (int64_t i = 0; i < draft->count; i = flat_end(draft, i)) {
        groups++;
    }
    if (groups == draft->count) {
        return DAME_OK;
    }
    int64_t *disps = dame_node_numbers(o, groups);
    const dame_node_t **children = dame_node_nodes(o, groups);
    dame_status_t status = disps == NULL || children == NULL ? DAME_ERR_NOMEM : DAME_OK;
    int64_t k = 0;
    for (int64_t i = 0, end; status == DAME_OK && i < draft->count; i = end, k++) {
        end = flat_end(draft, i);
        if (end > i + 1) {
            disps[k] = 0; /* the list has taken its displacement */
            status = flat_list(o, draft, i, end, &children[k]);
        } else {
            disps[k] = draft->disps[i];
            children[k] = draft->children[i];
        }
    }
    return status != DAME_OK ? status : dame_node_struct(o, groups, disps, children, out);
}

/* Neighbours that repeat one thing become one member. */
static dame_status_t group_neighbours(dame_optimiser_t *o, const dame_node_t *draft,
                                      const dame_node_t **out)
{
    int64_t *disps = dame_node_numbers(o, draft->count);
    const dame_node_t **children = dame_node_nodes(o, draft->count);
    dame_status_t status = disps == NULL || children == NULL ? DAME_ERR_NOMEM : DAME_OK;
    int64_t groups = 0;
    for (int64_t i = 0; status == DAME_OK && i < draft->count; groups++) {
        const likes_t likes = find_likes(draft, i);
        disps[groups] = draft->disps[i];
        children[groups] = draft->children[i];
        if (likes.end > i + 1) {
            disps[groups] = 0; /* the joined member has taken it */
            status = put_together(o, draft, &likes, &children[groups]);
        }
        i = likes.end;
    }
    return status != DAME_OK || groups == draft->count
               ? status
               : dame_node_struct(o, groups, disps, children, out);
}

static dame_status_t normalise_struct(dame_optimiser_t *o, const dame_node_t *draft,
                                      const dame_node_t **out)
{
    static dame_status_t (*const rules[])(dame_optimiser_t *, const dame_node_t *,
                                          const dame_node_t **) = {
        splice, like_members, fold, join_first, flat_members, group_neighbours,
    };
    dame_status_t status = DAME_OK;
    for (size_t i = 0; status == DAME_OK && *out == NULL && i < sizeof(rules) / sizeof(rules[0]);
         i++) {
        status = rules[i](o, draft, out);
    }
    return status;
}

dame_status_t dame_pass_normalise(dame_optimiser_t *o, const dame_node_t *draft,
                                  const dame_node_t **out)
{
    if (!dame_node_is_near(draft)) {
        return DAME_OK;
    }
    switch (draft->shape) {
    case DAME_SHAPE_LOOP:
        return normalise_loop(o, draft, out);
    case DAME_SHAPE_LIST:
        return normalise_list(o, draft, out);
    case DAME_SHAPE_RAGGED:
        return normalise_ragged(o, draft, out);
    case DAME_SHAPE_STRUCT:
        return normalise_struct(o, draft, out);
    default:
        return DAME_OK;
    }
}
