/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the parts of the program `convertor` share: a message with its typemap byte by byte, and
 * calls of Open MPI's convertor (opal/datatype/opal_convertor.h) of which every promise is checked.
 */
#ifndef TEST_MPI_CONV_TOOLS_H
#define TEST_MPI_CONV_TOOLS_H

#include "mpi_check.h"
#include "types.h"

#include "opal-glue/abi/openmpi.h"

/* DAME moves non-contiguous data (with or without its parameter verify). */
extern bool with_dame;
extern uint64_t random_state;

/* A number in [low, high]. */
int64_t random_from(int64_t low, int64_t high);

/* Elements of a layout in memory, and what that memory has to hold. */
typedef struct subject {
    const char *name;
    const layout_t *layout;
    int64_t count;
    bool send_only;
    message_t memory;
    unsigned char *model; /* memory.block as it must be */
    int64_t *offset;      /* of every packed byte of one element, from displacement 0 */
    bool *boundary;       /* is this packed byte of an element the first of a basic element? */
    bool *run_start;      /* is it the first of a run of the typemap? */
    bool as_bytes;        /* Open MPI's engine has lost the elements: see conv_tools.c */
    char fault[240];      /* the first one since the last verdict; "": none */
} subject_t;

subject_t *subject_new(const char *name, const layout_t *layout, int64_t count, bool send_only);
void subject_free(subject_t *s);
int64_t subject_bytes(const subject_t *s);
/* The address of a packed byte in the message, and what must be there. */
unsigned char *subject_at(const subject_t *s, int64_t byte);
unsigned char subject_expects(const subject_t *s, int64_t byte);
/* The last place at or before a packed byte where a basic element begins or the message ends. */
int64_t subject_boundary(const subject_t *s, int64_t byte);
/* New data in memory and model. */
void subject_fill(subject_t *s, unsigned seed);
void subject_fault(subject_t *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The verdict: no fault, and memory is as the model says, gaps too. */
bool subject_check(subject_t *s, const char *what);

/* A convertor at the start of the message. conv_prepare: one that is new or was cleaned up. */
void conv_construct(opal_convertor_t *c);
void conv_start(opal_convertor_t *c, subject_t *s, bool send);
void conv_prepare(opal_convertor_t *c, subject_t *s, bool send);
void conv_end(opal_convertor_t *c);

/* One call of pack or unpack with n <= CONV_IOVS iovecs of these lengths. Unpacked data is new each
   time and goes into the model. Returns the bytes moved. */
enum { CONV_IOVS = 8 };
size_t conv_move(opal_convertor_t *c, subject_t *s, const size_t *rooms, uint32_t n);
size_t conv_move_one(opal_convertor_t *c, subject_t *s, size_t room);
/* Some fragments of random lengths; false when the message was complete before. */
bool conv_move_some(opal_convertor_t *c, subject_t *s, size_t most);
/* All the rest, in fragments of up to `most` bytes. */
void conv_finish(opal_convertor_t *c, subject_t *s, size_t most);
void conv_seek(opal_convertor_t *c, subject_t *s, size_t position);

/* Open MPI's own engine, even if another moves the data: the position of a sender set to
 * `*position`, and the number of bytes that it packs from there into `room` bytes at `packed`. */
size_t native_pack(const subject_t *s, size_t *position, void *packed, size_t room);
/* Is `length` all of the `most` bytes that can be packed, except a short block that DAME may leave
 * where room is large? */
bool conv_full(size_t room, size_t length, size_t most);

/* Runs work(argument) in a second thread, which is always the same, and waits for it. */
void second_thread(void (*work)(void *), void *argument);
void second_thread_ends(void);

/* The parts of the program; all take a set of subjects. */
typedef struct subjects {
    subject_t **all;
    int n;
} subjects_t;

void test_walks(const subjects_t *set); /* conv_walk.c */
void test_amounts(void);                /* conv_amounts.c */
void test_stale(void);                  /* conv_stale.c */
void test_jumps(void);                  /* conv_jump.c */

#endif
