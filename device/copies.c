/* SPDX-License-Identifier: BSD-3-Clause */
#include "move.h"

dame_status_t dame_work_cursor(const work_t *work, dame_cursor_t *cursor, int64_t at)
{
    const dame_device_message_t *message = work->message;
    const dame_status_t status =
        dame_cursor_init(cursor, message->program, message->base, message->count);
    if (status == DAME_OK) {
        dame_cursor_seek(cursor, work->part->position + at);
    }
    return status;
}

/* Rows at one stride, in user memory, that a driver copies at once. */
static void copy_rows(work_t *work, const dame_rows_t *rows, uint64_t packed)
{
    const bool packs = work->part->dir == DAME_PACK;
    const cu_side_t user = {
        .type = CU_DEVICE, .device = rows->address, .pitch = (size_t) rows->stride};
    const cu_side_t stream = {.type = work->sides->packed == ON_DEVICE ? CU_DEVICE : CU_HOST,
                              .device = packed,
                              .host = (void *) (uintptr_t) packed,
                              .pitch = (size_t) rows->width};
    const cu_rows_t copy = {packs ? user : stream, packs ? stream : user, (size_t) rows->width,
                            (size_t) rows->height};
    TRY(work, copy_rows(&copy, work->stream));
}

/* One copy, of rows or of a block. Returns its bytes. */
static int64_t copy_once(work_t *work, dame_cursor_t *cursor, uint64_t packed, int64_t left)
{
    const bool packs = work->part->dir == DAME_PACK;
    const int64_t position = cursor->position;
    dame_rows_t rows;
    dame_cursor_rows(cursor, left, &rows);
    const bool is_elsewhere = work->sides->packed == ON_DEVICE && !work->sides->same;
    if (rows.height > 1 && rows.stride > rows.width && rows.stride <= INT32_MAX && !is_elsewhere) {
        copy_rows(work, &rows, packed);
        return rows.width * rows.height;
    }
    if (rows.height > 1) { /* at no stride that a driver takes, or to another device */
        dame_cursor_seek(cursor, position + rows.width);
    }
    TRY(work, copy(packs ? packed : rows.address, packs ? rows.address : packed,
                   (size_t) rows.width, work->stream));
    return rows.width;
}

dame_status_t dame_work_by_copies(work_t *work, int64_t most, int64_t *at)
{
    const int64_t length = work->part->length;
    dame_cursor_t cursor;
    int64_t copies = 0;
    const dame_status_t status = dame_work_cursor(work, &cursor, *at);
    if (status == DAME_OK) {
        while (*at < length && copies < most && work->error == 0) {
            *at += copy_once(work, &cursor, work->part->packed + (uint64_t) *at, length - *at);
            copies++;
        }
        atomic_fetch_add(&work->device->counts.copies, copies);
        dame_cursor_fini(&cursor);
    }
    return status;
}
