/* SPDX-License-Identifier: BSD-3-Clause */
#include "cool.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layouts.h"

#ifdef __x86_64__
#include <emmintrin.h>
#endif

enum { LINE = 64 };

bool cool_can_flush(void)
{
#if defined(__x86_64__) || defined(__aarch64__)
    return true;
#else
    return false;
#endif
}

void cool_lines(const void *from, size_t size)
{
    const uintptr_t end = (uintptr_t) from + size;

    for (uintptr_t line = (uintptr_t) from / LINE * LINE; line < end; line += LINE) {
#if defined(__x86_64__)
        _mm_clflush((const void *) line);
#elif defined(__aarch64__)
        __asm__ volatile("dc civac, %0" : : "r"(line) : "memory");
#endif
    }
#if defined(__x86_64__)
    _mm_mfence();
#elif defined(__aarch64__)
    __asm__ volatile("dsb sy" : : : "memory");
#endif
}

/* Bytes of the last-level cache as Linux tells them, else more than most have. */
static size_t last_level(void)
{
    enum { LEVELS = 8, UNKNOWN = 256 << 20 };
    size_t most = 0;

    for (int i = 0; i < LEVELS; i++) {
        char name[64], unit;
        unsigned long size;
        FILE *file;
        snprintf(name, sizeof(name), "/sys/devices/system/cpu/cpu0/cache/index%d/size", i);
        file = fopen(name, "r");
        if (file == NULL) {
            continue;
        }
        if (fscanf(file, "%lu%c", &size, &unit) == 2) {
            size *= 'M' == unit ? 1 << 20 : unit == 'K' ? 1 << 10 : 1;
            most = size > most ? size : most;
        }
        fclose(file);
    }
    return most == 0 ? UNKNOWN : most;
}

void cool_all(void)
{
    static unsigned char *memory;
    static size_t size;
    static volatile unsigned sink;
    unsigned sum = 0;

    if (memory == NULL) {
        size = 2 * last_level();
        memory = layout_buffer(size);
        memset(memory, 1, size); /* else all pages could be one of zeros */
    }
    /* Read only: nothing has to go back to memory while an operation is timed. */
    for (size_t at = 0; at < size; at += LINE) {
        sum += memory[at];
    }
    sink = sum;
    (void) sink;
}
