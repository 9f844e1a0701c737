/* SPDX-License-Identifier: BSD-3-Clause */
/* Machine code that one process compiles and others find in files. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "jit_tools.h"
#include "suites.h"
#include "tools.h"
#include "test/lib/checked_fork.h"

enum { PLENTY = 1 << 20, FAR = 1 << 17 };

static char compilations_file[60];

static void setup(void)
{
    directory_setup();
    snprintf(compilations_file, sizeof compilations_file, "%s/compilations", directory);
    setenv("TEST_PROVIDER_LOG", compilations_file, 1);
    unsetenv("TEST_PROVIDER");
}

/* Of all processes. */
static int compilations(void)
{
    struct stat about;
    return stat(compilations_file, &about) == 0 ? (int) about.st_size : 0;
}

/* ---- a process that wants code ---- */

static int complaints;

static void complain(void *unused, const char *message)
{
    (void) unused;
    complaints += strstr(message, directory) != NULL;
}

typedef struct wish {
    const dame_cpu_t *cpu;
    const char *options;
    uint32_t variant;
    dame_dir_t dir;
    int64_t disps[3]; /* all 0: blocks at a constant stride */
    int complaints;
} wish_t;

/* Do kernels of both directions, of which one is compiled, move the right bytes? */
static int is_right(const dame_program_t *program, const int64_t *disps, int64_t blocks)
{
    enum { WIDTH = 8 };
    static char user[2 * FAR], again[2 * FAR];
    char packed[10 * WIDTH] = {0};
    int right = 1;
    fill_pattern(user, sizeof user, 1);
    memcpy(again, user, sizeof user);
    dame_program_run(program, DAME_PACK, (uintptr_t) user, 1, packed);
    for (int64_t i = 0; i < blocks; i++) {
        const int64_t at = disps != NULL ? disps[i] : 16 * i;
        right &= memcmp(packed + WIDTH * i, user + at, WIDTH) == 0;
        memset(again + at, 0, WIDTH);
    }
    dame_program_run(program, DAME_UNPACK, (uintptr_t) again, 1, packed);
    return right && memcmp(again, user, sizeof user) == 0;
}

static const char *add(dame_jit_t *jit, const wish_t *wish, int32_t provider)
{
    const int has_list = wish->disps[1] != 0;
    dame_program_t *program = program_of(has_list ? blockindex(3, 1, wish->disps, basic(8))
                                                  : vector(10, 1, 16, basic(8)));
    const dame_candidate_t candidate = {provider, wish->variant};
    const char *fault = NULL;
    dame_status_t status = DAME_ERR_BUSY;
    for (int tries = 0; status == DAME_ERR_BUSY && tries < 5000; tries++) {
        status = dame_jit_add(jit, program, wish->dir, &candidate, NULL, NULL);
        if (status == DAME_ERR_BUSY) {
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        }
    }
    if (status != DAME_OK) {
        fault = dame_status_text(status);
    } else if (!dame_jit_rank(jit, program, wish->dir, &candidate, 1) ||
               !is_compiled(program, wish->dir)) {
        fault = "it does not run";
    } else if (!is_right(program, has_list ? wish->disps : NULL, has_list ? 3 : 10)) {
        fault = "wrong bytes";
    }
    dame_jit_release(jit, program);
    dame_program_free(program);
    return fault;
}

static const char *want(void *argument)
{
    const wish_t *wish = argument;
    int32_t provider = 0;
    dame_jit_options_t options = *dame_jit_options_default();
    options.complain = complain;
    options.cpu = wish->cpu;
    dame_jit_t *jit = jit_with(&options);
    const int before = compilations();
    if (dame_jit_offer(jit, TEST_PROVIDER, wish->options ? wish->options : "", &provider) !=
            DAME_OK ||
        dame_jit_set_cache(jit, directory, PLENTY) != DAME_OK) {
        return "no jit";
    }
    const char *fault = add(jit, wish, provider);
    const dame_jit_stats_t stats = stats_of(jit);
    if (!fault && stats.compiled[wish->dir] != 1) {
        fault = "counted wrongly";
    }
    if (!fault && stats.found[wish->dir] == 0 && compilations() == before) {
        fault = "not found and not compiled";
    }
    if (!fault && complaints != wish->complaints) {
        fault = complaints > 0 ? "it complains" : "it does not complain";
    }
    dame_jit_destroy(jit);
    return fault;
}

/* In a process of its own. Returns how often it compiled. */
static int compiles(wish_t wish)
{
    const int before = compilations();
    expect_in_child(want, &wish);
    return compilations() - before;
}

/* ---- results ---- */

TEST(code_is_found_by_what_it_was_made_from)
{
    static const dame_cpu_t cpus[] = {{.make = DAME_MAKE_AMD},
                                      {.make = DAME_MAKE_INTEL},
                                      {.make = DAME_MAKE_AMD, .avx2 = 1},
                                      {.make = DAME_MAKE_AMD, .avx2 = 1, .avx512 = 1},
                                      {.make = DAME_MAKE_AMD, .avx512_vbmi = 1}};
    static char longer[2][1000]; /* they differ at the end */
    for (int i = 0; i < 2; i++) {
        snprintf(longer[i], sizeof longer[i], "padding=%0900d", 8 + i);
    }
    const wish_t others[] = {{.cpu = &cpus[0]},
                             {.cpu = &cpus[1]},
                             {.cpu = &cpus[2]},
                             {.cpu = &cpus[3]},
                             {.cpu = &cpus[4]},
                             {.cpu = &cpus[0], .options = "padding=8"},
                             {.cpu = &cpus[0], .options = longer[0]},
                             {.cpu = &cpus[0], .options = longer[1]},
                             {.cpu = &cpus[0], .variant = 1},
                             {.cpu = &cpus[0], .dir = DAME_UNPACK},
                             {.cpu = &cpus[0], .disps = {0, 80, FAR}}};
    enum { OTHERS = (size_t) COUNT_OF(others) };
    for (int i = 0; i < OTHERS; i++) {
        ck_assert_msg(compiles(others[i]) == 1, "wish %d", i);
    }
    for (int i = 0; i < OTHERS; i++) {
        ck_assert_msg(compiles(others[i]) == 0, "wish %d", i);
    }
    /* Of one shape, but elsewhere. */
    ck_assert_int_eq(compiles((wish_t){.cpu = &cpus[0], .disps = {32, FAR + 8, 8}}), 0);
}

TEST(code_of_one_program_is_not_kept)
{
    setenv("TEST_PROVIDER", "by-program", 1);
    ck_assert_int_eq(compiles((wish_t){.variant = 0}), 1);
    ck_assert_int_eq(compiles((wish_t){.variant = 0}), 1);
}

TEST(one_of_eight_processes_compiles)
{
    wish_t wish = {.variant = 0};
    pid_t children[8];
    for (int i = 0; i < 8; i++) {
        children[i] = checked_fork();
        if (children[i] == 0) {
            const char *fault = want(&wish);
            _exit(!fault ? 0 : 1);
        }
    }
    for (int i = 0; i < 8; i++) {
        expect_exit_0(children[i]);
    }
    ck_assert_int_eq(compilations(), 1);
}

/* ---- invalid files ---- */

static dame_cache_key_t key; /* of the only file */

static void take_key(void *program, const dame_cache_file_t *file)
{
    ck_assert_ptr_null(file->fault);
    ck_assert_int_eq(dame_cache_key_make(file->origin, program, file->dir, &key), DAME_OK);
    ck_assert_str_eq(file->name, key.name);
}

static void find_key(void)
{
    dame_program_t *program = program_of(vector(10, 1, 16, basic(8)));
    ck_assert_int_eq(dame_cache_each(directory, take_key, program), 0);
    ck_assert_ptr_nonnull(key.bytes);
    dame_program_free(program);
}

TEST(a_damaged_file_is_replaced)
{
    char path[100];
    ck_assert_int_eq(compiles((wish_t){.variant = 0}), 1);
    find_key();
    snprintf(path, sizeof path, "%s/%s", directory, key.name);
    FILE *file = fopen(path, "r+");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fseek(file, -1, SEEK_END), 0);
    ck_assert_int_eq(fputc(0x5a, file), 0x5a);
    fclose(file);
    ck_assert_int_eq(compiles((wish_t){.complaints = 1}), 1);
    ck_assert_int_eq(compiles((wish_t){.complaints = 0}), 0);
    dame_cache_key_free(&key);
}

/* An undamaged file with entries for primitives that the program does not have. */
TEST(entries_are_checked_against_the_program)
{
    static const dame_entry_point_t entries[] = {{0, 0}, {1 << 20, 0}};
    const dame_machine_code_t code = {"\xc3", 1, entries, 2, DAME_NO_UNWIND};
    dame_cache_t *cache = NULL;
    ck_assert_int_eq(compiles((wish_t){.variant = 0}), 1);
    find_key();
    ck_assert_int_eq(dame_cache_open(directory, PLENTY, &cache), DAME_OK);
    ck_assert_int_eq(dame_cache_store(cache, &key, &code), 0);
    dame_cache_close(cache);
    ck_assert_int_eq(compiles((wish_t){.variant = 0}), 1);
    dame_cache_key_free(&key);
}

TEST(without_a_usable_directory_every_process_compiles)
{
    ck_assert_int_eq(chmod(directory, 0770), 0);
    ck_assert_int_eq(compiles((wish_t){.complaints = 1}), 1);
    ck_assert_int_eq(compiles((wish_t){.complaints = 1}), 1);
}

TEST(a_cache_that_cannot_be_leaves_the_one_before)
{
    dame_jit_t *jit = jit_with(NULL);
    ck_assert_int_eq(dame_jit_set_cache(jit, directory, PLENTY), DAME_OK);
    const dame_cache_t *before = jit->cache;
    ck_assert_ptr_nonnull(before);
    ck_assert_int_eq(dame_jit_set_cache(jit, "relative", PLENTY), DAME_ERR_ARGUMENT);
    ck_assert_int_eq(dame_jit_set_cache(jit, directory, 0), DAME_ERR_ARGUMENT);
    ck_assert_ptr_eq(jit->cache, before);
    ck_assert_int_eq(dame_jit_set_cache(jit, NULL, 0), DAME_OK);
    ck_assert_ptr_null(jit->cache);
    dame_jit_destroy(jit);
}

SUITE_OF(find_code, have_jumps(), setup, directory_teardown)
