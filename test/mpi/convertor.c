/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Open MPI's convertor, driven through its internal headers as PMLs, one-sided and file components
 * drive it; the calls go through this program's own GOT. Against typemaps written down by hand.
 * argv[1]: native, or dame: who moves the data. argv[2]: seed. One rank.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conv_tools.h"
#include "tests.h"

enum { TYPICAL_BYTES = 1500 };

/* Every type with a few counts. */
static subjects_t subjects_of(const types_t *types)
{
    subjects_t set = {.all = must_calloc((size_t) types_count(types) * 3, sizeof(subject_t *))};
    for (int i = 0; i < types_count(types); i++) {
        const type_case_t *t = types_at(types, i);
        int64_t many = t->layout->size == 0 ? 5 : TYPICAL_BYTES / t->layout->size + 2;
        int64_t counts[] = {1, 2, many < TYPES_MAX_COUNT ? many : TYPES_MAX_COUNT};
        for (int k = 0; k < (counts[2] > 2 ? 3 : 2); k++) {
            set.all[set.n++] = subject_new(t->name, t->layout, counts[k], t->send_only);
        }
    }
    return set;
}

int convertor_main(int argc, char **argv)
{
    with_dame = argc > 1 && strcmp(argv[1], "dame") == 0;
    random_state = argc > 2 ? strtoull(argv[2], NULL, 0) : 20240611;
    check_init(&argc, &argv);
    printf("seed %llu\n", (unsigned long long) random_state);
    types_t *types = types_new();
    subjects_t set = subjects_of(types);
    test_walks(&set);
    test_amounts();
    test_stale();
    test_jumps();
    for (int i = 0; i < set.n; i++) {
        subject_free(set.all[i]);
    }
    free(set.all);
    types_free(types);
    second_thread_ends();
    return check_finish();
}
