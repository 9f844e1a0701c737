/* SPDX-License-Identifier: BSD-3-Clause */
#include "move.h"

int64_t dt_move_pack_rest(const opal_convertor_t *convertor, dt_cached_cursor_t *cached,
                          char *packed, int64_t room)
{
    dame_cursor_t *cursor = &cached->cursor;
    const size_t limit = (size_t) (cursor->position + room);
    const int64_t end = (int64_t) dt_native_boundary(convertor, limit, &cached->mark);
    return end > cursor->position ? dame_cursor_pack_exact(cursor, packed, end - cursor->position)
                                  : 0;
}

size_t dt_move_more_iovecs(dt_thread_t *thread, const opal_convertor_t *convertor,
                           dt_cached_cursor_t *cached, dame_dir_t dir, struct iovec *iov,
                           uint32_t *out_size, size_t left)
{
    const size_t all = left;
    uint32_t used = 1;
    while (used < *out_size && left > 0) {
        left -= dt_move_iovec(thread, convertor, cached, dir, &iov[used++], left);
    }
    *out_size = used;
    return all - left;
}

void dt_move_staged(dt_thread_t *thread, const opal_convertor_t *convertor,
                    const dame_program_t *program, char *packed)
{
    const int64_t bytes = (int64_t) convertor->local_size;
    dame_cursor_t cursor;
    if (dame_staging_is_direct(&thread->staging, packed, bytes) ||
        dame_cursor_init(&cursor, program, (uintptr_t) convertor->pBaseBuf,
                         (int64_t) convertor->count) != DAME_OK) {
        dt_move_directly(thread, convertor, DAME_PACK, program, packed);
        return;
    }
    dame_reader_enter(&thread->base.reader);
    (void) dame_staging_pack(&thread->staging, &cursor, packed, bytes);
    dame_reader_leave(&thread->base.reader);
    dame_cursor_fini(&cursor);
}

bool dt_move_overlaps(const dame_program_t *program, const opal_convertor_t *convertor,
                      const void *packed)
{
    enum { BLOCKS = 32 };
    const uintptr_t first = (uintptr_t) packed, end = first + convertor->local_size;
    dame_block_t blocks[BLOCKS];
    dame_cursor_t cursor;
    if (dame_cursor_init(&cursor, program, (uintptr_t) convertor->pBaseBuf,
                         (int64_t) convertor->count) != DAME_OK) {
        return false;
    }
    for (int32_t n; (n = dame_cursor_blocks(&cursor, blocks, BLOCKS)) > 0;) {
        for (int32_t i = 0; i < n; i++) {
            const uintptr_t at = (uintptr_t) blocks[i].address;
            if (at < end && first < at + blocks[i].length) {
                return true;
            }
        }
    }
    return false;
}
