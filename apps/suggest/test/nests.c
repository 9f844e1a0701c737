/*
 * Random loop nests over an array: dimensions in any order in memory, buffer and loops, with
 * padding, loops that go down, split loops and unrolled statements. The test computes each byte's
 * source itself, from its own description, and compares it with the DAME type of the answer at
 * several sizes.
 */
#define _POSIX_C_SOURCE 200809L

#include <stdlib.h>
#include <string.h>

#include "mutants.h"
#include "suggest/eval.h"
#include "suggest/instance.h"
#include "suggest_test.h"
#include "test/lib/rng.h"

enum { DIMS = 4, MOST = 4096, ROOM = 1 << 16, SIZES = 3 };

typedef struct dim {
    int named; /* the size n<i> at run time, else `size` */
    int64_t size;
    int64_t pad;        /* elements behind a row */
    int memory, buffer; /* ranks, 0: innermost */
    int down;           /* the buffer is written from its end */
    int reversed;       /* the source is read from its end */
} dim_t;

typedef struct nest {
    int ndims;
    dim_t dims[DIMS];
    int order[DIMS]; /* of loops */
    int64_t element;
    int unrolled; /* the dimension that is written as statements, or -1 */
    int split;    /* the dimension with its first iteration as a loop of its own, or -1 */
    int receives;
} nest_t;

static int below(rng_t *rng, int n)
{
    return (int) rng_range(rng, 0, n - 1);
}

static void shuffle(rng_t *rng, int *order, int n)
{
    for (int i = 0; i < n; i++) {
        order[i] = i;
    }
    for (int i = n - 1; i > 0; i--) {
        int j = below(rng, i + 1), other = order[i];
        order[i] = order[j];
        order[j] = other;
    }
}

static nest_t random_nest(rng_t *rng)
{
    nest_t nest = {.ndims = 1 + below(rng, DIMS),
                   .element = 1 << below(rng, 4),
                   .unrolled = -1,
                   .split = -1,
                   .receives = below(rng, 4) == 0};
    int memory[DIMS], buffer[DIMS];
    shuffle(rng, memory, nest.ndims);
    shuffle(rng, buffer, nest.ndims);
    shuffle(rng, nest.order, nest.ndims);
    for (int d = 0; d < nest.ndims; d++) {
        nest.dims[d] = (dim_t){.named = below(rng, 3) > 0,
                               .size = 1 + below(rng, 4),
                               .pad = below(rng, 2) * below(rng, 3),
                               .memory = memory[d],
                               .buffer = buffer[d],
                               .down = below(rng, 4) == 0,
                               .reversed = below(rng, 4) == 0};
        if (!nest.dims[d].named && nest.unrolled < 0 && below(rng, 2) == 0) {
            nest.unrolled = d;
        } else if (nest.split < 0 && below(rng, 4) == 0) {
            nest.split = d;
        }
    }
    return nest;
}

/* ---- as text ---- */

static void size_text(const nest_t *nest, int d, FILE *out)
{
    if (nest->dims[d].named) {
        fprintf(out, "n%d", d);
    } else {
        fprintf(out, "%lld", (long long) nest->dims[d].size);
    }
}

/* The sum of iteration * stride over all dimensions; iterations[d] are texts. */
static void sum_text(const nest_t *nest, char iterations[DIMS][60], int memory, FILE *out)
{
    fprintf(out, "%lld*(0", (long long) nest->element);
    for (int d = 0; d < nest->ndims; d++) {
        const dim_t *dim = &nest->dims[d];
        bool from_end = memory ? dim->reversed : dim->down;
        fputs(" + (", out);
        if (from_end) {
            size_text(nest, d, out);
            fprintf(out, " - 1 - (%s))", iterations[d]);
        } else {
            fprintf(out, "%s)", iterations[d]);
        }
        for (int i = 0; i < nest->ndims; i++) {
            const dim_t *inner = &nest->dims[i];
            if (memory ? inner->memory < dim->memory : inner->buffer < dim->buffer) {
                fputs("*(", out);
                size_text(nest, i, out);
                fprintf(out, "+%lld)", (long long) (memory ? inner->pad : 0));
            }
        }
    }
    fputs(")", out);
}

static void copies_text(const nest_t *nest, char iterations[DIMS][60], FILE *out)
{
    int times = nest->unrolled >= 0 ? (int) nest->dims[nest->unrolled].size : 1;
    for (int i = 0; i < times; i++) {
        if (nest->unrolled >= 0) {
            snprintf(iterations[nest->unrolled], 60, "%d", i);
        }
        fputs("copy ", out);
        sum_text(nest, iterations, 0, out);
        fputs(" <- a + ", out);
        sum_text(nest, iterations, 1, out);
        fprintf(out, ", %lld MPI_T[%lld]\n", (long long) nest->element, (long long) nest->element);
    }
}

/* One of the two nests that a split makes; part 2: not split. */
static void nest_text(const nest_t *nest, int part, FILE *out)
{
    char iterations[DIMS][60];
    int open = 0;
    for (int i = 0; i < nest->ndims; i++) {
        int d = nest->order[i];
        if (d == nest->unrolled) {
            continue;
        }
        snprintf(iterations[d], 60, d == nest->split && part == 1 ? "i%d + 1" : "i%d", d);
        fprintf(out, "for i%d < ", d);
        if (d == nest->split && part == 0) {
            fputs("1", out);
        } else {
            size_text(nest, d, out);
            fputs(d == nest->split && part == 1 ? " - 1" : "", out);
        }
        fputs(" {\n", out);
        open++;
    }
    copies_text(nest, iterations, out);
    while (open-- > 0) {
        fputs("}\n", out);
    }
}

static char *program_text(const nest_t *nest)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    fputs(nest->receives ? "recv 1" : "send 1", out);
    for (int d = 0; d < nest->ndims; d++) {
        fputc('*', out);
        size_text(nest, d, out);
    }
    fprintf(out, " MPI_T[%lld]\nbase a t[%lld]\n", (long long) nest->element,
            (long long) nest->element);
    if (nest->split >= 0) {
        nest_text(nest, 1, out);
        nest_text(nest, 0, out);
    } else {
        nest_text(nest, 2, out);
    }
    fclose(out);
    return text;
}

/* ---- by hand ---- */

/* source[p] is the offset of the element at position p of the buffer. Returns the elements. */
static int64_t expected(const nest_t *nest, int64_t *source)
{
    int64_t total = 1;
    for (int d = 0; d < nest->ndims; d++) {
        total *= nest->dims[d].size;
    }
    for (int64_t at = 0; at < total; at++) {
        int64_t left = at, position = 0, offset = 0;
        for (int d = 0; d < nest->ndims; d++) {
            const dim_t *dim = &nest->dims[d];
            int64_t iteration = left % dim->size, step = 1, stride = 1;
            left /= dim->size;
            for (int i = 0; i < nest->ndims; i++) {
                const dim_t *inner = &nest->dims[i];
                step *= inner->buffer < dim->buffer ? inner->size : 1;
                stride *= inner->memory < dim->memory ? inner->size + inner->pad : 1;
            }
            position += step * (dim->down ? dim->size - 1 - iteration : iteration);
            offset += stride * (dim->reversed ? dim->size - 1 - iteration : iteration);
        }
        source[position] = offset * nest->element;
    }
    return total;
}

/* The offsets of the basic elements of a DAME type, in order. */
static int64_t walk(const dame_type_t *type, int64_t at, int64_t *out, int64_t n)
{
    if (type->kind == DAME_BASIC) {
        if (n < MOST) {
            out[n] = at;
        }
        return n + 1;
    }
    for (int64_t i = 0; i < type->count; i++) {
        const dame_type_t *child = type->kind == DAME_STRUCT ? type->children[i] : type->child;
        int64_t blocks = type->kind == DAME_VECTOR   ? type->blklen
                         : type->kind == DAME_STRUCT ? type->blklens[i]
                                                     : 1;
        int64_t start = type->kind == DAME_VECTOR   ? i * type->stride
                        : type->kind == DAME_STRUCT ? type->disps[i]
                                                    : i * child->extent;
        for (int64_t j = 0; j < blocks; j++) {
            n = walk(child, at + start + j * child->extent, out, n);
        }
    }
    return n;
}

static void set_sizes(instance_t *instance, nest_t *nest, rng_t *rng)
{
    for (int d = 0; d < nest->ndims; d++) {
        int least = nest->split == d ? 1 : 0;
        if (nest->dims[d].named) {
            nest->dims[d].size = least + below(rng, 5);
        }
        for (int atom = 0; atom < instance->natoms; atom++) {
            const char *text = poly_atom_text(instance->program->space, atom);
            if (text[0] == 'n' && atoi(text + 1) == d && nest->dims[d].named) {
                instance->values[atom] = nest->dims[d].size;
            }
        }
    }
}

static void compare(access_program_t *program, const types_node_t *type, nest_t *nest, rng_t *rng,
                    const char *text)
{
    static int64_t source[MOST], got[MOST];
    instance_t instance;
    dame_tree_t *tree = dame_tree_new();
    const dame_type_t *made = NULL;
    bool ready = instance_init(&instance, program);
    set_sizes(&instance, nest, rng);
    int64_t total = expected(nest, source), origin = 0;
    dame_status_t status = instance_type(&instance, type, 0, 1 << 20, tree, &made);
    check(ready && status == DAME_OK, "no DAME type: %s\n%s", dame_status_text(status), text);
    if (status == DAME_OK) {
        int64_t n = walk(made, 0, got, 0);
        instance_value(&instance, type->origin.offset, &origin);
        bool same = n == total;
        for (int64_t i = 0; i < total && same; i++) {
            same = got[i] + origin == source[i];
        }
        check(same, "the type moves other elements (%lld, %lld)\n%s", (long long) n,
              (long long) total, text);
    }
    instance_fini(&instance);
    dame_tree_free(tree);
}

static void try_nest(rng_t *rng, bool mutants)
{
    nest_t nest = random_nest(rng);
    char *text = program_text(&nest);
    access_text_error_t error;
    access_program_t *program = access_read(text, strlen(text), &error);
    check(program != NULL, "%d:%d: %s\n%s", (int) error.line, (int) error.column, error.message,
          text);
    if (program != NULL) {
        shape_t shape = shape_find(program);
        check(shape.refusal == SHAPE_DECIDED, "refused: %s\n%s", shape.reason, text);
        check(shape.nconditions == 0 || nest.split >= 0, "may overlap: %s\n%s",
              shape.nconditions > 0 ? shape.conditions[0] : "", text);
        if (shape.refusal == SHAPE_DECIDED) {
            eval_t identity = eval_identity(program, shape.type);
            eval_t random = eval_random(program, &shape, 24, 5);
            check(shape.count == SHAPE_COUNT_PROVED, "count not proved\n%s", text);
            /* A first iteration of its own: sizes of parts, then, may not be comparable. */
            check(identity.verdict == EVAL_RIGHT ||
                      (nest.split >= 0 && identity.verdict == EVAL_UNKNOWN),
                  "identity: %s\n%s", identity.message, text);
            check(random.verdict == EVAL_RIGHT, "random: %s\n%s", random.message, text);
            for (int i = 0; i < SIZES; i++) {
                compare(program, shape.type, &nest, rng, text);
            }
            if (mutants) {
                mutants_try(program, &shape, identity.verdict == EVAL_RIGHT, text);
            }
        }
        access_free(program);
    }
    free(text);
}

void nests_run(int count, unsigned long seed)
{
    rng_t rng = rng_seeded(seed, 31);
    for (int i = 0; i < count; i++) {
        try_nest(&rng, i % 10 == 0);
    }
}
