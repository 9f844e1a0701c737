#include "type_tools.h"

#include <stdbool.h>

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
    const dame_type_t *out = NULL;
    const dame_type_t *child = NULL;
    int64_t *disps = NULL;
    switch (type->kind) {
    case DAME_RESIZED:
        child = type_shifted(tree, type->child, shift);
        if (child) {
            dame_type_resized(tree, type->lb + shift, type->extent, child, &out);
        }
        return out;
    case DAME_BLOCKINDEX:
    case DAME_INDEX:
    case DAME_STRUCT:
        disps = moved(tree, type->disps, type->count, shift);
        break;
    default:
        disps = moved(tree, (int64_t[]){0}, 1, shift);
        if (disps) {
            dame_type_blockindex(tree, 1, 1, disps, type, &out);
        }
        return out;
    }
    if (disps && type->kind == DAME_BLOCKINDEX) {
        dame_type_blockindex(tree, type->count, type->blklen, disps, type->child, &out);
    } else if (disps && type->kind == DAME_INDEX) {
        dame_type_index(tree, type->count, type->blklens, disps, type->child, &out);
    } else if (disps) {
        dame_type_struct(tree, type->count, type->blklens, disps, type->children, &out);
    }
    return out;
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

int64_t type_nodes(const dame_type_t *type, int64_t limit)
{
    int64_t n = 1;
    if (type->kind == DAME_STRUCT) {
        for (int64_t i = 0; i < type->count && n < limit; i++) {
            n += type_nodes(type->children[i], limit - n);
        }
    } else if (type->kind != DAME_BASIC) {
        n += type_nodes(type->child, limit - n);
    }
    return n;
}

/* The arguments of a constructor, to be changed before it is called again. */
typedef struct shape {
    dame_kind_t kind;
    int64_t count;
    int64_t blklen;
    int64_t stride;
    int64_t lb;
    int64_t extent;
    int64_t size;
    int64_t *blklens;
    int64_t *disps;
    const dame_type_t *child;
    const dame_type_t **children;
} shape_t;

static const dame_type_t *construct(dame_tree_t *tree, const shape_t *s)
{
    const dame_type_t *out = NULL;
    switch (s->kind) {
    case DAME_BASIC:
        dame_type_basic(tree, s->size, &out);
        break;
    case DAME_CONTIG:
        dame_type_contig(tree, s->count, s->child, &out);
        break;
    case DAME_VECTOR:
        dame_type_vector(tree, s->count, s->blklen, s->stride, s->child, &out);
        break;
    case DAME_BLOCKINDEX:
        dame_type_blockindex(tree, s->count, s->blklen, s->disps, s->child, &out);
        break;
    case DAME_INDEX:
        dame_type_index(tree, s->count, s->blklens, s->disps, s->child, &out);
        break;
    case DAME_STRUCT:
        dame_type_struct(tree, s->count, s->blklens, s->disps, s->children, &out);
        break;
    case DAME_RESIZED:
        dame_type_resized(tree, s->lb, s->extent, s->child, &out);
        break;
    }
    return out;
}

/* Keeps blocks [from, to). */
static bool keep_blocks(shape_t *s, int64_t from, int64_t to)
{
    if (s->kind == DAME_BASIC || s->kind == DAME_RESIZED || to - from == s->count || from >= to) {
        return false;
    }
    s->count = to - from;
    s->blklens = s->blklens ? s->blklens + from : NULL;
    s->disps = s->disps ? s->disps + from : NULL;
    s->children = s->children ? s->children + from : NULL;
    return true;
}

/* Sets every blocklength to at most half of it, or to at most 1. */
static bool shorten_blocks(shape_t *s, bool to_one)
{
    bool changed = false;
    for (int64_t i = 0; i < (s->blklens ? s->count : 1); i++) {
        int64_t *length = s->blklens ? &s->blklens[i] : &s->blklen;
        int64_t shorter = to_one ? 1 : *length / 2;
        if (*length > 1 && shorter < *length) {
            *length = shorter;
            changed = true;
        }
    }
    return changed;
}

static bool apply(shape_t *s, type_edit_t edit)
{
    switch (edit) {
    case EDIT_HALF:
        return keep_blocks(s, 0, s->count / 2);
    case EDIT_OTHER_HALF:
        return s->count > 2 && keep_blocks(s, s->count / 2, s->count);
    case EDIT_NOT_FIRST:
        return s->count > 1 && keep_blocks(s, 1, s->count);
    case EDIT_NOT_LAST:
        return s->count > 1 && keep_blocks(s, 0, s->count - 1);
    case EDIT_HALF_BLOCK:
        return shorten_blocks(s, false);
    case EDIT_ONE_BLOCK:
        return shorten_blocks(s, true);
    case EDIT_BYTE:
        if (s->kind == DAME_BASIC && s->size > 1) {
            s->size = 1;
            return true;
        }
        return false;
    default:
        return false;
    }
}

/* Copies a tree; *left counts down to the node to change. */
static const dame_type_t *edit_walk(dame_tree_t *tree, const dame_type_t *type, int64_t *left,
                                    type_edit_t edit)
{
    if (*left < 0) {
        return type; /* behind the node to change: share */
    }
    bool here = (*left)-- == 0;
    if (here && edit == EDIT_CHILD && type->kind != DAME_BASIC) {
        return type->kind != DAME_STRUCT ? type->child : type->count ? type->children[0] : NULL;
    }
    if (here && edit == EDIT_LAST_CHILD) {
        return type->kind == DAME_STRUCT && type->count > 1 ? type->children[type->count - 1]
                                                            : NULL;
    }
    shape_t s = {.kind = type->kind,
                 .count = type->count,
                 .blklen = type->blklen,
                 .stride = type->stride,
                 .lb = type->lb,
                 .extent = type->extent,
                 .size = type->size,
                 .child = type->child};
    s.blklens = type->blklens ? moved(tree, type->blklens, type->count, 0) : NULL;
    s.disps = type->disps ? moved(tree, type->disps, type->count, 0) : NULL;
    if (type->kind == DAME_STRUCT) {
        s.children = dame_tree_types(tree, type->count);
        for (int64_t i = 0; s.children && i < type->count; i++) {
            s.children[i] =
                here ? type->children[i] : edit_walk(tree, type->children[i], left, edit);
            if (!s.children[i]) {
                return NULL;
            }
        }
    } else if (type->kind != DAME_BASIC && !here) {
        s.child = edit_walk(tree, type->child, left, edit);
        if (!s.child) {
            return NULL;
        }
    }
    return here && !apply(&s, edit) ? NULL : construct(tree, &s);
}

const dame_type_t *type_edited(dame_tree_t *tree, const dame_type_t *type, int64_t node,
                               type_edit_t edit)
{
    return edit_walk(tree, type, &node, edit);
}
