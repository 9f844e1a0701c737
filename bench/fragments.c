/* SPDX-License-Identifier: BSD-3-Clause */
#include "fragments.h"

#include <stdint.h>

#include "opal-glue/abi/openmpi.h"

static void prepare(opal_convertor_t *convertor)
{
    dt_object_construct(convertor, &opal_convertor_t_class);
    dt_openmpi_same_peer(convertor, ompi_mpi_local_convertor);
}

static void finish(opal_convertor_t *convertor)
{
    dt_object_destruct(convertor);
}

int dt_fragments_pack(const void *buf, int count, MPI_Datatype type, void *packed, size_t fragment,
                      size_t *packed_size)
{
    opal_convertor_t convertor;
    size_t done = 0;
    prepare(&convertor);
    (void) opal_convertor_prepare_for_send(&convertor, &type->super, (size_t) count, buf);
    const size_t total = convertor.local_size;
    while (done < total) {
        struct iovec iov = {.iov_base = (char *) packed + done,
                            .iov_len = total - done < fragment ? total - done : fragment};
        uint32_t n = 1;
        size_t bytes = 0;
        (void) opal_convertor_pack(&convertor, &iov, &n, &bytes);
        if (bytes == 0) {
            break;
        }
        done += bytes;
    }
    finish(&convertor);
    *packed_size = done;
    return done == total ? 0 : -1;
}

int dt_fragments_unpack(void *buf, int count, MPI_Datatype type, const void *packed, size_t size,
                        size_t fragment)
{
    opal_convertor_t convertor;
    size_t done = 0;
    prepare(&convertor);
    (void) opal_convertor_prepare_for_recv(&convertor, &type->super, (size_t) count, buf);
    while (done < size) {
        struct iovec iov = {.iov_base = (char *) (uintptr_t) packed + done,
                            .iov_len = size - done < fragment ? size - done : fragment};
        uint32_t n = 1;
        size_t bytes = 0;
        (void) opal_convertor_unpack(&convertor, &iov, &n, &bytes);
        if (bytes == 0) {
            break;
        }
        done += bytes;
    }
    finish(&convertor);
    return done == size ? 0 : -1;
}
