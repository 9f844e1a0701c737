/* SPDX-License-Identifier: BSD-3-Clause */
#include "native_cost.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "engine/counts.h"
#include "openmpi.h"

enum {
    FEW = 8, /* blocks of a list */
    MANY = 56,
    TIMES = 5,
    SIZE = 8, /* bytes of a block */
    MOST = MANY * SIZE
};

/* A list of blocks at no regular distance; NULL: memory is out. */
static opal_datatype_t *new_list(int blocks)
{
    opal_datatype_t *list = opal_datatype_create(blocks);
    ptrdiff_t disp = 0;
    bool made = NULL != list;
    for (int i = 0; made && i < blocks; i++) {
        made = OPAL_SUCCESS == opal_datatype_add(list,
                                                 opal_datatype_basicDatatypes[OPAL_DATATYPE_INT8],
                                                 1, disp, SIZE);
        disp += SIZE * (2 + i * i % 3);
    }
    if (made && OPAL_SUCCESS == opal_datatype_commit(list)) {
        return list;
    }
    if (NULL != list) {
        (void) opal_datatype_destroy(&list);
    }
    return NULL;
}

/* Nanoseconds of a message that is one such list. */
static int64_t pack_once(const opal_convertor_t *peer, const opal_datatype_t *list,
                         const char *memory, char *packed)
{
    opal_convertor_t convertor;
    struct iovec iov = {.iov_base = packed, .iov_len = MOST};
    uint32_t used = 1;
    size_t moved = 0;
    dt_object_construct(&convertor, &opal_convertor_t_class);
    dt_openmpi_same_peer(&convertor, peer);
    const int64_t start = dame_ns_now();
    (void) opal_convertor_prepare_for_send(&convertor, list, 1, memory);
    (void) opal_convertor_pack(&convertor, &iov, &used, &moved);
    const int64_t ns = dame_ns_now() - start;
    dt_object_destruct(&convertor);
    return ns;
}

/* The fastest of several; < 0: not known. */
static int64_t pack_list(const opal_convertor_t *peer, int blocks)
{
    static const char memory[4 * MOST]; /* all lists are in it, with their gaps */
    char packed[MOST];
    opal_datatype_t *list = new_list(blocks);
    if (NULL == list) {
        return -1;
    }
    int64_t least = INT64_MAX;
    for (int i = 0; i < TIMES; i++) {
        const int64_t ns = pack_once(peer, list, memory, packed);
        least = ns < least ? ns : least;
    }
    (void) opal_datatype_destroy(&list);
    return least;
}

double dt_native_cost_of_block(void)
{
    opal_convertor_t *peer = opal_convertor_create((int32_t) opal_local_arch, 0);
    if (NULL == peer) {
        return 0;
    }
    /* of different lengths, so that what a message costs besides its blocks cancels */
    const int64_t few = pack_list(peer, FEW), many = pack_list(peer, MANY);
    dt_object_destruct(peer);
    free(peer);
    return few < 0 || many <= few ? 0 : (double) (many - few) / (MANY - FEW);
}
