/* SPDX-License-Identifier: BSD-3-Clause */
#include "direct.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "opal-glue/abi/abi.h"
#include "devices.h"
#include "opal-glue/log.h"
#include "move.h"
#include "opal-glue/abi/openmpi.h"
#include "opal-glue/table.h"
#include "opal-glue/thread.h"

static __typeof__(&MPI_Pack) original_pack;
static __typeof__(&MPI_Unpack) original_unpack;

/* ---- Does this Open MPI look as declared? --------------------------------------------------- */

/* Checked at the first call: communicators do not exist when the hooks are put into place. */
enum { NOT_KNOWN, FITS, DIFFERS };
static atomic_int fitness;

static inline bool is_invalid(MPI_Comm comm)
{
    return (comm->c_flags & (OMPI_COMM_ISFREED | OMPI_COMM_INVALID)) != 0;
}

static bool is_predefined(MPI_Comm comm)
{
    return (comm->c_flags & OMPI_COMM_INTRINSIC) != 0 && !is_invalid(comm);
}

/* MPI_Pack's convertors are made after Open MPI's local one. */
static bool converts_nothing(const opal_convertor_t *local)
{
    return local != NULL && opal_local_arch == local->remoteArch &&
           (local->flags & (DT_OPENMPI_CHECKSUM | DT_OPENMPI_DEVICE)) == 0;
}

/* Only while MPI is initialised. */
static __attribute__((noinline)) bool find_fitness(void)
{
    const bool fits = is_predefined(MPI_COMM_WORLD) && is_predefined(MPI_COMM_SELF) &&
                      is_predefined(MPI_COMM_NULL) && converts_nothing(ompi_mpi_local_convertor);
    if (atomic_exchange(&fitness, fits ? FITS : DIFFERS) != DIFFERS && !fits) {
        dt_log("communicators, or the convertor for local data, are not as expected: MPI_Pack and "
               "MPI_Unpack go through Open MPI");
    }
    return fits;
}

static inline bool is_fit(void)
{
    const int known = atomic_load_explicit(&fitness, memory_order_relaxed);
    return __builtin_expect(known == FITS, 1) || (known == NOT_KNOWN && find_fitness());
}

/* ---- One call ------------------------------------------------------------------------------- */

/* Returns whether NULL may be the address of this data. It is MPI_BOTTOM's, and what Open MPI 4.1
 * refuses. */
static inline bool may_be_absolute(const opal_datatype_t *datatype)
{
    return datatype->true_lb != 0 && (datatype->flags & OPAL_DATATYPE_FLAG_PREDEFINED) == 0;
}

/* Returns whether Open MPI would accept what does not depend on the datatype. */
static inline bool is_right(const void *packed, const int *position, MPI_Comm comm)
{
    return ompi_mpi_state == OMPI_MPI_STATE_INIT_COMPLETED && packed != NULL && position != NULL &&
           comm != NULL && comm != MPI_COMM_NULL && is_fit() && !is_invalid(comm);
}

/* The entry of a datatype, or NULL if DAME does not move its whole messages. What has an entry was
 * accepted by Open MPI before: it is committed. */
static inline dt_entry_t *entry_of(const opal_datatype_t *datatype, dame_dir_t dir)
{
    dt_entry_t *entry = dt_table_find(datatype);
    return entry != NULL && dt_entry_declined(entry) == (int32_t) DT_DECLINE_NONE &&
                   !dame_promote_is_native(entry->use.layout, dir)
               ? entry
               : NULL;
}

/* Moves the message, from or to byte `at` of `size`. Returns its bytes, or 0: Open MPI has to, and
 * nothing was done. */
static inline __attribute__((always_inline)) int64_t move_at(dt_entry_t *entry, dame_dir_t dir,
                                                             void *user, int64_t count,
                                                             const opal_datatype_t *datatype,
                                                             char *packed, int64_t size, int64_t at)
{
    int64_t bytes;
    if (__builtin_mul_overflow(count, datatype->size, &bytes) || bytes <= 0 || at < 0 ||
        bytes > size - at || dt_openmpi_on_device(user, packed) ||
        dt_move_is_within(entry->use.layout->program, user, count, packed + at, (size_t) bytes)) {
        return 0;
    }
    dt_thread_t *thread = dt_thread_here();
    if (!dame_credit_take(&thread->base, &entry->use, (dame_work_t) dir, bytes)) {
        return 0;
    }
    dame_reader_enter(&thread->base.reader);
    dame_program_run(entry->use.layout->program, dir, (uintptr_t) user, count, packed + at);
    dame_reader_leave(&thread->base.reader);
    return bytes;
}

/* Moves the message and advances the position. False: Open MPI has to, and nothing was done. */
static inline __attribute__((always_inline)) bool move_call(dame_dir_t dir, void *user, int count,
                                                            MPI_Datatype type, char *packed,
                                                            int room, int *position, MPI_Comm comm)
{
    const opal_datatype_t *datatype = (const opal_datatype_t *) type; /* its first member */
    dt_entry_t *entry =
        entry_of(datatype, dir); /* first: a new datatype's few uses pay for this alone */
    if (entry == NULL || !is_right(packed, position, comm) ||
        (user == NULL && !may_be_absolute(datatype)) ||
        (dt_devices_attend() &&
         dt_devices_need_convertor(datatype, (size_t) count, user, packed))) {
        return false;
    }
    const int64_t bytes = move_at(entry, dir, user, count, datatype, packed, room, *position);
    *position += (int) bytes;
    return bytes > 0;
}

/* Not in line, so that contiguous data does not pay for their registers. */
static __attribute__((noinline)) int pack_blocks(const void *inbuf, int incount, MPI_Datatype type,
                                                 void *outbuf, int outsize, int *position,
                                                 MPI_Comm comm)
{
    return move_call(DAME_PACK, (void *) (uintptr_t) inbuf, incount, type, outbuf, outsize,
                     position, comm)
               ? MPI_SUCCESS
               : original_pack(inbuf, incount, type, outbuf, outsize, position, comm);
}

static __attribute__((noinline)) int unpack_blocks(const void *inbuf, int insize, int *position,
                                                   void *outbuf, int outcount, MPI_Datatype type,
                                                   MPI_Comm comm)
{
    return move_call(DAME_UNPACK, outbuf, outcount, type, (char *) (uintptr_t) inbuf, insize,
                     position, comm)
               ? MPI_SUCCESS
               : original_unpack(inbuf, insize, position, outbuf, outcount, type, comm);
}

static inline bool has_blocks(MPI_Datatype type, int count)
{
    return type != NULL &&
           !dt_openmpi_is_contiguous((const opal_datatype_t *) type, (size_t) count);
}

static int direct_pack(const void *inbuf, int incount, MPI_Datatype type, void *outbuf, int outsize,
                       int *position, MPI_Comm comm)
{
    return has_blocks(type, incount)
               ? pack_blocks(inbuf, incount, type, outbuf, outsize, position, comm)
               : original_pack(inbuf, incount, type, outbuf, outsize, position, comm);
}

static int direct_unpack(const void *inbuf, int insize, int *position, void *outbuf, int outcount,
                         MPI_Datatype type, MPI_Comm comm)
{
    return has_blocks(type, outcount)
               ? unpack_blocks(inbuf, insize, position, outbuf, outcount, type, comm)
               : original_unpack(inbuf, insize, position, outbuf, outcount, type, comm);
}

/* ---- Asked through the seam ----------------------------------------------------------------- */

static bool answers;

void dt_direct_answer(bool on)
{
    atomic_store(&fitness, NOT_KNOWN);
    answers = on;
}

static inline __attribute__((always_inline)) int32_t
answer(dame_dir_t dir, void *user, size_t count, const opal_datatype_t *datatype, char *packed,
       size_t size, size_t *position)
{
    if (!answers || dt_openmpi_is_contiguous(datatype, count) || !is_fit() ||
        (dt_devices_attend() && dt_devices_need_convertor(datatype, count, user, packed))) {
        return OPAL_ERR_NOT_SUPPORTED;
    }
    dt_entry_t *entry = entry_of(datatype, dir);
    const int64_t bytes = entry == NULL ? 0
                                        : move_at(entry, dir, user, (int64_t) count, datatype,
                                                  packed, (int64_t) size, (int64_t) *position);
    *position += (size_t) bytes;
    return bytes > 0 ? OPAL_SUCCESS : OPAL_ERR_NOT_SUPPORTED;
}

int32_t dt_direct_pack(const opal_datatype_t *datatype, size_t count, const void *user,
                       void *packed, size_t size, size_t *position)
{
    return answer(DAME_PACK, (void *) (uintptr_t) user, count, datatype, packed, size, position);
}

int32_t dt_direct_unpack(const opal_datatype_t *datatype, size_t count, void *user,
                         const void *packed, size_t size, size_t *position)
{
    return answer(DAME_UNPACK, user, count, datatype, (char *) (uintptr_t) packed, size, position);
}

/* ---- Start ---------------------------------------------------------------------------------- */

static bool is_in_libmpi(uintptr_t function)
{
    static const char libmpi[] = "libmpi.so";
    Dl_info info;
    if (function == 0 || dladdr((void *) function, &info) == 0 || info.dli_fname == NULL) {
        return false;
    }
    const char *file = strrchr(info.dli_fname, '/');
    file = file == NULL ? info.dli_fname : file + 1;
    return strncmp(file, libmpi, sizeof(libmpi) - 1) == 0;
}

size_t dt_direct_hooks(dt_got_hook_t *hooks)
{
    atomic_store(&fitness, NOT_KNOWN);
    original_pack = DT_ABI_MPI(PMPI_Pack);
    original_unpack = DT_ABI_MPI(PMPI_Unpack);
    const uintptr_t pack = (uintptr_t) original_pack, unpack = (uintptr_t) original_unpack;
    if (&ompi_mpi_state == NULL || !is_in_libmpi(pack) || !is_in_libmpi(unpack)) {
        return 0;
    }
    const uintptr_t packs = (uintptr_t) direct_pack, unpacks = (uintptr_t) direct_unpack;
    hooks[0] = (dt_got_hook_t){"MPI_Pack", packs, DT_GOT_EVERYWHERE, pack};
    hooks[1] = (dt_got_hook_t){"PMPI_Pack", packs, DT_GOT_EVERYWHERE, pack};
    hooks[2] = (dt_got_hook_t){"MPI_Unpack", unpacks, DT_GOT_EVERYWHERE, unpack};
    hooks[3] = (dt_got_hook_t){"PMPI_Unpack", unpacks, DT_GOT_EVERYWHERE, unpack};
    return DT_DIRECT_HOOKS;
}
