/* SPDX-License-Identifier: BSD-3-Clause */
#include "tree.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct chunk {
    struct chunk *next;
    size_t used, size;
    max_align_t bytes[];
};

struct c_memory {
    struct chunk *chunks;
};

void c_out_of_memory(void)
{
    fprintf(stderr, "dame suggest: out of memory\n");
    exit(3);
}

struct c_memory *c_memory_new(void)
{
    struct c_memory *memory = calloc(1, sizeof *memory);

    if (!memory) {
        c_out_of_memory();
    }
    return memory;
}

void c_memory_free(struct c_memory *memory)
{
    struct chunk *chunk, *next;

    if (!memory) {
        return;
    }
    for (chunk = memory->chunks; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    free(memory);
}

void *c_allocate(struct c_memory *memory, size_t bytes)
{
    struct chunk *chunk = memory->chunks;
    void *result;

    bytes = (bytes + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    if (!chunk || chunk->size - chunk->used < bytes) {
        size_t size = bytes > 65536 ? bytes : 65536;

        chunk = calloc(1, sizeof *chunk + size);
        if (!chunk) {
            c_out_of_memory();
        }
        chunk->size = size;
        chunk->next = memory->chunks;
        memory->chunks = chunk;
    }
    result = (char *) chunk->bytes + chunk->used;
    chunk->used += bytes;
    return result;
}

char *c_copy(struct c_memory *memory, const char *text)
{
    size_t size = strlen(text) + 1;

    return memcpy(c_allocate(memory, size), text, size);
}

char *c_format(struct c_memory *memory, const char *format, ...)
{
    va_list arguments;
    char *text;
    int size;

    va_start(arguments, format);
    size = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    text = c_allocate(memory, (size_t) size + 1);
    va_start(arguments, format);
    vsnprintf(text, (size_t) size + 1, format, arguments);
    va_end(arguments);
    return text;
}

const struct c_node *c_bare(const struct c_node *node)
{
    while (node && (node->kind == C_CAST || node->kind == C_CONVERT) && node->n == 1) {
        node = node->child[0];
    }
    return node;
}

bool c_is_other(const struct c_node *node, const char *name)
{
    return node && node->kind == C_OTHER && node->name && strcmp(node->name, name) == 0;
}

bool c_contains(const struct c_node *outer, const struct c_node *inner)
{
    for (; inner; inner = inner->parent) {
        if (inner == outer) {
            return true;
        }
    }
    return false;
}

bool c_mentions(const struct c_node *node, const struct c_symbol *symbol)
{
    size_t i;

    if (!node) {
        return false;
    }
    if (node->kind == C_NAME && node->symbol == symbol) {
        return true;
    }
    for (i = 0; i < node->n; i++) {
        if (c_mentions(node->child[i], symbol)) {
            return true;
        }
    }
    return false;
}

const char *c_callee(const struct c_node *call)
{
    return call->kind == C_CALL && call->symbol ? call->symbol->name : "";
}

bool c_is_mpi(const struct c_node *call)
{
    const char *name = c_callee(call);

    return strncmp(name, "MPI_", 4) == 0 || strncmp(name, "PMPI_", 5) == 0;
}

bool c_is_allocator(const struct c_node *call)
{
    static const char *const names[] = {"malloc", "calloc", "aligned_alloc", "memalign", "valloc",
                                        "operator new"};
    const char *name = c_callee(call);
    size_t i;

    for (i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i]) == 0) {
            return call->symbol->body == NULL;
        }
    }
    return false;
}

void c_unit_free(struct c_unit *unit)
{
    if (unit) {
        free(unit->text);
        free(unit->symbols);
        free(unit->functions);
        free(unit->initialised);
        c_memory_free(unit->memory);
        free(unit);
    }
}
