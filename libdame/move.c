/* SPDX-License-Identifier: BSD-3-Clause */
/* Packing, unpacking, copying and listing of messages. */
#include <inttypes.h>
#include <stddef.h>

#include "lib.h"
#include "signature.h"

/* A block is an iovec. */
_Static_assert(sizeof(dame_block_t) == sizeof(struct iovec), "size");
_Static_assert(offsetof(dame_block_t, address) == offsetof(struct iovec, iov_base), "address");
_Static_assert(offsetof(dame_block_t, length) == offsetof(struct iovec, iov_len), "length");

static dame_message_t message_of_call(const dame_datatype_t *type, int64_t count, const void *base)
{
    return (dame_message_t){.mover = atomic_load_explicit(&type->mover, memory_order_acquire),
                            .count = count,
                            .base = (uintptr_t) base};
}

static dame_status_t check_position(const char *who, const char *name, int64_t position,
                                    int64_t bytes)
{
    return position < 0 || position > bytes
               ? dame_fail(DAME_ERR_ARGUMENT, who,
                           "%s is %" PRId64 "; it must be 0 to the message's %" PRId64 " bytes",
                           name, position, bytes)
               : DAME_OK;
}

/* What became of a move on a device. */
static dame_status_t device_result(const char *who, dame_status_t status, const char *what)
{
    return status == DAME_OK ? DAME_OK
           : status == DAME_ERR_DEVICE
               ? dame_fail(status, who, "the device's driver reports %s", what)
           : status == DAME_ERR_UNSUPPORTED
               ? dame_fail(status, who,
                           "there is no code for devices: dame_llvm.so is missing, or "
                           "the datatype is too large")
           : status == DAME_ERR_ARGUMENT
               ? dame_fail(status, who,
                           "the message or packed is in memory that the device does "
                           "not reach; the host's must be pinned")
               : dame_fail(status, who, "%s", dame_error_phrase(status));
}

/* Where the bytes of a part go, and when. */
typedef struct stream {
    char *packed;
    int64_t length;
    const dame_device_queue_t *queue; /* NULL: when the call returns they are moved */
} stream_t;

static dame_status_t move_checked(const char *who, const dame_message_t *message, int64_t bytes,
                                  dame_dir_t dir, int64_t position, const stream_t *stream)
{
    const char *what = NULL;
    dame_device_sides_t sides;
    const uintptr_t packed = (uintptr_t) stream->packed;
    if (dame_mover_look(message, packed, &sides)) {
        const dame_device_part_t part = {dir, position, packed, stream->length};
        const dame_status_t status =
            dame_mover_on_device(message, &part, &sides, stream->queue, &what);
        return device_result(who, status, what);
    }
    if (stream->queue != NULL) {
        return dame_fail(DAME_ERR_ARGUMENT, who,
                         "neither the message nor packed is in the memory of a device");
    }
    if (stream->length == bytes) {
        dame_mover_run(message, dir, stream->packed);
        return DAME_OK;
    }
    const dame_status_t status =
        dame_mover_fragment(message, dir, position, stream->packed, stream->length);
    return status == DAME_OK ? DAME_OK : dame_fail(status, who, "%s", dame_error_phrase(status));
}

/* A part of a message, in either direction. */
static dame_status_t move_message(const char *who, const dame_datatype_t *type, int64_t count,
                                  const void *base, dame_dir_t dir, int64_t position,
                                  const stream_t *stream, int64_t *moved)
{
    int64_t length = stream->length;
    int64_t bytes;
    dame_status_t status = dame_check_message(who, "type", type, "count", count, &bytes);
    if (status == DAME_OK) {
        status = check_position(who, "position", position, bytes);
    }
    if (status == DAME_OK && length < 0) {
        status = dame_fail(DAME_ERR_ARGUMENT, who, "length is %" PRId64 "; it must be 0 or more",
                           length);
    }
    if (status != DAME_OK) {
        return status;
    }
    length = length < bytes - position ? length : bytes - position;
    if (length > 0) {
        if (stream->packed == NULL) {
            return dame_fail(DAME_ERR_ARGUMENT, who,
                             "packed is NULL, but %" PRId64 " bytes are to move", length);
        }
        const dame_message_t message = message_of_call(type, count, base);
        const stream_t part = {stream->packed, length, stream->queue};
        status = move_checked(who, &message, bytes, dir, position, &part);
        if (status != DAME_OK) {
            return status;
        }
    }
    if (moved != NULL) {
        *moved = length;
    }
    return DAME_OK;
}

dame_status_t dame_pack(const dame_datatype_t *type, int64_t count, const void *base,
                        int64_t position, void *packed, int64_t length, int64_t *moved)
{
    const stream_t stream = {packed, length, NULL};
    return move_message(__func__, type, count, base, DAME_PACK, position, &stream, moved);
}

dame_status_t dame_unpack(const dame_datatype_t *type, int64_t count, void *base, int64_t position,
                          const void *packed, int64_t length, int64_t *moved)
{
    const stream_t stream = {(char *) (uintptr_t) packed, length, NULL};
    return move_message(__func__, type, count, base, DAME_UNPACK, position, &stream, moved);
}

dame_status_t dame_pack_on(const dame_datatype_t *type, int64_t count, const void *base,
                           int64_t position, void *packed, int64_t length, int64_t *moved,
                           void *stream, void *event)
{
    const dame_device_queue_t queue = {stream, event};
    const stream_t on = {packed, length, &queue};
    return move_message(__func__, type, count, base, DAME_PACK, position, &on, moved);
}

dame_status_t dame_unpack_on(const dame_datatype_t *type, int64_t count, void *base,
                             int64_t position, const void *packed, int64_t length, int64_t *moved,
                             void *stream, void *event)
{
    const dame_device_queue_t queue = {stream, event};
    const stream_t on = {(char *) (uintptr_t) packed, length, &queue};
    return move_message(__func__, type, count, base, DAME_UNPACK, position, &on, moved);
}

dame_status_t dame_blocks(const dame_datatype_t *type, int64_t count, const void *base,
                          int64_t *position, struct iovec *blocks, int64_t n, int64_t *listed)
{
    int64_t bytes;
    int32_t got = 0;
    dame_status_t status = dame_check_message(__func__, "type", type, "count", count, &bytes);
    if (status == DAME_OK && (position == NULL || blocks == NULL || listed == NULL)) {
        status = dame_fail(DAME_ERR_ARGUMENT, __func__, "%s is NULL",
                           position == NULL ? "position" : (blocks == NULL ? "blocks" : "listed"));
    }
    if (status == DAME_OK) {
        status = check_position(__func__, "*position", *position, bytes);
    }
    if (status == DAME_OK && n < 1) {
        status =
            dame_fail(DAME_ERR_ARGUMENT, __func__, "n is %" PRId64 "; it must be 1 or more", n);
    }
    if (status != DAME_OK) {
        return status;
    }
    if (*position < bytes) {
        const dame_message_t message = message_of_call(type, count, base);
        status = dame_mover_blocks(&message, position, (dame_block_t *) blocks,
                                   n < INT32_MAX ? (int32_t) n : INT32_MAX, &got);
        if (status != DAME_OK) {
            return dame_fail(status, __func__, "%s", dame_error_phrase(status));
        }
    }
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): dame_fail() returns no DAME_OK */
    *listed = got;
    return DAME_OK;
}

/* Two messages that may be copied to each other: of one context and one signature. */
static dame_status_t check_pair(const char *who, const dame_datatype_t *from, int64_t from_count,
                                const dame_datatype_t *to, int64_t to_count)
{
    char from_text[120], to_text[120];
    int same;
    if (from->context != to->context) {
        return dame_fail(DAME_ERR_ARGUMENT, who, "from_type and to_type are of two contexts");
    }
    dame_status_t status = dame_signature_compare(from, from_count, to, to_count, &same);
    if (status != DAME_OK) {
        return dame_fail(status, who, "%s", dame_error_phrase(status));
    }
    if (same) {
        return DAME_OK;
    }
    dame_signature_text(&from->signature, from_count, from_text, sizeof(from_text));
    dame_signature_text(&to->signature, to_count, to_text, sizeof(to_text));
    return dame_fail(DAME_ERR_SIGNATURE, who, "from_type holds %s; to_type holds %s", from_text,
                     to_text);
}

dame_status_t dame_copy(const dame_datatype_t *from_type, int64_t from_count, const void *from,
                        const dame_datatype_t *to_type, int64_t to_count, void *to)
{
    int64_t bytes, to_bytes;
    dame_status_t status =
        dame_check_message(__func__, "from_type", from_type, "from_count", from_count, &bytes);
    if (status == DAME_OK) {
        status = dame_check_message(__func__, "to_type", to_type, "to_count", to_count, &to_bytes);
    }
    if (status == DAME_OK) {
        status = check_pair(__func__, from_type, from_count, to_type, to_count);
    }
    if (status != DAME_OK || bytes == 0) {
        return status;
    }
    const dame_message_t source = message_of_call(from_type, from_count, from);
    const dame_message_t target = message_of_call(to_type, to_count, to);
    const char *what = NULL;
    dame_device_sides_t sides;
    if (dame_mover_look(&source, (uintptr_t) to + (uintptr_t) to_type->node.true_lb, &sides)) {
        status = dame_mover_copy_on_device(&source, &target, &sides, &what);
        return status == DAME_ERR_UNSUPPORTED
                   ? dame_fail(status, __func__, "from and to are on two devices")
                   : device_result(__func__, status, what);
    }
    status = dame_mover_copy(&source, &target);
    if (status != DAME_OK) {
        return dame_fail(status, __func__, "%s", dame_error_phrase(status));
    }
    return DAME_OK;
}
