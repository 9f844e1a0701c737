/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that lives as long as the trees that were read, texts in it, and whole files. */
#ifndef CLANG_MEMORY_H
#define CLANG_MEMORY_H

#include <stdarg.h>
#include <stddef.h>

typedef struct c_memory c_memory_t;

enum { C_OUT_OF_MEMORY = 3 };

void c_out_of_memory(void) __attribute__((noreturn)); /* one line, and that exit code */
void *c_checked(void *memory);                        /* itself; NULL: c_out_of_memory() */
void *c_resize(void *memory, size_t n, size_t size);  /* realloc() to N of SIZE bytes, checked */
/* A text that the caller frees. */
char *c_printed(const char *format, ...) __attribute__((format(printf, 1, 2)));
c_memory_t *c_memory_new(void);
void c_memory_free(c_memory_t *memory);
void *c_allocate(c_memory_t *memory, size_t bytes); /* zeroed */
size_t c_allocated(const c_memory_t *memory);       /* bytes so far */
char *c_copy(c_memory_t *memory, const char *text);
char *c_format(c_memory_t *memory, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *c_format_list(c_memory_t *memory, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

/* A regular file below 256 MiB, with two bytes 0 behind it; NULL: *why says why not. */
char *c_read_file(c_memory_t *memory, const char *path, size_t *size, const char **why);

#endif
