/*
 * Tries every file of the fuzzer's corpus, or those named, with whatever compiler and sanitizer
 * this was built with. A failure aborts, after the name of the file.
 */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"

enum { LONGEST = 1 << 20 };

static int passed;
static int failed;
static int moved;
static char name[1000]; /* of the file at work, with a newline */

/* A sanitizer calls it before its report, where there is one. */
void __asan_on_error(void);
void __asan_on_error(void)
{
    ssize_t written = write(STDERR_FILENO, name, strlen(name));
    (void) written;
}

static void on_abort(int signal_number)
{
    (void) signal_number;
    __asan_on_error();
}

static void replay_file(const char *path)
{
    snprintf(name, sizeof name, "replay: in %s\n", path);
    FILE *file = fopen(path, "rb");
    uint8_t *data = malloc(LONGEST);
    size_t size = file && data ? fread(data, 1, LONGEST, file) : 0;
    if (!file || !data || ferror(file) || size == LONGEST) {
        fprintf(stderr, "replay: cannot read %s: %s\n", path,
                size == LONGEST ? "too long" : strerror(errno));
        failed++;
    } else {
        moved += fuzz_one(data, size);
        passed++;
    }
    free(data);
    if (file) {
        fclose(file);
    }
}

static void replay(const char *path)
{
    DIR *dir = opendir(path);
    if (!dir) {
        replay_file(path);
        return;
    }
    for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
        if (entry->d_name[0] != '.') {
            char inside[900];
            snprintf(inside, sizeof inside, "%s/%s", path, entry->d_name);
            replay_file(inside);
        }
    }
    closedir(dir);
}

int main(int argc, char **argv)
{
    signal(SIGABRT, on_abort);
    if (argc == 1) {
        replay(FUZZ_CORPUS);
    }
    for (int i = 1; i < argc; i++) {
        replay(argv[i]);
    }
    printf("%d messages moved\n%d passed, %d failed\n", moved, passed, failed);
    return failed == 0 && passed > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
