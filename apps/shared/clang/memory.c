/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* program_invocation_short_name */
#endif
#include "memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct chunk {
    struct chunk *next;
    size_t used, size;
    max_align_t bytes[];
} chunk_t;

typedef struct c_memory {
    chunk_t *chunks;
    size_t bytes;
} c_memory_t;

void c_out_of_memory(void)
{
    fprintf(stderr, "%s: out of memory\n", program_invocation_short_name);
    exit(C_OUT_OF_MEMORY);
}

void *c_checked(void *memory)
{
    if (!memory) {
        c_out_of_memory();
    }
    return memory;
}

void *c_resize(void *memory, size_t n, size_t size)
{
    return c_checked(reallocarray(memory, n, size));
}

char *c_printed(const char *format, ...)
{
    char *text = NULL;
    va_list arguments;

    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0) {
        c_out_of_memory();
    }
    va_end(arguments);
    return text;
}

c_memory_t *c_memory_new(void)
{
    c_memory_t *memory = c_checked(calloc(1, sizeof *memory));

    return memory;
}

void c_memory_free(c_memory_t *memory)
{
    chunk_t *chunk, *next;

    if (!memory) {
        return;
    }
    for (chunk = memory->chunks; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    free(memory);
}

void *c_allocate(c_memory_t *memory, size_t bytes)
{
    chunk_t *chunk = memory->chunks;
    void *result;

    bytes = (bytes + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    if (!chunk || chunk->size - chunk->used < bytes) {
        size_t size = bytes > 65536 ? bytes : 65536;

        chunk = c_checked(calloc(1, sizeof *chunk + size));
        chunk->size = size;
        chunk->next = memory->chunks;
        memory->chunks = chunk;
        memory->bytes += size;
    }
    result = (char *) chunk->bytes + chunk->used;
    chunk->used += bytes;
    return result;
}

size_t c_allocated(const c_memory_t *memory)
{
    return memory->bytes;
}

char *c_copy(c_memory_t *memory, const char *text)
{
    size_t size = strlen(text) + 1;

    return memcpy(c_allocate(memory, size), text, size);
}

char *c_format_list(c_memory_t *memory, const char *format, va_list arguments)
{
    va_list again;
    char *text;
    int size;

    va_copy(again, arguments);
    size = vsnprintf(NULL, 0, format, again);
    va_end(again);
    text = c_allocate(memory, (size_t) (size < 0 ? 0 : size) + 1);
    vsnprintf(text, (size_t) size + 1, format, arguments);
    return text;
}

char *c_format(c_memory_t *memory, const char *format, ...)
{
    va_list arguments;
    char *text;

    va_start(arguments, format);
    text = c_format_list(memory, format, arguments);
    va_end(arguments);
    return text;
}

char *c_read_file(c_memory_t *memory, const char *path, size_t *size, const char **why)
{
    struct stat status;
    FILE *in = NULL;
    char *text = NULL;

    *why = NULL;
    if (stat(path, &status) != 0 || (S_ISREG(status.st_mode) && !(in = fopen(path, "rb")))) {
        *why = strerror(errno);
    } else if (!S_ISREG(status.st_mode)) {
        *why = S_ISDIR(status.st_mode) ? "is a directory" : "is not a regular file";
    } else if (status.st_size >= 1 << 28) {
        *why = "is larger than 256 MiB";
    } else {
        *size = (size_t) status.st_size;
        text = c_allocate(memory, *size + 2);
        if (fread(text, 1, *size, in) != *size) {
            *why = "cannot be read";
        }
    }
    if (in) {
        fclose(in);
    }
    return *why ? NULL : text;
}
