/* SPDX-License-Identifier: BSD-3-Clause */
/* Code that is ordered from a thread in the background, or found without its provider. */
#define _GNU_SOURCE
#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "jit/background.h"
#include "jit_tools.h"
#include "suites.h"
#include "test/lib/rng.h"
#include "tools.h"
#include "test/lib/checked_fork.h"

enum { PLENTY = 1 << 20, BLOCKS = 10 };

static char log_file[DIRECTORY + 20];

static void setup(void)
{
    directory_setup();
    snprintf(log_file, sizeof log_file, "%s/log", directory);
    setenv("TEST_PROVIDER_LOG", log_file, 1);
    unsetenv("TEST_PROVIDER");
    unsetenv("TEST_PROVIDER_MS");
    unsetenv("TEST_PROVIDER_MAKER");
    unsetenv("TEST_PROVIDER_EXITS");
}

static int log_bytes(void)
{
    struct stat about;
    return stat(log_file, &about) == 0 ? (int) about.st_size : 0;
}

static void sleep_ms(int ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L}, NULL);
}

static void wait_for_log(int bytes)
{
    for (int i = 0; log_bytes() < bytes && i < 20000; i++) {
        sleep_ms(1);
    }
    ck_assert_int_ge(log_bytes(), bytes);
}

/* ---- the face of the provider of the tests ---- */

static dame_status_t open_face(const dame_cpu_t *cpu, const char *options, void **state)
{
    (void) cpu, (void) options;
    *state = NULL;
    return DAME_OK;
}

static int32_t variants(void *state, const dame_program_t *program, dame_dir_t dir, uint32_t *out,
                        int32_t room)
{
    (void) state, (void) program, (void) dir;
    out[0] = 0;
    return room > 0;
}

static int variant_name(void *state, uint32_t variant, char name[DAME_VARIANT_NAME])
{
    (void) state;
    snprintf(name, DAME_VARIANT_NAME, "variant%u", (unsigned) variant);
    return 1;
}

static void close_face(void *state)
{
    (void) state;
}

static dame_provider_t face = {.version = DAME_PROVIDER_VERSION,
                               .name = "test",
                               .by_shape = 1,
                               .identity = "of the tests",
                               .open = open_face,
                               .variants = variants,
                               .variant_name = variant_name,
                               .close = close_face};

static int complaints;

static void complain(void *unused, const char *message)
{
    (void) unused;
    (void) message;
    complaints++;
}

static dame_jit_t *jit_behind(const char *path, int32_t *provider)
{
    dame_jit_options_t options = *dame_jit_options_default();
    options.complain = complain;
    dame_jit_t *jit = jit_with(&options);
    ck_assert_int_eq(dame_jit_offer_with(jit, &face, path, "", provider), DAME_OK);
    return jit;
}

static dame_program_t *some_program(void)
{
    return program_of(vector(BLOCKS, 1, 16, basic(8)));
}

/* What most tests have. */
static dame_jit_t *jit;
static dame_background_t *background;
static dame_program_t *program;
static dame_candidate_t candidate; /* of the provider */

static void begin(const char *path)
{
    jit = jit_behind(path, &candidate.provider);
    program = some_program();
}

static void begin_background(void)
{
    begin(TEST_PROVIDER);
    background = dame_background_new(jit, candidate.provider);
}

static dame_status_t order(void *owner)
{
    dame_status_t status = DAME_ERR_BUSY;
    for (int i = 0; status == DAME_ERR_BUSY && i < 100000; i++) { /* the thread has the lock */
        sched_yield();
        status = dame_background_order(background, program, DAME_PACK, &candidate, owner);
    }
    return status;
}

static void end(void)
{
    dame_jit_release(jit, program);
    dame_program_free(program);
    dame_jit_destroy(jit);
}

static void end_background(void)
{
    ck_assert(dame_background_stop(background));
    dame_background_free(background);
    end();
}

static void check_bytes(const dame_program_t *program)
{
    char user[16 * 8 * BLOCKS], packed[8 * BLOCKS];
    fill_pattern(user, sizeof user, 1);
    dame_program_run(program, DAME_PACK, (uintptr_t) user, 1, packed);
    for (int i = 0; i < BLOCKS; i++) {
        ck_assert_mem_eq(packed + 8 * i, user + 16 * i, 8);
    }
}

static dame_order_t *wait_for_order(void)
{
    dame_order_t *done = NULL;
    for (int i = 0; !done && i < 20000; i++) {
        done = dame_background_take(background);
        if (!done) {
            sleep_ms(1);
        }
    }
    ck_assert_ptr_nonnull(done);
    return done;
}

/* Frees all that have ended. Returns how many, and how many of them have code. */
static int take_all(int *with_code)
{
    int n = 0;
    for (dame_order_t *done; (done = dame_background_take(background)); n++) {
        *with_code += done->status == DAME_OK;
        dame_order_free(done);
    }
    return n;
}

static int is_mapped(const char *name)
{
    char line[1024];
    int found = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps)) {
        found |= strstr(line, name) != NULL;
    }
    fclose(maps);
    return found;
}

/* ---- orders ---- */

TEST(an_order_comes_back_with_code)
{
    int owner;
    begin_background();
    ck_assert_int_eq(dame_jit_set_cache(jit, directory, PLENTY), DAME_OK);
    for (int i = 0; i < 3; i++) { /* compiled, then found */
        ck_assert_int_eq(order(&owner), DAME_OK);
        dame_order_t *done = wait_for_order();
        ck_assert_ptr_eq(done->owner, &owner);
        ck_assert_int_eq(done->status, DAME_OK);
        ck_assert_int_eq(done->is_compiled, i == 0);
        ck_assert_int_gt(done->ns, 0);
        ck_assert_int_eq(dame_jit_rank_of(jit, program, DAME_PACK, &candidate), -1);
        ck_assert_int_eq(dame_order_install(jit, done, "name"), DAME_OK);
        ck_assert_int_eq(dame_jit_rank_of(jit, program, DAME_PACK, &candidate), 0);
        ck_assert(dame_jit_rank(jit, program, DAME_PACK, &candidate, 1));
        ck_assert(is_compiled(program, DAME_PACK));
        check_bytes(program);
        dame_jit_drop(jit, program, DAME_PACK, &candidate);
        dame_order_free(done);
    }
    ck_assert_int_eq(log_bytes(), 1);
    end_background();
}

/* The files of a job before this one's: no provider on this machine, nothing is loaded. */
TEST(code_is_found_without_its_provider)
{
    pid_t child = checked_fork();
    begin(child == 0 ? TEST_PROVIDER : "/none/provider.so");
    const dame_candidate_t other = {candidate.provider, 1};
    int64_t ns = 0;
    ck_assert_int_eq(dame_jit_set_cache(jit, directory, PLENTY), DAME_OK);
    if (child == 0) {
        _exit(dame_jit_add(jit, program, DAME_PACK, &candidate, NULL, NULL) != DAME_OK);
    }
    expect_exit_0(child);
    ck_assert(!dame_jit_has(jit, program, DAME_PACK, &candidate)); /* no caller has looked */
    ck_assert(!dame_jit_has_any(jit, program, DAME_PACK));
    dame_jit_look(jit);
    dame_candidate_t found[8];
    const int32_t n = dame_jit_candidates(jit, program, DAME_PACK, found, 8);
    ck_assert_int_gt(n, 0);
    ck_assert_int_eq(found[n - 1].provider, candidate.provider);
    ck_assert(dame_jit_has(jit, program, DAME_PACK, &candidate));
    ck_assert(!dame_jit_has(jit, program, DAME_PACK, &other));
    ck_assert(!dame_jit_has(jit, program, DAME_UNPACK, &candidate));
    ck_assert(dame_jit_has_any(jit, program, DAME_PACK));
    ck_assert(!dame_jit_has_any(jit, program, DAME_UNPACK));
    ck_assert_int_eq(dame_jit_find(jit, program, DAME_PACK, &candidate, NULL, &ns), DAME_OK);
    ck_assert_int_eq(dame_jit_find(jit, program, DAME_UNPACK, &candidate, NULL, &ns),
                     DAME_ERR_BUSY);
    ck_assert(dame_jit_rank(jit, program, DAME_PACK, &candidate, 1));
    ck_assert(is_compiled(program, DAME_PACK));
    check_bytes(program);
    ck_assert(!is_mapped("provider.so"));
    ck_assert_int_eq(dame_jit_add(jit, program, DAME_UNPACK, &candidate, NULL, NULL),
                     DAME_ERR_UNSUPPORTED);
    ck_assert_int_eq(complaints, 0);
    end();
}

TEST(a_provider_behind_another_face_is_refused_once)
{
    face.identity = "of other tests";
    begin(TEST_PROVIDER);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(dame_jit_add(jit, program, DAME_PACK, &candidate, NULL, NULL),
                         DAME_ERR_UNSUPPORTED);
    }
    ck_assert_int_eq(complaints, 1);
    end();
}

TEST(a_newer_maker_replaces_code)
{
    static const struct {
        const char *maker;
        int compilations;
    } jobs[] = {{"LLVM 9.0.1", 1}, {"LLVM 19.1.7", 2}, {"LLVM 18.1.8", 2}, {"LLVM 19.1.7", 2}};
    for (size_t i = 0; i < sizeof jobs / sizeof jobs[0]; i++) {
        setenv("TEST_PROVIDER_MAKER", jobs[i].maker, 1);
        pid_t child = checked_fork();
        if (child == 0) { /* asks the provider itself, which then wants its own code */
            jit = jit_with(NULL);
            ck_assert_int_eq(dame_jit_offer(jit, TEST_PROVIDER, "", &candidate.provider), DAME_OK);
            ck_assert_int_eq(dame_jit_set_cache(jit, directory, PLENTY), DAME_OK);
            _exit(dame_jit_add(jit, some_program(), DAME_PACK, &candidate, NULL, NULL) != DAME_OK);
        }
        expect_exit_0(child);
        ck_assert_int_eq(log_bytes(), jobs[i].compilations);
    }
}

/* ---- the end ---- */

/* Where the thread that compiles may run; the empty set: without such a thread. */
static cpu_set_t cpus_of_compiler(void)
{
    cpu_set_t cpus;
    struct dirent *entry;
    DIR *threads = opendir("/proc/self/task");
    CPU_ZERO(&cpus);
    ck_assert_ptr_nonnull(threads);
    while ((entry = readdir(threads))) {
        char path[300], name[20] = "";
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
        FILE *file = fopen(path, "r");
        if (file && fgets(name, sizeof name, file) && strcmp(name, "dame-compile\n") == 0) {
            ck_assert_int_eq(sched_getaffinity(atoi(entry->d_name), sizeof cpus, &cpus), 0);
        }
        if (file) {
            fclose(file);
        }
    }
    closedir(threads);
    return cpus;
}

/* A process that spins would lose time slices; the compiler keeps to what the process may use. */
TEST(compilations_leave_the_processor_of_the_order)
{
    setenv("TEST_PROVIDER_MS", "500", 1);
    cpu_set_t allowed, mine;
    ck_assert_int_eq(sched_getaffinity(0, sizeof allowed, &allowed), 0);
    begin_background();
    CPU_ZERO(&mine);
    CPU_SET(sched_getcpu(), &mine);
    ck_assert_int_eq(sched_setaffinity(0, sizeof mine, &mine), 0);
    ck_assert_int_eq(order(NULL), DAME_OK);
    wait_for_log(1);
    cpu_set_t compiler = cpus_of_compiler();
    if (CPU_COUNT(&allowed) > 1) {
        CPU_XOR(&allowed, &allowed, &mine);
    }
    ck_assert(CPU_EQUAL(&compiler, &allowed));
    dame_order_free(wait_for_order());
    end_background();
}

TEST(what_waits_at_the_end_is_given_back)
{
    int posted = 0, begun = 0;
    dame_status_t status = DAME_OK;
    begin_background();
    while (status != DAME_ERR_FULL && posted < 1000) { /* 20 ms each */
        status = order(NULL);
        posted += status == DAME_OK;
    }
    ck_assert_int_ge(posted, DAME_BACKGROUND_ORDERS);
    ck_assert_int_lt(posted, 1000);
    ck_assert(dame_background_stop(background));
    ck_assert_int_eq(order(NULL), DAME_ERR_DENIED);
    ck_assert_int_eq(take_all(&begun), posted);
    ck_assert_int_lt(begun, posted);
    end_background();
}

/* MPI_Finalize does not wait for a long compilation; exit() does, since destructors of the
 * provider's library come next. */
TEST(exit_waits_for_a_compilation_that_could_not_be_stopped)
{
    setenv("TEST_PROVIDER_MS", "4000", 1);
    pid_t child = checked_fork();
    if (child == 0) {
        begin_background();
        if (order(NULL) != DAME_OK) {
            _exit(1);
        }
        wait_for_log(1);
        if (dame_background_stop(background) || log_bytes() != 1) {
            _exit(2); /* it has waited for the end */
        }
        exit(0);
    }
    expect_exit_0(child);
    ck_assert_int_eq(log_bytes(), 2);
}

/* ---- fork() ---- */

/* Of a child: with all handlers of exit(). */
static void end_child(int code)
{
#ifdef __SANITIZE_ADDRESS__
    _exit(code); /* what the thread had is lost, and would be called a leak */
#endif
    exit(code);
}

TEST(a_fork_has_no_thread)
{
    int begun = 0;
    setenv("TEST_PROVIDER_MS", "300", 1);
    begin_background();
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(order(NULL), DAME_OK);
    }
    wait_for_log(1);
    pid_t child = checked_fork();
    if (child == 0) {
        const int is_inside = log_bytes() < 2; /* the provider, in a thread that is not here */
        const int denied = order(NULL) == DAME_ERR_DENIED;
        const int stopped = dame_background_stop(background);
        const int is_wrong = is_inside || !denied || !stopped || take_all(&begun) != 1;
        dame_background_free(background);
        end_child(is_wrong);
    }
    expect_exit_0(child);
    for (int i = 0; i < 2; i++) {
        dame_order_t *done = wait_for_order();
        ck_assert_int_eq(done->status, DAME_OK);
        dame_order_free(done);
    }
    end_background();
}

/* The C library's lock of exit()'s functions stays taken in a child if another thread has it. */
TEST(children_exit_whatever_is_being_loaded)
{
    enum { CHILDREN = 10, LONGEST_CHILD = 10 };
    setenv("TEST_PROVIDER_EXITS", "200000", 1);
    begin_background();
    ck_assert_int_eq(order(NULL), DAME_OK);
    wait_for_log(1);
    for (int i = 0; i < CHILDREN; i++) {
        pid_t child = checked_fork();
        if (child == 0) {
            alarm(LONGEST_CHILD);
            end_child(0);
        }
        expect_exit_0(child);
    }
    dame_order_t *done = wait_for_order();
    ck_assert_int_eq(done->status, DAME_OK);
    dame_order_free(done);
    end_background();
}

/* ---- with all that may happen meanwhile ---- */

/* Codes of DAME-X and of a provider by shape come, from files, compiled and ordered, go and are
 * evicted. (What threads run meanwhile is tried by the differential test: --tier codes.) */
TEST(codes_come_and_go_while_others_are_compiled)
{
    enum { CHANGES = 3000, PROGRAMS = 4 };
    dame_program_t *programs[PROGRAMS];
    int32_t provider;
    int with_code = 0, orders = 0, come = 0;
    rng_t rng = rng_seeded(1, 0);
    dame_jit_options_t options = *dame_jit_options_default();
    options.arena_bytes = 8192; /* of which some codes fit */
    jit = jit_with(&options);
    unsetenv("TEST_PROVIDER_LOG"); /* which would take its time */
    ck_assert_int_eq(dame_jit_offer_with(jit, &face, TEST_PROVIDER, "", &provider), DAME_OK);
    ck_assert_int_eq(dame_jit_set_cache(jit, directory, PLENTY), DAME_OK);
    background = dame_background_new(jit, provider);
    for (int i = 0; i < PROGRAMS; i++) {
        programs[i] = some_program();
    }
    for (int i = 0; i < CHANGES; i++) {
        int64_t ns;
        program = programs[rng_range(&rng, 0, PROGRAMS - 1)];
        candidate.provider = rng_chance(&rng, 50) ? provider : DAME_JIT_X;
        switch (rng_range(&rng, 0, 5)) {
        case 0:
            (void) dame_jit_add(jit, program, DAME_PACK, &candidate, NULL, NULL);
            break;
        case 1:
            (void) dame_jit_find(jit, program, DAME_PACK, &candidate, NULL, &ns);
            break;
        case 2:
            if (candidate.provider == provider) {
                orders += order(program) == DAME_OK;
            }
            break;
        case 3:
            dame_jit_drop(jit, program, DAME_PACK, &candidate);
            break;
        default:
            (void) dame_jit_rank(jit, program, DAME_PACK, &candidate,
                                 (int32_t) rng_range(&rng, 0, 3));
        }
        for (dame_order_t *done; (done = dame_background_take(background)); come++) {
            if (done->status == DAME_OK) {
                (void) dame_order_install(jit, done, NULL);
            }
            dame_order_free(done);
        }
        check_bytes(program);
    }
    ck_assert(dame_background_stop(background));
    come += take_all(&with_code);
    ck_assert_int_gt(orders, 0);
    ck_assert_int_eq(come, orders);
    ck_assert_int_gt(stats_of(jit).found[DAME_PACK], 0);
    dame_background_free(background);
    free_all(jit, programs, PROGRAMS);
}

SUITE_OF(background, have_jumps(), setup, directory_teardown)
