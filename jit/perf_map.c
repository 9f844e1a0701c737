/* SPDX-License-Identifier: BSD-3-Clause */
/* The file in which perf looks for names of machine code. */
#include "perf_map.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>

#include "base/heap.h"
#include "perf_file.h"

enum { LONGEST_LINE = 512 };

struct dame_perf_map {
    char *path;
};

dame_status_t dame_perf_map_create(const char *directory, dame_perf_map_t **out)
{
    dame_perf_map_t *map = dame_heap_zalloc(sizeof(*map));
    if (map == NULL || (map->path = dame_perf_file_name(directory, "perf", "map")) == NULL) {
        dame_perf_map_destroy(map);
        return DAME_ERR_NOMEM;
    }
    *out = map;
    return DAME_OK;
}

void dame_perf_map_destroy(dame_perf_map_t *map)
{
    if (map != NULL) {
        dame_heap_free(map->path);
    }
    dame_heap_free(map);
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
    return dame_perf_file_append(map->path, O_CREAT, line, (size_t) length + 1);
}
