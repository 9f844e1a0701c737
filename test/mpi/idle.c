/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A job that uses no derived datatype: what each process has got in MPI_Init, for the caller to
 * compare with a job without DAME. idle PREFIX writes PREFIX.<rank>: the threads, the open files
 * and the mapped ones, and the memory that is executable without a file.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mpi_check.h"
#include "tests.h"

static void list_threads(FILE *out)
{
    int n = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *task; tasks != NULL && (task = readdir(tasks)) != NULL;) {
        n += '.' != task->d_name[0];
    }
    fprintf(out, "threads %d\n", n);
    closedir(tasks);
}

static void list_open_files(FILE *out)
{
    DIR *files = opendir("/proc/self/fd");
    for (struct dirent *file; files != NULL && (file = readdir(files)) != NULL;) {
        char link[64], path[512];
        (void) snprintf(link, sizeof(link), "/proc/self/fd/%.20s", file->d_name);
        const ssize_t length = readlink(link, path, sizeof(path) - 1);
        if (length > 0 && path[0] == '/') { /* no socket, no pipe */
            path[length] = '\0';
            fprintf(out, "open %s\n", path);
        }
    }
    closedir(files);
}

static void list_mappings(FILE *out)
{
    char line[1024], mode[8], path[512], last[512] = "";
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps != NULL && fgets(line, sizeof(line), maps) != NULL) {
        path[0] = '\0';
        if (sscanf(line, "%*s %7s %*s %*s %*s %511[^\n]", mode, path) < 1) {
            continue;
        }
        if (path[0] != '/') {
            if (mode[2] == 'x' && path[0] != '[') {
                fprintf(out, "executable %s\n", path);
            }
        } else if (strcmp(path, last) != 0) {
            fprintf(out, "mapped %s\n", path);
            (void) strcpy(last, path);
        }
    }
    fclose(maps);
}

int idle_main(int argc, char **argv)
{
    char path[512];
    int sum = 0;
    check_init(&argc, &argv);
    MPI_Allreduce(&my_rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    check(world_size * (world_size - 1) / 2 == sum, "a sum over all ranks");
    (void) snprintf(path, sizeof(path), "%s.%d", argv[1], my_rank);
    FILE *out = fopen(path, "w");
    if (check(out != NULL, "%s can be written", path)) {
        list_threads(out);
        list_mappings(out);
        fclose(out);
        out = fopen(path, "a");
        list_open_files(out);
        fclose(out);
    }
    return check_finish();
}
