/* SPDX-License-Identifier: BSD-3-Clause */
#include "uses.h"

#include "dump.h"
#include "events.h"
#include "table.h"

static convertor_advance_fct_t movers[2]; /* by dame_dir_t */
static bool count_events;

void dt_uses_start(convertor_advance_fct_t pack, convertor_advance_fct_t unpack, bool events)
{
    count_events = events;
    movers[DAME_PACK] = pack;
    movers[DAME_UNPACK] = unpack;
}

static int32_t move_and_count(opal_convertor_t *convertor, dame_dir_t dir, struct iovec *iov,
                              uint32_t *out_size, size_t *max_data)
{
    dt_entry_t *entry = dt_table_get(convertor->pDesc); /* never NULL: DAME handles the convertor */
    const bool copies = *out_size > 0 && NULL != iov[0].iov_base;
    const bool first = 0 == convertor->bConverted;
    dt_dump_t *dump = dt_entry_dump(entry);
    const int32_t rc = copies && count_events ? dt_events_move(entry, dir, movers[dir], convertor,
                                                               iov, out_size, max_data)
                                              : movers[dir](convertor, iov, out_size, max_data);
    if (copies && NULL != dump) {
        dt_dump_count(dump, dir, first, (int64_t) *max_data);
    }
    return rc;
}

int32_t dt_uses_pack(opal_convertor_t *convertor, struct iovec *iov, uint32_t *out_size,
                     size_t *max_data)
{
    return move_and_count(convertor, DAME_PACK, iov, out_size, max_data);
}

int32_t dt_uses_unpack(opal_convertor_t *convertor, struct iovec *iov, uint32_t *out_size,
                       size_t *max_data)
{
    return move_and_count(convertor, DAME_UNPACK, iov, out_size, max_data);
}
