#include "verify_native.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advance.h"
#include "contents.h"
#include "copy.h"
#include "dame/dame.h"
#include "describe.h"
#include "jit/lock.h"
#include "log.h"
#include "native.h"
#include "ompi/datatype/ompi_datatype.h"
#include "opal/util/output.h"
#include "program_text.h"
#include "table.h"
#include "thread.h"

/* More than any basic element: the native engine only stops at element boundaries. */
enum { SLACK = 64 };

/* Bytes of a program's text in a message. */
enum { TEXT_LIMIT = 64 << 10 };

/* What the native engine packs for [position, position + length); NULL when memory is out. The
 * result starts `*skip` bytes into the allocation that is returned. */
static char *pack_natively(const opal_convertor_t *convertor, size_t position, size_t length,
                           size_t *skip)
{
    opal_convertor_t native;
    size_t start = dt_native_construct(&native, convertor, true, position);
    size_t room = position - start + length + SLACK;
    char *packed = calloc(1, room);
    size_t done = 0;
    while (NULL != packed && done < position - start + length) {
        struct iovec iov = {.iov_base = packed + done, .iov_len = room - done};
        uint32_t n = 1;
        size_t bytes = 0;
        (void) opal_convertor_pack(&native, &iov, &n, &bytes);
        if (0 == bytes) {
            break;
        }
        done += bytes;
    }
    dt_native_destruct(&native);
    *skip = position - start;
    return packed;
}

static void unpack_natively(const opal_convertor_t *convertor, size_t position, const char *packed,
                            size_t length)
{
    opal_convertor_t native;
    (void) dt_native_construct(&native, convertor, false, position);
    struct iovec iov = {.iov_base = (void *) (uintptr_t) packed, .iov_len = length};
    uint32_t n = 1;
    size_t bytes = 0;
    (void) opal_convertor_unpack(&native, &iov, &n, &bytes);
    dt_native_destruct(&native);
}

/* Name, constructors and program of a datatype, as the end of a message; NULL when memory is out.
 */
static char *describe(const opal_datatype_t *datatype, const dame_program_t *program)
{
    char *text = NULL;
    size_t size = 0;
    dame_tree_t *tree = dame_tree_new();
    FILE *out = NULL == tree ? NULL : open_memstream(&text, &size);
    if (NULL != out) {
        const char *name = dt_contents_name(datatype);
        fputs('\0' == *name ? "It has no name" : "Its name is ", out);
        dt_describe_name(name, out);
        fputs("; its constructors:\n", out);
        dt_describe(tree, datatype, "  ", out);
        fputs("Its program:\n", out);
        dt_program_text(program, TEXT_LIMIT, out);
        (void) fclose(out);
    }
    dame_tree_free(tree);
    return text;
}

/* `what` was done and `mover` did it. */
static void report(const opal_convertor_t *convertor, const char *what, const char *mover,
                   size_t position, size_t length, size_t byte)
{
    dt_entry_t *entry = dt_table_get(convertor->pDesc);
    dt_count(DT_COUNT_differences, 1);
    if (DT_DECLINE_NONE != atomic_exchange(&entry->declined, DT_DECLINE_DIFFERS)) {
        return; /* said already; messages under way go on by the native result */
    }
    dt_count_declined(DT_DECLINE_DIFFERS);
    char *text = describe(convertor->pDesc, entry->program);
    opal_output(dt_log_stream(),
                "dt:dame: verify: %s of %zu elements by %s, packed bytes %zu to %zu, differs from "
                "Open MPI's own engine at byte %zu. The native result is used, and the datatype is "
                "left to the native engine from now on. %s",
                what, (size_t) convertor->count, mover, position, position + length,
                position + byte, NULL == text ? "" : text);
    free(text);
}

static void report_fragment(const opal_convertor_t *convertor, dame_dir_t dir, size_t position,
                            size_t length, size_t byte)
{
    const dame_program_t *program = dt_table_get(convertor->pDesc)->program;
    report(convertor, DAME_PACK == dir ? "pack" : "unpack",
           NULL != atomic_load(&program->code[dir]) ? "machine code" : "the interpreter", position,
           length, byte);
}

static size_t first_difference(const char *a, const char *b, size_t length)
{
    size_t i = 0;
    while (i < length && a[i] == b[i]) {
        i++;
    }
    return i;
}

/* Compares n fragments from `position` on; the native result replaces one that differs. */
static void compare(opal_convertor_t *convertor, dame_dir_t dir, size_t position,
                    const struct iovec *iov, uint32_t n)
{
    const int cancel_state = dame_cancel_defer();
    for (uint32_t i = 0; i < n; position += iov[i++].iov_len) {
        size_t length = iov[i].iov_len;
        size_t skip;
        char *native = pack_natively(convertor, position, length, &skip);
        if (NULL == native) {
            continue;
        }
        dt_count(DT_COUNT_verified, 1);
        size_t same = first_difference(iov[i].iov_base, native + skip, length);
        if (same < length) {
            report_fragment(convertor, dir, position, length, same);
            if (DAME_PACK == dir) {
                memcpy(iov[i].iov_base, native + skip, length);
            } else {
                unpack_natively(convertor, position, iov[i].iov_base, length);
            }
        }
        free(native);
    }
    dame_cancel_restore(cancel_state);
}

int32_t dt_verify_pack(opal_convertor_t *convertor, struct iovec *iov, uint32_t *out_size,
                       size_t *max_data)
{
    size_t position = convertor->bConverted;
    bool copies = *out_size > 0 && NULL != iov[0].iov_base;
    int32_t rc = dt_advance_pack(convertor, iov, out_size, max_data);
    if (copies) {
        compare(convertor, DAME_PACK, position, iov, *out_size);
    }
    return rc;
}

/* User memory may be scattered over all of the address space, so it cannot be saved and compared as
 * a whole: instead the native engine packs again what DAME has unpacked. */
int32_t dt_verify_unpack(opal_convertor_t *convertor, struct iovec *iov, uint32_t *out_size,
                         size_t *max_data)
{
    size_t position = convertor->bConverted;
    int32_t rc = dt_advance_unpack(convertor, iov, out_size, max_data);
    compare(convertor, DAME_UNPACK, position, iov, *out_size);
    return rc;
}

/* A buffer as a message of its own. End with dt_native_destruct(). */
static void construct(opal_convertor_t *message, const opal_datatype_t *datatype, int32_t count,
                      const char *buffer)
{
    OBJ_CONSTRUCT(message, opal_convertor_t);
    (void) opal_convertor_copy_and_prepare_for_send(ompi_mpi_local_convertor, datatype,
                                                    (size_t) count, buffer, 0, message);
}

/* What the native engine packs before from one buffer and afterwards from the other must agree. */
bool dt_verify_copy(dt_entry_t *entry, const opal_datatype_t *datatype, int32_t count, char *to,
                    const char *from)
{
    opal_convertor_t source;
    opal_convertor_t target;
    const size_t length = (size_t) count * datatype->size;
    size_t skip;
    construct(&source, datatype, count, from);
    construct(&target, datatype, count, to);
    char *before = pack_natively(&source, 0, length, &skip);
    const bool copied = dt_copy(entry, datatype, count, to, from);
    char *after = copied ? pack_natively(&target, 0, length, &skip) : NULL;
    if (NULL != before && NULL != after) {
        dt_count(DT_COUNT_verified, 1);
        const size_t same = first_difference(before, after, length);
        if (same < length) {
            report(&target, "local copy", "the interpreter", 0, length, same);
            unpack_natively(&target, 0, before, length);
        }
    }
    free(before);
    free(after);
    dt_native_destruct(&source);
    dt_native_destruct(&target);
    return copied;
}
