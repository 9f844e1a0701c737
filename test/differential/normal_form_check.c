/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"
#include "test/lib/type_tools.h"

enum { TEXTS_SHOWN = 3, LONGEST_SHOWN = 300 };

/* Counts in *others whether the two are not the same, and shows the first few. */
static bool compare(check_t *check, const dame_program_t *one, const dame_program_t *other,
                    const char *what, int64_t *n, int64_t *others)
{
    char *a = program_text(one);
    char *b = program_text(other);
    const bool ok = (a && b) || check_fail(check, "%s: no memory", what);
    ++*n;
    if (ok && strcmp(a, b) != 0 && ++*others <= TEXTS_SHOWN &&
        strlen(a) + strlen(b) < LONGEST_SHOWN) {
        printf("note: %s,\n%sbecomes\n%s", what, a, b);
    }
    free(a);
    free(b);
    return ok;
}

static bool packs(check_t *check, const message_t *m, const dame_program_t *program,
                  const char *what)
{
    char text[300] = "";
    char *packed = m->scratch + GUARD;
    if (dame_program_verify(program, text, sizeof text) != DAME_OK) {
        return check_fail(check, "%s: verifier: %s", what, text);
    }
    memset(packed, 0, (size_t) m->total);
    dame_program_run(program, DAME_PACK, m->base, m->count, packed);
    return message_packed_is(check, m, packed, 0, m->total, what);
}

static bool check_again(check_t *check, const message_t *m)
{
    static const char what[] = "optimised again";
    dame_program_t *again = NULL;
    const dame_status_t status = dame_program_optimise(m->built, &check->tier->options, &again);
    if (status != DAME_OK) {
        return check_fail(check, "%s: %s", what, dame_status_text(status));
    }
    const bool ok = packs(check, m, again, what) &&
                    compare(check, m->program, again, what, &checked.again, &checked.again_other);
    dame_program_free(again);
    return ok;
}

/* Without the facts about basic elements: for those of several sizes in one block they depend on
 * the parts that the block was joined from. */
static dame_program_t *in_bytes(dame_program_t *program)
{
    dame_options_t options = *dame_options_default();
    dame_program_t *bytes = NULL;
    options.passes = DAME_PASSES_NONE;
    program->granule = 1;
    dame_program_optimise(program, &options, &bytes);
    dame_program_free(program);
    return bytes;
}

static bool check_disguise(check_t *check, const message_t *m)
{
    static const char what[] = "the same typemap, written in another way";
    dame_tree_t *tree = dame_tree_new();
    dame_program_t *one = NULL, *other = NULL;
    const dame_type_t *disguise = tree ? type_disguised(&check->rng, tree, m->type) : NULL;
    const dame_options_t *options = &check->tier->options;
    bool ok = disguise && dame_program_build(disguise, options, &other) == DAME_OK &&
              dame_program_build(m->type, options, &one) == DAME_OK;
    ok = ok ? packs(check, m, other, what) : check_fail(check, "%s: not built", what);
    if (ok) {
        one = in_bytes(one);
        other = in_bytes(other);
        ok = compare(check, one, other, what, &checked.disguises, &checked.disguised);
    }
    dame_program_free(one);
    dame_program_free(other);
    dame_tree_free(tree);
    return ok;
}

bool check_normal_form(check_t *check, const message_t *m)
{
    return check_again(check, m) &&
           (check->tier->options.passes != DAME_PASSES_DEFAULT || check_disguise(check, m));
}
