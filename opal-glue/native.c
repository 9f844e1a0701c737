#include "native.h"

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
    opal_convertor_t native;
    size_t boundary = dt_native_construct(&native, convertor, true, position);
    dt_native_destruct(&native);
    return boundary;
}
