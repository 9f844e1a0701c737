/* The file in which perf looks for names of machine code. */
#include "perf_map.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dame/heap.h"
#include "whole_file.h"

enum { LONGEST_LINE = 512 };

struct dame_perf_map {
    size_t size;
    char path[];
};

dame_status_t dame_perf_map_create(const char *directory, dame_perf_map_t **out)
{
    const long process = getpid();
    const int length = snprintf(NULL, 0, "%s/perf-%ld.map", directory, process);
    dame_perf_map_t *map = length < 0 ? NULL : dame_heap_alloc(sizeof(*map) + (size_t) length + 1);
    if (map == NULL) {
        return DAME_ERR_NOMEM;
    }
    map->size = (size_t) length + 1;
    snprintf(map->path, map->size, "%s/perf-%ld.map", directory, process);
    *out = map;
    return DAME_OK;
}

void dame_perf_map_destroy(dame_perf_map_t *map)
{
    dame_heap_free(map);
}

/* Appends one line. No descriptor stays open, and no link is followed and no pipe waited for: the
 * directory is one where others may write. Returns 0 or an error number (whole_file.h). */
static int append(const char *path, const char *line, size_t length)
{
    enum { FLAGS = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK };
    const int fd = open(path, FLAGS, 0644);
    if (fd < 0) {
        return errno == ENXIO ? DAME_FILE_NOT_REGULAR : errno; /* a pipe without a reader */
    }
    struct stat about;
    int error = fstat(fd, &about) != 0    ? errno
                : !S_ISREG(about.st_mode) ? DAME_FILE_NOT_REGULAR
                                          : 0;
    if (error == 0) {
        const ssize_t written = write(fd, line, length);
        error = written < 0 ? errno : written != (ssize_t) length ? ENOSPC : 0;
    }
    if (close(fd) != 0 && error == 0) {
        error = errno;
    }
    return error;
}

int dame_perf_map_add(dame_perf_map_t *map, const void *start, size_t size, const char *name)
{
    char line[LONGEST_LINE];
    int length = snprintf(line, sizeof(line) - 1, "%lx %zx %s", (unsigned long) (uintptr_t) start,
                          size, name);
    length = length < LONGEST_LINE - 2 ? length : LONGEST_LINE - 2;
    for (int i = 0; i < length; i++) {
        if ((unsigned char) line[i] < ' ' || line[i] == 0x7f) {
            line[i] = '?';
        }
    }
    line[length] = '\n';
    return append(map->path, line, (size_t) length + 1);
}
