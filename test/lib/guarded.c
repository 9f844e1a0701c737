/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#endif

#include "guarded.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    SHARE = 4,   /* rooms of one size, each fourfold the one before */
    KEPT = 64,   /* rooms of a size that are kept */
    CLASSES = 16 /* more than fit in an address space */
};

static char *kept[CLASSES][KEPT];
static int nkept[CLASSES];

static size_t page_size(void)
{
    static size_t size;
    if (size == 0) {
        size = (size_t) sysconf(_SC_PAGESIZE);
    }
    return size;
}

/* The smallest room that holds `size` bytes; *class is its number, CLASSES if all are too small. */
static size_t room_for(size_t size, int *class)
{
    size_t room = page_size();
    for (*class = 0; *class < CLASSES && room < size; ++*class) {
        room *= SHARE;
    }
    return room;
}

/* Pages between two that fault. */
static char *take_pages(size_t room, int class)
{
    if (nkept[class] > 0) {
        return kept[class][--nkept[class]];
    }
    size_t page = page_size();
    char *all =
        mmap(NULL, room + 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) {
        return NULL;
    }
    if (mprotect(all, page, PROT_NONE) != 0 || mprotect(all + page + room, page, PROT_NONE) != 0) {
        munmap(all, room + 2 * page);
        return NULL;
    }
    return all + page;
}

int guarded_alloc(guarded_t *buffer, size_t size, edge_t edge)
{
    *buffer = (guarded_t){.size = size, .edge = edge};
    if (edge == EDGE_NONE) {
        buffer->bytes = malloc(size);
        return buffer->bytes != NULL || size == 0;
    }
    int class;
    size_t room = room_for(size, &class);
    char *pages = class < CLASSES ? take_pages(room, class) : NULL;
    if (pages == NULL) {
        return 0;
    }
    buffer->room = room;
    buffer->bytes = edge == EDGE_LOW ? pages : pages + room - size;
    return 1;
}

int guarded_alloc_at(guarded_t *buffer, size_t size, size_t offset)
{
    enum { LINE = 64 };
    void *line;
    *buffer = (guarded_t){.size = size, .edge = EDGE_NONE};
    if (posix_memalign(&line, LINE, offset + size) != 0) {
        return 0;
    }
    buffer->offset = offset;
    buffer->bytes = (char *) line + offset;
    return 1;
}

char *guarded_pages(const guarded_t *buffer)
{
    if (buffer->room == 0) {
        return NULL;
    }
    return buffer->edge == EDGE_LOW ? buffer->bytes : buffer->bytes + buffer->size - buffer->room;
}

void guarded_free(guarded_t *buffer)
{
    char *pages = guarded_pages(buffer);
    int class;
    if (pages == NULL) {
        free(buffer->bytes != NULL ? buffer->bytes - buffer->offset : NULL);
    } else if (room_for(buffer->room, &class), nkept[class] < KEPT) {
        kept[class][nkept[class]++] = pages;
    } else {
        munmap(pages - page_size(), buffer->room + 2 * page_size());
    }
    *buffer = (guarded_t){0};
}
