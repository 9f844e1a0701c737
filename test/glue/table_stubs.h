/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What opal-glue/table.c calls in table_test.c: datatypes are a struct of our
 * own, and a program, the key of a layout and a file of a datatype know no more than its shape.
 */
#ifndef TEST_GLUE_TABLE_STUBS_H
#define TEST_GLUE_TABLE_STUBS_H

#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/heap.h"
#include "opal-glue/dump.h"
#include "opal-glue/import/import.h"
#include "opal-glue/import/layout_key.h"
#include "engine/credit.h"
#include "opal-glue/import/contents.h"
#include "opal-glue/table.h"
#include "opal-glue/thread.h"

/* The table only ever passes the address on. */
struct opal_datatype_t {
    int64_t shape;   /* its layout: what the stub builds a program from; negative: it declines */
    uint64_t serial; /* of the last entry seen for this address */
};

typedef struct opal_datatype_t datatype_t;

static void *must(void *p)
{
    if (p == NULL) {
        fprintf(stderr, "out of memory\n");
        abort();
    }
    return p;
}

/* The program of two blocks of 4 bytes; its true upper bound tells the shape. */
static int64_t bound_of(int64_t shape)
{
    return 8 * (shape + 1) + 4;
}

/* As if memory had been out. */
enum { NO_MEMORY = -7 };

/* Bytes of unused layouts. */
enum { KEPT = 16 << 10 };

/* Seldom differs, so that it is the comparison that tells layouts apart. */
uint64_t dt_layout_fingerprint(const datatype_t *datatype)
{
    return (uint64_t) datatype->shape % 13;
}

static _Atomic int64_t keys_made;

bool dt_layout_key(dame_tree_t *tree, const datatype_t *datatype, dame_layout_key_t *key)
{
    (void) tree;
    keys_made++;
    *key = (dame_layout_key_t){.high = 1, .low = (uint64_t) datatype->shape};
    return true;
}

int64_t dt_import_words(dame_tree_t *tree, const datatype_t *datatype, char *words, size_t room)
{
    (void) tree;
    (void) datatype;
    (void) snprintf(words, room, "%s", "a layout");
    return 8;
}

dame_program_t *dt_import(dame_tree_t *tree, const datatype_t *datatype, dt_decline_t *declined)
{
    const dame_type_t *basic;
    const dame_type_t *vector;
    dame_program_t *program = NULL;
    *declined = datatype->shape == NO_MEMORY ? DT_DECLINE_MEMORY
                : datatype->shape < 0        ? DT_DECLINE_BOUNDS
                                             : DT_DECLINE_NONE;
    dt_count(DT_COUNT_layouts_imported, 1);
    if (datatype->shape < 0) {
        return NULL;
    }
    if (dame_type_basic(tree, 4, &basic) != DAME_OK ||
        dame_type_vector(tree, 2, 1, 8 * (datatype->shape + 1), basic, &vector) != DAME_OK ||
        dame_program_build(vector, NULL, &program) != DAME_OK) {
        fprintf(stderr, "the stub cannot build a program\n");
        abort();
    }
    dame_tree_reset(tree);
    return program;
}

static _Atomic int64_t dumps_begun, dumps_written, dumps_wrong;

/* They outlive their datatypes: one for each shape. */
static dt_dump_t dumps[10000];

/* Writing a file of this shape takes until the test ends it. */
static struct {
    int64_t shape;
    sem_t begun, done;
    bool was_done;
} slow = {.shape = -1};

/* False after ten seconds. */
static bool wait_for(sem_t *event)
{
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += 10;
    return sem_timedwait(event, &end) == 0;
}

dt_dump_t *dt_dump_begin(dame_tree_t *tree, const datatype_t *datatype)
{
    (void) tree;
    if (datatype->shape > 30 && 0 != datatype->shape % 2) { /* the limit of files is reached */
        return NULL;
    }
    dumps_begun++;
    return &dumps[datatype->shape];
}

void dt_dump_write(dt_dump_t *dump, const dame_program_t *program)
{
    if (dump != NULL) {
        dumps_wrong += NULL == program || bound_of(dump - dumps) != program->true_ub;
        dumps_written++;
        if (slow.shape == dump - dumps) {
            sem_post(&slow.begun);
            slow.was_done = wait_for(&slow.done);
        }
    }
}

const char *dt_contents_name(const datatype_t *datatype)
{
    (void) datatype;
    return "";
}

/* Promotion: counts what belongs to a program (--wrap). */
static _Atomic int64_t promotions_begun, promotions_ended, promotions_wrong;

__typeof__(dame_promote_layout_init) __real_dame_promote_layout_init;
__typeof__(dame_promote_layout_init) __wrap_dame_promote_layout_init;
__typeof__(dame_promoter_free) __real_dame_promoter_free;
__typeof__(dame_promoter_free) __wrap_dame_promoter_free;

void __wrap_dame_promote_layout_init(dame_promoter_t *promoter, dame_layout_t *layout)
{
    promotions_begun += NULL != layout->program;
    __real_dame_promote_layout_init(promoter, layout);
}

void __wrap_dame_promoter_free(dame_promoter_t *promoter, dame_layout_t *layouts)
{
    for (dame_layout_t *layout = layouts; layout != NULL; layout = layout->next) {
        promotions_ended += NULL != layout->program;
        promotions_wrong +=
            NULL != layout->program && 3 > layout->program->nprims; /* freed before */
    }
    __real_dame_promoter_free(promoter, layouts);
}

void dt_dump_codes(dt_dump_t *dump, const dame_layout_t *layout)
{
    dumps_wrong += NULL != dump && layout->program == NULL;
}

#endif
