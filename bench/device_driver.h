/* SPDX-License-Identifier: BSD-3-Clause */
/* CUDA's driver for programs of bench/device, and kernels written by hand. Errors end the program
 * with a message. */
#ifndef BENCH_DEVICE_DRIVER_H
#define BENCH_DEVICE_DRIVER_H

#include <stddef.h>
#include <stdint.h>

typedef uint64_t address_t;

/* CUDA_MEMCPY2D of the driver API. */
typedef struct strided {
    size_t from_x, from_y;
    int from_type;
    const void *from_host;
    address_t from;
    void *from_array;
    size_t from_pitch;
    size_t to_x, to_y;
    int to_type;
    void *to_host;
    address_t to;
    void *to_array;
    size_t to_pitch;
    size_t width, height;
} strided_t;

enum { ON_DEVICE = 2 };

typedef struct driver {
    int (*init)(unsigned flags);
    int (*get)(int *device, int number);
    int (*name)(char *name, int size, int device);
    int (*retain)(void **context, int device);
    int (*current)(void *context);
    int (*alloc)(address_t *address, size_t bytes);
    int (*alloc_host)(void **memory, size_t bytes, unsigned flags);
    int (*put)(address_t to, const void *from, size_t bytes);
    int (*take)(void *to, address_t from, size_t bytes);
    int (*copy)(address_t to, address_t from, size_t bytes, void *stream);
    int (*copy_strided)(const strided_t *copy, void *stream);
    int (*load)(void **module, const void *image);
    int (*function)(void **function, void *module, const char *name);
    int (*launch)(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                  unsigned bz, unsigned shared, void *stream, void **arguments, void **extra);
    int (*wait)(void *stream);
    int (*event)(void **event, unsigned flags);
    int (*record)(void *event, void *stream);
    int (*elapsed)(float *ms, void *from, void *to);
} driver_t;

extern driver_t cu;

/* Loads the driver and the kernels by hand, makes the first device this thread's, and prints its
 * name behind `title`, if that is not NULL. 0: there is none. */
int device_open(const char *title);

void need(int result, const char *what);
address_t on_device(size_t bytes);
void *address_of(address_t address);

/* Kernels by hand, NULL if they are not to be had. box (user, packed, n, width, rows, row, plane):
 * n items of 8 bytes in rows of `width`, `rows` of them `row` bytes apart in planes `plane` bytes
 * apart, to a stream; box_back: from the stream. list (user, packed, n, width, disps): blocks of
 * `width` items at displacements. */
extern void *box, *box_back, *list;

#endif
