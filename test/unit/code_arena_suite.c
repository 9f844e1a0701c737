/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory for machine code: stored code stays whole and runs, freed code traps. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "test/lib/rng.h"
#include "jit/code_arena.h"
#include "jit_tools.h"
#include "suites.h"
#include "tools.h"

enum { LINE = 64 };

static const dame_jit_memory_t kinds[] = {DAME_JIT_MEMORY_DUAL, DAME_JIT_MEMORY_OWN};

static size_t page_size(void)
{
    return (size_t) sysconf(_SC_PAGESIZE);
}

static size_t round_up(size_t n, size_t unit)
{
    return (n + unit - 1) / unit * unit;
}

static dame_code_arena_t *arena_of(size_t bytes, dame_jit_memory_t kind)
{
    dame_code_arena_t *arena = NULL;
    ck_assert_int_eq(dame_code_arena_create(bytes, kind, &arena), DAME_OK);
    return arena;
}

static dame_jit_memory_t kind_of(const dame_code_arena_t *arena)
{
    int error = 0;
    return dame_code_arena_memory(arena, &error);
}

static dame_code_block_t *put(dame_code_arena_t *arena, const void *code, size_t size)
{
    dame_code_block_t *block = NULL;
    ck_assert_int_eq(dame_code_arena_put(arena, code, size, DAME_NO_UNWIND, &block), DAME_OK);
    ck_assert_uint_eq(block->size, size);
    ck_assert_uint_eq((uintptr_t) block->execute % LINE, 0);
    return block;
}

static dame_code_block_t *put_pattern(dame_code_arena_t *arena, size_t size, unsigned seed)
{
    char *code = malloc(size);
    ck_assert_ptr_nonnull(code);
    fill_pattern(code, (int64_t) size, seed);
    dame_code_block_t *block = put(arena, code, size);
    free(code);
    return block;
}

static int holds_pattern(const dame_code_block_t *block, unsigned seed)
{
    char *code = malloc(block->size);
    ck_assert_ptr_nonnull(code);
    fill_pattern(code, (int64_t) block->size, seed);
    int same = memcmp(block->execute, code, block->size) == 0;
    free(code);
    return same;
}

/* Are n bytes at `code`, which is 4-aligned, instructions that trap? */
static int traps(const char *code, size_t n)
{
#if defined(__aarch64__)
    static const unsigned char trap[4] = {0x00, 0x00, 0x20, 0xd4}; /* brk #0 */
#else
    static const unsigned char trap[4] = {0xcc, 0xcc, 0xcc, 0xcc}; /* int3 */
#endif
    for (size_t i = 0; i < n; i++) {
        if ((unsigned char) code[i] != trap[i % 4]) {
            return 0;
        }
    }
    return 1;
}

static int calls;

static void count_call(void)
{
    calls++;
}

static dame_code_block_t *put_call(dame_code_arena_t *arena)
{
    char code[LONGEST_JUMP];
    return put(arena, code, write_jump(code, count_call));
}

/* Runs it, and says whether it ran. */
static int call(const dame_code_block_t *block)
{
    calls = 0;
    ((void (*)(void))(uintptr_t) block->execute)();
    return calls == 1;
}

static const char *call_freed(void *argument)
{
    signal(SIGTRAP, SIG_DFL); /* sanitizers have handlers of their own */
    signal(SIGSEGV, SIG_DFL);
    call(argument);
    return "it returned";
}

LOOP_TEST(code_runs_where_it_was_put_and_traps_when_freed, COUNT_OF(kinds))
{
    dame_code_arena_t *arena = arena_of(1 << 20, kinds[_i]);
    dame_code_block_t *block = put_call(arena), *freed = put_call(arena);
    dame_code_block_t stale = *freed; /* which has not run: QEMU would keep its translation */
    const size_t end = round_up(block->size, 4);
    char wanted[20];
    ck_assert_int_eq(kind_of(arena), kinds[_i]);
    ck_assert(call(block));
    ck_assert(traps(block->execute + end, LINE - end));
    dame_code_arena_free(arena, freed);
    snprintf(wanted, sizeof wanted, "signal %d",
             kinds[_i] == DAME_JIT_MEMORY_DUAL ? SIGTRAP : SIGSEGV);
    ck_assert_pstr_eq(in_child(call_freed, &stale), wanted);
    dame_code_arena_free(arena, block);
    dame_code_arena_destroy(arena);
}

LOOP_TEST(no_memory_is_writable_and_executable, COUNT_OF(kinds))
{
    dame_code_arena_t *arena = arena_of(1 << 20, kinds[_i]);
    dame_code_block_t *block = put_pattern(arena, 5000, 1);
    FILE *maps = fopen("/proc/self/maps", "r");
    ck_assert_ptr_nonnull(maps);
    char line[600];
    int found = 0;
    while (fgets(line, sizeof line, maps)) {
        unsigned long from = 0;
        unsigned long to = 0;
        char rights[5] = "";
        ck_assert_int_eq(sscanf(line, "%lx-%lx %4s", &from, &to, rights), 3);
        ck_assert_msg(rights[1] != 'w' || rights[2] != 'x', "%s", line);
        if ((uintptr_t) block->execute >= from && (uintptr_t) block->execute < to) {
            ck_assert_msg(strncmp(rights, "r-x", 3) == 0, "%s", line);
            found = 1;
        }
    }
    fclose(maps);
    ck_assert(found);
    dame_code_arena_destroy(arena);
}

LOOP_TEST(memory_is_taken_when_needed_and_not_beyond_the_limit, COUNT_OF(kinds))
{
    const size_t page = page_size();
    static const char code[1 << 20];
    dame_code_arena_t *arena = arena_of(8 * page - 1, kinds[_i]);
    dame_code_block_t *blocks[8], *more = NULL;
    ck_assert_uint_eq(dame_code_arena_taken(arena), 0);
    for (unsigned i = 0; i < 8; i++) {
        blocks[i] = put_pattern(arena, page, i);
        ck_assert_uint_ge(dame_code_arena_taken(arena), (i + 1) * page);
        ck_assert_uint_le(dame_code_arena_taken(arena), 8 * page);
    }
    ck_assert_int_eq(dame_code_arena_put(arena, "", 1, DAME_NO_UNWIND, &more), DAME_ERR_FULL);
    for (unsigned i = 0; i < 8; i++) {
        ck_assert(holds_pattern(blocks[i], i));
    }
    /* Two that stood next to each other make room for one of twice the size. */
    dame_code_arena_free(arena, blocks[3]);
    dame_code_arena_free(arena, blocks[4]);
    blocks[3] = put_pattern(arena, 2 * page, 77);
    ck_assert(holds_pattern(blocks[3], 77));
    ck_assert_int_eq(dame_code_arena_put(arena, "", 1, DAME_NO_UNWIND, &more), DAME_ERR_FULL);
    dame_code_arena_destroy(arena); /* with all that is in it */
    arena = arena_of(page, kinds[_i]);
    ck_assert_int_eq(dame_code_arena_put(arena, code, page + 1, DAME_NO_UNWIND, &more),
                     DAME_ERR_FULL);
    ck_assert_ptr_null(more);
    put(arena, code, page); /* also the last byte */
    dame_code_arena_destroy(arena);
}

/* However many blocks there are, the hole made last traps, and is the next to be filled. */
TEST(a_hole_is_used_again_and_traps_until_then)
{
    enum { BLOCKS = 200, SIZE = 100, SMALLER = 70 };
    dame_code_arena_t *arena = arena_of(1 << 20, DAME_JIT_MEMORY_DUAL);
    dame_code_block_t *blocks[BLOCKS];
    for (unsigned i = 0; i < BLOCKS; i++) {
        blocks[i] = put_pattern(arena, SIZE, i);
    }
    const size_t taken = dame_code_arena_taken(arena);
    for (unsigned i = 0; i < BLOCKS; i++) {
        const unsigned one = 77 * i % BLOCKS;
        char *hole = blocks[one]->execute;
        dame_code_arena_free(arena, blocks[one]);
        ck_assert(traps(hole, round_up(SIZE, LINE)));
        blocks[one] = put_pattern(arena, SMALLER, one);
        ck_assert_ptr_eq(blocks[one]->execute, hole);
        ck_assert(traps(hole + round_up(SMALLER, 4), round_up(SIZE, LINE) - round_up(SMALLER, 4)));
    }
    ck_assert_uint_eq(dame_code_arena_taken(arena), taken);
    for (unsigned i = 0; i < BLOCKS; i++) {
        ck_assert(holds_pattern(blocks[i], i));
    }
    dame_code_arena_destroy(arena);
}

TEST(pages_of_its_own_go_back_to_the_system)
{
    dame_code_arena_t *arena = arena_of(1 << 20, DAME_JIT_MEMORY_OWN);
    dame_code_block_t *block = put_pattern(arena, 2 * page_size() - 7, 1);
    char *pages = block->execute;
    ck_assert_uint_eq(dame_code_arena_taken(arena), 2 * page_size());
    dame_code_arena_free(arena, block);
    ck_assert_uint_eq(dame_code_arena_taken(arena), 0);
    ck_assert_int_eq(msync(pages, page_size(), MS_ASYNC), -1); /* lists the mappings */
    ck_assert_int_eq(errno, ENOMEM);
    dame_code_arena_destroy(arena);
}

/* Puts and frees at random; all blocks must be whole, and no two share a byte. */
LOOP_TEST(random_puts_and_frees_keep_all_code_whole, COUNT_OF(kinds))
{
    enum { BLOCKS = 100, STEPS = 20000 };
    dame_code_arena_t *arena = arena_of((size_t) 64 * 1024, kinds[_i]);
    dame_code_block_t *blocks[BLOCKS] = {NULL};
    unsigned seeds[BLOCKS];
    rng_t rng = rng_seeded(20, (uint64_t) _i);
    int full = 0;
    for (unsigned step = 0; step < STEPS; step++) {
        const int64_t i = rng_range(&rng, 0, BLOCKS - 1);
        if (blocks[i]) {
            ck_assert(holds_pattern(blocks[i], seeds[i]));
            char *was = blocks[i]->execute;
            const size_t size = blocks[i]->size;
            dame_code_arena_free(arena, blocks[i]);
            blocks[i] = NULL;
            ck_assert(kinds[_i] != DAME_JIT_MEMORY_DUAL || traps(was, size));
            continue;
        }
        char code[3000];
        const size_t size = (size_t) rng_range(&rng, 1, sizeof code);
        fill_pattern(code, (int64_t) size, step);
        seeds[i] = step;
        const dame_status_t status =
            dame_code_arena_put(arena, code, size, DAME_NO_UNWIND, &blocks[i]);
        ck_assert(status == DAME_OK || status == DAME_ERR_FULL);
        ck_assert(status != DAME_OK || (uintptr_t) blocks[i]->execute % LINE == 0);
        full += status == DAME_ERR_FULL;
    }
    ck_assert_int_gt(full, 0);
    for (int i = 0; i < BLOCKS; i++) {
        ck_assert(!blocks[i] || holds_pattern(blocks[i], seeds[i]));
    }
    dame_code_arena_destroy(arena);
}

/* ---- refusals by the system ---- */

typedef struct refused_case {
    const char *what;
    refusal_t refusals[3];
    dame_jit_memory_t memory; /* the rest */
    int error;                /* why the kind before was refused */
} refused_case_t;

#define EXEC_MAP(extra)                                                                            \
    {                                                                                              \
        .call = SYS_mmap, .argument = 2, .bits = PROT_EXEC, .and_argument = 3, .with = (extra),    \
        .error = EACCES                                                                            \
    }
#define EXEC_PROTECT                                                                               \
    {                                                                                              \
        .call = SYS_mprotect, .argument = 2, .bits = PROT_EXEC, .error = EPERM                     \
    }
/* MADV_POPULATE_READ is 22, WRITE 23; no other advice that is given has both bits. */
#define POPULATE(number)                                                                           \
    {                                                                                              \
        .call = SYS_madvise, .argument = 2, .bits = 16, .and_argument = 2, .with = 4,              \
        .error = (number)                                                                          \
    }
#define NEVER                                                                                      \
    {                                                                                              \
        .call = -1                                                                                 \
    }

static const refused_case_t refused_cases[] = {
    {"shared memory cannot be executed",
     {EXEC_MAP(MAP_SHARED), NEVER, NEVER},
     DAME_JIT_MEMORY_OWN,
     EACCES},
    {"no memory becomes executable",
     {EXEC_MAP(MAP_SHARED), EXEC_PROTECT, NEVER},
     DAME_JIT_MEMORY_NONE,
     EPERM},
    {"no files in memory",
     {{.call = SYS_memfd_create, .argument = 1, .bits = ~0u, .error = ENOSYS}, NEVER, NEVER},
     DAME_JIT_MEMORY_OWN,
     ENOSYS},
    {"files in memory do not say whether they may be executed", /* before Linux 6.3 */
     {{.call = SYS_memfd_create, .argument = 1, .bits = 0x18, .error = EINVAL}, NEVER, NEVER},
     DAME_JIT_MEMORY_DUAL,
     0},
    {"files in memory may not be executable", /* vm.memfd_noexec = 2 */
     {{.call = SYS_memfd_create, .argument = 1, .bits = 0x10, .error = EACCES}, NEVER, NEVER},
     DAME_JIT_MEMORY_DUAL,
     0},
    {"memory cannot be populated", /* before Linux 5.14 */
     {POPULATE(EINVAL), NEVER, NEVER},
     DAME_JIT_MEMORY_DUAL,
     0},
    {"memory may not be populated", {POPULATE(EPERM), NEVER, NEVER}, DAME_JIT_MEMORY_DUAL, 0},
    {"memory may not be populated or touched by the system",
     {POPULATE(EPERM), {.call = SYS_getcpu, .argument = 0, .bits = ~0u, .error = EACCES}, NEVER},
     DAME_JIT_MEMORY_OWN,
     EACCES},
    {"no advice on memory is taken",
     {{.call = SYS_madvise, .argument = 2, .bits = ~0u, .error = EPERM}, NEVER, NEVER},
     DAME_JIT_MEMORY_OWN,
     EPERM},
    {"no advice on memory is taken, and no memory becomes executable",
     {{.call = SYS_madvise, .argument = 2, .bits = ~0u, .error = EACCES}, EXEC_PROTECT, NEVER},
     DAME_JIT_MEMORY_NONE,
     EPERM},
};

static const char *put_and_run_refused(void *argument)
{
    const refused_case_t *wanted = argument;
    if (!refuse_calls(wanted->refusals, 3)) {
        fprintf(stderr, "skipped: %s: no seccomp filters here\n", wanted->what);
        return NULL;
    }
    dame_code_arena_t *arena = NULL;
    if (dame_code_arena_create(1 << 20, DAME_JIT_MEMORY_DUAL, &arena) != DAME_OK) {
        return "create";
    }
    char code[LONGEST_JUMP];
    dame_code_block_t *block = NULL;
    const dame_status_t status =
        dame_code_arena_put(arena, code, write_jump(code, count_call), DAME_NO_UNWIND, &block);
    int error = 0;
    if (dame_code_arena_memory(arena, &error) != wanted->memory) {
        return "another kind of memory";
    }
    if (error != wanted->error) {
        return strerror(error);
    }
    if (wanted->memory == DAME_JIT_MEMORY_NONE) {
        dame_code_arena_destroy(arena);
        return status == DAME_ERR_DENIED && !block ? NULL : dame_status_text(status);
    }
    if (status != DAME_OK) {
        return dame_status_text(status);
    }
    const int ran = call(block);
    dame_code_arena_free(arena, block);
    dame_code_arena_destroy(arena);
    return ran ? NULL : "the code did not run";
}

LOOP_TEST(each_kind_of_memory_is_tried_when_the_one_before_is_refused, COUNT_OF(refused_cases))
{
    refused_case_t wanted = refused_cases[_i];
    const char *fault = in_child(put_and_run_refused, &wanted);
    ck_assert_msg(!fault, "%s: %s", wanted.what, fault);
}

static const char *put_before_and_after(void *argument)
{
    (void) argument;
    const refusal_t refusals[] = {POPULATE(EPERM),
                                  {.call = SYS_getcpu, .argument = 0, .bits = ~0u, .error = EPERM}};
    dame_code_arena_t *arena = arena_of(1 << 20, DAME_JIT_MEMORY_DUAL);
    dame_code_block_t *before = put_pattern(arena, 100, 1);
    if (!refuse_calls(refusals, 2)) {
        return NULL; /* the cases above say so */
    }
    dame_code_block_t *same = put_pattern(arena, 100, 2); /* there is memory for this one */
    if (same->execute != before->execute + 128 || kind_of(arena) != DAME_JIT_MEMORY_DUAL) {
        return "memory that is there is not used";
    }
    const size_t taken = dame_code_arena_taken(arena);
    dame_code_block_t *after = put_pattern(arena, 100000, 3);
    if (kind_of(arena) != DAME_JIT_MEMORY_OWN || !holds_pattern(before, 1) ||
        !holds_pattern(same, 2) || !holds_pattern(after, 3)) {
        return "contents";
    }
    const char *freed = before->execute;
    dame_code_arena_free(arena, before);
    dame_code_arena_free(arena, after);
    if (dame_code_arena_taken(arena) != taken || !traps(freed, 100) || !holds_pattern(same, 2)) {
        return "freeing";
    }
    dame_code_arena_free(arena, same);
    dame_code_arena_destroy(arena);
    return NULL;
}

static const char *put_with_short_files(void *argument)
{
    (void) argument;
    const struct rlimit limit = {.rlim_cur = 4096, .rlim_max = 4096};
    dame_code_arena_t *arena = NULL;
    dame_code_block_t *block = NULL;
    int error = 0;
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0 ||
        dame_code_arena_create(1 << 20, DAME_JIT_MEMORY_DUAL, &arena) != DAME_OK ||
        dame_code_arena_put(arena, "", 1, DAME_NO_UNWIND, &block) != DAME_OK) {
        return "put";
    }
    const dame_jit_memory_t memory = dame_code_arena_memory(arena, &error);
    dame_code_arena_free(arena, block);
    dame_code_arena_destroy(arena);
    return memory == DAME_JIT_MEMORY_OWN && error == EFBIG ? NULL : strerror(error);
}

TEST(what_has_memory_stays_when_more_is_refused)
{
    expect_in_child(put_before_and_after, NULL);
    expect_in_child(put_with_short_files, NULL); /* and no signal kills the process */
}

/* ---- children ---- */

typedef struct inherited_case {
    dame_code_arena_t *arena;
    dame_code_block_t *block;
    void *probe; /* a page that the child is not to have */
} inherited_case_t;

/* Is there memory for code that this process can write? */
static int can_write_code(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[600];
    int found = 0;
    while (maps && fgets(line, sizeof line, maps)) {
        found |= strstr(line, "dame-code") && strstr(line, " rw");
    }
    fclose(maps);
    return found;
}

static const char *use_inherited(void *argument)
{
    inherited_case_t *inherited = argument;
    dame_code_block_t *block = NULL;
    if (!call(inherited->block)) {
        return "the parent's code does not run";
    }
    /* Emulators may give a child mappings that it must not have. */
    if (msync(inherited->probe, page_size(), MS_ASYNC) != 0 && can_write_code()) {
        return "the parent's code can be written";
    }
    if (dame_code_arena_put(inherited->arena, "", 1, DAME_NO_UNWIND, &block) != DAME_ERR_DENIED) {
        return "put";
    }
    dame_code_arena_free(inherited->arena, inherited->block);
    dame_code_arena_destroy(inherited->arena);
    return NULL;
}

LOOP_TEST(a_child_executes_the_code_and_leaves_it_alone, COUNT_OF(kinds))
{
    dame_code_arena_t *arena = arena_of(1 << 20, kinds[_i]);
    void *probe =
        mmap(NULL, page_size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_int_eq(madvise(probe, page_size(), MADV_DONTFORK), 0);
    inherited_case_t inherited = {arena, put_call(arena), probe};
    ck_assert_int_eq(can_write_code(), kinds[_i] == DAME_JIT_MEMORY_DUAL);
    expect_in_child(use_inherited, &inherited);
    ck_assert(call(inherited.block));
    dame_code_arena_free(arena, inherited.block);
    dame_code_arena_destroy(arena);
    munmap(probe, page_size());
}

SUITE_OF(code_arena, have_jumps(), NULL, NULL)
