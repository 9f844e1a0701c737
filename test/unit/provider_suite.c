/* SPDX-License-Identifier: BSD-3-Clause */
/* Providers in shared objects: loaded when needed, absent, broken, tried once. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "jit_tools.h"
#include "suites.h"
#include "tools.h"

static char complaint[1000];
static int complaints;

static void complain(void *unused, const char *message)
{
    (void) unused;
    complaints++;
    snprintf(complaint, sizeof complaint, "%s", message);
}

static dame_jit_t *complaining_jit(void)
{
    dame_jit_options_t options = *dame_jit_options_default();
    options.complain = complain;
    return jit_with(&options);
}

static int32_t offer(dame_jit_t *jit, const char *path, const char *options)
{
    int32_t number = -1;
    ck_assert_int_eq(dame_jit_offer(jit, path, options, &number), DAME_OK);
    ck_assert_int_gt(number, 0);
    return number;
}

/* ---- one that works ---- */

LOOP_TEST(a_provider_is_loaded_when_it_is_first_needed, 2)
{
    char name[DAME_CANDIDATE_NAME];
    dame_candidate_t all[16];
    const int by_shape = _i;
    if (!by_shape) {
        setenv("TEST_PROVIDER", "by-program", 1);
    }
    dame_jit_t *jit = complaining_jit();
    dame_program_t *program = strided_program(20);
    const dame_candidate_t other = {.provider = offer(jit, TEST_PROVIDER, "padding=1000"),
                                    .variant = 1};
    ck_assert_ptr_null(dlopen(TEST_PROVIDER, RTLD_NOLOAD | RTLD_NOW));
    ck_assert_str_eq(dame_jit_candidate_name(jit, &other, name), "");
    ck_assert_int_eq(dame_jit_is_by_shape(jit, other.provider), 0);
    ck_assert_int_eq(dame_jit_candidates(jit, program, DAME_PACK, all, 16), TEST_VARIANTS);

    int64_t cost = 0;
    ck_assert_int_eq(dame_jit_add(jit, program, DAME_PACK, &other, NULL, &cost), DAME_OK);
    ck_assert_int_gt(cost, 0);
    ck_assert_int_eq(dame_jit_rank(jit, program, DAME_PACK, &other, 1), 1);
    ck_assert_str_eq(dame_jit_candidate_name(jit, &other, name), "test:variant1");
    ck_assert_int_eq(dame_jit_is_by_shape(jit, other.provider), by_shape);
    const int32_t n = dame_jit_candidates(jit, program, DAME_PACK, all, 16);
    ck_assert_int_eq(n, 2 * TEST_VARIANTS);
    ck_assert_int_eq(all[n - 1].provider, other.provider);
    const void *code = NULL;
    ck_assert_uint_gt(dame_jit_code(program, DAME_PACK, &code), 1000);
    ck_assert(packs(program, 20, 1));
    ck_assert_int_eq(complaints, 0);
    free_all(jit, &program, 1);
}

/* An object loaded for one jit serves others, each with a state of its own. */
TEST(a_provider_is_loaded_once_for_all)
{
    dame_jit_t *jits[] = {complaining_jit(), complaining_jit()};
    dame_program_t *programs[] = {strided_program(20), strided_program(24)};
    for (int i = 0; i < 2; i++) {
        const dame_candidate_t first = {offer(jits[i], TEST_PROVIDER, ""), 0};
        ck_assert_int_eq(dame_jit_load(jits[i], first.provider), DAME_OK);
        ck_assert_int_eq(dame_jit_add(jits[i], programs[i], DAME_PACK, &first, NULL, NULL),
                         DAME_OK);
        ck_assert(dame_jit_rank(jits[i], programs[i], DAME_PACK, &first, 1));
    }
    free_all(jits[0], &programs[0], 1);
    ck_assert(is_compiled(programs[1], DAME_PACK) && packs(programs[1], 24, 1));
    free_all(jits[1], &programs[1], 1);
}

TEST(there_is_room_for_so_many_providers)
{
    dame_jit_t *jit = complaining_jit();
    int32_t number = 0;
    for (int32_t i = 1; i < DAME_JIT_MOST_PROVIDERS; i++) {
        ck_assert_int_eq(offer(jit, TEST_PROVIDER, ""), i);
    }
    ck_assert_int_eq(dame_jit_offer(jit, TEST_PROVIDER, "", &number), DAME_ERR_LIMIT);
    ck_assert_int_eq(dame_jit_load(jit, DAME_JIT_MOST_PROVIDERS), DAME_ERR_UNSUPPORTED);
    ck_assert_int_eq(dame_jit_load(jit, -1), DAME_ERR_UNSUPPORTED);
    dame_jit_destroy(jit);
}

static const char *load_in_child(void *argument)
{
    return dame_jit_load(argument, 1) == DAME_ERR_DENIED ? NULL : "a child of fork() loads it";
}

TEST(a_child_loads_none)
{
    dame_jit_t *jit = complaining_jit();
    offer(jit, TEST_PROVIDER, "");
    expect_in_child(load_in_child, jit);
    ck_assert_int_eq(dame_jit_load(jit, 1), DAME_OK);
    dame_jit_destroy(jit);
}

/* ---- those that do not ---- */

static void expect_none(dame_jit_t *jit, int32_t number)
{
    dame_program_t *program = strided_program(20);
    const dame_candidate_t candidate = {number, 0};
    ck_assert_int_eq(dame_jit_load(jit, number), DAME_ERR_UNSUPPORTED);
    ck_assert_int_eq(dame_jit_add(jit, program, DAME_PACK, &candidate, NULL, NULL),
                     DAME_ERR_UNSUPPORTED);
    ck_assert_int_eq(dame_jit_rank_of(jit, program, DAME_PACK, &candidate), -1);
    compile(jit, program, DAME_PACK);
    ck_assert(packs(program, 20, 1));
    dame_jit_release(jit, program);
    dame_program_free(program);
}

TEST(an_absent_provider_is_quiet)
{
    dame_jit_t *jit = complaining_jit();
    expect_none(jit, offer(jit, "/nowhere/dame_llvm.so", ""));
    ck_assert_int_eq(complaints, 0);
    dame_jit_destroy(jit);
}

static char no_object[] = "/tmp/dame-unit.XXXXXX";

static const char *no_provider(void)
{
    Dl_info library; /* the C library is a shared object without a provider */
    ck_assert(dladdr(dlsym(RTLD_DEFAULT, "gnu_get_libc_version"), &library));
    return library.dli_fname;
}

static const char *empty_file(void)
{
    const int file = mkstemp(no_object);
    ck_assert_int_ge(file, 0);
    close(file);
    return no_object;
}

/* Each is reported once a process, and is not tried again even if it has been repaired. */
LOOP_TEST(a_broken_provider_is_told_of_once, 4)
{
    static const struct {
        const char *kind; /* TEST_PROVIDER */
        const char *options;
        const char *said;
    } faults[] = {{"", "", "cannot be loaded: /tmp/"},
                  {"", "", "has no function dame_provider()"},
                  {"old", "", "has version 3 of the interface, but version 4 is needed"},
                  {"", "padding=many", "cannot be used with the options \"padding=many\": "}};
    const char *path = _i == 0 ? empty_file() : _i == 1 ? no_provider() : TEST_PROVIDER;
    setenv("TEST_PROVIDER", faults[_i].kind, 1);
    dame_jit_t *jit = complaining_jit();
    expect_none(jit, offer(jit, path, faults[_i].options));
    ck_assert_int_eq(complaints, 1);
    ck_assert_msg(strstr(complaint, faults[_i].said) != NULL, "%s", complaint);
    ck_assert_msg(strncmp(complaint, path, strlen(path)) == 0, "%s", complaint);
    unsetenv("TEST_PROVIDER");
    dame_jit_t *other = complaining_jit();
    expect_none(jit, 1);
    expect_none(other, offer(other, path, ""));
    ck_assert_int_eq(complaints, 1);
    dame_jit_destroy(other);
    dame_jit_destroy(jit);
    unlink(no_object);
}

/* The library's constructors could end the process. */
TEST(without_memory_none_is_loaded)
{
    unsigned long pages = 0;
    struct rlimit old;
    FILE *statm = fopen("/proc/self/statm", "r");
    ck_assert_ptr_nonnull(statm);
    ck_assert_int_eq(fscanf(statm, "%lu", &pages), 1);
    fclose(statm);
    dame_jit_t *jit = complaining_jit();
    const int32_t number = offer(jit, TEST_PROVIDER, "");
    ck_assert_int_eq(getrlimit(RLIMIT_AS, &old), 0);
    struct rlimit now = old;
    now.rlim_cur = pages * (unsigned long) sysconf(_SC_PAGESIZE) + (256 << 20);
    struct rlimit set;
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &now), 0);
    ck_assert_int_eq(getrlimit(RLIMIT_AS, &set), 0);
    if (set.rlim_cur != now.rlim_cur) { /* QEMU sets none */
        dame_jit_destroy(jit);
        return;
    }
    const dame_status_t status = dame_jit_load(jit, number);
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &old), 0);
    ck_assert_int_eq(status, DAME_ERR_UNSUPPORTED);
    ck_assert_ptr_null(dlopen(TEST_PROVIDER, RTLD_NOLOAD | RTLD_NOW));
    ck_assert_int_eq(complaints, 1);
    ck_assert_msg(strstr(complaint, "may not have 512 MiB more memory") != NULL, "%s", complaint);
    dame_jit_destroy(jit);
}

SUITE_OF(provider, have_jumps(), tree_setup, tree_teardown)
