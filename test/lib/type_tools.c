/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include "type_tools.h"

#include <stdbool.h>
#include <stdlib.h>

#include "dame/dame.h"

#include "oracle.h"

enum { LONG_LIST = 2000 }; /* blocks that are left as they are */

static int64_t *moved(dame_tree_t *tree, const int64_t *disps, int64_t n, int64_t shift)
{
    int64_t *out = dame_tree_array(tree, n);
    for (int64_t i = 0; out && i < n; i++) {
        out[i] = disps[i] + shift;
    }
    return out;
}

const dame_type_t *type_shifted(dame_tree_t *tree, const dame_type_t *type, int64_t shift)
{
    dame_type_t t = *type;
    if (type->kind == DAME_RESIZED) {
        t.lb += shift;
        t.child = type_shifted(tree, type->child, shift);
        return t.child ? type_made(tree, &t) : NULL;
    }
    if (!type->disps) {
        t = (dame_type_t){.kind = DAME_BLOCKINDEX, .count = 1, .blklen = 1, .child = type};
    }
    t.disps = type->disps ? moved(tree, type->disps, type->count, shift)
                          : moved(tree, (int64_t[]){0}, 1, shift);
    return t.disps ? type_made(tree, &t) : NULL;
}

static void print_list(FILE *out, const int64_t *list, int64_t n)
{
    fputc('[', out);
    for (int64_t i = 0; i < n && i < 16; i++) {
        fprintf(out, "%s%lld", i ? ", " : "", (long long) list[i]);
    }
    fputs(n > 16 ? ", ...]" : "]", out);
}

static void describe(FILE *out, const char *prefix, int depth, int64_t times,
                     const dame_type_t *type)
{
    static const char *const names[] = {"basic", "contig", "vector", "blockindex",
                                        "index", "struct", "resized"};
    fprintf(out, "%s%*s%s", prefix, 2 * depth, "", names[type->kind]);
    if (type->kind != DAME_BASIC && type->kind != DAME_RESIZED) {
        fprintf(out, " count %lld", (long long) type->count);
    }
    if (type->kind == DAME_VECTOR || type->kind == DAME_BLOCKINDEX) {
        fprintf(out, " blklen %lld", (long long) type->blklen);
    }
    if (type->kind == DAME_VECTOR) {
        fprintf(out, " stride %lld", (long long) type->stride);
    }
    if (type->blklens) {
        fputs(" blklens ", out);
        print_list(out, type->blklens, type->count);
    }
    if (type->disps) {
        fputs(" disps ", out);
        print_list(out, type->disps, type->count);
    }
    fprintf(out, "  (size %lld lb %lld extent %lld true [%lld, %lld))", (long long) type->size,
            (long long) type->lb, (long long) type->extent, (long long) type->true_lb,
            (long long) type->true_ub);
    if (times > 1) {
        fprintf(out, "  %lld times", (long long) times);
    }
    fputc('\n', out);
    if (type->kind == DAME_STRUCT) {
        int64_t run = 0;
        for (int64_t i = 0; i < type->count && i < 16; i += run) {
            run = 1;
            while (i + run < type->count && type->children[i + run] == type->children[i]) {
                run++;
            }
            describe(out, prefix, depth + 1, run, type->children[i]);
        }
    } else if (type->kind != DAME_BASIC) {
        describe(out, prefix, depth + 1, 1, type->child);
    }
}

void type_describe(FILE *out, const char *prefix, const dame_type_t *type)
{
    describe(out, prefix, 0, 1, type);
}

char *program_text(const dame_program_t *program)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    const bool printed = out && dame_program_print(program, out) == 0;
    if (out && fclose(out) == 0 && printed) {
        return text;
    }
    free(text);
    return NULL;
}

const dame_type_t *type_made(dame_tree_t *tree, const dame_type_t *t)
{
    const dame_type_t *out = NULL;
    switch (t->kind) {
    case DAME_BASIC:
        dame_type_basic(tree, t->size, &out);
        break;
    case DAME_CONTIG:
        dame_type_contig(tree, t->count, t->child, &out);
        break;
    case DAME_VECTOR:
        dame_type_vector(tree, t->count, t->blklen, t->stride, t->child, &out);
        break;
    case DAME_BLOCKINDEX:
        dame_type_blockindex(tree, t->count, t->blklen, t->disps, t->child, &out);
        break;
    case DAME_INDEX:
        dame_type_index(tree, t->count, t->blklens, t->disps, t->child, &out);
        break;
    case DAME_STRUCT:
        dame_type_struct(tree, t->count, t->blklens, t->disps, t->children, &out);
        break;
    case DAME_RESIZED:
        dame_type_resized(tree, t->lb, t->extent, t->child, &out);
        break;
    }
    return out;
}

/* ---- the same typemap by other constructors ---- */

/* Blocks of a constructor, to be written in another way. */
typedef struct blocks {
    int64_t n;
    int64_t *lengths;
    int64_t *disps;
    const dame_type_t **children;
} blocks_t;

static bool blocks_init(blocks_t *b, dame_tree_t *tree, int64_t room)
{
    *b = (blocks_t){0, dame_tree_array(tree, room), dame_tree_array(tree, room),
                    dame_tree_types(tree, room)};
    return b->lengths && b->disps && b->children;
}

static void append(blocks_t *b, int64_t length, int64_t disp, const dame_type_t *child)
{
    b->lengths[b->n] = length;
    b->disps[b->n] = disp;
    b->children[b->n++] = child;
}

/* The blocks, some of them in two pieces, or with an empty one before them. */
static bool divided(rng_t *rng, dame_tree_t *tree, const blocks_t *from, blocks_t *out)
{
    const int percent = rng_chance(rng, 70) ? 0 : 50;
    if (!blocks_init(out, tree, 3 * from->n)) {
        return false;
    }
    for (int64_t i = 0; i < from->n; i++) {
        const dame_type_t *child = from->children[i];
        const int64_t n = from->lengths[i], first = n > 1 ? rng_range(rng, 1, n - 1) : 0;
        if (rng_chance(rng, percent / 5)) {
            append(out, 0, rng_range(rng, -99, 99), child);
        }
        if (first > 0 && rng_chance(rng, percent)) {
            append(out, first, from->disps[i], child);
            append(out, n - first, from->disps[i] + first * child->extent, child);
        } else {
            append(out, n, from->disps[i], child);
        }
    }
    return true;
}

/* The constructor with the fewest arguments that can say it, or one with more. */
static const dame_type_t *written(rng_t *rng, dame_tree_t *tree, const blocks_t *b)
{
    bool one_child = b->n > 0, one_length = b->n > 0, one_step = b->n > 0 && b->disps[0] == 0;
    for (int64_t i = 1; i < b->n; i++) {
        one_child &= b->children[i] == b->children[0];
        one_length &= b->lengths[i] == b->lengths[0];
        one_step &= b->disps[i] == i * b->disps[1];
    }
    dame_type_t t = {.kind = DAME_STRUCT,
                     .count = b->n,
                     .blklens = b->lengths,
                     .disps = b->disps,
                     .children = b->children};
    if (one_child && !rng_chance(rng, 20)) {
        t.kind = DAME_INDEX;
        t.child = b->children[0];
        if (one_length && !rng_chance(rng, 30)) {
            t.kind = one_step && !rng_chance(rng, 30) ? DAME_VECTOR : DAME_BLOCKINDEX;
            t.blklen = b->lengths[0];
            t.stride = b->n > 1 ? b->disps[1] : rng_range(rng, -9, 9);
        }
    }
    return type_made(tree, &t);
}

const dame_type_t *type_disguised(rng_t *rng, dame_tree_t *tree, const dame_type_t *type)
{
    blocks_t b, pieces;
    if (type->kind == DAME_BASIC || type->count > LONG_LIST) {
        return type;
    }
    if (!blocks_init(&b, tree, oracle_blocks(type))) {
        return NULL;
    }
    const dame_type_t *known = NULL, *other = NULL;
    for (int64_t i = 0; i < oracle_blocks(type); i++) {
        const oracle_block_t block = oracle_block(type, i);
        if (block.child != known) {
            known = block.child;
            other = type_disguised(rng, tree, known);
        }
        if (!other) {
            return NULL;
        }
        append(&b, block.length, block.displacement, other);
    }
    const dame_type_t *out = divided(rng, tree, &b, &pieces) ? written(rng, tree, &pieces) : NULL;
    const dame_type_t same_bounds = {
        .kind = DAME_RESIZED, .lb = type->lb, .extent = type->extent, .child = out};
    return out ? type_made(tree, &same_bounds) : NULL;
}
