/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ways to move data of a convertor: a whole message by its program, any fragment through a
 * cursor, and a whole message by the native engine. They count only what no other file knows.
 * Except dt_move_end(), they leave the convertor as it is.
 */
#ifndef DT_MOVE_H
#define DT_MOVE_H

#include "cursors.h"
#include "engine/promote.h"
#include "native.h"

/* ---- Through a cursor ----------------------------------------------------------------------- */

/* What still fits behind the last multiple of the program's granule: elements of several sizes end
 * between those. */
int64_t dt_move_pack_rest(const opal_convertor_t *convertor, dt_cached_cursor_t *cached,
                          char *packed, int64_t room);

/*
 * Packs as much as the native engine would, but that much room may leave a short block whole. So an
 * element is cut only where that engine also cuts it: stock receivers lose track of cut elements
 * when fragments overtake each other.
 */
static inline int64_t dt_move_pack(dt_thread_t *thread, const opal_convertor_t *convertor,
                                   dt_cached_cursor_t *cached, char *packed, int64_t room)
{
    int64_t bytes = room < DAME_STAGING_LEAST
                        ? dame_cursor_pack(&cached->cursor, packed, room)
                        : dame_staging_pack(&thread->staging, &cached->cursor, packed, room);
    if (bytes < room && !dame_cursor_spares(&cached->cursor, room)) {
        bytes += dt_move_pack_rest(convertor, cached, packed + bytes, room - bytes);
    }
    return bytes;
}

/* Moves what fits into one iovec, which says then how much that was, of at most `left` bytes.
 * Returns the bytes. */
static inline __attribute__((always_inline)) size_t
dt_move_iovec(dt_thread_t *thread, const opal_convertor_t *convertor, dt_cached_cursor_t *cached,
              dame_dir_t dir, struct iovec *iov, size_t left)
{
    const int64_t room = (int64_t) (iov->iov_len < left ? iov->iov_len : left);
    const int64_t bytes =
        dir == DAME_PACK ? dt_move_pack(thread, convertor, cached, iov->iov_base, room)
        : room < DAME_STAGING_LEAST
            ? dame_cursor_unpack(&cached->cursor, iov->iov_base, room)
            : dame_staging_unpack(&thread->staging, &cached->cursor, iov->iov_base, room);
    iov->iov_len = (size_t) bytes;
    return (size_t) bytes;
}

/* The same for the iovecs after the first. *out_size: all that were used. Not in line: most callers
 * have one. */
size_t dt_move_more_iovecs(dt_thread_t *thread, const opal_convertor_t *convertor,
                           dt_cached_cursor_t *cached, dame_dir_t dir, struct iovec *iov,
                           uint32_t *out_size, size_t left);

/* What fits, from where the convertor stands. `begins`: the entry, if that is the beginning of a
 * message and its cursor is not looked for; else NULL. Returns the bytes. */
static inline __attribute__((always_inline)) size_t
dt_move_fragment(dt_thread_t *thread, const dt_entry_t *begins, const opal_convertor_t *convertor,
                 dame_dir_t dir, struct iovec *iov, uint32_t *out_size)
{
    const size_t left = convertor->local_size - convertor->bConverted;
    size_t moved = 0;
    dame_reader_enter(&thread->base.reader);
    dt_cached_cursor_t *cached = begins == NULL ? dt_cursors_find(thread, convertor)
                                                : dt_cursors_begin(thread, begins, convertor);
    if (cached == NULL || *out_size == 0 || left == 0) {
        *out_size = 0;
    } else {
        cached->datatype = NULL; /* a signal handler that jumps out leaves it half moved */
        moved = dt_move_iovec(thread, convertor, cached, dir, iov, left);
        if (*out_size != 1) {
            moved +=
                dt_move_more_iovecs(thread, convertor, cached, dir, iov, out_size, left - moved);
        }
        cached->datatype = convertor->pDesc;
        if (cached->cursor.in_block != 0) {
            dt_thread_add(thread, DT_COUNT_cut_blocks, 1);
        }
    }
    dame_reader_leave(&thread->base.reader);
    return moved;
}

/* ---- Whole messages ------------------------------------------------------------------------- */

static inline bool dt_move_is_whole(const opal_convertor_t *convertor, const struct iovec *iov,
                                    const uint32_t *out_size)
{
    return *out_size > 0 && iov[0].iov_len >= convertor->local_size;
}

/*
 * Returns whether a whole message's packed bytes lie between the first and the last byte of its
 * data. Then they may overlap it (dt_move_overlaps()). Not asked of absolute datatypes, which
 * may span all memory.
 */
static inline bool dt_move_is_within(const dame_program_t *program, const void *base, int64_t count,
                                     const void *packed, size_t bytes)
{
    const uintptr_t reach = (uintptr_t) (count - 1) * (uintptr_t) program->extent;
    const bool down = program->extent < 0;
    const uintptr_t first = (uintptr_t) base + (uintptr_t) program->true_lb + (down ? reach : 0);
    const uintptr_t span =
        (uintptr_t) program->true_ub - (uintptr_t) program->true_lb + (down ? -reach : reach);
    return (uintptr_t) packed - first + (bytes - 1) < span + (bytes - 1) && base != NULL;
}

/*
 * Returns whether the packed bytes of a convertor's whole message overlap its data. MPI forbids
 * it, and Open MPI's engine forgives it: the bytes depend on the order in which an engine reads
 * and writes. Walks all blocks; only where dt_move_is_within().
 */
bool dt_move_overlaps(const dame_program_t *program, const opal_convertor_t *convertor,
                      const void *packed);

/* Straight to the packed bytes or from them. */
static inline void dt_move_directly(dt_thread_t *thread, const opal_convertor_t *convertor,
                                    dame_dir_t dir, const dame_program_t *program, char *packed)
{
    dame_reader_enter(&thread->base.reader);
    dame_program_run(program, dir, (uintptr_t) convertor->pBaseBuf, (int64_t) convertor->count,
                     packed);
    dame_reader_leave(&thread->base.reader);
}

/* Packs by whole lines if that is faster (engine/staging.h). Not in line: for longer messages. */
void dt_move_staged(dt_thread_t *thread, const opal_convertor_t *convertor,
                    const dame_program_t *program, char *packed);

static inline size_t dt_move_whole(dt_thread_t *thread, const opal_convertor_t *convertor,
                                   dame_dir_t dir, const dame_program_t *program, struct iovec *iov,
                                   uint32_t *out_size)
{
    const size_t moved = convertor->local_size;
    if (dir == DAME_PACK && moved >= DAME_STAGING_LEAST) {
        dt_move_staged(thread, convertor, program, iov[0].iov_base);
    } else {
        dt_move_directly(thread, convertor, dir, program, iov[0].iov_base);
    }
    iov[0].iov_len = moved;
    *out_size = 1;
    return moved;
}

/* ---- One of them ---------------------------------------------------------------------------- */

/* Returns whether this message is left to the native engine. In longer ones that engine's 32-bit
 * counts overflow here and there. */
static inline bool dt_move_is_native(dt_entry_t *entry, dame_dir_t dir,
                                     const opal_convertor_t *convertor, const struct iovec *iov,
                                     const uint32_t *out_size)
{
    return dame_promote_is_native(entry->use.layout, dir) &&
           dt_move_is_whole(convertor, iov, out_size) && convertor->local_size <= INT32_MAX &&
           dt_native_is_trusted(entry, convertor);
}

/* By the native engine, and if that is faster, through the staging buffer. Returns the bytes. */
static inline size_t dt_move_natively(dt_thread_t *thread, opal_convertor_t *convertor,
                                      dame_dir_t dir, struct iovec *iov)
{
    char *packed = iov->iov_base;
    char *warm = dir == DAME_PACK
                     ? dame_staging_room(&thread->staging, packed, (int64_t) convertor->local_size)
                     : packed;
    iov->iov_base = warm;
    iov->iov_len = convertor->local_size; /* not more than the buffer has */
    const size_t moved = dt_native_move(convertor, dir, iov);
    iov->iov_base = packed;
    if (warm != packed) {
        dame_staging_write(packed, warm, (int64_t) moved);
    }
    return moved;
}

/* Moves the bytes that fit, by the fastest way. `entry`: of a message that may be whole, else NULL.
 * Returns the bytes. */
static inline size_t dt_move(dt_thread_t *thread, opal_convertor_t *convertor, dame_dir_t dir,
                             dt_entry_t *entry, struct iovec *iov, uint32_t *out_size)
{
    if (entry != NULL && dt_move_is_native(entry, dir, convertor, iov, out_size)) {
        *out_size = 1;
        dt_thread_add(thread, DT_COUNT_messages_native, 1);
        return dt_move_natively(thread, convertor, dir, iov);
    }
    return entry != NULL && dt_move_is_whole(convertor, iov, out_size)
               ? dt_move_whole(thread, convertor, dir, entry->use.layout->program, iov, out_size)
               : dt_move_fragment(thread, NULL, convertor, dir, iov, out_size);
}

/* The convertor's position follows the moved bytes. Returns 1 at the end of the message, else 0, as
 * fAdvance does. */
static inline int32_t dt_move_end(opal_convertor_t *convertor, size_t moved, size_t *max_data)
{
    *max_data = moved;
    convertor->bConverted += moved;
    if (convertor->bConverted == convertor->local_size) {
        convertor->flags |= CONVERTOR_COMPLETED;
        return 1;
    }
    return 0;
}

#endif
