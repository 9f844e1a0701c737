/* The file in which perf looks for names of machine code. */
#define _GNU_SOURCE
#include "perf_map.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dame/heap.h"

typedef struct line {
    uintptr_t start;
    size_t size;
    char *name;
} line_t;

struct dame_perf_map {
    char *path;
    char *draft; /* becomes the file when it is complete */
    line_t *lines;
    size_t nlines;
    size_t room;
};

dame_status_t dame_perf_map_create(const char *directory, dame_perf_map_t **out)
{
    dame_perf_map_t *map = dame_heap_zalloc(sizeof(*map));
    if (map == NULL) {
        return DAME_ERR_NOMEM;
    }
    const long process = getpid();
    if (asprintf(&map->path, "%s/perf-%ld.map", directory, process) < 0) {
        map->path = NULL;
    } else if (asprintf(&map->draft, "%s.new", map->path) < 0) {
        map->draft = NULL;
    }
    if (map->draft == NULL) {
        dame_perf_map_destroy(map);
        return DAME_ERR_NOMEM;
    }
    *out = map;
    return DAME_OK;
}

void dame_perf_map_destroy(dame_perf_map_t *map)
{
    if (map == NULL) {
        return;
    }
    for (size_t i = 0; i < map->nlines; i++) {
        dame_heap_free(map->lines[i].name);
    }
    dame_heap_free(map->lines);
    free(map->draft);
    free(map->path);
    dame_heap_free(map);
}

/*
 * Writes the lines from `first` on. No descriptor stays open, and no link is followed and no pipe
 * waited for: the directory is one where others may write. Returns 0 or an errno.
 */
static int write_lines(const dame_perf_map_t *map, const char *path, int flags, size_t first)
{
    const int fd =
        open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | flags, 0644);
    struct stat about;
    if (fd >= 0 && (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode))) {
        close(fd);
        return EINVAL;
    }
    FILE *file = fd < 0 ? NULL : fdopen(fd, "a");
    int error = 0;
    if (file == NULL) {
        error = errno;
        if (fd >= 0) {
            close(fd);
        }
        return error;
    }
    for (size_t i = first; i < map->nlines; i++) {
        const line_t *line = &map->lines[i];
        if (fprintf(file, "%lx %zx %s\n", (unsigned long) line->start, line->size, line->name) <
            0) {
            error = errno;
        }
    }
    if (fclose(file) != 0 && error == 0) {
        error = errno;
    }
    return error;
}

/* Forgets what stood in [start, start + size). Returns whether there was anything. */
static int forget(dame_perf_map_t *map, uintptr_t start, size_t size)
{
    size_t kept = 0;
    for (size_t i = 0; i < map->nlines; i++) {
        const line_t line = map->lines[i];
        if (line.start < start + size && start < line.start + line.size) {
            dame_heap_free(line.name);
        } else {
            map->lines[kept++] = line;
        }
    }
    const int any = kept < map->nlines;
    map->nlines = kept;
    return any;
}

static int remember(dame_perf_map_t *map, uintptr_t start, size_t size, const char *name)
{
    if (map->nlines == map->room) {
        const size_t room = map->room == 0 ? 64 : 2 * map->room;
        line_t *lines = dame_heap_alloc(room * sizeof(*lines));
        if (lines == NULL) {
            return ENOMEM;
        }
        if (map->nlines != 0) {
            memcpy(lines, map->lines, map->nlines * sizeof(*lines));
        }
        dame_heap_free(map->lines);
        map->lines = lines;
        map->room = room;
    }
    const size_t bytes = strlen(name) + 1;
    char *copy = dame_heap_alloc(bytes);
    if (copy == NULL) {
        return ENOMEM;
    }
    memcpy(copy, name, bytes);
    for (char *c = copy; *c != '\0'; c++) {
        if ((unsigned char) *c < ' ' || *c == 0x7f) {
            *c = '?';
        }
    }
    map->lines[map->nlines++] = (line_t){.start = start, .size = size, .name = copy};
    return 0;
}

int dame_perf_map_add(dame_perf_map_t *map, const void *start, size_t size, const char *name)
{
    const int again = forget(map, (uintptr_t) start, size);
    int error = remember(map, (uintptr_t) start, size, name);
    if (error != 0) {
        return error;
    }
    if (!again) {
        return write_lines(map, map->path, O_APPEND, map->nlines - 1);
    }
    unlink(map->draft); /* of a process that had this number before */
    error = write_lines(map, map->draft, O_EXCL, 0);
    if (error == 0 && rename(map->draft, map->path) != 0) {
        error = errno;
    }
    if (error != 0) {
        unlink(map->draft);
    }
    return error;
}
