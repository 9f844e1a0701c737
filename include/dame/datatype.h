/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libdame: datatypes as in MPI, without MPI. A datatype says where the bytes of an element lie in
 * memory; the library packs them into a contiguous stream, unpacks them, copies them from one
 * layout to another, and lists them as blocks for writev().
 *
 *     dame_context_new()      once
 *     dame_datatype_*()       constructors, from a basic datatype up
 *     dame_datatype_commit()  once for each datatype that moves data
 *     dame_pack(), dame_unpack(), dame_copy(), dame_blocks()
 *
 * Units. Sizes, extents, bounds, positions and the displacements and strides of constructors with
 * an h in their name are BYTES. Counts and blocklengths are numbers of datatypes. The strides and
 * displacements of the constructors without an h are multiples of the old datatype's extent. All
 * are 64-bit. Negative and zero strides, negative displacements, blocks that overlap, empty blocks,
 * empty datatypes and extents of any sign are allowed.
 *
 * The packed stream of `count` elements holds the bytes of the basic elements in typemap order
 * (MPI-4.0, section 5.1), without gaps and in the byte order of the machine. It is the stream that
 * MPI_Pack makes of the same datatype in homogeneous jobs of Open MPI.
 *
 * Buffers. `base` is the address from which displacements count. It may be NULL when displacements
 * are addresses, as with MPI_BOTTOM. A message of `count` elements occupies element i at
 * base + i * extent. Packing and copying may read bytes between the blocks of a message, on the
 * same pages of 4096 bytes, and ignore their values; unpacking and copying write the blocks only.
 * Where blocks overlap, pack reads them as often as they occur; what remains of overlapping blocks
 * after unpacking is undefined.
 *
 * Devices. In a process that has loaded CUDA's driver before the context is made, `base` and
 * `packed` of dame_pack(), dame_unpack() and dame_copy() may be addresses of a device's memory, all
 * of whose work is done or in the default stream. libdame loads no driver. A kernel moves the data,
 * made by dame_llvm.so or found in the code cache (code_dir); without one it is copied block by
 * block. A message is all on one device or all on the host.
 *
 * Errors. Functions return DAME_OK or another status, and write their outputs on DAME_OK only.
 * dame_error_message() then names function, argument, value and the allowed values. Status that any
 * function with the argument may return: DAME_ERR_ARGUMENT for NULL where a context, a datatype, a
 * list or an output is needed. Handles that were freed are not recognised.
 *
 * Threads. Datatypes do not change once they are made, and a context is safe: any number of threads
 * may make, commit, use and free datatypes of one context at the same time, also the same datatype.
 * Two calls may not write the same memory at the same time, and nothing may use a handle during or
 * after the call that frees it. The message of an error belongs to the thread. In the child of
 * fork() everything works as before. No function is a cancellation point; asynchronous cancellation
 * inside one is not supported.
 *
 * Growth. Programs that were compiled with an older version of this header run with a newer
 * libdame.so.0. Contexts are independent of each other; a process may have several.
 */
#ifndef DAME_DATATYPE_H
#define DAME_DATATYPE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "dame/errors.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define DAME_PUBLIC __attribute__((visibility("default")))
#else
#define DAME_PUBLIC
#endif

/* What owns the codes that move data, and counters. */
typedef struct dame_context dame_context_t;

/* A datatype: immutable, counted references. */
typedef struct dame_datatype dame_datatype_t;

/* ---- library and errors ---- */

/*
 * The version of the library that is loaded, such as "0.2.0". Static storage.
 */
DAME_PUBLIC const char *dame_version(void);

/*
 * What the last function that failed in this thread said: one line, without a full stop, such as
 * "dame_datatype_vector: blocklength is -3; it must be 0 or more". Empty before the first failure.
 * It stays until the next failure of the thread, whatever succeeds in between.
 */
DAME_PUBLIC const char *dame_error_message(void);

/*
 * The same message without the name of the function, for programs with messages of their own. *line
 * and *column receive where in a text the error is: lines, and bytes of a line, counted from 1.
 * Both are 0 when the error is not at a place of a text. An output that is NULL is not wanted.
 */
DAME_PUBLIC const char *dame_error_reason(int64_t *line, int64_t *column);

/*
 * A short English phrase for a status. Static storage.
 */
DAME_PUBLIC const char *dame_error_phrase(dame_status_t status);

/*
 * Frees a text that the library returned. Accepts NULL.
 */
DAME_PUBLIC void dame_free(void *memory);

/* ---- contexts ---- */

/*
 * Options of a context. Clear the structure (= {0}, memset), set `size`, then what differs from the
 * default. A later version may have more fields; `size` tells the library which of them the program
 * knows.
 */
typedef struct dame_context_options {
    size_t size;        /* sizeof(dame_context_options_t) */
    const char *passes; /* passes of the optimiser, separated by commas: normalise, merge, pattern,
                           order, sort, buffer; or "all" or "none". NULL: all but sort. They change
                           the time that moving data takes, never the data. */
    int64_t fragment;   /* expected bytes of a call that moves part of a message. 0: 32768 */
    int64_t threshold;  /* when programs are compiled to machine code. 0: when measurements of the
                           program's own messages say that it pays; n: at the n-th message packed,
                           and the n-th unpacked; -1: never */
    const char *tiers; /* what may move data, separated by commas: interp, the interpreter, which is
                          always there; x, machine code made in microseconds; l, machine code by
                          LLVM, made by a thread in the background, if dame_llvm.so and LLVM are
                          installed. NULL: interp,x */
    const char
        *profile; /* a file or a directory where the fastest codes on this CPU are remembered;
                     "auto": dame in $XDG_CACHE_HOME, or in .cache in $HOME. NULL: nowhere */
    const char *code_dir; /* directories, absolute and separated by colons, of files with machine
                             code by LLVM, the first of which is written; "auto": as for profile.
                             NULL: no directory */
    const char *llvm;     /* the path of dame_llvm.so. NULL: where it was installed */
} dame_context_options_t;

/*
 * Makes a context. NULL as `options`: the defaults, with which the library starts no thread and
 * touches no file. The caller frees with dame_context_free().
 *
 * Errors: DAME_ERR_ARGUMENT (an unknown pass or tier; a negative fragment; a threshold below -1 or
 * above 2^31 - 1; a directory that is not absolute; `size` smaller than the first
 * version's structure, or a field that this version of the library does not know is not 0),
 * DAME_ERR_NOMEM.
 */
DAME_PUBLIC dame_status_t dame_context_new(const dame_context_options_t *options,
                                           dame_context_t **out);

/*
 * Ends the use of a context by the caller. Datatypes that were made with it keep it alive until the
 * last of them is freed. Accepts NULL.
 */
DAME_PUBLIC void dame_context_free(dame_context_t *context);

/*
 * The name of counter i of every context, counted from 0, or NULL when there are fewer. Later
 * versions may add some at the end. Static storage.
 *
 *     datatypes datatypes made; also those inside of dame_datatype_subarray() and _parse()
 *     commits         programs built
 *     packs           calls of dame_pack() that moved data
 *     packed_bytes    bytes that they moved
 *     unpacks         calls of dame_unpack() that moved data
 *     unpacked_bytes  bytes that they moved
 *     copies          calls of dame_copy() that moved data
 *     copied_bytes    bytes that they moved
 *     compiled_pack   codes compiled to pack, those included that were measured and dropped
 *     compiled_unpack .. to unpack
 *     code_bytes      bytes of machine code in memory
 *     device_moves    calls that moved data of a device
 *     device_bytes    bytes that they moved
 *     device_launches kernels launched for them
 *     device_copies   copies by the driver, of a block or of rows at one stride
 */
DAME_PUBLIC const char *dame_counter_name(int i);

/*
 * The value of a counter since the context was made. Calls that other threads make at the same time
 * may be missing. Error: DAME_ERR_ARGUMENT (no counter has that name).
 */
DAME_PUBLIC dame_status_t dame_context_counter(const dame_context_t *context, const char *name,
                                               int64_t *value);

/* ---- constructors ---- */

/*
 * The functions below make a datatype, which the caller frees with dame_datatype_free(). They copy
 * the lists that they get and keep the old datatypes alive, so both may be freed at once.
 *
 * Size and bounds follow MPI-4.0, section 5.1.7: no padding is added at the end of a struct (use
 * dame_datatype_resized() with sizeof), and the bounds that dame_datatype_resized() sets win over
 * those of data beside it.
 *
 * Errors: DAME_ERR_ARGUMENT (a negative count or blocklength, a missing list, datatypes of several
 * contexts), DAME_ERR_RANGE (size or bounds do not fit in 64 bits), DAME_ERR_LIMIT (more than 900
 * constructors inside each other), DAME_ERR_NOMEM.
 */

/*
 * A basic datatype: `size` contiguous bytes of one kind, committed. The names and sizes:
 *
 *     byte char int8 uint8 1   int16 uint16 2   int32 uint32 4   int64 uint64 8   int128 uint128 16
 *     float16 2   float32 4   float64 8   float80 16   float128 16
 *     complex64 8   complex128 16   complex160 32   bool 1
 *     short int long "long long" size_t ptrdiff_t float double "long double" and the unsigned ones:
 *     other names of those that they are on this machine
 *
 * For these `size` is 0 or their size. Any other name of 1 to 31 printable ASCII characters makes a
 * kind of its own, of `size` bytes, 1 or more, for example ("particle id", 12). Two basic datatypes
 * are the same in a signature if name and size are.
 *
 * Errors: DAME_ERR_ARGUMENT (the name is empty, too long or has other characters; the size is not
 * that of the name), DAME_ERR_NOMEM. Source: MPI-4.0, section 3.2.2.
 */
DAME_PUBLIC dame_status_t dame_datatype_basic(dame_context_t *context, const char *name,
                                              int64_t size, dame_datatype_t **out);

/*
 * `count` elements of `old`, one extent apart. Source: MPI-4.0, section 5.1.2.
 */
DAME_PUBLIC dame_status_t dame_datatype_contiguous(int64_t count, const dame_datatype_t *old,
                                                   dame_datatype_t **out);

/*
 * `count` blocks of `blocklength` elements each. From the start of one block to the next it is
 * `stride` extents of `old` (vector) or `stride` bytes (hvector). Source: MPI-4.0, section 5.1.2.
 */
DAME_PUBLIC dame_status_t dame_datatype_vector(int64_t count, int64_t blocklength, int64_t stride,
                                               const dame_datatype_t *old, dame_datatype_t **out);
DAME_PUBLIC dame_status_t dame_datatype_hvector(int64_t count, int64_t blocklength, int64_t stride,
                                                const dame_datatype_t *old, dame_datatype_t **out);

/*
 * `count` blocks; block i has blocklengths[i] elements and starts at displacements[i], in extents
 * of `old` (indexed) or bytes (hindexed). The lists have `count` entries and may be NULL when
 * `count` is 0. Source: MPI-4.0, section 5.1.2.
 */
DAME_PUBLIC dame_status_t dame_datatype_indexed(int64_t count, const int64_t *blocklengths,
                                                const int64_t *displacements,
                                                const dame_datatype_t *old, dame_datatype_t **out);
DAME_PUBLIC dame_status_t dame_datatype_hindexed(int64_t count, const int64_t *blocklengths,
                                                 const int64_t *displacements,
                                                 const dame_datatype_t *old, dame_datatype_t **out);

/*
 * The same with one blocklength for all blocks. Source: MPI-4.0, section 5.1.2.
 */
DAME_PUBLIC dame_status_t dame_datatype_indexed_block(int64_t count, int64_t blocklength,
                                                      const int64_t *displacements,
                                                      const dame_datatype_t *old,
                                                      dame_datatype_t **out);
DAME_PUBLIC dame_status_t dame_datatype_hindexed_block(int64_t count, int64_t blocklength,
                                                       const int64_t *displacements,
                                                       const dame_datatype_t *old,
                                                       dame_datatype_t **out);

/*
 * `count` blocks; block i has blocklengths[i] elements of types[i] and starts displacements[i]
 * BYTES from the element's start. All types belong to `context`. The lists have `count` entries and
 * may be NULL when `count` is 0. Source: MPI-4.0, section 5.1.2.
 */
DAME_PUBLIC dame_status_t dame_datatype_struct(dame_context_t *context, int64_t count,
                                               const int64_t *blocklengths,
                                               const int64_t *displacements,
                                               const dame_datatype_t *const *types,
                                               dame_datatype_t **out);

/* Which index of an array changes fastest in memory. */
typedef enum dame_array_order {
    DAME_ORDER_C,      /* the last */
    DAME_ORDER_FORTRAN /* the first */
} dame_array_order_t;

/*
 * A part of an array of `ndims` dimensions, at least 1. sizes[d] is the whole array's number of
 * elements in dimension d, subsizes[d] the part's and starts[d] the part's first index, counted
 * from 0 also in Fortran order: 0 <= subsizes[d], 0 <= starts[d], starts[d] + subsizes[d] <=
 * sizes[d]. The displacements count from the whole array's start, and the extent is the whole
 * array's. Source: MPI-4.0, section 5.1.3 (which does not allow subsizes of 0).
 */
DAME_PUBLIC dame_status_t dame_datatype_subarray(int ndims, const int64_t *sizes,
                                                 const int64_t *subsizes, const int64_t *starts,
                                                 dame_array_order_t order,
                                                 const dame_datatype_t *old, dame_datatype_t **out);

/*
 * `old` with lower bound `lb` and extent `extent`, in bytes: elements of the new datatype are
 * `extent` bytes apart, which may be negative or 0. Source: MPI-4.0, section 5.1.7.
 */
DAME_PUBLIC dame_status_t dame_datatype_resized(int64_t lb, int64_t extent,
                                                const dame_datatype_t *old, dame_datatype_t **out);

/*
 * Another reference to the same datatype, to be freed as well. Committing one commits both.
 * Error: DAME_ERR_ARGUMENT (NULL). Source: MPI-4.0, section 5.1.10.
 */
DAME_PUBLIC dame_status_t dame_datatype_dup(const dame_datatype_t *old, dame_datatype_t **out);

/*
 * The datatype that a text in the DAME language describes (doc/language.md); `length` is that of
 * `text` in bytes. Its bytes are basic elements of `element`, a basic datatype of `context`, or
 * single elements of "byte" when `element` is NULL. Its lower bound is the first byte of data, or 0
 * if the upper bound would then not fit in 64 bits.
 *
 * Errors: DAME_ERR_TEXT, DAME_ERR_VERIFY and DAME_ERR_RANGE, with line and column in the message
 * (DAME_ERR_RANGE also without them, where the elements of an INDEX have an extent near 2^63);
 * DAME_ERR_LIMIT (too many primitives, or nested too deep); DAME_ERR_ARGUMENT (`element` is not
 * basic or of another context, or a block is not a whole number of it); DAME_ERR_NOMEM.
 */
DAME_PUBLIC dame_status_t dame_datatype_parse(dame_context_t *context, const char *text,
                                              size_t length, const dame_datatype_t *element,
                                              dame_datatype_t **out);

/*
 * Makes the datatype ready to move data: builds its program, once. Datatypes that are only parts of
 * others need not be committed, basic ones are. Calling it again does nothing.
 *
 * Errors: DAME_ERR_LIMIT (the message names the limit: a program has at most 2^20 primitives, and
 * tables of 64 MiB and 32 bytes for every entry of the datatype's own lists), DAME_ERR_NOMEM.
 * Source: MPI-4.0, section 5.1.9.
 */
DAME_PUBLIC dame_status_t dame_datatype_commit(const dame_datatype_t *type);

/*
 * Gives up the caller's reference. Accepts NULL. Source: MPI-4.0, section 5.1.9.
 */
DAME_PUBLIC void dame_datatype_free(dame_datatype_t *type);

/* ---- what a datatype says of itself; it need not be committed ---- */

/*
 * Bytes of data in an element, which are those of its packed stream. Source: MPI-4.0, 5.1.5.
 */
DAME_PUBLIC dame_status_t dame_datatype_size(const dame_datatype_t *type, int64_t *size);

/*
 * Lower bound and extent, in bytes. An output that is NULL is not wanted. Source: MPI-4.0, 5.1.7.
 */
DAME_PUBLIC dame_status_t dame_datatype_extent(const dame_datatype_t *type, int64_t *lb,
                                               int64_t *extent);

/*
 * All bytes of an element lie in [true_lb, true_lb + true_extent), counted from its start; both 0
 * without data. An output that is NULL is not wanted. Source: MPI-4.0, section 5.1.8.
 */
DAME_PUBLIC dame_status_t dame_datatype_true_extent(const dame_datatype_t *type, int64_t *true_lb,
                                                    int64_t *true_extent);

/*
 * Tells whether a_count elements of `a` consist of the same basic elements, in the same order,
 * as b_count elements of `b`. *same is 1 or 0. Counts are 0 or more. The time does not depend on
 * the counts where a signature is a repetition of at most 1024 runs of equal basic elements.
 *
 * Errors: DAME_ERR_ARGUMENT (a negative count), DAME_ERR_NOMEM. Source: MPI-4.0, section 5.1
 * (type signature).
 */
DAME_PUBLIC dame_status_t dame_datatype_same_signature(const dame_datatype_t *a, int64_t a_count,
                                                       const dame_datatype_t *b, int64_t b_count,
                                                       int *same);

/* Basic elements in a row: of one kind, side by side in memory as in the typemap. */
typedef struct dame_typemap_entry {
    const char *name;     /* of the basic datatype; lives as long as the datatype */
    int64_t size;         /* bytes of each */
    int64_t displacement; /* bytes from the element's start to the first */
    int64_t count;        /* how many, at least 1 */
} dame_typemap_entry_t;

/*
 * The typemap of one element, from its basic element number *position on (0: the first), as at most
 * n entries. *listed receives their number, 0 at the end, and *position the number of the basic
 * element that follows, so the same call again goes on.
 *
 * Errors: DAME_ERR_ARGUMENT (*position is negative or greater than the number of basic elements; n
 * is less than 1). Source: MPI-4.0, section 5.1 (typemap).
 */
DAME_PUBLIC dame_status_t dame_datatype_typemap(const dame_datatype_t *type, int64_t *position,
                                                dame_typemap_entry_t *entries, int64_t n,
                                                int64_t *listed);

/*
 * The program of a committed datatype in the DAME language (doc/language.md), with a '\0' behind
 * it. The caller frees it with dame_free().
 *
 * Errors: DAME_ERR_ARGUMENT (not committed), DAME_ERR_NOMEM.
 */
DAME_PUBLIC dame_status_t dame_datatype_print(const dame_datatype_t *type, char **text);

/*
 * The datatype in English: its constructors, size, bounds, signature, and if it is committed its
 * program. For people: the wording may change. The caller frees it with dame_free().
 *
 * Error: DAME_ERR_NOMEM.
 */
DAME_PUBLIC dame_status_t dame_datatype_explain(const dame_datatype_t *type, char **text);

/* ---- moving data ---- */

/*
 * Messages of `count` elements, 0 or more, of a committed datatype. All state of a message that
 * moves in pieces is its position in the packed stream, a number that belongs to the caller: pieces
 * may be of any length, in any order, by several threads at once, and nothing is to be freed. A
 * call finds its position in a time that grows with the nesting of the datatype and the logarithm
 * of its lists.
 *
 * Errors: DAME_ERR_ARGUMENT (a negative count or length, a position outside the message, a datatype
 * that is not committed), DAME_ERR_RANGE (count times size does not fit in 64 bits), DAME_ERR_NOMEM
 * (only for programs with more than 16 levels), DAME_ERR_DEVICE (the driver of a device reports an
 * error; the message names it).
 */

/*
 * Bytes of the packed stream of a message: count times size. Source: MPI-4.0, section 5.2.
 */
DAME_PUBLIC dame_status_t dame_packed_size(const dame_datatype_t *type, int64_t count,
                                           int64_t *bytes);

/*
 * Packs the part of a message's stream that starts at `position`: as much as `packed`, of `length`
 * bytes, has room for. *moved receives the bytes: the smaller of `length` and the rest of the
 * message. It may be NULL. `packed` and the message may not overlap. Source: MPI-4.0, section 5.2.
 */
DAME_PUBLIC dame_status_t dame_pack(const dame_datatype_t *type, int64_t count, const void *base,
                                    int64_t position, void *packed, int64_t length, int64_t *moved);

/*
 * Unpacks `length` bytes of a message's stream that start at `position`, or the rest of the message
 * if that is less. *moved receives the bytes. It may be NULL. Source: MPI-4.0, section 5.2.
 */
DAME_PUBLIC dame_status_t dame_unpack(const dame_datatype_t *type, int64_t count, void *base,
                                      int64_t position, const void *packed, int64_t length,
                                      int64_t *moved);

/*
 * Copies a message to another of the same signature, as if packed and unpacked, but never with a
 * packed copy of the message: long blocks are read or written in place, short ones pass through a
 * window of 4 KiB on the stack. The two may not share bytes; the datatypes belong to one context.
 *
 * Errors: DAME_ERR_SIGNATURE (the signatures differ).
 */
DAME_PUBLIC dame_status_t dame_copy(const dame_datatype_t *from_type, int64_t from_count,
                                    const void *from, const dame_datatype_t *to_type,
                                    int64_t to_count, void *to);

/*
 * As dame_pack() and dame_unpack(), for memory of devices, and asynchronous: the move is enqueued
 * in `stream`, a CUstream or cudaStream_t of the device's context, NULL for the default one; if
 * `event`, a CUevent, is not NULL, it is recorded behind the move. The message, `packed` and the
 * datatype stay as they are until then. Both memories are in the device's reach: on the device,
 * managed or pinned.
 *
 * Errors: DAME_ERR_ARGUMENT (neither of the two is on a device, or one is out of its reach),
 * DAME_ERR_UNSUPPORTED (there is no kernel: dame_llvm.so is missing), DAME_ERR_DEVICE.
 */
DAME_PUBLIC dame_status_t dame_pack_on(const dame_datatype_t *type, int64_t count, const void *base,
                                       int64_t position, void *packed, int64_t length,
                                       int64_t *moved, void *stream, void *event);
DAME_PUBLIC dame_status_t dame_unpack_on(const dame_datatype_t *type, int64_t count, void *base,
                                         int64_t position, const void *packed, int64_t length,
                                         int64_t *moved, void *stream, void *event);

/*
 * Lists the blocks of a message, contiguous bytes in memory, from byte *position of its packed
 * stream on: at most n, 1 or more, in typemap order; neighbours that touch are one. *listed
 * receives their number, 0 at the end, and *position the position behind them, so the same call
 * again goes on. After writev() wrote w bytes, go on at the old position + w.
 */
DAME_PUBLIC dame_status_t dame_blocks(const dame_datatype_t *type, int64_t count, const void *base,
                                      int64_t *position, struct iovec *blocks, int64_t n,
                                      int64_t *listed);

#ifdef __cplusplus
}
#endif

#endif
