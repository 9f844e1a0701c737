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

static dame_message_t message_of(const dame_datatype_t *type, int64_t count, const void *base)
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

/* A part of a message, in either direction. */
static dame_status_t move(const char *who, const dame_datatype_t *type, int64_t count,
                          const void *base, dame_dir_t dir, int64_t position, char *packed,
                          int64_t length, int64_t *moved)
{
    int64_t bytes;
    dame_status_t status = dame_check_message(who, "type", type, "count", count, &bytes);
    if (DAME_OK == status) {
        status = check_position(who, "position", position, bytes);
    }
    if (DAME_OK == status && length < 0) {
        status = dame_fail(DAME_ERR_ARGUMENT, who, "length is %" PRId64 "; it must be 0 or more",
                           length);
    }
    if (DAME_OK != status) {
        return status;
    }
    length = length < bytes - position ? length : bytes - position;
    if (length > 0) {
        if (NULL == packed) {
            return dame_fail(DAME_ERR_ARGUMENT, who,
                             "packed is NULL, but %" PRId64 " bytes are to move", length);
        }
        const dame_message_t message = message_of(type, count, base);
        if (length == bytes) {
            dame_mover_run(&message, dir, packed);
        } else {
            status = dame_mover_fragment(&message, dir, position, packed, length);
        }
        if (DAME_OK != status) {
            return dame_fail(status, who, "%s", dame_error_phrase(status));
        }
    }
    if (NULL != moved) {
        *moved = length;
    }
    return DAME_OK;
}

dame_status_t dame_pack(const dame_datatype_t *type, int64_t count, const void *base,
                        int64_t position, void *packed, int64_t length, int64_t *moved)
{
    return move(__func__, type, count, base, DAME_PACK, position, packed, length, moved);
}

dame_status_t dame_unpack(const dame_datatype_t *type, int64_t count, void *base, int64_t position,
                          const void *packed, int64_t length, int64_t *moved)
{
    return move(__func__, type, count, base, DAME_UNPACK, position, (char *) (uintptr_t) packed,
                length, moved);
}

dame_status_t dame_blocks(const dame_datatype_t *type, int64_t count, const void *base,
                          int64_t *position, struct iovec *blocks, int64_t n, int64_t *listed)
{
    int64_t bytes;
    int32_t got = 0;
    dame_status_t status = dame_check_message(__func__, "type", type, "count", count, &bytes);
    if (DAME_OK == status && (NULL == position || NULL == blocks || NULL == listed)) {
        status = dame_fail(DAME_ERR_ARGUMENT, __func__, "%s is NULL",
                           NULL == position ? "position" : (NULL == blocks ? "blocks" : "listed"));
    }
    if (DAME_OK == status) {
        status = check_position(__func__, "*position", *position, bytes);
    }
    if (DAME_OK == status && n < 1) {
        status =
            dame_fail(DAME_ERR_ARGUMENT, __func__, "n is %" PRId64 "; it must be 1 or more", n);
    }
    if (DAME_OK != status) {
        return status;
    }
    if (*position < bytes) {
        const dame_message_t message = message_of(type, count, base);
        status = dame_mover_blocks(&message, position, (dame_block_t *) blocks,
                                   n < INT32_MAX ? (int32_t) n : INT32_MAX, &got);
        if (DAME_OK != status) {
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
    if (DAME_OK != status) {
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
    if (DAME_OK == status) {
        status = dame_check_message(__func__, "to_type", to_type, "to_count", to_count, &to_bytes);
    }
    if (DAME_OK == status) {
        status = check_pair(__func__, from_type, from_count, to_type, to_count);
    }
    if (DAME_OK != status || 0 == bytes) {
        return status;
    }
    const dame_message_t source = message_of(from_type, from_count, from);
    const dame_message_t target = message_of(to_type, to_count, to);
    status = dame_mover_copy(&source, &target);
    if (DAME_OK != status) {
        return dame_fail(status, __func__, "%s", dame_error_phrase(status));
    }
    return DAME_OK;
}
