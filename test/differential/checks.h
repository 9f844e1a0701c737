/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The promises about messages, tried on one. Every check returns false, and sets check->message, at
 * the first difference from the oracle.
 */
#ifndef TEST_CHECKS_H
#define TEST_CHECKS_H

#include "message.h"

/* Packs, unpacks, copies and lists `count` elements in every way. `use`, if not NULL, is shown the
 * program. */
bool check_message(check_t *check, const dame_type_t *type, int64_t count, bool absolute,
                   void (*use)(const dame_program_t *program, const message_t *m));

/* Packs with a, unpacks with b, in different fragments. The two have one signature. */
bool check_pair(check_t *check, const dame_type_t *a, int64_t count_a, const dame_type_t *b,
                int64_t count_b);

/* The message whole, copied, and in fragments of all kinds, but not cut at every byte. */
bool check_moves(check_t *check, message_t *m);

/* Copies the message, and asks which shifts of it are apart. */
bool check_copy(check_t *check, message_t *m);

/* A printed program is read back as the same program, which packs the message, if any; texts that
 * end early are refused. */
bool check_text(check_t *check, const dame_program_t *program, const message_t *m);

/* The program does not change when it is optimised again, and types of one typemap have one
 * program: in all but few cases, which are counted. The bytes are right in any case. */
bool check_normal_form(check_t *check, const message_t *m);

/*
 * Packs and unpacks with pages without data taken away: by the contract of dame_run_fn
 * (dame/program.h) no kernel touches them. A page here is one of the system; the judge checks pages
 * of DAME_PAGE bytes, run by run.
 */
bool check_gap_pages(check_t *check, message_t *m);

/* Now and then, where codes change: two threads change them while four others pack and unpack. */
bool check_threads(check_t *check, message_t *m);

/*
 * Moves the message by a grid's code, made for the host: fragments of any cut, pieces in any order.
 * In tiers of DAME-L.
 */
bool check_grid(check_t *check, message_t *m);

/* How many messages were tried in these ways. */
typedef struct checked {
    int64_t texts;
    int64_t long_texts;  /* too long to be tried */
    int64_t again;       /* programs optimised again, .. */
    int64_t again_other; /* .. that became others */
    int64_t disguises;   /* types written in another way, .. */
    int64_t disguised;   /* .. with different programs */
    int64_t gaps;        /* some of their gaps could not be touched */
    int64_t threads;
    int64_t grids;       /* and directions */
    int64_t wide_pieces; /* fragments of theirs that moved 16 bytes at a time */
    int64_t apart;       /* shifts within a message by which it was reported to be apart, and is */
} checked_t;

extern checked_t checked;

#endif
