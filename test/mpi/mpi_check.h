/* SPDX-License-Identifier: BSD-3-Clause */
/* What all MPI test programs share: verdicts, patterns, and message memory with guarded gaps. */
#ifndef TEST_MPI_CHECK_H
#define TEST_MPI_CHECK_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "layout.h"

/* MPI_Init, and the world as seen by every program. */
extern int my_rank, world_size;
void check_init(int *argc, char ***argv);
/* MPI_THREAD_SERIALIZED or _MULTIPLE, or exits with 77. */
void check_init_thread(int *argc, char ***argv, int level);

/* One verdict. A failure is printed with the rank and the formatted name of the case. Any thread.
 */
#define check(ok, ...) check_at((ok), __FILE__, __LINE__, __VA_ARGS__)
bool check_at(bool ok, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Collective. Rank 0 prints "N passed, M failed" over all ranks; finalizes; the exit code. */
int check_finish(void);
/* This rank's exit code alone; prints nothing. */
int check_failures(void);

/* Memory of this process, or -1. */
long resident_kib(void);

void *must_malloc(size_t bytes);
void *must_calloc(size_t count, size_t bytes);
void *must_realloc(void *old, size_t bytes);

/* bytes [at, at+n) of an endless pattern without short periods; different for each seed. */
void pattern(unsigned seed, int64_t at, int64_t n, unsigned char *out);
/* Reproducible numbers for choosing cases. */
uint64_t random_next(uint64_t *state);

/* Memory for count elements of a layout, with guard bytes on both sides. */
typedef struct message {
    const layout_t *layout;
    int64_t count;
    int64_t bytes;        /* of the packed stream */
    unsigned char *block; /* guards, gaps and data */
    int64_t block_size;
    unsigned char *zero; /* address of displacement 0 */
    void *buf;           /* what MPI is given: zero, or MPI_BOTTOM */
    bool owned;
} message_t;

message_t msg_new(const layout_t *layout, int64_t count);
/* The same in memory of the caller's, if it has room. */
message_t msg_in(const layout_t *layout, int64_t count, void *memory, int64_t room);
/* One like it in memory of its own, for the expected bytes. */
message_t msg_shadow(const message_t *m);
void msg_free(message_t *m);
/* Everything is gap pattern; then the stream's bytes at their places. */
void msg_fill(message_t *m, const unsigned char *stream);
void msg_clear(message_t *m);
/* The stream's bytes at the places of elements [first, first+n). */
void msg_place(message_t *m, int64_t first, int64_t n, const unsigned char *stream);
/* The same bytes, gaps and guards too, in two messages of one shape? */
bool msg_equal(const message_t *got, const message_t *expected);
/* Exactly the first `bytes` of stream at their places, and gap pattern everywhere else? */
bool msg_holds(const message_t *m, const unsigned char *stream, int64_t bytes);
/* The stream that a sender with this layout sends for a seed: the caller frees it. For types
   that send a byte twice it is what the filled memory gives. */
unsigned char *stream_new(const layout_t *layout, int64_t count, unsigned seed);

/* Does MPI_Pack of two elements of a datatype give the stream of a layout that is its shape? Prints
   nothing: in a child of fork() another thread may have had the C library's locks. */
bool packs_as(MPI_Datatype type, const layout_t *layout);

/* Do MPI_Pack and MPI_Unpack of `count` elements move the right bytes, and no others? */
bool moves_right(const layout_t *layout, int count);

/* All bytes the same; otherwise *at is the first that differs. */
bool same_bytes(const void *a, const void *b, int64_t n, int64_t *at);

#endif
