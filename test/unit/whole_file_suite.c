/* SPDX-License-Identifier: BSD-3-Clause */
/* Files written as a whole: anything but a regular file is written into, or left alone. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/whole_file.h"
#include "suites.h"
#include "tools.h"

static const char text[] = "new text";
enum { SIZE = sizeof text - 1 };

/* Names of files of the test. */
static char file[100], other[100];

static void setup(void)
{
    directory_setup();
    snprintf(file, sizeof file, "%s/file", directory);
    snprintf(other, sizeof other, "%s/other", directory);
}

static void put(const char *path, const char *old)
{
    write_file(path, old, strlen(old));
}

static void expect(const char *path, const char *wanted)
{
    char found[100];
    read_file(path, found, sizeof found);
    ck_assert_str_eq(found, wanted);
}

static struct stat status_of(const char *path)
{
    struct stat about;
    ck_assert_int_eq(lstat(path, &about), 0);
    return about;
}

static int names_in_directory(void)
{
    int n = 0;
    DIR *names = opendir(directory);
    for (struct dirent *name; (name = readdir(names));) {
        n += name->d_name[0] != '.';
    }
    closedir(names);
    return n;
}

static int write_to(const char *path)
{
    return dame_file_write(path, 0, text, SIZE);
}

static int replace(const char *path)
{
    return dame_file_replace(AT_FDCWD, path, 0640, 0, text, SIZE);
}

TEST(a_new_file_has_the_mode_of_the_umask)
{
    umask(027);
    ck_assert_int_eq(write_to(file), 0);
    expect(file, text);
    ck_assert_int_eq(status_of(file).st_mode & 0777, 0640);
    umask(0);
    ck_assert_int_eq(replace(other), 0);
    ck_assert_int_eq(status_of(other).st_mode & 0777, 0640);
    ck_assert_int_eq(names_in_directory(), 2);
}

/* A process that has it open goes on reading the old one. */
TEST(a_regular_file_is_replaced)
{
    int (*const ways[])(const char *path) = {write_to, replace};
    for (int i = 0; i < COUNT_OF(ways); i++) {
        char found[100] = "";
        put(file, "old, and longer than the new text");
        ck_assert_int_eq(chmod(file, 0604), 0);
        const int before = open(file, O_RDONLY);
        ck_assert_int_eq(ways[i](file), 0);
        expect(file, text);
        ck_assert_int_eq(read(before, found, 3), 3);
        ck_assert_str_eq(found, "old");
        close(before);
        ck_assert_int_eq(status_of(file).st_mode & 0777, i == 0 ? 0604 : 0640);
        ck_assert_int_eq(names_in_directory(), 1);
        ck_assert_int_eq(unlink(file), 0);
    }
}

TEST(a_link_is_followed_when_the_user_has_named_it)
{
    put(other, "old");
    ck_assert_int_eq(symlink("other", file), 0);
    ck_assert_int_eq(write_to(file), 0);
    ck_assert(S_ISLNK(status_of(file).st_mode));
    expect(other, text);
    ck_assert_int_eq(unlink(other), 0); /* now it leads to nothing */
    ck_assert_int_eq(write_to(file), 0);
    ck_assert(S_ISLNK(status_of(file).st_mode));
    expect(other, text);
    put(other, "old");
    ck_assert_int_eq(replace(file), ELOOP);
    ck_assert(S_ISLNK(status_of(file).st_mode));
    expect(other, "old");
    ck_assert_int_eq(names_in_directory(), 2);
}

/* Its owner, or its other name, would lose it. */
TEST(a_file_that_cannot_be_replaced_is_overwritten)
{
    put(file, "old, and longer than the new text");
    ck_assert_int_eq(link(file, other), 0);
    ck_assert_int_eq(write_to(file), 0);
    expect(other, text);
    ck_assert_int_eq(status_of(file).st_nlink, 2);
    ck_assert_int_eq(unlink(other), 0);
    if (geteuid() == 0) {
        ck_assert_int_eq(chown(file, 65534, 65534), 0);
        put(file, "old, and longer than the new text");
        ck_assert_int_eq(write_to(file), 0);
        expect(file, text);
        ck_assert_uint_eq(status_of(file).st_uid, 65534);
    }
    ck_assert_int_eq(names_in_directory(), 1);
}

TEST(directories_and_sockets_are_refused)
{
    ck_assert_int_eq(write_to(directory), EISDIR);
    ck_assert_int_eq(replace(directory), EISDIR);
    ck_assert_int_eq(mknod(file, S_IFSOCK | 0600, 0), 0);
    ck_assert_int_eq(write_to(file), DAME_FILE_NOT_REGULAR);
    ck_assert_int_eq(replace(file), DAME_FILE_NOT_REGULAR);
    ck_assert(S_ISSOCK(status_of(file).st_mode));
    snprintf(other, sizeof other, "%s/none/file", directory);
    ck_assert_int_eq(write_to(other), ENOENT);
    ck_assert_int_eq(names_in_directory(), 1);
}

TEST(a_device_is_written_into)
{
    if (geteuid() != 0 || mknod(file, S_IFCHR | 0600, 1 << 8 | 3) != 0) {
        return; /* as /dev/null is */
    }
    ck_assert_int_eq(write_to(file), 0);
    ck_assert(S_ISCHR(status_of(file).st_mode));
    ck_assert_int_eq(replace(file), DAME_FILE_NOT_REGULAR);
    ck_assert(S_ISCHR(status_of(file).st_mode));
    ck_assert_int_eq(names_in_directory(), 1);
}

TEST(a_pipe_is_written_into_and_not_waited_for)
{
    char found[100] = "";
    ck_assert_int_eq(mkfifo(file, 0600), 0);
    ck_assert_int_eq(write_to(file), DAME_FILE_NO_READER);
    ck_assert_int_eq(replace(file), DAME_FILE_NOT_REGULAR);
    const int reader = open(file, O_RDONLY | O_NONBLOCK);
    ck_assert_int_eq(write_to(file), 0);
    ck_assert_int_eq(read(reader, found, sizeof found - 1), SIZE);
    ck_assert_str_eq(found, text);
    close(reader);
    ck_assert(S_ISFIFO(status_of(file).st_mode));
    ck_assert_int_eq(names_in_directory(), 1);
}

/* The patient one waits for the reader, who comes late; more than a pipe holds arrives. */
TEST(patience_waits_for_a_reader)
{
    static char much[200000], got[sizeof much];
    memset(much, 'm', sizeof much);
    ck_assert_int_eq(mkfifo(file, 0600), 0);
    const pid_t writer = fork();
    if (writer == 0) {
        _exit(dame_file_write(file, DAME_FILE_PATIENT, much, sizeof much) == 0 ? 0 : 1);
    }
    const int reader = open(file, O_RDONLY); /* waits for the writer */
    size_t done = 0;
    for (ssize_t n; (n = read(reader, got + done, sizeof got - done)) > 0;) {
        done += (size_t) n;
    }
    ck_assert_uint_eq(done, sizeof much);
    ck_assert_mem_eq(got, much, sizeof much);
    int code;
    ck_assert_int_eq(waitpid(writer, &code, 0), writer);
    ck_assert_int_eq(code, 0);
}

TEST(what_is_refused_has_a_text)
{
    ck_assert_str_eq(dame_file_error_text(DAME_FILE_NOT_REGULAR), "it is not a regular file");
    ck_assert_str_eq(dame_file_error_text(DAME_FILE_NO_READER),
                     "no process has the pipe open for reading");
    ck_assert_str_eq(dame_file_error_text(DAME_FILE_FOREIGN), "it belongs to another user");
    ck_assert_str_eq(dame_file_error_text(ENOSPC), strerror(ENOSPC));
    ck_assert_str_eq(dame_file_error_text(EISDIR), "it is a directory");
}

/* SIGPIPE has its default action, which would end the test. */
TEST(a_reader_who_leaves_ends_nobody)
{
    static const char much[200000];
    ck_assert_int_eq(mkfifo(file, 0600), 0);
    const pid_t child = fork();
    if (child == 0) {
        char some[10];
        const int reader = open(file, O_RDONLY);
        _exit(read(reader, some, sizeof some) > 0 ? 0 : 1);
    }
    signal(SIGPIPE, SIG_DFL);
    ck_assert_int_eq(dame_file_write(file, DAME_FILE_PATIENT, much, sizeof much), EPIPE);
    sigset_t left;
    sigpending(&left);
    ck_assert(!sigismember(&left, SIGPIPE));
    pthread_sigmask(SIG_BLOCK, NULL, &left);
    ck_assert(!sigismember(&left, SIGPIPE));
    int code;
    ck_assert_int_eq(waitpid(child, &code, 0), child);
    ck_assert_int_eq(code, 0);
}

/* What the process has written to its standard output stays, whatever that is. */
TEST(standard_output_is_written_to)
{
    const char *const names[] = {other, file}; /* not /dev/stdout itself: root could replace it */
    ck_assert_int_eq(symlink("/dev/stdout", other), 0);
    fflush(stdout);
    const int before = dup(STDOUT_FILENO), out = open(file, O_WRONLY | O_CREAT, 0600);
    int bad = dup2(out, STDOUT_FILENO) != STDOUT_FILENO;
    for (int i = 0; i < COUNT_OF(names); i++) {
        printf("%d ", i);
        bad |= write_to(names[i]);
    }
    printf("end");
    fflush(stdout);
    dup2(before, STDOUT_FILENO);
    close(before);
    close(out);
    ck_assert_int_eq(bad, 0);
    expect(file, "0 new text1 new textend");
    ck_assert_int_eq(names_in_directory(), 2);
}

SUITE_OF(whole_file, 1, setup, directory_teardown)
