/* SPDX-License-Identifier: BSD-3-Clause */
/* The machine's profile: its place, its contents, and the files that it does not trust. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dame_config.h"
#include "measure/profile.h"
#include "measure/records.h"
#include "suites.h"
#include "tools.h"
#include "test/lib/checked_fork.h"

static int told, told_trouble;
static char last[8192];

static void tell(void *count, const char *text, int trouble)
{
    ++*(int *) count;
    told_trouble += trouble;
    (void) snprintf(last, sizeof(last), "%s", text);
}

static const char *in_place(const char *name)
{
    static char paths[4][256];
    static int next;
    char *path = paths[next++ % 4];
    (void) snprintf(path, 256, "%s/%s", directory, name);
    return path;
}

static dame_profile_t *open_profile(const char *name)
{
    dame_profile_t *profile = dame_profile_new(in_place(name), "cpu", tell, &told);
    ck_assert_ptr_nonnull(profile);
    return profile;
}

static dame_profile_key_t key_of(const char *kind, const char *candidate)
{
    dame_profile_key_t key = {.dir = DAME_PACK, .size_class = 5};
    (void) snprintf(key.kind, sizeof(key.kind), "%s", kind);
    (void) snprintf(key.candidate, sizeof(key.candidate), "%s", candidate);
    return key;
}

static void add(dame_profile_t *profile, const char *kind, int64_t mean, int64_t samples)
{
    const dame_profile_key_t key = key_of(kind, "x:plain");
    dame_profile_add(profile, &key, &(dame_profile_value_t){mean, samples});
}

/* The number of samples, 0: not known. */
static int64_t samples_of(dame_profile_t *profile, const char *kind, int64_t *mean)
{
    dame_profile_value_t value;
    const dame_profile_key_t key = key_of(kind, "x:plain");
    if (!dame_profile_find(profile, &key, &value)) {
        return 0;
    }
    if (mean != NULL) {
        *mean = value.mean;
    }
    return value.samples;
}

/* A file with two records. */
static size_t good_file(const char *name, char *text, size_t room)
{
    dame_profile_t *profile = open_profile(name);
    add(profile, "steps-8-far", 1234, 3);
    add(profile, "list-<64", 5, 1);
    ck_assert_int_eq(dame_profile_save(profile), DAME_OK);
    dame_profile_free(profile);
    return read_file(in_place(name), text, room);
}

/* ---- where it is ---- */

static void is_at(const char *where, const char *path)
{
    dame_profile_t *profile = dame_profile_new(where, "cpu", tell, &told);
    ck_assert_str_eq(dame_profile_path(profile), path);
    dame_profile_free(profile);
}

TEST(its_place_follows_the_rules_of_xdg)
{
    setenv("HOME", directory, 1);
    unsetenv("XDG_CACHE_HOME");
    is_at("auto", in_place(".cache/dame/cpu.profile"));
    setenv("XDG_CACHE_HOME", "relative", 1);
    is_at("auto", in_place(".cache/dame/cpu.profile"));
    setenv("XDG_CACHE_HOME", in_place("cache"), 1);
    is_at("auto", in_place("cache/dame/cpu.profile"));
    is_at("", "");
    is_at(directory, in_place("cpu.profile"));
    is_at(in_place("file"), in_place("file"));
    ck_assert_int_eq(chdir(directory), 0);
    is_at("file", in_place("file"));
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    is_at("auto", "");
    ck_assert_int_eq(told, 0);
}

TEST(directories_are_made_when_something_was_learnt)
{
    setenv("XDG_CACHE_HOME", in_place("new"), 1);
    dame_profile_t *profile = dame_profile_new("auto", "cpu", tell, &told);
    ck_assert_int_eq(samples_of(profile, "k", NULL), 0);
    ck_assert_int_eq(dame_profile_save(profile), DAME_OK);
    ck_assert_int_ne(access(in_place("new"), F_OK), 0);
    add(profile, "k", 1, 1);
    ck_assert_int_eq(dame_profile_save(profile), DAME_OK);
    ck_assert_int_eq(access(in_place("new/dame/cpu.profile"), R_OK), 0);
    dame_profile_free(profile);
    ck_assert_int_eq(told, 0);
}

/* ---- contents ---- */

TEST(all_codes_of_a_kind_are_found_at_once)
{
    enum { ROOM = 4 };
    static const struct {
        const char *kind, *candidate;
        int32_t dir, size_class;
    } known[] = {
        {"a", "z", DAME_PACK, 5},         {"k", "x:plain", DAME_PACK, 4},
        {"k", "interp", DAME_PACK, 5},    {"k", "x:far", DAME_PACK, 5},
        {"k", "x:plain", DAME_PACK, 5},   {"k", "x:plain", DAME_PACK, 6},
        {"k", "x:plain", DAME_UNPACK, 5}, {"kk", "interp", DAME_PACK, 5},
    };
    static const char *const wanted[] = {"interp", "x:far", "x:plain"};
    dame_profile_code_t found[ROOM];
    const dame_profile_key_t key = key_of("k", "does not count");
    dame_profile_t *profile = open_profile("kinds");
    ck_assert_int_eq(dame_profile_find_all(profile, &key, found, ROOM), 0);
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        dame_profile_key_t of = key_of(known[i].kind, known[i].candidate);
        of.dir = known[i].dir;
        of.size_class = known[i].size_class;
        dame_profile_add(profile, &of, &(dame_profile_value_t){100 + (int64_t) i, 1});
    }
    ck_assert_int_eq(dame_profile_find_all(profile, &key, found, ROOM), 3);
    for (int i = 0; i < 3; i++) {
        ck_assert_str_eq(found[i].candidate, wanted[i]);
        ck_assert_int_eq(found[i].value.mean, 102 + i);
    }
    found[2].candidate[0] = 'u';
    ck_assert_int_eq(dame_profile_find_all(profile, &key, found, 2), 2);
    ck_assert_int_eq(found[2].candidate[0], 'u');
    dame_profile_free(profile);
}

static void expect_known(dame_profile_t *profile, const char *kind, int64_t n, int64_t wanted)
{
    int64_t mean = 0;
    ck_assert_int_eq(samples_of(profile, kind, &mean), n);
    ck_assert_int_eq(mean, wanted);
}

TEST(what_was_learnt_is_known_later)
{
    dame_profile_t *profile = open_profile("p");
    add(profile, "k", 100, 2);
    add(profile, "k", 400, 1);
    expect_known(profile, "k", 3, 200);
    ck_assert_int_eq(dame_profile_save(profile), DAME_OK);
    ck_assert_int_eq(dame_profile_save(profile), DAME_OK);
    dame_profile_free(profile);
    profile = open_profile("p");
    expect_known(profile, "k", 3, 200);
    expect_known(profile, "other", 0, 0);
    add(profile, "k", 500, 3);
    expect_known(profile, "k", 6, 350);
    dame_profile_free(profile); /* not saved */
    profile = open_profile("p");
    expect_known(profile, "k", 3, 200);
    dame_profile_free(profile);
    ck_assert_int_eq(told, 0);
}

TEST(what_is_out_of_range_is_not_learnt)
{
    static const struct {
        const char *kind;
        int64_t mean, samples;
    } wrong[] = {{"two words", 1, 1}, {"line\n", 1, 1},  {"", 1, 1},
                 {"negative", -1, 1}, {"many", 1, 4097}, {"huge", INT64_C(1) << 41, 1},
                 {"none", 1, 0}};
    dame_profile_t *profile = open_profile("p");
    for (int i = 0; i < COUNT_OF(wrong); i++) {
        add(profile, wrong[i].kind, wrong[i].mean, wrong[i].samples);
    }
    dame_profile_key_t key = key_of("class", "x");
    key.size_class = 32;
    dame_profile_add(profile, &key, &(dame_profile_value_t){1, 1});
    memset(key.kind, 'k', sizeof(key.kind));
    dame_profile_add(profile, &key, &(dame_profile_value_t){1, 1});
    ck_assert_int_eq(dame_profile_save(profile), DAME_OK);
    ck_assert_int_ne(access(in_place("p"), F_OK), 0);
    dame_profile_free(profile);
    ck_assert_int_eq(told, 0);
}

/* Kinds "kFROM" to "kTO" are measured by a process of their own, each as often as its argument
 * says. */
static void measure(int from, int to, int64_t samples)
{
    dame_profile_t *profile = open_profile("p");
    for (int i = from; i <= to; i++) {
        char kind[16];
        (void) snprintf(kind, sizeof(kind), "k%d", i * 7919 % 100003);
        add(profile, kind, 1, samples);
    }
    ck_assert_int_eq(dame_profile_save(profile), DAME_OK);
    dame_profile_free(profile);
}

/* How many of these are known. */
static int known(int from, int to)
{
    int n = 0;
    dame_profile_t *profile = open_profile("p");
    for (int i = from; i <= to; i++) {
        char kind[16];
        (void) snprintf(kind, sizeof(kind), "k%d", i * 7919 % 100003);
        n += samples_of(profile, kind, NULL) > 0;
    }
    dame_profile_free(profile);
    return n;
}

TEST(a_full_profile_forgets_what_was_measured_least_recently)
{
    enum { OLD = 1000, ALL = DAME_PROFILE_RECORDS, NEW = 300 };
    measure(1, OLD, 100);
    measure(OLD + 1, ALL, 1);
    measure(1, OLD / 2, 1);
    ck_assert_int_eq(told, 0);
    measure(ALL + 1, ALL + NEW, 1);
    ck_assert_int_eq(known(ALL + 1, ALL + NEW), NEW);
    ck_assert_int_eq(known(1, OLD / 2), OLD / 2);
    ck_assert_int_eq(known(OLD / 2 + 1, OLD), OLD / 2 - NEW);
    ck_assert_int_eq(known(OLD + 1, ALL), ALL - OLD);
    ck_assert_int_eq(told, 1);
    ck_assert_int_eq(told_trouble, 0);
    ck_assert_msg(strstr(last, "it is full (4096 records); 300 records") != NULL, "%s", last);
}

TEST(of_records_of_one_time_those_of_few_samples_are_forgotten)
{
    enum { FEW = 10, NEW = 4 };
    measure(1, FEW, 1);
    dame_profile_t *profile = open_profile("p");
    for (int i = 1; i <= DAME_PROFILE_RECORDS; i++) {
        char kind[16];
        (void) snprintf(kind, sizeof(kind), "k%d", i * 7919 % 100003);
        add(profile, kind, 1, i <= FEW ? 1 : 5);
    }
    ck_assert_int_eq(dame_profile_save(profile), DAME_OK);
    dame_profile_free(profile);
    measure(DAME_PROFILE_RECORDS + 1, DAME_PROFILE_RECORDS + NEW, 1);
    ck_assert_int_eq(known(1, FEW), FEW - NEW);
    ck_assert_int_eq(known(FEW + 1, DAME_PROFILE_RECORDS + NEW), DAME_PROFILE_RECORDS + NEW - FEW);
}

/* One process measures more kinds than there is room for. */
TEST(a_process_that_measures_too_much_keeps_a_part)
{
    enum { MORE = 10 };
    measure(1, DAME_PROFILE_RECORDS + MORE, 1);
    ck_assert_int_eq(known(1, DAME_PROFILE_RECORDS + MORE), DAME_PROFILE_RECORDS);
    ck_assert_int_eq(told, 0);
}

TEST(an_empty_file_is_as_good_as_none)
{
    write_file(in_place("p"), "", 0);
    ck_assert_int_eq(known(1, 1), 0);
    measure(1, 1, 1);
    ck_assert_int_eq(known(1, 1), 1);
    ck_assert_int_eq(told, 0);
}

static void visit(void *argument, const dame_profile_key_t *key, const dame_profile_value_t *value)
{
    const char *kinds = argument; /* in their order, the k-th with k samples */
    ck_assert_int_eq(key->kind[0], kinds[value->samples - 1]);
}

TEST(all_that_is_known_can_be_listed)
{
    char kinds[] = "cab";
    dame_profile_t *profile = open_profile("p");
    for (int i = 0; i < 3; i++) {
        add(profile, (char[]){kinds[i], '\0'}, 1, i + 1);
    }
    ck_assert_int_eq(dame_profile_each(profile, visit, kinds), 3);
    dame_profile_free(profile);
}

static int write_often(const char *path, const char *own)
{
    for (int i = 0; i < 10; i++) {
        dame_profile_t *profile = dame_profile_new(path, "cpu", NULL, NULL);
        add(profile, "common", 1000, 2);
        add(profile, own, i, 1);
        int tries = 50; /* it gives up where others keep it waiting */
        while (dame_profile_save(profile) != DAME_OK) {
            if (--tries == 0) {
                return 1;
            }
        }
        dame_profile_free(profile);
    }
    return 0;
}

/* Two jobs of four ranks: each saves ten times, common measurements and its own. */
TEST(eight_writers_at_once_lose_nothing)
{
    enum { WRITERS = 8, TIMES = 10 };
    static const char *const own[WRITERS] = {"own0", "own1", "own2", "own3",
                                             "own4", "own5", "own6", "own7"};
    pid_t writers[WRITERS];
    for (int i = 0; i < WRITERS; i++) {
        writers[i] = checked_fork();
        if (writers[i] == 0) {
            _exit(write_often(in_place("p"), own[i]));
        }
    }
    for (int i = 0; i < WRITERS; i++) {
        expect_exit_0(writers[i]);
    }
    dame_profile_t *profile = open_profile("p");
    expect_known(profile, "common", WRITERS * TIMES * 2, 1000);
    for (int i = 0; i < WRITERS; i++) {
        ck_assert_int_eq(samples_of(profile, own[i], NULL), TIMES);
    }
    dame_profile_free(profile);
    ck_assert_int_eq(told, 0);
}

TEST(a_child_of_fork_saves_nothing)
{
    dame_profile_t *profile = open_profile("p");
    add(profile, "k", 1, 1);
    const pid_t child = fork();
    if (child == 0) {
        _exit(dame_profile_save(profile) == DAME_OK ? 0 : 1);
    }
    expect_exit_0(child);
    ck_assert_int_ne(access(in_place("p"), F_OK), 0);
    ck_assert_int_eq(dame_profile_save(profile), DAME_OK);
    ck_assert_int_eq(access(in_place("p"), F_OK), 0);
    dame_profile_free(profile);
}

TEST(who_waits_too_long_for_the_lock_saves_later)
{
    dame_profile_t *profile = open_profile("p");
    add(profile, "k", 1, 1);
    const int lock = open(in_place("p.lock"), O_RDWR | O_CREAT, 0600);
    ck_assert_int_eq(flock(lock, LOCK_EX), 0);
    ck_assert_int_eq(dame_profile_save(profile), DAME_ERR_DENIED);
    ck_assert_int_eq(samples_of(profile, "k", NULL), 1);
    ck_assert_int_eq(flock(lock, LOCK_UN), 0);
    ck_assert_int_eq(dame_profile_save(profile), DAME_OK);
    ck_assert_int_eq(access(in_place("p"), F_OK), 0);
    ck_assert_int_eq(told, 1);
    close(lock);
    dame_profile_free(profile);
}

/* As Lustre mounted without the option flock, and NFS without its lock service. */
TEST(where_no_file_can_be_locked_it_is_saved_without)
{
    static const int errors[] = {ENOLCK, ENOSYS, EOPNOTSUPP};
    for (int i = 0; i < 3; i++) {
        dame_profile_t *profile = open_profile("p");
        add(profile, "k", 1, 1);
        refused_locks = errors[i];
        const dame_status_t status = dame_profile_save(profile);
        refused_locks = 0;
        ck_assert_int_eq(status, DAME_OK);
        dame_profile_free(profile);
        profile = open_profile("p");
        ck_assert_int_eq(samples_of(profile, "k", NULL), i + 1);
        dame_profile_free(profile);
        ck_assert_int_ne(access(in_place("p.lock"), F_OK), 0);
    }
    ck_assert_int_eq(told, 0);
}

/* ---- files that it does not trust ---- */

static dame_profile_read_t read_back(const char *name, char *why, size_t room)
{
    dame_records_t records = {0};
    const dame_profile_read_t result =
        dame_profile_read(in_place(name), "cpu", &records, why, room);
    ck_assert(result == DAME_PROFILE_GOOD || records.n == 0);
    dame_records_free(&records);
    return result;
}

/* Every byte of the file in turn, and every length. */
TEST(any_damage_is_noticed)
{
    char text[4096], damaged[4096], why[256];
    const size_t size = good_file("p", text, sizeof(text));
    ck_assert_int_eq(read_back("p", why, sizeof(why)), DAME_PROFILE_GOOD);
    for (size_t i = 0; i < size; i++) {
        memcpy(damaged, text, size);
        damaged[i] = (char) (damaged[i] ^ 1);
        write_file(in_place("p"), damaged, size);
        ck_assert_msg(read_back("p", why, sizeof(why)) != DAME_PROFILE_GOOD, "byte %zu", i);
        ck_assert_str_ne(why, "");
    }
    for (size_t length = 0; length < size; length++) {
        write_file(in_place("p"), text, length);
        ck_assert_msg(read_back("p", why, sizeof(why)) != DAME_PROFILE_GOOD, "length %zu", length);
    }
}

/* FNV-1a, as in its authors' description. */
static uint64_t sum_of(const char *text)
{
    uint64_t sum = 14695981039346656037u;
    for (; *text != '\0'; text++) {
        sum = (sum ^ (unsigned char) *text) * 1099511628211u;
    }
    return sum;
}

static void write_lines(const char *name, const char *head, const char *lines)
{
    char text[4096];
    const int length = snprintf(text, sizeof(text), "%s%s", head, lines);
    (void) snprintf(text + length, sizeof(text) - (size_t) length, "sum %016" PRIx64 "\n",
                    sum_of(text));
    write_file(in_place(name), text, strlen(text));
}

#define HEAD "DAME profile 2\ndame " DAME_VERSION "\ncpu cpu\n"

TEST(every_field_is_checked)
{
    static const char *const bad[] = {
        "k pack 1 x\n",
        "k pack 1 x 5\n",
        "k pack 1 x 5 1\n",
        "k pack 1 x 5 1 1 1\n",
        "k pack 1 x 5 1 1 \n",
        "k  pack 1 x 5 1 1\n",
        " k pack 1 x 5 1 1\n",
        "k\tpack 1 x 5 1 1\n",
        "k pack 1  5 1 1\n",
        "\n",
        "k pak 1 x 5 1 1\n",
        "k pack -1 x 5 1 1\n",
        "k pack 32 x 5 1 1\n",
        "k pack 4294967297 x 5 1 1\n",
        "k pack 1 x -5 1 1\n",
        "k pack 1 x 5 0 1\n",
        "k pack 1 x 5 4097 1\n",
        "k pack 1 x 5 1 0\n",
        "k pack 1 x 5 1 -1\n",
        "k pack 1 x 5 1 1099511627777\n",
        "k pack 1 x/y 5 1 1\n",
        "k pack 1 x 1099511627777 1 1\n",
        "k pack 1 x 99999999999999999999 1 1\n",
        "k pack 1 x 5.5 1 1\n",
        "k pack 1 x 0x5 1 1\n",
        "k pack 1 x +5 1 1\n",
        "k pack 1 x 5 1 1\nk pack 1 x 5 1 1\n",
        "k pack 1 x 5 1 1\n\n",
        "0123456789012345678901234567890123 pack 1 x 5 1 1\n",
        ("k pack 1 "
         "01234567890123456789012345678901234567890123456789012345678901234567890123456789 5 1 "
         "1\n"),
    };
    char why[256];
    write_lines("p", HEAD, "k pack 1 x 5 1 1\nk unpack 31 x 1099511627776 4096 1099511627776\n");
    ck_assert_int_eq(read_back("p", why, sizeof(why)), DAME_PROFILE_GOOD);
    write_lines("p", HEAD, "");
    ck_assert_int_eq(read_back("p", why, sizeof(why)), DAME_PROFILE_GOOD);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        write_lines("p", HEAD, bad[i]);
        ck_assert_msg(read_back("p", why, sizeof(why)) == DAME_PROFILE_REPLACE, "%s", bad[i]);
        ck_assert_str_eq(why, "it is damaged");
    }
}

/* Not used and, unless it is ours, not touched. */
static void is_ignored(const char *name, const char *why, int replaced)
{
    char before[4096] = "", after[4096] = "";
    const int readable = access(in_place(name), R_OK) == 0 && geteuid() == 0;
    const size_t size = readable ? read_file(in_place(name), before, sizeof(before)) : 0;
    dame_profile_t *profile = open_profile(name);
    told = 0;
    ck_assert_int_eq(samples_of(profile, "k", NULL), 0);
    ck_assert_int_eq(told, 1);
    ck_assert_msg(strstr(last, why) != NULL, "%s", last);
    add(profile, "k", 1, 1);
    ck_assert_int_eq(dame_profile_save(profile), replaced ? DAME_OK : DAME_ERR_DENIED);
    ck_assert_int_eq(told, 1);
    dame_profile_free(profile);
    if (replaced) {
        profile = open_profile(name);
        ck_assert_int_eq(samples_of(profile, "k", NULL), 1);
        dame_profile_free(profile);
    } else if (readable) {
        ck_assert_int_eq(read_file(in_place(name), after, sizeof(after)), size);
        ck_assert_str_eq(before, after);
    }
}

TEST(a_damaged_file_is_replaced_and_that_of_another_stays)
{
    static const struct {
        const char *head, *lines, *why;
        int replaced;
    } cases[] = {
        {HEAD, "k pack 1 x\n", "it is damaged", 1},
        {"DAME profile 2\ndame 0.0.1\ncpu cpu\n", "k pack 1 x 5 1 1\n", "another version", 1},
        {"DAME profile 2\ndame " DAME_VERSION "\ncpu other\n", "k pack 1 x 5 1 1\n", "another CPU",
         0},
        {"DAME profile 1\ndame " DAME_VERSION "\ncpu cpu\n", "k pack 1 x 5 1\n",
         "its format, 1, is another", 1},
        {"DAME profile 3\nsomething else\n", "k pack 1 x 5 1\n", "its format, 3, is another", 0},
        {"my thesis\n", "", "not a profile", 0},
    };
    for (int i = 0; i < COUNT_OF(cases); i++) {
        write_lines("p", cases[i].head, cases[i].lines);
        is_ignored("p", cases[i].why, cases[i].replaced);
    }
}

TEST(links_pipes_and_files_of_others_are_not_used)
{
    char text[4096];
    (void) good_file("real", text, sizeof(text));
    ck_assert_int_eq(symlink(in_place("real"), in_place("link")), 0);
    is_ignored("link", "it is a symbolic link", 0);
    ck_assert_int_eq(mkfifo(in_place("pipe"), 0600), 0);
    dame_profile_t *profile = open_profile("pipe");
    told = 0;
    ck_assert_int_eq(samples_of(profile, "k", NULL), 0);
    ck_assert_int_eq(told, 1);
    ck_assert_msg(strstr(last, "it is not a regular file") != NULL, "%s", last);
    dame_profile_free(profile);
    ck_assert_int_eq(chmod(in_place("real"), 0664), 0);
    is_ignored("real", "users other than its owner may write it", 0);
    ck_assert_int_eq(chmod(in_place("real"), 0600), 0);
    if (geteuid() == 0) { /* only root can make a file of another user */
        ck_assert_int_eq(chown(in_place("real"), 12345, 12345), 0);
        is_ignored("real", "it belongs to another user", 0);
    }
}

TEST(a_directory_that_cannot_be_written_to_costs_one_line)
{
    char text[4096];
    (void) good_file("p", text, sizeof(text));
    ck_assert_int_eq(chmod(in_place("p"), 0644), 0);
    ck_assert_int_eq(chmod(directory, 0555), 0);
    if (geteuid() == 0) {
        ck_assert_int_eq(seteuid(12345), 0);
    }
    dame_profile_t *profile = open_profile("p"); /* root's profile serves everybody */
    ck_assert_int_eq(samples_of(profile, "steps-8-far", NULL), 3);
    add(profile, "k", 1, 1);
    ck_assert_int_eq(dame_profile_save(profile), DAME_ERR_DENIED);
    ck_assert_int_eq(dame_profile_save(profile), DAME_ERR_DENIED);
    ck_assert_int_eq(told, 1);
    ck_assert_msg(strstr(last, "measurements are not written") != NULL, "%s", last);
    dame_profile_free(profile);
    if (getuid() == 0) {
        ck_assert_int_eq(seteuid(0), 0);
    }
}

/* ---- names ---- */

TEST(programs_are_of_a_kind_and_sizes_of_a_class)
{
    static const int64_t sizes[] = {0, 1, 3, 4, 15, 16, 1 << 20, INT64_MAX};
    static const int32_t classes[] = {0, 0, 0, 1, 1, 2, 10, 31};
    const int64_t disps[] = {0, 96, 32, 200}, lengths[] = {1, 5, 2, 3};
    const struct {
        const dame_type_t *type;
        const char *kind;
    } cases[] = {
        {vector(100, 1, 16, basic(8)), "steps-8-near"},
        {vector(100, 1, 72, basic(8)), "steps-8-far"},
        {vector(100, 1, 1 << 20, basic(8)), "steps-8-set"},
        {vector(100, 3, 72, basic(4)), "steps-<16-far"},
        {vector(100, 100, 8000, basic(8)), "steps-<1024-far"},
        {vector(3, 1, 80000, vector(100, 2, 72, basic(8))), "steps-16-far-nested"},
        {blockindex(4, 1, disps, basic(8)), "list-8"},
        {index_type(4, lengths, disps, basic(8)), "blocks-<32"},
        {contig(0, basic(8)), "other"},
    };
    for (int i = 0; i < COUNT_OF(cases); i++) {
        char kind[DAME_PROFILE_WORD];
        dame_program_t *program = program_of(cases[i].type);
        dame_profile_kind(program, kind);
        ck_assert_str_eq(kind, cases[i].kind);
        dame_program_free(program);
    }
    for (int i = 0; i < COUNT_OF(sizes); i++) {
        ck_assert_int_eq(dame_profile_class(sizes[i]), classes[i]);
    }
}

TEST(this_cpu_has_a_name)
{
    char name[128];
    const dame_data_cache_t *cache = dame_data_cache();
    dame_profile_cpu(name, sizeof(name));
    ck_assert_uint_ge(strlen(name), 8);
    ck_assert_ptr_null(strpbrk(name, " /\n"));
    ck_assert_int_eq(cache->l1 % cache->ways, 0);
    ck_assert_int_eq(cache->l1 / cache->ways & (cache->l1 / cache->ways - 1), 0);
    ck_assert_int_ge(cache->l2, cache->l1);
    ck_assert_int_ge(cache->l1 / cache->ways, cache->line);
}

SUITE_OF(profile, 1, directory_setup, directory_teardown)
