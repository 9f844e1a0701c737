/* The machine's profile: where it is, what it keeps, and which files it does not trust. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dame_config.h"
#include "measure/records.h"
#include "suites.h"
#include "tools.h"

static char place[64]; /* a directory of this test's own */
static int told;
static char last[8192];

static void make_place(void)
{
    (void) strcpy(place, "/tmp/dame_profile_XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(place));
    told = 0;
}

static void remove_place(void)
{
    char command[256];
    (void) snprintf(command, sizeof(command), "chmod -R u+w %.60s && rm -rf %.60s", place, place);
    ck_assert_int_eq(system(command), 0);
}

static void tell(const char *text)
{
    told++;
    (void) snprintf(last, sizeof(last), "%s", text);
}

static const char *in_place(const char *name)
{
    static char paths[4][256];
    static int next;
    char *path = paths[next++ % 4];
    (void) snprintf(path, 256, "%s/%s", place, name);
    return path;
}

static dame_profile_t *open_profile(const char *name)
{
    dame_profile_t *profile = dame_profile_new(in_place(name), "cpu", tell);
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

static void write_file(const char *name, const char *text, size_t size)
{
    FILE *file = fopen(in_place(name), "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fwrite(text, 1, size, file), size);
    ck_assert_int_eq(fclose(file), 0);
}

static size_t read_file(const char *name, char *text, size_t room)
{
    FILE *file = fopen(in_place(name), "r");
    ck_assert_ptr_nonnull(file);
    const size_t size = fread(text, 1, room - 1, file);
    text[size] = '\0';
    fclose(file);
    return size;
}

/* A file with two records. */
static size_t good_file(const char *name, char *text, size_t room)
{
    dame_profile_t *profile = open_profile(name);
    add(profile, "steps-8-far", 1234, 3);
    add(profile, "list-<64", 5, 1);
    ck_assert_int_eq(dame_profile_save(profile), DAME_OK);
    dame_profile_free(profile);
    return read_file(name, text, room);
}

/* ---- where it is ---- */

static void is_at(const char *where, const char *path)
{
    dame_profile_t *profile = dame_profile_new(where, "cpu", tell);
    ck_assert_str_eq(dame_profile_path(profile), path);
    dame_profile_free(profile);
}

START_TEST(its_place_follows_the_rules_of_xdg)
{
    setenv("HOME", place, 1);
    unsetenv("XDG_CACHE_HOME");
    is_at("auto", in_place(".cache/dame/cpu.profile"));
    setenv("XDG_CACHE_HOME", "relative", 1);
    is_at("auto", in_place(".cache/dame/cpu.profile"));
    setenv("XDG_CACHE_HOME", in_place("cache"), 1);
    is_at("auto", in_place("cache/dame/cpu.profile"));
    is_at("", "");
    is_at(place, in_place("cpu.profile"));
    is_at(in_place("file"), in_place("file"));
    ck_assert_int_eq(chdir(place), 0);
    is_at("file", in_place("file"));
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    is_at("auto", "");
    ck_assert_int_eq(told, 0);
}
END_TEST

START_TEST(directories_are_made_when_something_was_learnt)
{
    setenv("XDG_CACHE_HOME", in_place("new"), 1);
    dame_profile_t *profile = dame_profile_new("auto", "cpu", tell);
    ck_assert_int_eq(samples_of(profile, "k", NULL), 0);
    ck_assert_int_eq(dame_profile_save(profile), DAME_OK);
    ck_assert_int_ne(access(in_place("new"), F_OK), 0);
    add(profile, "k", 1, 1);
    ck_assert_int_eq(dame_profile_save(profile), DAME_OK);
    ck_assert_int_eq(access(in_place("new/dame/cpu.profile"), R_OK), 0);
    dame_profile_free(profile);
    ck_assert_int_eq(told, 0);
}
END_TEST

/* ---- what it keeps ---- */

START_TEST(what_was_learnt_is_known_later)
{
    int64_t mean = 0;
    dame_profile_t *profile = open_profile("p");
    add(profile, "k", 100, 2);
    add(profile, "k", 400, 1);
    ck_assert_int_eq(samples_of(profile, "k", &mean), 3);
    ck_assert_int_eq(mean, 200);
    ck_assert_int_eq(dame_profile_save(profile), DAME_OK);
    ck_assert_int_eq(dame_profile_save(profile), DAME_OK);
    dame_profile_free(profile);
    profile = open_profile("p");
    ck_assert_int_eq(samples_of(profile, "k", &mean), 3);
    ck_assert_int_eq(mean, 200);
    ck_assert_int_eq(samples_of(profile, "other", NULL), 0);
    add(profile, "k", 500, 3);
    ck_assert_int_eq(samples_of(profile, "k", &mean), 6);
    ck_assert_int_eq(mean, 350);
    dame_profile_free(profile); /* not saved */
    profile = open_profile("p");
    ck_assert_int_eq(samples_of(profile, "k", &mean), 3);
    dame_profile_free(profile);
    ck_assert_int_eq(told, 0);
}
END_TEST

START_TEST(what_is_out_of_range_is_not_learnt)
{
    dame_profile_t *profile = open_profile("p");
    add(profile, "two words", 1, 1);
    add(profile, "line\n", 1, 1);
    add(profile, "", 1, 1);
    add(profile, "negative", -1, 1);
    add(profile, "huge", INT64_C(1) << 41, 1);
    add(profile, "none", 1, 0);
    add(profile, "many", 1, 4097);
    dame_profile_key_t key = key_of("class", "x");
    key.size_class = 32;
    dame_profile_add(profile, &key, &(dame_profile_value_t){1, 1});
    memset(key.kind, 'k', sizeof(key.kind));
    dame_profile_add(profile, &key, &(dame_profile_value_t){1, 1});
    ck_assert_int_eq(dame_profile_save(profile), DAME_OK);
    ck_assert_int_ne(access(in_place("p"), F_OK), 0);
    for (int i = 0; i < DAME_PROFILE_RECORDS + 10; i++) {
        char kind[16];
        (void) snprintf(kind, sizeof(kind), "k%d", i * 7919 % 10007);
        add(profile, kind, i, 1);
    }
    ck_assert_int_eq(dame_profile_save(profile), DAME_OK);
    dame_profile_free(profile);
    profile = open_profile("p");
    ck_assert_int_eq(samples_of(profile, "k0", NULL), 1);
    dame_profile_free(profile);
    ck_assert_int_eq(told, 0);
}
END_TEST

typedef struct seen {
    int n;
    dame_profile_key_t last;
    int64_t samples;
} seen_t;

static void visit(void *argument, const dame_profile_key_t *key, const dame_profile_value_t *value)
{
    seen_t *seen = argument;
    ck_assert(seen->n == 0 || strcmp(seen->last.kind, key->kind) < 0);
    seen->n++;
    seen->last = *key;
    seen->samples += value->samples;
}

START_TEST(all_that_is_known_can_be_listed)
{
    seen_t seen = {0};
    dame_profile_t *profile = open_profile("p");
    add(profile, "c", 1, 1);
    add(profile, "a", 1, 2);
    add(profile, "b", 1, 3);
    ck_assert_int_eq(dame_profile_each(profile, visit, &seen), 3);
    ck_assert_int_eq(seen.n, 3);
    ck_assert_int_eq(seen.samples, 6);
    dame_profile_free(profile);
}
END_TEST

static int write_often(const char *path, const char *own)
{
    for (int i = 0; i < 10; i++) {
        dame_profile_t *profile = dame_profile_new(path, "cpu", NULL);
        add(profile, "common", 1000, 2);
        add(profile, own, i, 1);
        if (dame_profile_save(profile) != DAME_OK) {
            return 1;
        }
        dame_profile_free(profile);
    }
    return 0;
}

/* Two jobs of four ranks: each saves ten times, what all measure and what it alone does. */
START_TEST(eight_writers_at_once_lose_nothing)
{
    enum { WRITERS = 8, TIMES = 10 };
    pid_t writers[WRITERS];
    for (int i = 0; i < WRITERS; i++) {
        writers[i] = fork();
        ck_assert_int_ge(writers[i], 0);
        if (writers[i] == 0) {
            char own[16];
            (void) snprintf(own, sizeof(own), "own%d", i);
            _exit(write_often(in_place("p"), own));
        }
    }
    for (int i = 0; i < WRITERS; i++) {
        int status;
        ck_assert_int_eq(waitpid(writers[i], &status, 0), writers[i]);
        ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    int64_t mean = 0;
    dame_profile_t *profile = open_profile("p");
    ck_assert_int_eq(samples_of(profile, "common", &mean), WRITERS * TIMES * 2);
    ck_assert_int_eq(mean, 1000);
    for (int i = 0; i < WRITERS; i++) {
        char own[16];
        (void) snprintf(own, sizeof(own), "own%d", i);
        ck_assert_int_eq(samples_of(profile, own, NULL), TIMES);
    }
    dame_profile_free(profile);
    ck_assert_int_eq(told, 0);
}
END_TEST

START_TEST(a_child_of_fork_saves_nothing)
{
    dame_profile_t *profile = open_profile("p");
    add(profile, "k", 1, 1);
    const pid_t child = fork();
    if (child == 0) {
        _exit(dame_profile_save(profile) == DAME_OK ? 0 : 1);
    }
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    ck_assert_int_ne(access(in_place("p"), F_OK), 0);
    ck_assert_int_eq(dame_profile_save(profile), DAME_OK);
    ck_assert_int_eq(access(in_place("p"), F_OK), 0);
    dame_profile_free(profile);
}
END_TEST

START_TEST(who_waits_too_long_for_the_lock_saves_later)
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
END_TEST

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
START_TEST(any_damage_is_noticed)
{
    char text[4096], damaged[4096], why[256];
    const size_t size = good_file("p", text, sizeof(text));
    ck_assert_int_eq(read_back("p", why, sizeof(why)), DAME_PROFILE_GOOD);
    for (size_t i = 0; i < size; i++) {
        memcpy(damaged, text, size);
        damaged[i] = (char) (damaged[i] ^ 1);
        write_file("p", damaged, size);
        ck_assert_msg(read_back("p", why, sizeof(why)) != DAME_PROFILE_GOOD, "byte %zu", i);
        ck_assert_str_ne(why, "");
    }
    for (size_t length = 0; length < size; length++) {
        write_file("p", text, length);
        ck_assert_msg(read_back("p", why, sizeof(why)) != DAME_PROFILE_GOOD, "length %zu", length);
    }
}
END_TEST

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
    write_file(name, text, strlen(text));
}

#define HEAD "DAME profile 1\ndame " DAME_VERSION "\ncpu cpu\n"

START_TEST(every_field_is_checked)
{
    static const char *const bad[] = {
        "k pack 1 x\n",
        "k pack 1 x 5\n",
        "k pack 1 x 5 1 1\n",
        "k pack 1 x 5 1 \n",
        "k  pack 1 x 5 1\n",
        " k pack 1 x 5 1\n",
        "k pak 1 x 5 1\n",
        "k pack -1 x 5 1\n",
        "k pack 32 x 5 1\n",
        "k pack 4294967297 x 5 1\n",
        "k pack 1 x -5 1\n",
        "k pack 1 x 5 0\n",
        "k pack 1 x 5 4097\n",
        "k pack 1 x 1099511627777 1\n",
        "k pack 1 x 99999999999999999999 1\n",
        "k pack 1 x 5.5 1\n",
        "k pack 1 x 0x5 1\n",
        "k pack 1 x +5 1\n",
        "k pack 1 x 5 1\nk pack 1 x 5 1\n",
        "k pack 1  5 1\n",
        "\n",
        "k pack 1 x/y 5 1\n",
        "k pack 1 x 5 1\n\n",
        "0123456789012345678901234567890123 pack 1 x 5 1\n",
        ("k pack 1 "
         "01234567890123456789012345678901234567890123456789012345678901234567890123456789 5 1\n"),
        "k\tpack 1 x 5 1\n",
    };
    char why[256];
    write_lines("p", HEAD, "k pack 1 x 5 1\nk unpack 31 x 1099511627776 4096\n");
    ck_assert_int_eq(read_back("p", why, sizeof(why)), DAME_PROFILE_GOOD);
    write_lines("p", HEAD, "");
    ck_assert_int_eq(read_back("p", why, sizeof(why)), DAME_PROFILE_GOOD);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        write_lines("p", HEAD, bad[i]);
        ck_assert_msg(read_back("p", why, sizeof(why)) == DAME_PROFILE_REPLACE, "%s", bad[i]);
        ck_assert_str_eq(why, "it is damaged");
    }
}
END_TEST

/* Not used and, unless it is ours, not touched. */
static void is_ignored(const char *name, const char *why, int replaced)
{
    char before[4096] = "", after[4096] = "";
    const int readable = access(in_place(name), R_OK) == 0 && geteuid() == 0;
    const size_t size = readable ? read_file(name, before, sizeof(before)) : 0;
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
        ck_assert_int_eq(read_file(name, after, sizeof(after)), size);
        ck_assert_str_eq(before, after);
    }
}

START_TEST(a_damaged_file_is_replaced)
{
    write_lines("p", HEAD, "k pack 1 x\n");
    is_ignored("p", "it is damaged", 1);
    write_lines("p", "DAME profile 1\ndame 0.0.1\ncpu cpu\n", "k pack 1 x 5 1\n");
    is_ignored("p", "another version", 1);
}
END_TEST

START_TEST(the_file_of_another_stays_as_it_is)
{
    write_lines("p", "DAME profile 1\ndame " DAME_VERSION "\ncpu other\n", "k pack 1 x 5 1\n");
    is_ignored("p", "another CPU", 0);
    write_lines("p", "DAME profile 2\nsomething else\n", "k pack 1 x 5 1\n");
    is_ignored("p", "its format, 2, is another", 0);
    write_file("p", "my thesis\n", 10);
    is_ignored("p", "not a profile", 0);
}
END_TEST

START_TEST(links_directories_and_pipes_are_not_used)
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
    dame_profile_free(profile);
}
END_TEST

START_TEST(a_file_of_another_user_is_not_used)
{
    char text[4096];
    if (geteuid() != 0) {
        return; /* only root can make one */
    }
    (void) good_file("p", text, sizeof(text));
    ck_assert_int_eq(chown(in_place("p"), 12345, 12345), 0);
    is_ignored("p", "others may write it or its directory", 0);
}
END_TEST

START_TEST(a_directory_that_cannot_be_written_to_costs_one_line)
{
    char text[4096];
    (void) good_file("p", text, sizeof(text));
    ck_assert_int_eq(chmod(in_place("p"), 0644), 0);
    ck_assert_int_eq(chmod(place, 0555), 0);
    if (geteuid() == 0) {
        ck_assert_int_eq(seteuid(12345), 0);
    }
    dame_profile_t *profile = open_profile("p"); /* root's profile serves everybody */
    ck_assert_int_eq(samples_of(profile, "steps-8-far", NULL), 3);
    add(profile, "k", 1, 1);
    ck_assert_int_eq(dame_profile_save(profile), DAME_ERR_DENIED);
    ck_assert_int_eq(dame_profile_save(profile), DAME_ERR_DENIED);
    ck_assert_int_eq(told, 1);
    ck_assert_msg(strstr(last, "is not written") != NULL, "%s", last);
    dame_profile_free(profile);
    if (getuid() == 0) {
        ck_assert_int_eq(seteuid(0), 0);
    }
}
END_TEST

/* ---- names ---- */

static void is_of_kind(const dame_type_t *type, const char *expected)
{
    char kind[DAME_PROFILE_WORD];
    dame_program_t *program = program_of(type);
    dame_profile_kind(program, kind);
    ck_assert_str_eq(kind, expected);
    dame_program_free(program);
}

START_TEST(programs_are_of_a_kind)
{
    const int64_t disps[] = {0, 96, 32, 200}, lengths[] = {1, 5, 2, 3};
    tree_setup();
    is_of_kind(vector(100, 1, 16, basic(8)), "steps-8-near");
    is_of_kind(vector(100, 1, 72, basic(8)), "steps-8-far");
    is_of_kind(vector(100, 1, 1 << 20, basic(8)), "steps-8-set");
    is_of_kind(vector(100, 3, 72, basic(4)), "steps-<16-far");
    is_of_kind(vector(100, 100, 8000, basic(8)), "steps-<1024-far");
    is_of_kind(vector(3, 1, 80000, vector(100, 2, 72, basic(8))), "steps-16-far-nested");
    is_of_kind(blockindex(4, 1, disps, basic(8)), "list-8");
    is_of_kind(index_type(4, lengths, disps, basic(8)), "blocks-<32");
    is_of_kind(contig(0, basic(8)), "other");
    tree_teardown();
}
END_TEST

START_TEST(sizes_are_of_a_class)
{
    static const int64_t sizes[] = {0, 1, 3, 4, 15, 16, 1 << 20, INT64_MAX};
    static const int32_t classes[] = {0, 0, 0, 1, 1, 2, 10, 31};
    for (int i = 0; i < 8; i++) {
        ck_assert_int_eq(dame_profile_class(sizes[i]), classes[i]);
    }
}
END_TEST

START_TEST(this_cpu_has_a_name)
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
END_TEST

Suite *profile_suite(void)
{
    Suite *suite = suite_create("profile");
    TCase *tcase = tcase_create("profile");
    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, make_place, remove_place);
    tcase_add_test(tcase, its_place_follows_the_rules_of_xdg);
    tcase_add_test(tcase, directories_are_made_when_something_was_learnt);
    tcase_add_test(tcase, what_was_learnt_is_known_later);
    tcase_add_test(tcase, what_is_out_of_range_is_not_learnt);
    tcase_add_test(tcase, all_that_is_known_can_be_listed);
    tcase_add_test(tcase, eight_writers_at_once_lose_nothing);
    tcase_add_test(tcase, a_child_of_fork_saves_nothing);
    tcase_add_test(tcase, who_waits_too_long_for_the_lock_saves_later);
    tcase_add_test(tcase, any_damage_is_noticed);
    tcase_add_test(tcase, every_field_is_checked);
    tcase_add_test(tcase, a_damaged_file_is_replaced);
    tcase_add_test(tcase, the_file_of_another_stays_as_it_is);
    tcase_add_test(tcase, links_directories_and_pipes_are_not_used);
    tcase_add_test(tcase, a_file_of_another_user_is_not_used);
    tcase_add_test(tcase, a_directory_that_cannot_be_written_to_costs_one_line);
    tcase_add_test(tcase, programs_are_of_a_kind);
    tcase_add_test(tcase, sizes_are_of_a_class);
    tcase_add_test(tcase, this_cpu_has_a_name);
    suite_add_tcase(suite, tcase);
    return suite;
}
