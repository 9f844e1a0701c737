/* SPDX-License-Identifier: BSD-3-Clause */
#include "native.h"

#include "opal-glue/abi/openmpi.h"
#include "opal-glue/thread.h"

void dt_native_prepare(opal_convertor_t *convertor, const opal_datatype_t *datatype, size_t count,
                       const void *buffer, bool send)
{
    dt_thread_here()->asks_native = true;
    if (send) {
        (void) opal_convertor_prepare_for_send(convertor, datatype, count, buffer);
    } else {
        (void) opal_convertor_prepare_for_recv(convertor, datatype, count, buffer);
    }
    dt_thread_here()->asks_native = false;
}

size_t dt_native_construct(opal_convertor_t *native, const opal_convertor_t *convertor, bool send,
                           size_t position)
{
    dt_object_construct(native, &opal_convertor_t_class);
    native->remoteArch = convertor->remoteArch;
    native->master = convertor->master;
    native->flags = 0;
    dt_native_prepare(native, convertor->pDesc, convertor->count, convertor->pBaseBuf, send);
    dt_thread_here()->asks_native = true;
    (void) dt_openmpi_set_position(native, &position);
    dt_thread_here()->asks_native = false;
    return position;
}

void dt_native_copy(const opal_datatype_t *datatype, int32_t count, char *to, const char *from)
{
    dt_thread_here()->asks_native = true;
    (void) opal_datatype_copy_content_same_ddt(datatype, count, to, (char *) (uintptr_t) from);
    dt_thread_here()->asks_native = false;
}

void dt_native_destruct(opal_convertor_t *native)
{
    dt_object_destruct(native);
}

static bool is_right(const opal_convertor_t *convertor)
{
    const dt_type_desc_t *items = convertor->use_desc;
    for (size_t i = 0; i < items->used; i++) {
        const ddt_elem_desc_t *item = &items->desc[i].elem;
        if ((item->common.flags & OPAL_DATATYPE_FLAG_DATA) &&
            !dt_openmpi_moves_right(item, opal_datatype_basicDatatypes[item->common.type]->size)) {
            return false;
        }
    }
    return true;
}

bool dt_native_is_trusted(dt_entry_t *entry, const opal_convertor_t *convertor)
{
    dame_trust_t trust = dame_use_trust(&entry->use);
    if (trust == DAME_TRUST_UNKNOWN) {
        uint16_t before = DAME_TRUST_UNKNOWN; /* verify may have found it broken meanwhile */
        trust = is_right(convertor) ? DAME_TRUST_GIVEN : DAME_TRUST_DENIED;
        if (!atomic_compare_exchange_strong(&entry->use.trust, &before, (uint16_t) trust)) {
            trust = (dame_trust_t) before;
        }
    }
    return trust == DAME_TRUST_GIVEN;
}

/* The values that Open MPI puts into its convertors: the same for all convertors that DAME takes
 * over (openmpi.h), given the direction and whether the datatype is contiguous except for its
 * ends. */
typedef struct mover {
    _Atomic convertor_advance_fct_t advance; /* NULL: not known yet */
    _Atomic convertor_position_fct_t rewind;
} mover_t;

#if DT_OPENMPI_POSITION_IN_GOT
static int32_t position_natively(opal_convertor_t *convertor, size_t *position)
{
    dt_thread_here()->asks_native = true;
    const int32_t rc = opal_convertor_set_position_nocheck(convertor, position);
    dt_thread_here()->asks_native = false;
    return rc;
}
#endif

static convertor_position_fct_t rewind_of(const opal_convertor_t *native)
{
#if DT_OPENMPI_POSITION_IN_GOT
    if (dt_abi_has_seam()) {
        return position_natively;
    }
#endif
    return dt_openmpi_position_of(native);
}

static mover_t *mover_of(const opal_convertor_t *convertor, dame_dir_t dir)
{
    static mover_t movers[2][2];
    mover_t *mover = &movers[dir][(convertor->flags & OPAL_DATATYPE_FLAG_CONTIGUOUS) != 0];
    if (atomic_load_explicit(&mover->advance, memory_order_acquire) == NULL) {
        opal_convertor_t native;
        (void) dt_native_construct(&native, convertor, dir == DAME_PACK, 0);
        atomic_store_explicit(&mover->rewind, rewind_of(&native), memory_order_relaxed);
        atomic_store_explicit(&mover->advance, native.fAdvance, memory_order_release);
        dt_native_destruct(&native);
    }
    return mover;
}

int32_t dt_native_position(opal_convertor_t *convertor, size_t *position)
{
#if DT_OPENMPI_POSITION_IN_GOT
    return opal_convertor_set_position_nocheck(convertor, position);
#else
    const mover_t *mover =
        mover_of(convertor, convertor->flags & CONVERTOR_SEND ? DAME_PACK : DAME_UNPACK);
    return atomic_load_explicit(&mover->rewind, memory_order_relaxed)(convertor, position);
#endif
}

size_t dt_native_move(opal_convertor_t *convertor, dame_dir_t dir, struct iovec *iov)
{
    mover_t *mover = mover_of(convertor, dir);
    const convertor_position_fct_t rewind =
        atomic_load_explicit(&mover->rewind, memory_order_relaxed);
    size_t start = 0, moved = 0;
    uint32_t used = 1;
    (void) rewind(convertor, &start); /* it has moved this before, if the request is persistent */
    (void) atomic_load_explicit(&mover->advance, memory_order_relaxed)(convertor, iov, &used,
                                                                       &moved);
    iov->iov_len = moved; /* which unpacking contiguous data leaves as it was */
    convertor->bConverted = 0;
    return moved;
}

/* Bytes of the item's data, of an element or an iteration of it, and the items that it is. */
typedef struct item {
    size_t size;
    size_t unit;
    size_t items;
} item_t;

static inline item_t read_item(const dt_elem_desc_t *item)
{
    if (item->elem.common.flags & OPAL_DATATYPE_FLAG_DATA) {
        const size_t unit = opal_datatype_basicDatatypes[item->elem.common.type]->size;
        return (item_t){unit * item->elem.count * item->elem.blocklen, unit, 1};
    }
    if (item->loop.common.type == OPAL_DATATYPE_LOOP) {
        const size_t unit = item[item->loop.items].end_loop.size;
        return (item_t){unit * item->loop.loops, unit, item->loop.items + 1};
    }
    return (item_t){.items = 0}; /* the end of a loop or of everything */
}

size_t dt_native_boundary(const opal_convertor_t *convertor, size_t position,
                          dt_native_mark_t *mark)
{
    const size_t offset = position % convertor->pDesc->size;
    dt_native_mark_t at = *mark;
    if (convertor->flags & OPAL_DATATYPE_FLAG_CONTIGUOUS) {
        return position; /* copied as bytes, of whatever types */
    }
    if (at.item == NULL || offset < at.start) {
        at = (dt_native_mark_t){.item = convertor->use_desc->desc};
    }
    for (;;) {
        const item_t item = read_item(at.item);
        const size_t rest = offset - at.start;
        if (item.items == 0) { /* the mark was in an earlier iteration of a loop */
            at = (dt_native_mark_t){.item = convertor->use_desc->desc};
        } else if (rest >= item.size) {
            at.start += item.size;
            at.item += item.items;
        } else if (item.items > 1) {
            at.start += rest - rest % item.unit;
            at.item++;
        } else {
            *mark = at;
            return position - rest % item.unit;
        }
    }
}
