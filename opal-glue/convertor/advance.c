/* SPDX-License-Identifier: BSD-3-Clause */
#include "advance.h"

#include "counted.h"
#include "move.h"

/* ---- Messages that credit covers (engine/credit.h) ------------------------------------------ */

/* Credit has counted the message as a whole one: subtract the bytes that are not moved yet. */
static int32_t end_covered(dt_thread_t *thread, opal_convertor_t *convertor, dame_dir_t dir,
                           size_t moved, size_t *max_data)
{
    dt_thread_add(thread, (dt_counter_t) (DT_COUNT_bytes_packed + dir),
                  (int64_t) moved - (int64_t) convertor->local_size);
    return dt_move_end(convertor, moved, max_data);
}

/* The first fragment of a message. */
static __attribute__((noinline)) int32_t
begin_fragments(dt_thread_t *thread, const dt_entry_t *entry, opal_convertor_t *convertor,
                dame_dir_t dir, struct iovec *iov, uint32_t *out_size, size_t *max_data)
{
    const size_t moved = dt_move_fragment(thread, entry, convertor, dir, iov, out_size);
    return end_covered(thread, convertor, dir, moved, max_data);
}

/* Credit has counted the message as the native engine's, and DAME moves it. */
static void recount(const dt_entry_t *entry, const opal_convertor_t *convertor, dame_dir_t dir)
{
    const int64_t bytes = (int64_t) convertor->local_size;
    dame_amounts_t *amounts = entry->use.amounts;
    if (amounts != NULL) {
        dame_amounts_add(amounts, (dame_work_t) dir, DAME_TIER_NATIVE, -1, -bytes);
        dame_amounts_add(amounts, (dame_work_t) dir,
                         dame_promote_tier(entry->use.layout, dir, false), 1, bytes);
    }
}

/* The first fragment, or all of a message, of a layout that leaves whole ones to the native
 * engine. */
static __attribute__((noinline)) int32_t begin_native(dt_thread_t *thread, dt_entry_t *entry,
                                                      opal_convertor_t *convertor, dame_dir_t dir,
                                                      struct iovec *iov, uint32_t *out_size,
                                                      size_t *max_data)
{
    if (!dt_move_is_native(entry, dir, convertor, iov, out_size)) {
        recount(entry, convertor, dir);
    }
    const size_t moved = dt_move(thread, convertor, dir, entry, iov, out_size);
    return end_covered(thread, convertor, dir, moved, max_data);
}

/* A whole message with packed bytes that overlap its data; the native engine moves it. */
static int32_t begin_overlapping(dt_entry_t *entry, opal_convertor_t *convertor, dame_dir_t dir,
                                 struct iovec *iov, uint32_t *out_size, size_t *max_data)
{
    const int64_t bytes = (int64_t) convertor->local_size;
    dt_count_left(DT_DECLINE_OVERLAP, bytes);
    dame_tally_leave(dame_tally_of(&entry->use), (dame_work_t) dir, bytes,
                     (int32_t) DT_DECLINE_OVERLAP);
    *out_size = 1;
    return dt_move_end(convertor, dt_native_move(convertor, dir, iov), max_data);
}

/* A whole message with packed bytes between bytes of its data. */
static __attribute__((noinline)) int32_t begin_within(dt_entry_t *entry,
                                                      opal_convertor_t *convertor, dame_dir_t dir,
                                                      struct iovec *iov, uint32_t *out_size,
                                                      size_t *max_data)
{
    return dt_move_overlaps(entry->use.layout->program, convertor, iov->iov_base)
               ? begin_overlapping(entry, convertor, dir, iov, out_size, max_data)
               : dt_counted_begin(convertor, dir, entry, iov, out_size, max_data);
}

/* ---- fAdvance ------------------------------------------------------------------------------- */

/* A message begins. */
static inline __attribute__((always_inline)) int32_t
begin_message(opal_convertor_t *convertor, dame_dir_t dir, struct iovec *iov, uint32_t *out_size,
              size_t *max_data)
{
    dt_thread_t *thread = dt_thread_here();
    dt_entry_t *entry = dt_table_get(convertor->pDesc);
    const bool whole = dt_move_is_whole(convertor, iov, out_size);
    if (__builtin_expect(whole && dt_move_is_within(entry->use.layout->program, convertor->pBaseBuf,
                                                    (int64_t) convertor->count, iov->iov_base,
                                                    convertor->local_size),
                         0)) {
        return begin_within(entry, convertor, dir, iov, out_size, max_data);
    }
    if (!dame_credit_take(&thread->base, &entry->use, (dame_work_t) dir,
                          (int64_t) convertor->local_size)) {
        return dt_counted_begin(convertor, dir, entry, iov, out_size, max_data);
    }
    if (dame_promote_is_native(entry->use.layout, dir)) {
        return begin_native(thread, entry, convertor, dir, iov, out_size, max_data);
    }
    if (!whole) {
        return begin_fragments(thread, entry, convertor, dir, iov, out_size, max_data);
    }
    const size_t moved =
        dt_move_whole(thread, convertor, dir, entry->use.layout->program, iov, out_size);
    return dt_move_end(convertor, moved, max_data);
}

/* A fragment that continues a message. */
static inline __attribute__((always_inline)) int32_t
continue_message(opal_convertor_t *convertor, dame_dir_t dir, struct iovec *iov, uint32_t *out_size,
                 size_t *max_data)
{
    if (__builtin_expect(dt_engine.timing.on, 0)) {
        return dt_counted_continue(convertor, dir, iov, out_size, max_data);
    }
    dt_thread_t *thread = dt_thread();
    const size_t moved = dt_move_fragment(thread, NULL, convertor, dir, iov, out_size);
    dt_thread_add(thread, (dt_counter_t) (DT_COUNT_fragments_packed + dir), 1);
    dt_thread_add(thread, (dt_counter_t) (DT_COUNT_bytes_packed + dir), (int64_t) moved);
    return dt_move_end(convertor, moved, max_data);
}

/* Functions of their own, and of the same arguments, so that none pays for what another keeps in
 * registers. */
#define DEFINE(name, advance, dir)                                                                 \
    static __attribute__((noinline)) int32_t name(opal_convertor_t *convertor, struct iovec *iov,  \
                                                  uint32_t *out_size, size_t *max_data)            \
    {                                                                                              \
        return advance(convertor, dir, iov, out_size, max_data);                                   \
    }
DEFINE(begin_packing, begin_message, DAME_PACK)
DEFINE(begin_unpacking, begin_message, DAME_UNPACK)
DEFINE(continue_packing, continue_message, DAME_PACK)
DEFINE(continue_unpacking, continue_message, DAME_UNPACK)
#undef DEFINE

int32_t dt_advance_pack(opal_convertor_t *convertor, struct iovec *iov, uint32_t *out_size,
                        size_t *max_data)
{
    if (*out_size > 0 && iov[0].iov_base == NULL) { /* the caller wants pointers, not copies */
        return dt_advance_raw(convertor, iov, out_size, max_data);
    }
    return convertor->bConverted != 0 ? continue_packing(convertor, iov, out_size, max_data)
                                      : begin_packing(convertor, iov, out_size, max_data);
}

int32_t dt_advance_unpack(opal_convertor_t *convertor, struct iovec *iov, uint32_t *out_size,
                          size_t *max_data)
{
    return convertor->bConverted != 0 ? continue_unpacking(convertor, iov, out_size, max_data)
                                      : begin_unpacking(convertor, iov, out_size, max_data);
}

void dt_advance_set_position(opal_convertor_t *convertor, size_t *position)
{
    convertor->bConverted = *position;
    if (convertor->flags & CONVERTOR_SEND) {
        dt_cached_cursor_t *cached = dt_cursors_find(dt_thread(), convertor);
        if (cached != NULL && !dame_cursor_on_boundary(&cached->cursor)) {
            *position = dt_native_boundary(convertor, *position, &cached->mark);
            convertor->bConverted = *position;
        }
    }
}

_Static_assert(sizeof(struct iovec) == sizeof(dame_block_t) &&
                   offsetof(struct iovec, iov_base) == offsetof(dame_block_t, address) &&
                   offsetof(struct iovec, iov_len) == offsetof(dame_block_t, length),
               "a dame_block_t is a struct iovec");

int32_t dt_advance_raw(opal_convertor_t *convertor, struct iovec *iov, uint32_t *iov_count,
                       size_t *length)
{
    dt_cached_cursor_t *cached = dt_cursors_find(dt_thread(), convertor);
    const int32_t most = *iov_count < INT32_MAX ? (int32_t) *iov_count : INT32_MAX;
    *iov_count = 0;
    if (cached == NULL) {
        return dt_move_end(convertor, 0, length);
    }
    cached->datatype = NULL; /* as in dt_move_fragment() */
    *iov_count = (uint32_t) dame_cursor_blocks(&cached->cursor, (dame_block_t *) iov, most);
    cached->datatype = convertor->pDesc;
    return dt_move_end(convertor, (size_t) cached->cursor.position - convertor->bConverted, length);
}
