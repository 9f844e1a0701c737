/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Texts in the DAME language as datatypes: what the language says of each primitive, valid or not,
 * as it is written. Random programs, parsed by the library and by the tests' own walker.
 *
 * Usage: texts [CASES [SEED]]
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* open_memstream() */
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "dame/datatype.h"
#include "dame/text.h"
#include "test/fuzz/make_text.h"
#include "test/lib/oracle.h"
#include "test/lib/rng.h"

enum { MOST_BYTES = 1 << 16, MOST_SPAN = 1 << 22, MOST_COUNT = 3 };

static int64_t valid, moved;

static char *random_text(rng_t *rng)
{
    char bytes[300], *text = NULL;
    size_t length;
    const int64_t n = rng_range(rng, 4, sizeof bytes);
    rng_fill(rng, bytes, n);
    choices_t choices = {.at = (const uint8_t *) bytes, .left = (size_t) n};
    FILE *out = open_memstream(&text, &length);
    if (out) {
        make_text(&choices, out);
        fclose(out);
    }
    return text;
}

/* Messages of the datatype hold the bytes that the walker finds. */
static bool packs_alike(rng_t *rng, const dame_datatype_t *type, const oracle_t *oracle)
{
    const int64_t count = rng_range(rng, 1, MOST_COUNT);
    int64_t low, high;
    if (oracle->true_lb < -MOST_SPAN || oracle->true_ub > MOST_SPAN ||
        oracle->extent < -MOST_SPAN || oracle->extent > MOST_SPAN) {
        return true;
    }
    oracle_span(oracle, count, &low, &high);
    const size_t bytes = (size_t) (oracle->size * count);
    char *memory = malloc((size_t) (high - low) + 1), *wanted = malloc(bytes + 1);
    char *packed = malloc(bytes + 1);
    bool right = memory && wanted && packed;
    if (right) {
        rng_fill(rng, memory, high - low);
        char *base = (char *) ((uintptr_t) memory - (uintptr_t) low);
        oracle_pack(oracle, (uintptr_t) base, 0, (int64_t) bytes, wanted);
        right = dame_pack(type, count, base, 0, packed, (int64_t) bytes, NULL) == DAME_OK &&
                memcmp(packed, wanted, bytes) == 0;
        moved++;
    }
    free(memory);
    free(wanted);
    free(packed);
    return right;
}

static bool same_bounds(const dame_datatype_t *type, const oracle_t *oracle)
{
    int64_t size, extent, true_lb, true_extent;
    return dame_datatype_size(type, &size) == DAME_OK && size == oracle->size &&
           dame_datatype_extent(type, NULL, &extent) == DAME_OK && extent == oracle->extent &&
           dame_datatype_true_extent(type, &true_lb, &true_extent) == DAME_OK &&
           true_lb == oracle->true_lb && true_extent == oracle->true_ub - oracle->true_lb;
}

static bool check_text(rng_t *rng, dame_context_t *context, const char *text)
{
    dame_program_t *program = NULL;
    dame_datatype_t *type = NULL;
    oracle_t oracle = {.size = 0};
    const dame_status_t wanted = dame_program_parse(text, strlen(text), &program, NULL);
    const dame_status_t status = dame_datatype_parse(context, text, strlen(text), NULL, &type);
    if (wanted != DAME_OK || status != DAME_OK) {
        dame_program_free(program);
        dame_datatype_free(type);
        /* blocks of several lengths need an extent; its bounds may leave 64 bits */
        return status == wanted || (status == DAME_ERR_RANGE && strstr(text, "INDEX("));
    }
    bool right = dame_datatype_commit(type) == DAME_OK;
    if (right && program->size <= MOST_BYTES) {
        right = oracle_init_program(&oracle, program) && same_bounds(type, &oracle) &&
                packs_alike(rng, type, &oracle);
        oracle_fini(&oracle);
    }
    valid++;
    dame_program_free(program);
    dame_datatype_free(type);
    return right;
}

int main(int argc, char **argv)
{
    const int64_t cases = argc > 1 ? atoll(argv[1]) : 5000;
    const uint64_t seed = argc > 2 ? (uint64_t) atoll(argv[2]) : (uint64_t) time(NULL);
    int64_t passed = 0, failed = 0;
    dame_context_t *context;
    if (dame_context_new(NULL, &context) != DAME_OK) {
        return EXIT_FAILURE;
    }
    printf("seed %llu\n", (unsigned long long) seed);
    for (int64_t k = 0; k < cases && failed < 10; k++) {
        rng_t rng = rng_seeded(seed, (uint64_t) k);
        char *text = random_text(&rng);
        if (text && check_text(&rng, context, text)) {
            passed++;
        } else {
            printf("FAILED: case %lld: %s; last error: %s\n", (long long) k,
                   text ? text : "no memory", dame_error_message());
            failed++;
        }
        free(text);
    }
    dame_context_free(context);
    printf("%lld valid texts, %lld messages moved\n", (long long) valid, (long long) moved);
    printf("%lld passed, %lld failed\n", (long long) passed, (long long) failed);
    return failed == 0 && moved > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
