/* SPDX-License-Identifier: BSD-3-Clause */
/* The code cache: kept code is found again, and nothing else ever is. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "jit/cache.h"
#include "jit/shape.h"
#include "base/user_file.h"
#include "base/whole_file.h"
#include "suites.h"
#include "tools.h"
#include "test/lib/checked_fork.h"

enum { PLENTY = 1 << 20 };

static const char bytes[] = "these are not instructions";
static const dame_entry_point_t entries[] = {{0, 0}, {1, 16}};
static const dame_machine_code_t code = {bytes, sizeof bytes, entries, 2, 8};

static dame_cache_t *cache;
static dame_cache_key_t key;
static dame_program_t *program;
static char path[200]; /* of the key's file */

static dame_cache_t *cache_of(const char *directories, int64_t limit)
{
    dame_cache_t *made = NULL;
    ck_assert_int_eq(dame_cache_open(directories, limit, &made), DAME_OK);
    return made;
}

static void setup(void)
{
    directory_setup();
    cache = cache_of(directory, PLENTY);
    program = program_of(vector(10, 1, 16, basic(8)));
    ck_assert_int_eq(dame_cache_key_make("l 1 O2", program, DAME_PACK, &key), DAME_OK);
    snprintf(path, sizeof path, "%s/%s", directory, key.name);
}

static void teardown(void)
{
    dame_cache_key_free(&key);
    dame_cache_close(cache);
    dame_program_free(program);
    directory_teardown();
}

static bool finds(dame_cache_t *from)
{
    dame_cache_code_t found;
    if (!dame_cache_load(from, &key, NULL, &found)) {
        return false;
    }
    ck_assert_uint_eq(found.code.size, sizeof bytes);
    ck_assert_mem_eq(found.code.bytes, bytes, sizeof bytes);
    ck_assert_int_eq(found.code.nentries, 2);
    ck_assert_mem_eq(found.code.entries, entries, sizeof entries);
    dame_cache_code_free(&found);
    return true;
}

static int files_of(const char *suffix)
{
    int n = 0;
    DIR *names = opendir(directory);
    for (struct dirent *name; names && (name = readdir(names));) {
        const size_t length = strlen(name->d_name), end = strlen(suffix);
        n += length > end && strcmp(name->d_name + length - end, suffix) == 0;
    }
    closedir(names);
    return n;
}

TEST(what_was_kept_is_found_by_another_process)
{
    char problem[300];
    ck_assert(!finds(cache));
    ck_assert_int_eq(dame_cache_store(cache, &key, &code), 0);
    dame_cache_t *other = cache_of(directory, PLENTY);
    ck_assert(finds(other));
    dame_cache_stats_t stats;
    dame_cache_stats(other, &stats);
    ck_assert_int_eq(stats.hits, 1);
    ck_assert_int_eq(dame_cache_problem(other, problem, sizeof problem), 0);
    dame_cache_close(other);
}

TEST(a_file_that_fits_is_read_into_the_readers_room)
{
    static _Alignas(max_align_t) char much[1000];
    struct stat about;
    ck_assert_int_eq(dame_cache_store(cache, &key, &code), 0);
    ck_assert_int_eq(stat(path, &about), 0);
    for (int fits = 0; fits < 2; fits++) {
        const dame_cache_room_t room = {much, (size_t) about.st_size - 1 + (size_t) fits};
        dame_cache_code_t found;
        memset(much, 'x', sizeof much);
        ck_assert_int_eq(dame_cache_load(cache, &key, &room, &found), 1);
        ck_assert_mem_eq(found.code.bytes, bytes, sizeof bytes);
        ck_assert_int_eq(found.code.bytes > much && found.code.bytes < much + sizeof much, fits);
        ck_assert_int_eq(much[room.size], 'x');
        dame_cache_code_free(&found);
    }
}

/* Long ones need memory. */
TEST(keys_of_any_length_have_all_of_it)
{
    char origin[2000], shape[500];
    const size_t size = dame_shape(program, shape, sizeof shape);
    memset(origin, 'o', sizeof origin);
    for (size_t length = 0; length < sizeof origin; length++) {
        origin[length] = '\0';
        dame_cache_key_free(&key);
        ck_assert_int_eq(dame_cache_key_make(origin, program, DAME_PACK, &key), DAME_OK);
        ck_assert_uint_eq(key.size, 1 + length + 1 + size);
        ck_assert_str_eq(key.bytes + 1, origin);
        ck_assert_mem_eq(key.bytes + 1 + length + 1, shape, size);
        origin[length] = 'o';
    }
    ck_assert_int_eq(dame_cache_store(cache, &key, &code), 0);
    ck_assert(finds(cache));
}

static const char *name_of(const char *origin, dame_program_t *of, dame_dir_t dir)
{
    static char names[2][64];
    static int next;
    dame_cache_key_t made;
    ck_assert_int_eq(dame_cache_key_make(origin, of, dir, &made), DAME_OK);
    snprintf(names[next ^= 1], sizeof names[0], "%s", made.name);
    dame_cache_key_free(&made);
    return names[next];
}

/* Displacements, absolute addresses among them, differ from process to process; those of short
 * lists near 0 belong to the shape. */
TEST(keys_differ_where_code_may)
{
#define HIGH   INT64_C(1) << 46
#define HIGHER INT64_C(5) << 44
    const struct {
        const dame_type_t *one, *other;
        int same;
    } cases[] = {
        {vector(10, 1, 16, basic(8)), vector(10, 1, 16, basic(8)), 1},
        {vector(10, 1, 16, basic(8)), vector(11, 1, 16, basic(8)), 0},
        {vector(10, 1, 16, basic(8)), vector(10, 1, 24, basic(8)), 0},
        {vector(10, 1, 16, basic(8)), vector(10, 1, 16, basic(4)), 0},
        {vector(10, 1, 16, basic(8)), blockindex(3, 1, (int64_t[]){0, 40, 64}, basic(8)), 0},
        {blockindex(3, 1, (int64_t[]){0, 40, 1 << 16}, basic(8)),
         blockindex(3, 1, (int64_t[]){8, 24, 1 << 17}, basic(8)), 1},
        {blockindex(3, 1, (int64_t[]){0, 40, 64}, basic(8)),
         blockindex(3, 1, (int64_t[]){0, 32, 64}, basic(8)), 0},
        {blockindex(3, 1, (int64_t[]){HIGH, (HIGH) + 24, (HIGH) + 96}, basic(8)),
         blockindex(3, 1, (int64_t[]){HIGHER, (HIGHER) + 24, (HIGHER) + 96}, basic(8)), 1},
        {blockindex(3, 1, (int64_t[]){HIGH, (HIGH) + 24, (HIGH) + 96},
                    basic(8)), /* 64-bit entries */
         blockindex(3, 1, (int64_t[]){0, 40, 1 << 16}, basic(8)), 0},
    };
    for (int i = 0; i < COUNT_OF(cases); i++) {
        dame_program_t *one = program_of(cases[i].one), *other = program_of(cases[i].other);
        ck_assert_msg((strcmp(name_of("l 1 O2", one, DAME_PACK),
                              name_of("l 1 O2", other, DAME_PACK)) == 0) == cases[i].same,
                      "case %d", i);
        dame_program_free(one);
        dame_program_free(other);
    }
    ck_assert_str_eq(name_of("l 1 O2", program, DAME_PACK), key.name);
    ck_assert_str_ne(name_of("l 1 O2", program, DAME_UNPACK), key.name);
    ck_assert_str_ne(name_of("l 1 O1", program, DAME_PACK), key.name);
}

TEST(damaged_files_are_ignored_and_replaced)
{
    char good[1000], bad[1000], problem[300];
    ck_assert_int_eq(dame_cache_store(cache, &key, &code), 0);
    const size_t n = read_file(path, good, sizeof good);
    for (size_t i = 0; i < n; i++) { /* every bit of every field */
        for (int bit = 0; bit < 8; bit++) {
            memcpy(bad, good, n);
            bad[i] = (char) (bad[i] ^ 1 << bit);
            write_file(path, bad, n);
            ck_assert_msg(!finds(cache), "byte %zu, bit %d", i, bit);
        }
    }
    for (size_t i = 0; i < n; i++) { /* every length */
        write_file(path, good, i);
        ck_assert(!finds(cache));
    }
    memcpy(bad, good, n);
    bad[n] = 'x';
    write_file(path, bad, n + 1);
    ck_assert(!finds(cache));
    ck_assert_int_eq(dame_cache_problem(cache, problem, sizeof problem), 1);
    ck_assert_ptr_nonnull(strstr(problem, key.name));
    ck_assert_int_eq(dame_cache_problem(cache, problem, sizeof problem), 0); /* told once */
    ck_assert_int_eq(dame_cache_store(cache, &key, &code), 0);
    ck_assert(finds(cache));
}

TEST(a_file_under_another_name_is_ignored)
{
    dame_cache_key_t other;
    char to[200];
    ck_assert_int_eq(dame_cache_store(cache, &key, &code), 0);
    ck_assert_int_eq(dame_cache_key_make("l 1 O2", program, DAME_UNPACK, &other), DAME_OK);
    snprintf(to, sizeof to, "%s/%s", directory, other.name);
    ck_assert_int_eq(rename(path, to), 0);
    dame_cache_code_t found;
    ck_assert_int_eq(dame_cache_load(cache, &other, NULL, &found), 0);
    dame_cache_key_free(&other);
}

/* Such as one of root's for all users. */
TEST(who_reads_the_directory_reads_its_files)
{
    static const mode_t modes[][2] = {{0700, 0600}, {0750, 0640}, {0755, 0644}};
    for (int i = 0; i < COUNT_OF(modes); i++) {
        struct stat about;
        (void) unlink(path);
        ck_assert_int_eq(chmod(directory, modes[i][0]), 0);
        ck_assert_int_eq(dame_cache_store(cache, &key, &code), 0);
        ck_assert_int_eq(stat(path, &about), 0);
        ck_assert_int_eq(about.st_mode & 0777, modes[i][1]);
    }
}

TEST(what_others_may_write_is_refused)
{
    char real[210], problem[300];
    snprintf(real, sizeof real, "%s/real", directory);
    ck_assert_int_eq(dame_cache_store(cache, &key, &code), 0);
    static const struct {
        mode_t mode;
        bool found;
    } modes[] = {{0620, false}, {0602, false}, {0444, true}};
    for (int i = 0; i < COUNT_OF(modes); i++) {
        ck_assert_int_eq(chmod(path, modes[i].mode), 0);
        ck_assert(finds(cache) == modes[i].found);
    }
    ck_assert_int_eq(rename(path, real), 0);
    ck_assert_int_eq(symlink("real", path), 0); /* not even to a good one */
    ck_assert(!finds(cache));
    ck_assert_int_eq(rename(real, path), 0);
    ck_assert_int_eq(chmod(directory, 0770), 0);
    ck_assert(!finds(cache));
    ck_assert_int_eq(dame_cache_store(cache, &key, &code), DAME_FILE_SHARED);
    ck_assert_int_eq(chmod(directory, 0700), 0);
    const char *const owned[] = {path, directory};
    for (int i = 0; geteuid() == 0 && i < 2; i++) {
        ck_assert_int_eq(chown(owned[i], 65534, 65534), 0);
        ck_assert(!finds(cache));
        ck_assert_int_eq(chown(owned[i], 0, 0), 0);
    }
    ck_assert(finds(cache));
    ck_assert_int_eq(dame_cache_problem(cache, problem, sizeof problem), 1);
    ck_assert_ptr_nonnull(strstr(problem, "may write it"));
}

typedef struct fault {
    const char *text;
    int files;
} fault_t;

static void note_fault(void *context, const dame_cache_file_t *of)
{
    fault_t *fault = context;
    fault->text = of->fault;
    fault->files++;
}

static void expect_fault(const char *text)
{
    char problem[300];
    fault_t fault = {NULL, 0};
    dame_cache_t *fresh = cache_of(directory, PLENTY); /* which has told nothing yet */
    ck_assert(!finds(fresh));
    ck_assert_int_eq(dame_cache_problem(fresh, problem, sizeof problem), 1);
    ck_assert_msg(strstr(problem, text) != NULL, "%s", problem);
    ck_assert_int_eq(dame_cache_each(directory, note_fault, &fault), 0);
    ck_assert_int_eq(fault.files, 1);
    ck_assert_str_eq(fault.text, text);
    dame_cache_close(fresh);
}

/* Anything but a file under a file's name is named in the message, and stays. */
TEST(each_kind_of_bad_file_has_its_own_reason)
{
    ck_assert_int_eq(mkdir(path, 0700), 0);
    expect_fault("it is a directory");
    ck_assert_int_eq(dame_cache_store(cache, &key, &code), EISDIR);
    ck_assert_int_eq(rmdir(path), 0);
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    expect_fault("it is not a regular file");
    ck_assert_int_eq(dame_cache_store(cache, &key, &code), DAME_FILE_NOT_REGULAR);
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(symlink("elsewhere", path), 0);
    expect_fault("it is a symbolic link");
    ck_assert_int_eq(dame_cache_store(cache, &key, &code), ELOOP);
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(dame_cache_store(cache, &key, &code), 0);
    ck_assert_int_eq(chmod(path, 0660), 0);
    expect_fault("users other than its owner may write it");
    ck_assert_int_eq(chmod(path, 0600), 0);
    if (geteuid() == 0) {
        ck_assert_int_eq(chown(path, 65534, 65534), 0);
        expect_fault("it belongs to another user");
        ck_assert_int_eq(chown(path, 0, 0), 0);
    }
    ck_assert(finds(cache));
}

/* Whatever the path ends with. */
TEST(a_link_to_a_directory_is_not_followed)
{
    static const char *const ends[] = {"", "/", "//", "/.", "/./"};
    char link[300], problem[300];
    ck_assert_int_eq(dame_cache_store(cache, &key, &code), 0);
    for (int i = 0; i < COUNT_OF(ends); i++) {
        snprintf(link, sizeof link, "%s/link", directory);
        ck_assert_int_eq(symlink(directory, link), 0);
        strcat(link, ends[i]);
        dame_cache_t *linked = cache_of(link, PLENTY);
        ck_assert(!finds(linked));
        ck_assert_int_eq(dame_cache_problem(linked, problem, sizeof problem), 1);
        ck_assert_msg(strstr(problem, "it is a symbolic link") != NULL, "%s", problem);
        ck_assert_int_eq(dame_cache_store(linked, &key, &code), ELOOP);
        dame_cache_close(linked);
        snprintf(link, sizeof link, "%s/link", directory);
        ck_assert_int_eq(unlink(link), 0);
        snprintf(link, sizeof link, "%s%s", directory, ends[i]);
        linked = cache_of(link, PLENTY);
        ck_assert(finds(linked));
        dame_cache_close(linked);
    }
}

TEST(directories_after_the_first_are_only_read)
{
    char both[300], problem[300];
    snprintf(both, sizeof both, "%s/own/deep:%s", directory, directory);
    dame_cache_t *two = cache_of(both, PLENTY);
    ck_assert_int_eq(dame_cache_store(cache, &key, &code), 0);
    ck_assert(finds(two));
    ck_assert_int_eq(unlink(path), 0);
    ck_assert(!finds(two));
    ck_assert_int_eq(dame_cache_store(two, &key, &code), 0);
    ck_assert_int_eq(access(path, F_OK), -1);
    ck_assert(finds(two));
    ck_assert_int_eq(dame_cache_problem(two, problem, sizeof problem), 0);
    dame_cache_close(two);
    snprintf(both, sizeof both, ":%s", directory);
    two = cache_of(both, PLENTY);
    ck_assert_int_eq(dame_cache_store(two, &key, &code), ENOENT);
    dame_cache_close(two);
    ck_assert_int_eq(dame_cache_open("relative", PLENTY, &two), DAME_ERR_ARGUMENT);
    ck_assert_int_eq(dame_cache_open("/a::/b", PLENTY, &two), DAME_ERR_ARGUMENT);
    ck_assert_int_eq(dame_cache_open("/a", 0, &two), DAME_ERR_ARGUMENT);
}

/* A limit on the size of files simulates a full disk. */
TEST(a_full_disk_leaves_nothing_behind)
{
    static char large[60000];
    const dame_machine_code_t much = {large, sizeof large, entries, 2, DAME_NO_UNWIND};
    struct rlimit limit, small;
    char problem[300];
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
    small = limit;
    small.rlim_cur = 30000;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
    ck_assert_int_eq(dame_cache_store(cache, &key, &much), EFBIG);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    ck_assert_int_eq(files_of(".code") + files_of(".tmp"), 0);
    ck_assert_int_eq(dame_cache_problem(cache, problem, sizeof problem), 1);
    ck_assert_int_eq(dame_cache_store(cache, &key, &code), 0);
    ck_assert(finds(cache));
}

static void path_of(const dame_cache_key_t *of, char file[200])
{
    snprintf(file, 200, "%s/%s", directory, of->name);
}

/* As if it had been used `age` seconds ago. */
static void make_older(const dame_cache_key_t *of, time_t age)
{
    char file[200];
    const struct timespec when = {.tv_sec = time(NULL) - age};
    path_of(of, file);
    ck_assert_int_eq(utimensat(AT_FDCWD, file, (struct timespec[]){when, when}, 0), 0);
}

static void use_and_expect(dame_cache_t *of, const dame_cache_key_t *wanted, time_t age)
{
    enum { SOME = 60 };
    char file[200];
    struct stat about;
    dame_cache_code_t found;
    ck_assert_int_eq(dame_cache_load(of, wanted, NULL, &found), 1);
    dame_cache_code_free(&found);
    path_of(wanted, file);
    ck_assert_int_eq(stat(file, &about), 0);
    ck_assert_int_le(labs(time(NULL) - age - about.st_mtime), SOME);
}

/* A use is noted once an hour. */
TEST(files_are_bounded_and_the_longest_unused_goes_first)
{
    enum { HOUR = 3600, DAY = 24 * HOUR };
    static const time_t ages[] = {30 * DAY, 10 * DAY, HOUR - 100, 0};
    static char large[1000];
    const dame_machine_code_t much = {large, sizeof large, entries, 2, DAME_NO_UNWIND};
    dame_cache_t *small = cache_of(directory, 4100);
    dame_cache_key_t keys[4];
    dame_cache_code_t found;
    for (int i = 0; i < 4; i++) {
        char origin[20];
        snprintf(origin, sizeof origin, "l %d", i);
        ck_assert_int_eq(dame_cache_key_make(origin, program, DAME_PACK, &keys[i]), DAME_OK);
    }
    for (int i = 0; i < 4; i++) {
        if (i == 3) {
            use_and_expect(small, &keys[0], 0);
            use_and_expect(small, &keys[2], ages[2]);
        }
        ck_assert_int_eq(dame_cache_store(small, &keys[i], &much), 0);
        make_older(&keys[i], ages[i]);
    }
    for (int i = 0; i < 4; i++) {
        const int there = dame_cache_load(small, &keys[i], NULL, &found);
        ck_assert_int_eq(there, i != 1);
        if (there) {
            dame_cache_code_free(&found);
        }
        dame_cache_key_free(&keys[i]);
    }
    const dame_machine_code_t more = {large, sizeof large, entries, 2, DAME_NO_UNWIND};
    dame_cache_close(small);
    small = cache_of(directory, 500);
    ck_assert_int_eq(dame_cache_store(small, &key, &more), EFBIG);
    dame_cache_close(small);
}

/* ---- several processes ---- */

static pid_t child_of(void (*body)(void))
{
    const pid_t child = checked_fork();
    if (child == 0) {
        body();
        _exit(0);
    }
    return child;
}

static void claim_and_wait(void)
{
    dame_cache_claim_t claim;
    if (dame_cache_claim(cache, &key, &claim)) {
        kill(getppid(), SIGUSR1);
        pause();
    }
}

TEST(a_dead_process_claims_nothing)
{
    sigset_t signals;
    int signal_number;
    dame_cache_claim_t claim;
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR1);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    const pid_t child = child_of(claim_and_wait);
    ck_assert_int_eq(sigwait(&signals, &signal_number), 0);
    ck_assert_int_eq(dame_cache_claim(cache, &key, &claim), 0);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    ck_assert_int_eq(dame_cache_claim(cache, &key, &claim), 1);
    dame_cache_release(&claim);
}

/* Everybody makes the code then, and no lock file stays. */
TEST(where_no_file_can_be_locked_everybody_may_claim)
{
    dame_cache_claim_t claims[2];
    refused_locks = ENOLCK;
    const int first = dame_cache_claim(cache, &key, &claims[0]);
    const int second = dame_cache_claim(cache, &key, &claims[1]);
    refused_locks = 0;
    ck_assert_int_eq(first, 1);
    ck_assert_int_eq(second, 1);
    dame_cache_release(&claims[0]);
    dame_cache_release(&claims[1]);
    char lock[sizeof(path) + 8];
    snprintf(lock, sizeof(lock), "%s.lock", path);
    ck_assert_int_ne(access(lock, F_OK), 0);
    ck_assert_int_eq(errno, ENOENT);
}

static void store_for_ever(void)
{
    for (;;) {
        (void) dame_cache_store(cache, &key, &code);
    }
}

TEST(a_writer_that_is_killed_leaves_a_good_cache)
{
    for (int i = 0; i < 40; i++) {
        const pid_t child = child_of(store_for_ever);
        nanosleep(&(struct timespec){.tv_nsec = 500000L + 137000L * i}, NULL);
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        dame_cache_stats_t stats;
        (void) finds(cache); /* checks the bytes */
        dame_cache_stats(cache, &stats);
        ck_assert_int_eq(stats.refused, 0);
    }
    ck_assert_int_eq(dame_cache_store(cache, &key, &code), 0);
    ck_assert(finds(cache));
    int64_t removed;
    ck_assert_int_eq(dame_cache_clear(directory, &removed), 0);
    ck_assert_int_eq((int) removed, 1);
    ck_assert_int_eq(files_of(".tmp") + files_of(".code"), 0);
}

/* Profiles lie in the same directory. */
static const struct {
    const char *name;
    bool is_left; /* by a dead process: goes after an hour */
} beside[] = {
    {"GenuineIntel-6-207-8-48K-2048K-avx512.profile", false},
    {"GenuineIntel-6-207-8-48K-2048K-avx512.profile.lock", true},
    {"GenuineIntel-6-207-8-48K-2048K-avx512.profile.4711-3b9ac9ff-0.tmp", true},
    {"GenuineIntel-6-207-8-48K-2048K-avx512.profile.mine.tmp", false},
    {"notes.lock", false},
    {"notes.tmp", false},
};
enum { BESIDE = sizeof beside / sizeof beside[0] };

static void write_beside(char files[BESIDE][200], time_t age)
{
    const struct timespec when = {.tv_sec = time(NULL) - age};
    for (int i = 0; i < BESIDE; i++) {
        snprintf(files[i], 200, "%s/%s", directory, beside[i].name);
        write_file(files[i], "", 0);
        ck_assert_int_eq(utimensat(AT_FDCWD, files[i], (struct timespec[]){when, when}, 0), 0);
    }
}

TEST(what_dead_processes_left_of_profiles_goes_after_an_hour)
{
    static const time_t ages[] = {3500, 3700};
    char files[BESIDE][200];
    for (int k = 0; k < 2; k++) {
        write_beside(files, ages[k]);
        ck_assert_int_eq(dame_cache_store(cache, &key, &code), 0);
        for (int i = 0; i < BESIDE; i++) {
            ck_assert_msg((access(files[i], F_OK) == 0) == (k == 0 || !beside[i].is_left),
                          "%s, %d s", files[i], (int) ages[k]);
        }
    }
}

TEST(clearing_removes_what_is_left_but_no_lock_that_is_held)
{
    char files[BESIDE][200];
    int64_t removed;
    write_beside(files, 10);
    const int held = open(files[1], O_RDWR | O_CLOEXEC);
    ck_assert_int_eq(flock(held, LOCK_EX | LOCK_NB), 0);
    ck_assert_int_eq(dame_cache_clear(directory, &removed), 0);
    for (int i = 0; i < BESIDE; i++) {
        ck_assert_msg(access(files[i], F_OK) == 0, "%s", files[i]);
    }
    close(held);
    ck_assert_int_eq(dame_cache_clear(directory, &removed), 0);
    ck_assert_int_ne(access(files[1], F_OK), 0);
    ck_assert_int_eq(access(files[2], F_OK), 0); /* another process may be writing it */
    write_beside(files, 3700);
    ck_assert_int_eq(dame_cache_clear(directory, &removed), 0);
    ck_assert_int_eq((int) removed, 0);
    for (int i = 0; i < BESIDE; i++) {
        ck_assert_msg((access(files[i], F_OK) == 0) == !beside[i].is_left, "%s", files[i]);
    }
}

static void expect_good(void *count, const dame_cache_file_t *file)
{
    ++*(int *) count;
    ck_assert_ptr_null(file->fault);
    ck_assert_str_eq(file->name, key.name);
    ck_assert_str_eq(file->origin, "l 1 O2");
    ck_assert_int_eq(file->dir, DAME_PACK);
    ck_assert_uint_eq(file->code_bytes, sizeof bytes);
}

TEST(tools_see_what_a_directory_has)
{
    int n = 0;
    ck_assert_int_eq(dame_cache_store(cache, &key, &code), 0);
    ck_assert_int_eq(dame_cache_each(directory, expect_good, &n), 0);
    ck_assert_int_eq(n, 1);
    ck_assert_int_eq(dame_cache_each("/no/such/directory", expect_good, &n), ENOENT);
}

/* Its rules are tried by profile_suite.c. */
TEST(a_default_directory_that_is_too_long_is_refused)
{
    char found[10];
    setenv("XDG_CACHE_HOME", "/var/cache/someone", 1);
    ck_assert_int_eq(dame_user_cache_directory(found, sizeof found), ENAMETOOLONG);
}

SUITE_OF(cache, 1, setup, teardown)
