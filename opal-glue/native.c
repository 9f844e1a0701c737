#include "native.h"

#include "opal/datatype/opal_datatype.h"
#include "opal/datatype/opal_datatype_internal.h"

size_t dt_native_construct(opal_convertor_t *native, const opal_convertor_t *convertor, bool send,
                           size_t position)
{
    OBJ_CONSTRUCT(native, opal_convertor_t);
    native->remoteArch = convertor->remoteArch;
    native->master = convertor->master;
    native->flags = 0;
    if (send) {
        (void) opal_convertor_prepare_for_send(native, convertor->pDesc, convertor->count,
                                               convertor->pBaseBuf);
    } else {
        (void) opal_convertor_prepare_for_recv(native, convertor->pDesc, convertor->count,
                                               convertor->pBaseBuf);
    }
    (void) opal_convertor_set_position(native, &position);
    return position;
}

void dt_native_destruct(opal_convertor_t *native)
{
    opal_convertor_cleanup(native);
    OBJ_DESTRUCT(native);
}

size_t dt_native_boundary(const opal_convertor_t *convertor, size_t position)
{
    const dt_elem_desc_t *item = convertor->use_desc->desc;
    size_t start = position - position % convertor->pDesc->size; /* of this item's data */
    if (convertor->flags & OPAL_DATATYPE_FLAG_CONTIGUOUS) {
        return position; /* copied as bytes, whatever it consists of */
    }
    for (;;) {
        const size_t offset = position - start;
        size_t unit;  /* bytes of an element, or of a loop's iteration */
        size_t units; /* how many */
        size_t items = 1;
        if (item->elem.common.flags & OPAL_DATATYPE_FLAG_DATA) {
            unit = opal_datatype_basicDatatypes[item->elem.common.type]->size;
            units = item->elem.count * item->elem.blocklen;
        } else if (OPAL_DATATYPE_LOOP == item->loop.common.type) {
            unit = item[item->loop.items].end_loop.size;
            units = item->loop.loops;
            items = item->loop.items + 1;
        } else {
            return start; /* the end: all data lies before */
        }
        if (offset >= unit * units) {
            start += unit * units;
            item += items;
            continue;
        }
        start += offset - offset % unit;
        if (1 == items) {
            return start;
        }
        item++;
    }
}
