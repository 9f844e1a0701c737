/* SPDX-License-Identifier: BSD-3-Clause */
#include "verify_native.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advance.h"
#include "opal-glue/import/contents.h"
#include "copy.h"
#include "dame/dame.h"
#include "opal-glue/import/describe.h"
#include "base/lock.h"
#include "opal-glue/log.h"
#include "move.h"
#include "opal-glue/name.h"
#include "native.h"
#include "opal-glue/abi/openmpi.h"
#include "opal-glue/program_text.h"
#include "referee.h"
#include "opal-glue/table.h"

/* More than any basic element: the native engine only stops at element boundaries. */
enum { SLACK = 64 };

/* Bytes of a program's text in a message. */
enum { TEXT_LIMIT = 64 << 10 };

/*
 * What the native engine packs from `position` on with `room` bytes, and with `slack` more than
 * that; NULL when memory is out. It stands `*skip` bytes into the allocation that is returned, and
 * has `*length` bytes.
 */
static char *pack_natively(const opal_convertor_t *convertor, size_t position, size_t room,
                           size_t slack, size_t *skip, size_t *length)
{
    opal_convertor_t native;
    size_t start = dt_native_construct(&native, convertor, true, position);
    *skip = position - start;
    room += *skip + slack;
    char *packed = calloc(1, room + 1);
    size_t done = 0;
    while (packed != NULL && done < room) {
        struct iovec iov = {.iov_base = packed + done, .iov_len = room - done};
        uint32_t n = 1;
        size_t bytes = 0;
        (void) opal_convertor_pack(&native, &iov, &n, &bytes);
        if (bytes == 0) {
            break;
        }
        done += bytes;
    }
    dt_native_destruct(&native);
    *length = done > *skip ? done - *skip : 0;
    return packed;
}

/* Name, constructors and program of a datatype, as the end of a message; NULL when memory is out.
 */
static char *describe(const opal_datatype_t *datatype, const dame_program_t *program)
{
    char *text = NULL;
    size_t size = 0;
    dame_tree_t *tree = dame_tree_new();
    FILE *out = tree == NULL ? NULL : open_memstream(&text, &size);
    if (out != NULL) {
        const char *name = dt_contents_name(datatype);
        char plain[DT_NAME_TEXT];
        fprintf(out, "%s%s; it is made by\n  ", *name == '\0' ? "It has no name" : "Its name is ",
                dt_name_text(name, plain, sizeof(plain)));
        fprintf(out, "%s\nIts program:\n", dt_describe(tree, datatype, out) ? "" : " ...");
        dt_program_text(program, TEXT_LIMIT, out);
        (void) fclose(out);
    }
    dame_tree_free(tree);
    return text;
}

typedef enum work { PACK = DAME_PACK, UNPACK = DAME_UNPACK, COPY } work_t;

/* What Open MPI's own description of the datatype says of bytes that differ; OTHERWISE: amounts or
 * positions differ, of which it says nothing. */
typedef enum verdict { DAME_IS_RIGHT, DAME_IS_WRONG, UNKNOWN, OTHERWISE } verdict_t;

static const char *const verdicts[] = {
    "By Open MPI's own description of the datatype DAME is right, and Open MPI's engine is not: "
    "DAME's result is used.",
    "By Open MPI's own description of the datatype DAME is wrong: the right result is used, and "
    "the "
    "datatype is left to Open MPI's engine from now on.",
    "Memory is out, so it is unknown which one is right: DAME's result is used, and the datatype "
    "is "
    "left to Open MPI's engine from now on.",
    "The native result is used, and the datatype is left to Open MPI's engine from now on."};

/* Returns whether this is the first difference of the datatype. */
static bool is_first(dt_entry_t *entry, verdict_t verdict)
{
    if (verdict == DAME_IS_RIGHT) {
        dt_count(DT_COUNT_native_differences, 1);
        return atomic_exchange(&entry->use.trust, DAME_TRUST_BROKEN) != DAME_TRUST_BROKEN;
    }
    dt_count(DT_COUNT_differences, 1);
    if (atomic_exchange(&entry->use.layout->declined, DT_DECLINE_DIFFERS) != DT_DECLINE_NONE) {
        return false; /* messages under way go on by the right result */
    }
    dt_count_declined(DT_DECLINE_DIFFERS);
    return true;
}

/* `format` and what follows name the difference; a datatype's first one is printed with all that is
 * known of the datatype. */
static __attribute__((format(printf, 4, 5))) void
report(const opal_convertor_t *convertor, work_t work, verdict_t verdict, const char *format, ...)
{
    dt_entry_t *entry = dt_table_get(convertor->pDesc);
    if (!is_first(entry, verdict)) {
        return;
    }
    const int cancel_state = dame_cancel_defer();
    char difference[160];
    va_list args;
    va_start(args, format);
    (void) vsnprintf(difference, sizeof(difference), format, args);
    va_end(args);
    char *text = describe(convertor->pDesc, entry->use.layout->program);
    static const char *const names[] = {"pack", "unpack", "local copy"};
    const bool compiled =
        work != COPY && atomic_load(&entry->use.layout->program->codes[work]) != NULL;
    opal_output(dt_log_stream(), "dt:dame: verify: %s of %zu elements by %s, %s. %s %s",
                names[work], (size_t) convertor->count,
                compiled ? "machine code" : "the interpreter", difference, verdicts[verdict],
                text == NULL ? "" : text);
    free(text);
    dame_cancel_restore(cancel_state);
}

static size_t first_difference(const char *a, const char *b, size_t length)
{
    size_t i = 0;
    while (i < length && a[i] == b[i]) {
        i++;
    }
    return i;
}

/* Much room may leave a short block whole (dame/cursor.h); nothing else may be left. */
static bool amounts_agree(size_t room, size_t moved, size_t native)
{
    return moved <= native &&
           native - moved < (size_t) (room >= DAME_SPARING_ROOM ? DAME_SPARED_BLOCK : 1);
}

static int32_t stand_at(opal_convertor_t *convertor, size_t position)
{
    convertor->bConverted = position;
    convertor->flags &= ~(uint32_t) CONVERTOR_COMPLETED;
    if (position < convertor->local_size) {
        return 0;
    }
    convertor->flags |= CONVERTOR_COMPLETED;
    return 1;
}

/* Asks the referee whether the packed data agrees with user memory. If not, the side that was
 * written gets the right bytes. */
static verdict_t ask_referee(const opal_convertor_t *convertor, dame_dir_t dir, size_t position,
                             char *packed, size_t length)
{
    char *right = malloc(length + 1);
    if (right == NULL) {
        return UNKNOWN;
    }
    dt_referee_pack(convertor, position, right, length);
    const bool same = memcmp(right, packed, length) == 0;
    if (!same && dir == DAME_PACK) {
        memcpy(packed, right, length);
    } else if (!same) {
        dt_referee_unpack(convertor, position, packed, length);
    }
    free(right);
    return same ? DAME_IS_RIGHT : DAME_IS_WRONG;
}

/* Moves one fragment. Where the engines differ, the referee says who is right. */
static int32_t move_one(opal_convertor_t *convertor, dame_dir_t dir, struct iovec *iov)
{
    const size_t position = convertor->bConverted;
    const size_t left = convertor->local_size - position;
    const size_t room = iov->iov_len < left ? iov->iov_len : left;
    uint32_t n = 1;
    size_t moved;
    size_t skip;
    size_t native_moved;
    const dame_program_t *program = dt_table_get(convertor->pDesc)->use.layout->program;
    const bool overlaps = position == 0 && room == left &&
                          dt_move_is_within(program, convertor->pBaseBuf,
                                            (int64_t) convertor->count, iov->iov_base, room) &&
                          dt_move_overlaps(program, convertor, iov->iov_base);
    const int32_t rc = dir == DAME_PACK ? dt_advance_pack(convertor, iov, &n, &moved)
                                        : dt_advance_unpack(convertor, iov, &n, &moved);
    char *native = overlaps ? NULL
                            : pack_natively(convertor, position, room, dir == DAME_PACK ? 0 : SLACK,
                                            &skip, &native_moved);
    if (native == NULL) {
        return rc;
    }
    if (dir == DAME_UNPACK) {
        native_moved = room; /* a receiver takes all */
    }
    dt_count(DT_COUNT_verified, 1);
    const bool agree = amounts_agree(dir == DAME_PACK ? room : 0, moved, native_moved);
    const size_t same = agree ? first_difference(iov->iov_base, native + skip, moved) : 0;
    free(native);
    if (agree && same == moved) {
        return rc;
    }
    const verdict_t verdict =
        ask_referee(convertor, dir, position, iov->iov_base, agree ? moved : native_moved);
    if (agree) {
        report(convertor, (work_t) dir, verdict,
               "packed bytes %zu to %zu, differs from Open MPI's own engine at byte %zu", position,
               position + moved, position + same);
        return rc;
    }
    report(convertor, (work_t) dir, OTHERWISE,
           "packed bytes %zu to %zu, moves %zu bytes where Open MPI's own engine moves %zu",
           position, position + room, moved, native_moved);
    iov->iov_len = native_moved;
    return stand_at(convertor, position + native_moved);
}

/* One iovec after the other, since the amounts of the next depend on this one's. It calls malloc(),
 * and a thread that is cancelled asynchronously there would keep malloc's lock. */
static int32_t move_all(opal_convertor_t *convertor, dame_dir_t dir, struct iovec *iov,
                        uint32_t *out_size, size_t *max_data)
{
    const size_t start = convertor->bConverted;
    uint32_t used = 0;
    int32_t rc = 0;
    const int cancel_state = dame_cancel_defer();
    while (rc == 0 && used < *out_size) {
        rc = move_one(convertor, dir, &iov[used++]);
    }
    dame_cancel_restore(cancel_state);
    *out_size = used;
    *max_data = convertor->bConverted - start;
    return rc;
}

int32_t dt_verify_pack(opal_convertor_t *convertor, struct iovec *iov, uint32_t *out_size,
                       size_t *max_data)
{
    if (*out_size > 0 && iov[0].iov_base == NULL) { /* pointers: nothing is copied */
        return dt_advance_pack(convertor, iov, out_size, max_data);
    }
    return move_all(convertor, DAME_PACK, iov, out_size, max_data);
}

/* User memory may be scattered over all of the address space, so it cannot be saved and compared as
 * a whole: instead the native engine packs again what DAME has unpacked. */
int32_t dt_verify_unpack(opal_convertor_t *convertor, struct iovec *iov, uint32_t *out_size,
                         size_t *max_data)
{
    return move_all(convertor, DAME_UNPACK, iov, out_size, max_data);
}

void dt_verify_set_position(opal_convertor_t *convertor, size_t *position)
{
    const bool send = (convertor->flags & CONVERTOR_SEND) != 0;
    const size_t wanted = *position;
    opal_convertor_t native;
    size_t expected = dt_native_construct(&native, convertor, send, wanted);
    dt_native_destruct(&native);
    dt_advance_set_position(convertor, position);
    if (*position != expected || convertor->bConverted != expected) {
        report(convertor, send ? PACK : UNPACK, OTHERWISE,
               "set to packed byte %zu, goes to %zu where Open MPI's own engine goes to %zu",
               wanted, *position, expected);
        *position = expected;
        (void) stand_at(convertor, expected);
    }
}

/* A buffer as a message of its own. End with dt_native_destruct(). */
static void construct(opal_convertor_t *message, const opal_datatype_t *datatype, int32_t count,
                      const char *buffer)
{
    dt_object_construct(message, &opal_convertor_t_class);
    dt_openmpi_same_peer(message, ompi_mpi_local_convertor);
    dt_native_prepare(message, datatype, (size_t) count, buffer, true);
}

/* What the native engine packs before from one buffer and afterwards from the other must agree. */
bool dt_verify_copy(dt_entry_t *entry, const opal_datatype_t *datatype, int32_t count, char *to,
                    const char *from)
{
    opal_convertor_t source;
    opal_convertor_t target;
    const size_t length = (size_t) count * datatype->size;
    size_t skip;
    size_t packed;
    const int cancel_state = dame_cancel_defer();
    construct(&source, datatype, count, from);
    construct(&target, datatype, count, to);
    char *before = pack_natively(&source, 0, length, 0, &skip, &packed);
    const bool copied = dt_copy(entry, datatype, count, to, from);
    char *after = copied ? pack_natively(&target, 0, length, 0, &skip, &packed) : NULL;
    if (before != NULL && after != NULL) {
        dt_count(DT_COUNT_verified, 1);
        const size_t same = first_difference(before, after, length);
        if (same < length) {
            dt_referee_pack(&source, 0, before, length); /* which the copy has left as it was */
            const verdict_t verdict = ask_referee(&target, DAME_UNPACK, 0, before, length);
            report(&target, COPY, verdict, "differs from Open MPI's own engine at byte %zu", same);
        }
    }
    free(before);
    free(after);
    dt_native_destruct(&source);
    dt_native_destruct(&target);
    dame_cancel_restore(cancel_state);
    return copied;
}
